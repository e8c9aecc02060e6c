/// @file
/// Copies between devices and to and from memory of the user's: now or asynchronously, one or many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"
#include "runtime/event.hpp"
#include "runtime/pinned_resource.hpp"

namespace gpu {

/// `n` elements of host memory that the user promises to keep, and to leave alone, until copies of them are done.
template <class T>
class borrowed {
 public:
  using value_type = std::remove_const_t<T>;

  borrowed(T* data, std::int64_t n);
  /// The elements of a vector, span, std::array or C array.
  template <class Container>
    requires requires(Container& c) {
      { std::data(c) } -> std::convertible_to<T*>;
      std::size(c);
    }
  explicit borrowed(Container& elements)
      : borrowed(std::data(elements), static_cast<std::int64_t>(std::size(elements))) {}

  [[nodiscard]] const detail::storage& storage() const noexcept { return data_; }

 private:
  detail::storage data_;
};

template <class Container>
borrowed(Container&) -> borrowed<std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))>>;

namespace detail {

/// What elements can be copied from: an array, a view, pinned or borrowed memory.
template <class S>
concept copy_source = requires(const std::remove_cvref_t<S>& s) {
  { s.storage() } -> std::same_as<const storage&>;
  typename std::remove_cvref_t<S>::value_type;
};

template <class S>
inline constexpr bool holds_const = false;
template <class T>
inline constexpr bool holds_const<view<const T>> = true;
template <class T>
inline constexpr bool holds_const<borrowed<const T>> = true;
/// What owns its elements may not be const.
template <class S>
inline constexpr bool owns = true;
template <class T>
inline constexpr bool owns<view<T>> = false;
template <class T>
inline constexpr bool owns<borrowed<T>> = false;

/// What elements can be copied to.
template <class S>
concept copy_target = copy_source<S> && !holds_const<std::remove_cvref_t<S>> &&
                      !(owns<std::remove_cvref_t<S>> && std::is_const_v<std::remove_reference_t<S>>);

template <class A, class B>
concept same_elements =
    std::same_as<typename std::remove_cvref_t<A>::value_type, typename std::remove_cvref_t<B>::value_type>;

}  // namespace detail

/// Copies elements, whatever device they are on; shapes broadcast as in an assignment, but elements keep their type.
/// In the order of the current stream of the GPU (of the source's, between two), or of the host's current stream
/// between two arrays of the host. Everything that shares memory keeps it; borrowed memory must stay until the copy is
/// done. Does not wait, except for host streams that have not finished a source on its way to a GPU, and on the host's
/// default stream. @throws shape_error, out_of_memory
template <detail::copy_target Target, detail::copy_source Source>
  requires detail::same_elements<Target, Source>
void copy_async(Target&& target, const Source& source);

/// The same from a container that is given away: it lives until its elements have been read.
template <detail::copy_target Target, class Container>
  requires(!detail::copy_source<Container> && !std::is_lvalue_reference_v<Container> &&
           detail::contiguous_container<Container, typename std::remove_cvref_t<Target>::value_type>)
void copy_async(Target&& target, Container&& source);

/// `copy_async` that waits until the elements are there. @throws what the work has thrown
template <detail::copy_target Target, detail::copy_source Source>
  requires detail::same_elements<Target, Source>
void copy(Target&& target, const Source& source);

/// Elements on their way to the host.
template <class T>
class future {
 public:
  /// Nothing.
  future() noexcept = default;

  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(data_.owner); }
  /// Whether the elements have arrived. Does not wait.
  [[nodiscard]] bool ready() const { return arrived_.done(); }
  /// Waits until they have. @throws what the work has thrown
  void wait() const {
    arrived_.synchronize();  // which comes after the copy: from here on it is ready, too
    if (data_.owner) synchronize_for_read(*data_.owner, nullptr);
  }
  /// Waits, and gives the elements as an array of the host. @throws what the work has thrown. The future is empty then.
  [[nodiscard]] array<T> get() {
    wait();
    return array<T>(std::exchange(data_, detail::storage()));
  }

  /// For the library's own use.
  future(detail::storage data, event arrived) noexcept : data_(std::move(data)), arrived_(std::move(arrived)) {}

 private:
  detail::storage data_;
  event arrived_;
};

