/// @file
/// `pinned<T>`: memory of the host that GPUs read and write directly, for the fastest copies.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/pinned_resource.hpp"
#include "view.hpp"

namespace gpu {

/// A fixed number of elements in page-locked memory of the host. Copies between it and a GPU (gpu/transfer.hpp) go
/// straight, without the host's help. Access waits for copies that still use the elements. Move-only; where there is no
/// GPU it is ordinary memory.
template <element T>
class pinned {
 public:
  using value_type = T;

  /// No elements.
  pinned() noexcept = default;
  /// `n` elements, uninitialised, of any shape: from the pool of pinned memory. @throws out_of_memory, shape_error
  explicit pinned(const gpu::shape& extents) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(extents.size(), std::int64_t{sizeof(T)}, &bytes))
      detail::raise<shape_error>("array is too big: shape ", extents, " with ", sizeof(T), " bytes an element");
    data_.owner = detail::allocate_pinned_buffer(static_cast<std::size_t>(bytes));
    data_.first = static_cast<char*>(data_.owner->data());
    data_.where = contiguous_layout(extents);
  }
  explicit pinned(std::int64_t n) : pinned(gpu::shape{n}) {}

  /// Memory of the user's, page-locked as long as this lives: it must live longer. The end waits for copies that still
  /// use it. Locking costs more than a copy: for memory that is copied often. Where there is no GPU nothing happens.
  /// @throws cuda_error if the driver does not lock it
  [[nodiscard]] static pinned registered(T* data, std::int64_t n) {
    const detail::backend_table* const cuda = detail::pinned_pool().provider();
    const auto bytes = static_cast<std::size_t>(n) * sizeof(T);
    pinned made;
    const bool locks = cuda != nullptr && bytes != 0;
    if (locks) cuda->register_host(data, bytes);
    try {
      made.data_.owner = adopt_buffer(data, bytes, device::host(), [cuda = locks ? cuda : nullptr](void* p) {
        if (cuda != nullptr) cuda->unregister_host(p);
      });
    } catch (...) {
      if (locks) cuda->unregister_host(data);
      throw;
    }
    if (locks) detail::buffer_access::set_page_locked(*made.data_.owner);
    made.data_.first = reinterpret_cast<char*>(data);
    made.data_.where = contiguous_layout(gpu::shape{n});
    made.registered_ = true;
    return made;
  }

  pinned(pinned&& other) noexcept
      : data_(std::exchange(other.data_, detail::storage())), registered_(std::exchange(other.registered_, false)) {}
  pinned& operator=(pinned&& other) noexcept {
    pinned(std::move(other)).swap(*this);
    return *this;
  }
  pinned(const pinned&) = delete;             // a copy would take as long as it saves: copy() says so
  pinned& operator=(const pinned&) = delete;  // as the constructor
  ~pinned() {
    if (!registered_) return;
    try {
      synchronize_for_write(*data_.owner, nullptr);
    } catch (...) {  // what failed there was not ours
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return data_.where.extents.size(); }
  [[nodiscard]] const gpu::shape& shape() const noexcept { return data_.where.extents; }
  [[nodiscard]] gpu::device device() const noexcept { return device::host(); }

  /// The elements, to write: waits for all copies from and to them.
  [[nodiscard]] T* data() {
    detail::prepare_host_access(data_, "pinned::data()");
    return reinterpret_cast<T*>(data_.first);
  }
  /// The elements, to read: waits for copies to them.
  [[nodiscard]] const T* data() const {
    detail::synchronize_storage(data_, "pinned::data()");
    return reinterpret_cast<const T*>(data_.first);
  }
  [[nodiscard]] T& operator[](std::int64_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::int64_t i) const { return data()[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }

  /// The elements as an array's: for expressions, and for copies. Shares the memory, which it keeps.
  [[nodiscard]] gpu::view<T> view() noexcept { return gpu::view<T>(data_); }
  [[nodiscard]] gpu::view<const T> view() const noexcept { return gpu::view<const T>(data_); }
  [[nodiscard]] const detail::storage& storage() const noexcept { return data_; }

 private:
  void swap(pinned& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(registered_, other.registered_);
  }

  detail::storage data_;
  bool registered_ = false;
};

}  // namespace gpu
