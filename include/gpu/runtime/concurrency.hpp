/// @file
/// The few primitives of concurrency that the runtime needs, without the cost of <mutex>, <thread> and their like.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gpu::detail {

/// Whether the process has only ever had one thread: then plain memory operations do.
[[nodiscard]] inline bool single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

/// An intrusive reference count; starts at one.
class reference_count {
 public:
  void add() noexcept {
    if (single_threaded()) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Adds a reference unless there is none left.
  [[nodiscard]] bool add_if_alive() noexcept {
    int count = count_.load(std::memory_order_relaxed);
    while (count != 0) {
      if (count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  /// Returns true to the one who drops the last reference.
  [[nodiscard]] bool drop() noexcept {
    if (single_threaded()) {
      const int left = count_.load(std::memory_order_relaxed) - 1;
      count_.store(left, std::memory_order_relaxed);
      return left == 0;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  [[nodiscard]] int value() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<int> count_{1};
};

/// A pointer that owns one reference; `T` has `add_reference()` and `drop_reference()`.
template <class T>
class intrusive_ptr {
 public:
  constexpr intrusive_ptr() noexcept = default;
  constexpr intrusive_ptr(std::nullptr_t) noexcept {}
  /// Takes over a reference that the caller has.
  [[nodiscard]] static intrusive_ptr adopt(T* object) noexcept {
    intrusive_ptr result;
    result.object_ = object;
    return result;
  }
  /// Adds a reference.
  [[nodiscard]] static intrusive_ptr share(T* object) noexcept {
    if (object != nullptr) object->add_reference();
    return adopt(object);
  }
  intrusive_ptr(const intrusive_ptr& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->add_reference();
  }
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  intrusive_ptr& operator=(const intrusive_ptr& other) noexcept {
    intrusive_ptr(other).swap(*this);
    return *this;
  }
  intrusive_ptr& operator=(intrusive_ptr&& other) noexcept {
    intrusive_ptr(static_cast<intrusive_ptr&&>(other)).swap(*this);
    return *this;
  }
  ~intrusive_ptr() {
    if (object_ != nullptr) object_->drop_reference();
  }

  void swap(intrusive_ptr& other) noexcept {
    T* const mine = object_;
    object_ = other.object_;
    other.object_ = mine;
  }
  void reset() noexcept { intrusive_ptr().swap(*this); }
  /// Gives the reference to the caller.
  [[nodiscard]] T* release() noexcept {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  /// How many pointers share the object; exact only if no other thread has one.
  [[nodiscard]] int use_count() const noexcept { return object_ == nullptr ? 0 : object_->use_count(); }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) noexcept { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

/// For sections of a few instructions that hardly ever meet; never held across a driver call.
class spin_lock {
 public:
  void lock() noexcept {
    if (single_threaded()) {
      held_.store(1, std::memory_order_relaxed);
    } else if (held_.exchange(1, std::memory_order_acquire) != 0) {
      wait();
    }
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  [[gnu::cold]] void wait() noexcept {
    for (int spins = 0;; ++spins) {
      if (held_.load(std::memory_order_relaxed) == 0 && held_.exchange(1, std::memory_order_acquire) == 0) return;
      if (spins > 64) sched_yield();
    }
  }

  std::atomic<unsigned> held_{0};
};

/// Recursive, because enqueueing may itself enqueue.
class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  void lock() noexcept { pthread_mutex_lock(&mutex_); }
  void unlock() noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
};

template <class Lock>
class locked {
 public:
  explicit locked(Lock& lock) noexcept : lock_(lock) { lock_.lock(); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;
  ~locked() { lock_.unlock(); }

 private:
  Lock& lock_;
};

/// Sleeps while `word` holds `value`, with spurious returns. Not std::atomic::wait: its table of waiters is duplicated
/// in every shared object built with hidden visibility, and a wake-up in one would miss the sleepers of another.
inline void wait_while_equal(const std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
#if defined(__linux__)
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
#else
  if (word.load(std::memory_order_acquire) == value) sched_yield();
#endif
}

inline void wake_all(std::atomic<std::uint32_t>& word) noexcept {
#if defined(__linux__)
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
#else
  static_cast<void>(word);
#endif
}

}  // namespace gpu::detail
