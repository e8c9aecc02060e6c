/// @file
/// A few freed objects of one size kept for the thread that freed them: half the cost of an allocation.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <new>

namespace gpu::detail {

/// Storage for objects of `Size` bytes; trivial, so that its thread-local instance costs no guard.
template <std::size_t Size>
class object_cache {
 public:
  [[nodiscard]] static void* allocate() {
    object_cache& cache = mine();
    return cache.count_ > 0 ? cache.kept_[--cache.count_] : ::operator new(Size);
  }
  static void deallocate(void* object) noexcept {
    object_cache& cache = mine();
    if (cache.count_ == capacity || !cache.open()) {
      ::operator delete(object);
    } else {
      cache.kept_[cache.count_++] = object;
    }
  }

 private:
  static constexpr int capacity = 16;

  [[nodiscard, gnu::visibility("default")]] static object_cache& mine() noexcept {
    static thread_local object_cache cache;
    return cache;
  }

  /// Whether what is kept will be freed when the thread ends; not once it is ending.
  [[nodiscard]] bool open() noexcept {
    if (state_ == state::untouched) state_ = pthread_setspecific(key(), this) == 0 ? state::open : state::closed;
    return state_ == state::open;
  }

  [[nodiscard, gnu::visibility("default")]] static pthread_key_t key() noexcept {
    static const pthread_key_t made = [] {
      pthread_key_t k{};
      pthread_key_create(&k, [](void* cache) { static_cast<object_cache*>(cache)->close(); });
      return k;
    }();
    return made;
  }

  void close() noexcept {
    state_ = state::closed;
    while (count_ > 0) ::operator delete(kept_[--count_]);
  }

  enum class state : unsigned char { untouched, open, closed };

  void* kept_[capacity] = {};
  int count_ = 0;
  state state_ = state::untouched;
};

}  // namespace gpu::detail
