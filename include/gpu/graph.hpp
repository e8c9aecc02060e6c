/// @file
/// `graph`: a function of arrays recorded once and replayed with next to no work of the host.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"
#include "runtime/capture.hpp"
#include "transfer.hpp"

namespace gpu {

namespace detail {

template <class T>
struct captured_result {
  static_assert(array_like<T>,
                "gpu::capture: the function returns an array, an expression, a std::tuple of arrays, or nothing");
  using type = array<value_t<T>>;
};
template <>
struct captured_result<void> {
  using type = std::tuple<>;
};
template <class... T>
struct captured_result<std::tuple<T...>> {
  using type = std::tuple<array<value_t<T>>...>;
};

/// A recorded graph of a device, with the memory that it uses.
struct recorded_graph {
  recorded_graph() = default;
  recorded_graph(recorded_graph&& other) noexcept
      : memory(std::move(other.memory)),
        log(std::exchange(other.log, nullptr)),
        handle(std::exchange(other.handle, nullptr)),
        on(other.on) {}
  recorded_graph& operator=(recorded_graph&& other) noexcept {
    std::swap(memory, other.memory);
    std::swap(log, other.log);
    std::swap(handle, other.handle);
    std::swap(on, other.on);
    return *this;
  }
  ~recorded_graph() {
    if (handle != nullptr) on.table().destroy_graph(handle);
    delete log;
  }