/// Begins to copy an array or view to pinned memory of the host, in the order of its device's current stream. What it
/// needs stays alive. Does not wait. @throws out_of_memory
template <detail::copy_source Source>
[[nodiscard]] auto to_host_async(const Source& source) -> future<typename Source::value_type>;

/// Many copies that are handed to a device together: for small ones, each of which would cost more to begin than to do.
/// They must not depend on each other.
class copy_batch {
 public:
  /// Notes a copy; nothing happens yet. Both sides have the same shape. What they share stays alive.
  /// @throws shape_error
  template <detail::copy_target Target, detail::copy_source Source>
    requires detail::same_elements<Target, Source>
  void add(Target&& target, const Source& source) {
    add(target.storage(), source.storage(), sizeof(typename std::remove_cvref_t<Target>::value_type));
  }
  [[nodiscard]] std::size_t size() const noexcept { return copies_.size(); }

  /// Begins all copies, each in the order of the stream that `copy_async` uses, and forgets them. Does not wait, except
  /// as `copy_async` does. @throws out_of_memory, cuda_error; then some may have begun
  void submit();

 private:
  struct noted {
    detail::storage target;
    detail::storage source;
    std::int64_t itemsize;
  };

  void add(const detail::storage& target, const detail::storage& source, std::int64_t itemsize);

  std::vector<noted> copies_;
};

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// A copy between any two devices, in the order of the stream that reaches both.
inline void copy_between(const storage& target, const storage& source, std::int64_t itemsize) {
  if (target.device() == source.device()) {
    assign_elements(target, source, itemsize);
    return;
  }
  if (!is_assignable(source.where.extents, target.where.extents)) {
    raise<shape_error>("could not broadcast input array from shape ", source.where.extents, " into shape ",
                       target.where.extents);
  }
  check_writable(target.where);
  if (target.where.extents.size() == 0) return;
  copy_strided(plan_copy(target, source, itemsize), *target.owner, *source.owner,
               current_stream(source.device().is_host() ? target.device() : source.device()));
}

/// Elements of the user's memory, as a row or in the shape of what they are copied from or to.
[[nodiscard]] inline storage in_shape_of(const storage& flat, bool is_flat, const storage& other) {
  if (!is_flat || flat.where.extents.size() != other.where.extents.size()) return flat;
  return {flat.owner, flat.first, contiguous_layout(other.where.extents)};
}

template <class S>
inline constexpr bool is_borrowed = false;
template <class T>
inline constexpr bool is_borrowed<borrowed<T>> = true;

}  // namespace detail

template <class T>
borrowed<T>::borrowed(T* data, std::int64_t n) {
  void* const memory = const_cast<value_type*>(data);
  data_.owner = adopt_buffer(memory, static_cast<std::size_t>(n) * sizeof(T), device::host(), [](void*) {});
  data_.first = static_cast<char*>(memory);
  data_.where = contiguous_layout(shape{n});
  const detail::backend_table* const cuda = detail::pinned_pool().provider();
  if (cuda != nullptr && n != 0 && cuda->is_page_locked(memory)) detail::buffer_access::set_page_locked(*data_.owner);
}

template <detail::copy_target Target, detail::copy_source Source>
  requires detail::same_elements<Target, Source>
void copy_async(Target&& target, const Source& source) {
  const detail::storage& to = target.storage();
  const detail::storage& from = source.storage();
  detail::copy_between(detail::in_shape_of(to, detail::is_borrowed<std::remove_cvref_t<Target>>, from),
                       detail::in_shape_of(from, detail::is_borrowed<Source>, to), sizeof(typename Source::value_type));
}

template <detail::copy_target Target, class Container>
  requires(!detail::copy_source<Container> && !std::is_lvalue_reference_v<Container> &&
           detail::contiguous_container<Container, typename std::remove_cvref_t<Target>::value_type>)
void copy_async(Target&& target, Container&& source) {
  using value = typename std::remove_cvref_t<Target>::value_type;
  auto* const kept = new std::remove_cvref_t<Container>(std::forward<Container>(source));
  const auto n = static_cast<std::int64_t>(std::size(*kept));
  detail::storage from;
  try {
    void* const memory = const_cast<value*>(static_cast<const value*>(std::data(*kept)));
    from.owner = adopt_buffer(memory, static_cast<std::size_t>(n) * sizeof(value), device::host(),
                              [kept](void*) { delete kept; });
    from.first = static_cast<char*>(memory);
  } catch (...) {
    delete kept;
    throw;
  }
  from.where = contiguous_layout(shape{n});
  detail::copy_between(target.storage(), detail::in_shape_of(from, true, target.storage()), sizeof(value));
}

