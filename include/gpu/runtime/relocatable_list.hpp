/// @file
/// A vector for the runtime's own books: little code for each element type, and growth that moves bytes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace gpu::detail {

/// Doubles storage with realloc; null if there is no memory.
[[nodiscard, gnu::cold]] inline void* grow_storage(void* data, std::size_t& capacity, std::size_t element) noexcept {
  const std::size_t larger = capacity == 0 ? 4 : capacity * 2;
  void* const grown = std::realloc(data, larger * element);
  if (grown != nullptr) capacity = larger;
  return grown;
}

/// `T` may be moved by copying its bytes (pointers, counted pointers and structs of them).
template <class T>
class relocatable_list {
 public:
  relocatable_list() noexcept = default;
  relocatable_list(const relocatable_list&) = delete;
  relocatable_list& operator=(const relocatable_list&) = delete;
  relocatable_list(relocatable_list&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ~relocatable_list() {
    clear();
    std::free(static_cast<void*>(data_));
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }

  /// So that the next `push_back` cannot fail. @throws std::bad_alloc
  void make_room() {
    if (size_ < capacity_) return;
    void* const grown = grow_storage(static_cast<void*>(data_), capacity_, sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
  }
  [[gnu::noinline]] void push_back(T value) {
    make_room();
    ::new (static_cast<void*>(data_ + size_)) T(std::move(value));
    ++size_;
  }
  [[nodiscard]] T pop_back() noexcept {
    T value = std::move(data_[size_ - 1]);
    data_[--size_].~T();
    return value;
  }
  /// Removes an element; the last one takes its place.
  void erase_unordered(std::size_t i) noexcept {
    std::swap(data_[i], data_[size_ - 1]);
    data_[--size_].~T();
  }
  void clear() noexcept {
    while (size_ > 0) data_[--size_].~T();
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace gpu::detail
