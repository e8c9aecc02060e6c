/// @file
/// `foreign_resource`: memory resources of RMM and of `cuda::mr` as resources of this library.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "memory_resource.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace gpu {

namespace detail {

using native_stream = CUstream_st*;

/// As `cuda::mr` has it since CCCL 3.1.
template <class R>
concept mr_resource = requires(R& r, native_stream s, void* p) {
  { r.allocate(s, std::size_t{1}, std::size_t{256}) } -> std::same_as<void*>;
  r.deallocate(s, p, std::size_t{1}, std::size_t{256});
};
/// As `cuda::mr` had it before.
template <class R>
concept mr_async_resource = requires(R& r, native_stream s, void* p) {
  { r.allocate_async(std::size_t{1}, std::size_t{256}, s) } -> std::same_as<void*>;
  r.deallocate_async(p, std::size_t{1}, std::size_t{256}, s);
};
/// As `rmm::mr::device_memory_resource`.
template <class R>
concept rmm_resource = requires(R& r, native_stream s, void* p) {
  { r.allocate(std::size_t{1}, s) } -> std::same_as<void*>;
  r.deallocate(p, std::size_t{1}, s);
};

}  // namespace detail

/// A stream-ordered resource of another library: `allocate(stream, bytes, alignment)`, `allocate_async(bytes,
/// alignment, stream)` or `allocate(bytes, stream)`, with a `cudaStream_t` or what converts from one.
template <class R>
concept foreign_memory_resource = detail::mr_resource<R> || detail::mr_async_resource<R> || detail::rmm_resource<R>;

/// Memory of a GPU from another library's resource, which must outlive all of it. Its `std::bad_alloc` becomes
/// `out_of_memory`. Called with the device current.
template <foreign_memory_resource Resource>
class foreign_resource final : public memory_resource {
 public:
  foreign_resource(gpu::device d, Resource& resource) noexcept : device_(d), resource_(resource) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    if (s.device() != device_) detail::raise_wrong_stream(device_, s);
    void* data = nullptr;
    try {
      with_device([&] {
        const auto handle = static_cast<detail::native_stream>(s.native_handle());
        if constexpr (detail::mr_resource<Resource>) {
          data = resource_.allocate(handle, bytes, alignment);
        } else if constexpr (detail::mr_async_resource<Resource>) {
          data = resource_.allocate_async(bytes, alignment, handle);
        } else {
          data = resource_.allocate(bytes, handle);
        }
      });
    } catch (const out_of_memory&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw out_of_memory(memory_shortage{device_, bytes, 0, 0, 0, 0, device_.memory_info()});
    }
    return data;
  }

  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    try {
      with_device([&] {
        const auto handle = static_cast<detail::native_stream>(s.native_handle());
        if constexpr (detail::mr_resource<Resource>) {
          resource_.deallocate(handle, data, bytes, alignment);
        } else if constexpr (detail::mr_async_resource<Resource>) {
          resource_.deallocate_async(data, bytes, alignment, handle);
        } else {
          resource_.deallocate(data, bytes, handle);
        }
      });
    } catch (...) {  // the memory is lost; there is nobody to tell
    }
  }

 private:
  static constexpr std::size_t alignment = 256;

  template <class F>
  void with_device(F&& f) {
    device_.table().with_device(device_.index(), [](void* g) { (*static_cast<std::remove_reference_t<F>*>(g))(); }, &f);
  }

  gpu::device device_;
  Resource& resource_;
};

}  // namespace gpu