template <detail::copy_target Target, detail::copy_source Source>
  requires detail::same_elements<Target, Source>
void copy(Target&& target, const Source& source) {
  copy_async(target, source);
  detail::synchronize_storage(target.storage(), nullptr);
}

template <detail::copy_source Source>
auto to_host_async(const Source& source) -> future<typename Source::value_type> {
  constexpr std::int64_t itemsize = sizeof(typename Source::value_type);
  const detail::storage& from = source.storage();
  detail::storage arriving;
  arriving.owner = detail::allocate_pinned_buffer(static_cast<std::size_t>(from.where.extents.size() * itemsize));
  arriving.first = static_cast<char*>(arriving.owner->data());
  arriving.where = contiguous_layout(from.where.extents);
  detail::copy_between(arriving, from, itemsize);
  return {std::move(arriving), current_stream(from.device()).record()};
}

inline void copy_batch::add(const detail::storage& target, const detail::storage& source, std::int64_t itemsize) {
  if (target.where.extents != source.where.extents)
    detail::raise<shape_error>("copy_batch: shapes ", source.where.extents, " and ", target.where.extents, " differ");
  detail::check_writable(target.where);
  if (target.where.extents.size() != 0) copies_.push_back({target, source, itemsize});
}

[[gnu::cold]] inline void copy_batch::submit() {
  struct group {
    device on;
    std::vector<detail::contiguous_copy> copies;
    std::vector<buffer*> reads;
    std::vector<buffer*> writes;
    std::size_t staged = 0;               ///< bytes of ordinary host memory that go through pinned memory
    std::vector<std::size_t> to_stage{};  ///< these copies
  };
  std::vector<group> groups;
  std::vector<noted> copies = std::move(copies_);
  copies_.clear();
  for (const noted& c : copies) {
    const device from = c.source.device();
    const device to = c.target.device();
    const bool to_pageable = to.is_host() && !from.is_host() && !c.target.owner->is_page_locked();
    const bool between_gpus = !to.is_host() && !from.is_host() && to != from;
    if (to_pageable || between_gpus || !is_contiguous(c.target.where) || !is_contiguous(c.source.where)) {
      detail::copy_between(c.target, c.source, c.itemsize);
      continue;
    }
    const device on = from.is_host() ? to : from;
    group* mine = nullptr;
    for (group& g : groups) mine = g.on == on ? &g : mine;
    if (mine == nullptr) mine = &groups.emplace_back(group{on, {}, {}, {}, 0, {}});
    const auto bytes = static_cast<std::size_t>(c.target.where.extents.size() * c.itemsize);
    if (from.is_host() && !to.is_host() && !c.source.owner->is_page_locked()) {
      mine->to_stage.push_back(mine->copies.size());
      mine->staged += (bytes + 63) / 64 * 64;
      synchronize_for_read(*c.source.owner, "a copy to a GPU of an array that the host has not finished");
    } else {
      mine->reads.push_back(c.source.owner.get());
    }
    mine->writes.push_back(c.target.owner.get());
    mine->copies.push_back({c.target.first, c.source.first, bytes, from.is_host(), to.is_host()});
  }
  for (group& g : groups) {
    const stream s = current_stream(g.on);
    if (g.on.is_host()) {
      gpu::submit(s, g.reads, g.writes, [todo = std::move(g.copies)] {
        for (const detail::contiguous_copy& c : todo) std::memmove(c.dst, c.src, c.bytes);
      });
      continue;
    }
    buffer_ptr staging;
    if (g.staged != 0) {
      staging = detail::allocate_pinned_buffer(g.staged);
      char* next = static_cast<char*>(staging->data());
      for (const std::size_t i : g.to_stage) {
        std::memcpy(next, g.copies[i].src, g.copies[i].bytes);
        g.copies[i].src = next;
        next += (g.copies[i].bytes + 63) / 64 * 64;
      }
      g.reads.push_back(staging.get());
    }
    g.on.table().copy_many(g.copies.data(), g.copies.size(), g.reads, g.writes, s.state());
  }
}

}  // namespace gpu