  intrusive_ptr<graph_memory> memory;
  capture_log* log = nullptr;
  void* handle = nullptr;
  device on;
};

/// Runs `f` with a stream of the device that records. @throws what `f` throws; nothing is left of the capture then.
template <class F>
[[nodiscard]] recorded_graph record_graph(device d, F&& f) {
  recorded_graph made;
  made.on = d;
  made.log = new capture_log;
  made.memory = intrusive_ptr<graph_memory>::adopt(new graph_memory(d, *made.log));
  made.log->memory = made.memory.get();
  const stream s(d);
  s.state().captured_memory.store(made.memory.get(), std::memory_order_relaxed);
  const auto end = [&](bool wanted) {
    s.state().captured_memory.store(nullptr, std::memory_order_relaxed);
    made.memory->close();
    return d.table().end_capture(s.state(), wanted);
  };
  d.table().begin_capture(s.state(), *made.log);
  try {
    const stream_guard on_stream(s);
    const device_guard on_device(d);
    f();
    made.log->keep_own();
  } catch (...) {
    static_cast<void>(end(false));
    throw;
  }
  made.handle = end(true);
  return made;
}

/// @throws shape_error unless an input may take the elements of `given`
[[gnu::noinline]] inline void check_graph_input(std::size_t i, const shape& input, const shape& given,
                                                bool is_borrowed) {
  if (is_borrowed ? given.size() == input.size() : given == input) return;
  if (is_borrowed) {
    raise<shape_error>("graph: input ", i, " of shape ", input, " cannot take the ", given.size(),
                       " elements of borrowed memory, it has ", input.size());
  }
  raise<shape_error>("graph: input ", i, " of shape ", input, " cannot take one of shape ", given);
}

/// @throws shape_error unless a replay on the host gives a result of the captured shape
[[gnu::noinline]] inline void check_graph_result(std::size_t i, const shape& captured, const shape& given) {
  if (given == captured) return;
  raise<shape_error>("graph: result ", i, " of a launch has shape ", given, ", when it was captured it had ", captured,
                     "; the shapes of a graph are fixed");
}

/// Hands it to a stream, after everything that its buffers have to wait for.
[[gnu::cold]] inline void launch_recorded(const recorded_graph& graph, const stream& s) {
  std::vector<buffer*> reads;
  std::vector<buffer*> writes;
  for (const buffer_ptr& b : graph.log->reads) reads.push_back(b.get());
  for (const buffer_ptr& b : graph.log->writes) writes.push_back(b.get());
  for (const buffer_ptr& b : graph.memory->blocks()) writes.push_back(b.get());
  graph.on.table().launch_graph(graph.handle, reads, writes, s.state());
}

}  // namespace detail

inline namespace GPUARRAY_ABI {

/// A function of arrays that `capture` has recorded. On CUDA it is a graph of the driver: replaying it costs one call,
/// however many operations there are. On the host a replay calls the function again, with what it refers to as that is
/// then (see `capture`). Move-only.
template <class F, class... Inputs>
class graph {
  using raw_result = std::invoke_result_t<F&, const array<Inputs>&...>;

 public:
  /// `array<T>`, or a std::tuple of arrays; an empty one if the function returns nothing.
  using result_type = typename detail::captured_result<raw_result>::type;

  /// Gives the inputs new values, of the shapes that they were captured with; borrowed memory has as many elements.
  /// Asynchronous. @throws shape_error; then no input has changed
  template <detail::copy_source... New>
    requires(sizeof...(New) == sizeof...(Inputs))
  void update(const New&... values) {
    update_each(std::index_sequence_for<New...>(), values...);
  }
  /// Runs what was recorded, on the current stream of the device, with the inputs as they are. Asynchronous. Runs of
  /// one graph come one after the other. @throws on the host what the function throws, and shape_error if its results
  /// have other shapes than when it was captured; then all results stay as they were
  void launch();
  /// `update`, `launch`, `result`.
  template <detail::copy_source... New>
    requires(sizeof...(New) == sizeof...(Inputs))
  const result_type& operator()(const New&... values) {
    update(values...);
    launch();
    return result_;
  }

  /// An input, to be written in place.
  template <std::size_t I>
  [[nodiscard]] auto input() noexcept {
    return std::get<I>(inputs_).view();
  }
  /// Where each launch leaves its results, in the same memory: copy what is to stay. Unspecified before the first
  /// launch.
  [[nodiscard]] const result_type& result() const noexcept { return result_; }
  [[nodiscard]] gpu::device device() const noexcept { return device_; }

  /// For `capture`.
  graph(gpu::device d, F f, const array<Inputs>&... inputs);

 private:
  template <std::size_t... I, class... New>
  void update_each(std::index_sequence<I...>, const New&... values) {
    (detail::check_graph_input(I, std::get<I>(inputs_).shape(), values.storage().where.extents,
                               detail::is_borrowed<New>),
     ...);
    (copy_async(std::get<I>(inputs_), values), ...);
  }
  [[nodiscard]] result_type call() {
    if constexpr (std::is_void_v<raw_result>) {
      std::apply(f_, inputs_);
      return {};
    } else {
      return result_type(std::apply(f_, inputs_));
    }
  }

  gpu::device device_;
  F f_;
  std::tuple<array<Inputs>...> inputs_;
  result_type result_;
  detail::recorded_graph recorded_;
};

/// Records `f(inputs...)` on the current device; `f` is called once now, and on CUDA nothing that it does is run yet.
/// The graph has inputs of its own, which begin as copies. Memory that `f` allocates lives as long as the graph. `f`
/// must not read elements on the host (`item()`, printing, masks), upload memory that is not pinned, or use other
/// streams. `f` itself is moved or copied into the graph, with what it holds by value. What it refers to by reference
/// differs: on CUDA a replay uses the memory that an array has now, which stays alive, even if the array is assigned to
/// or gone; on the host a replay reads through the reference again, so that the array must still be there, and finds
/// what it is then. To have the same on both, let `f` hold arrays by value (`[c]`: a copy) or views (`[v = c.view()]`:
/// the memory of now, shared, also to be written), and refer only to what is neither assigned to nor gone before the
/// last launch.
/// @throws what `f` throws; device_error for what cannot be captured
template <class F, class... Inputs, class B = current_tag>
[[nodiscard]] graph<std::decay_t<F>, Inputs...> capture(F&& f, const array<Inputs>&... inputs) {
  return graph<std::decay_t<F>, Inputs...>(current_device<B>(), std::forward<F>(f), inputs...);
}

// ---------------------------------------------------------------------------------------------------------------------

template <class F, class... Inputs>
graph<F, Inputs...>::graph(gpu::device d, F f, const array<Inputs>&... inputs)
    : device_(d), f_(std::move(f)), inputs_(inputs.to(d)...) {
  if (d.is_host()) {
    const device_guard on(d);
    result_ = call();
  } else {
    recorded_ = detail::record_graph(d, [&] { result_ = call(); });
  }
}

template <class F, class... Inputs>
void graph<F, Inputs...>::launch() {
  if (!device_.is_host()) {
    detail::launch_recorded(recorded_, current_stream(device_));
    return;
  }
  const device_guard on(device_);
  result_type fresh = call();
  const auto check = [](std::size_t i, const auto& target, const auto& source) {
    detail::check_graph_result(i, target.shape(), source.shape());
  };
  const auto assign = [](const auto& target, const auto& source) {
    detail::assign_elements(target.storage(), source.storage(), target.itemsize());
  };
  if constexpr (std::is_same_v<result_type, std::tuple<>>) {
    static_cast<void>(fresh);
  } else if constexpr (requires { fresh.storage(); }) {
    check(0, result_, fresh);
    assign(result_, fresh);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check(I, std::get<I>(result_), std::get<I>(fresh)), ...);
      (assign(std::get<I>(result_), std::get<I>(fresh)), ...);
    }(std::make_index_sequence<std::tuple_size_v<result_type>>());
  }
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
