/// @file
/// Work as the streams handle it: a function object by reference, or one that a task owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "relocatable_list.hpp"
#include "stream_state.hpp"

namespace gpu::detail {

/// New memory that a task is the first to write. Where it fails, zeros are left there instead of what the pool's last
/// user wrote.
class unwritten_memory {
 public:
  void add(void* data, std::size_t bytes) {
    if (first_.bytes == 0) {
      first_ = {data, bytes};
    } else {
      more_.push_back({data, bytes});
    }
  }
  [[gnu::cold]] void clear() noexcept {
    if (first_.bytes != 0) std::memset(first_.data, 0, first_.bytes);
    for (const block& b : more_) std::memset(b.data, 0, b.bytes);
  }

 private:
  struct block {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  block first_;
  relocatable_list<block> more_;
};

/// A piece of work that is run later. `act` runs it or destroys it.
struct task {
  enum class action : std::uint8_t { run, destroy };

  task* next = nullptr;
  void (*act)(task*, action) = nullptr;
  std::uint64_t ticket = 0;
  relocatable_list<stream_use> waits;  ///< work of other streams that comes first
  unwritten_memory unwritten;
};

/// Calls `f` with the driver's stream handle, or with nothing if it takes nothing.
template <class F>
void call_with_handle(F& f, void* native) {
  if constexpr (std::is_invocable_v<F&, void*>) {
    f(native);
  } else {
    f();
  }
}

template <class F>
struct task_of final : task {
  explicit task_of(F&& f) : function(std::move(f)) {}
  explicit task_of(const F& f) : function(f) {}
  F function;
};

/// A new task; `T` may be an lvalue reference, then the function is copied.
template <class T>
[[nodiscard]] task* make_task(T&& f) {
  using made_type = task_of<std::remove_cvref_t<T>>;
  auto* const made = new made_type(std::forward<T>(f));
  made->act = [](task* base, task::action what) {
    auto* const self = static_cast<made_type*>(base);
    if (what == task::action::run) {
      call_with_handle(self->function, nullptr);
    } else {
      delete self;
    }
  };
  return made;
}

/// `F` is deduced as in a forwarding reference: what was passed as an rvalue is moved into the task.
template <class F>
[[nodiscard]] work_ref make_work_ref(std::remove_reference_t<F>& f) noexcept {
  using function = std::remove_reference_t<F>;
  return {const_cast<void*>(static_cast<const void*>(&f)),
          [](void* g, void* native) { call_with_handle(*static_cast<function*>(g), native); },
          [](void* g) { return make_task(std::forward<F>(*static_cast<function*>(g))); }};
}

/// What trivially copyable work begins with: it becomes a task without code of its own.
struct plain_work {
  std::size_t size;  ///< of the whole object
  void (*run)(plain_work& self, void* native_stream);
};

/// A task with a copy of the bytes of plain work behind it.
struct alignas(std::max_align_t) plain_task final : task {
  [[nodiscard]] void* work() noexcept { return this + 1; }
};

[[nodiscard]] inline task* make_plain_task(void* plain) {
  const std::size_t size = static_cast<plain_work*>(plain)->size;
  static_assert(sizeof(plain_task) % alignof(std::max_align_t) == 0);
  auto* const made = ::new (::operator new(sizeof(plain_task) + size)) plain_task;
  std::memcpy(made->work(), plain, size);
  made->act = [](task* base, task::action what) {
    auto* const self = static_cast<plain_task*>(base);
    if (what == task::action::run) {
      auto& work = *static_cast<plain_work*>(self->work());
      work.run(work, nullptr);
    } else {
      self->~plain_task();
      ::operator delete(static_cast<void*>(self));
    }
  };
  return made;
}

[[nodiscard]] inline work_ref make_plain_work_ref(plain_work& work) noexcept {
  return {&work, [](void* w, void* native) { static_cast<plain_work*>(w)->run(*static_cast<plain_work*>(w), native); },
          make_plain_task};
}

}  // namespace gpu::detail
