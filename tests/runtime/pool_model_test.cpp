// Both tiers of memory over a device that is only imagined: random work on streams that come and go, against a model.
#include <cstdlib>
#include <memory>
#include <set>

#include "gpu/runtime/coalescing_resource.hpp"
#include "gpu/runtime/memory.hpp"
#include "runtime_support.hpp"
#include "simulated_device.hpp"

namespace {

using gpu::device;
using gpu::memory_statistics;
using gpu::stream;
using gpu::detail::stream_state;
using gpu::detail::stream_use;
using runtime_test::simulated_device;

constexpr std::size_t kib = 1024;

/// A stream of the imagined device as the library sees one.
class simulated_stream final : public stream_state {
 public:
  simulated_stream(simulated_device& d, int number)
      : stream_state(device::host(), gpu::detail::stream_kind::native, nullptr, false), device_(d), number_(number) {
    sync();
  }

  [[nodiscard]] int number() const { return number_; }
  /// After the device was given work.
  void sync() { submitted.store(device_.record(number_).ticket); }

  [[nodiscard]] bool is_done(std::uint64_t ticket) noexcept override { return device_.query({number_, ticket}); }
  void wait_until_done(std::uint64_t ticket) override { static_cast<void>(device_.wait({number_, ticket})); }
  void synchronize() override { wait_until_done(submitted.load()); }
  [[nodiscard]] bool done() override { return is_done(submitted.load()); }
  void submit(gpu::buffer_list, gpu::buffer_list, const gpu::detail::work_ref&) override {}
  void launch_host_function(const gpu::detail::work_ref&) override {}
  void wait_before_more(const stream_use& before) override {
    device_.wait(number_, {static_cast<simulated_stream&>(*before.stream).number_, before.ticket});
    sync();
  }
  void mark(gpu::detail::event_record&) override {}
  [[nodiscard]] double milliseconds(const gpu::detail::event_record&, const gpu::detail::event_record&) override {
    return 0;
  }
  void retire() noexcept override {
    retired.store(true);
    drop_reference();
  }

 private:
  simulated_device& device_;
  int number_;
};

/// Its memory, as a driver without any pool has it.
class simulated_memory final : public gpu::memory_resource {
 public:
  explicit simulated_memory(simulated_device& d) : device_(d) {}
  [[nodiscard]] void* allocate(std::size_t bytes, const stream&) override {
    simulated_device::place available;
    void* const data = device_.allocate(bytes, available);
    if (data == nullptr) throw gpu::out_of_memory(gpu::memory_shortage{device::host(), bytes, 0, 0, 0, 0, {}});
    return data;
  }
  /// With the default stream when all work on the block is done, otherwise in the order of the stream.
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    if (!s.is_default()) s.state().wait_until_done(s.state().submitted.load());
    device_.deallocate(data, bytes);
  }

 private:
  simulated_device& device_;
};

struct live_block {
  char* data;
  std::size_t bytes;
  std::size_t stream;
};

struct pool_model {
  explicit pool_model(unsigned seed)
      : random(seed),
        two_tiers(random() % 2 == 0),
        sim((300 + random() % 500) * kib, seed, 0),
        memory(sim),
        second(device::host(), memory, {.segment = 32 * kib}),
        pool(std::make_unique<gpu::pool_resource>(device::host(),
                                                  two_tiers ? static_cast<gpu::memory_resource&>(second) : memory)) {
    if (random() % 3 == 0) pool->set_limit((150 + random() % 200) * kib);
    if (random() % 3 == 0) pool->set_cache_limit(random() % 4 * 100 * kib);
    for (int i = 1; i <= simulated_device::streams; ++i) unused.insert(i);
    for (int i = 0; i < 4; ++i) streams.push_back(new_stream());
  }

  stream new_stream() {
    const auto chosen = std::next(unused.begin(), static_cast<long>(random() % unused.size()));
    auto* const state = new simulated_stream(sim, *chosen);
    unused.erase(chosen);
    return stream::adopt(*state);
  }
  static simulated_stream& state_of(const stream& s) { return static_cast<simulated_stream&>(s.state()); }

  void allocate() {
    const std::size_t of = random() % streams.size();
    const std::size_t bytes = random() % 6 == 0 ? random() % (60 * kib) : random() % 3000;
    const std::size_t size = gpu::detail::size_of_class(gpu::detail::size_class_of(bytes));
    char* data = nullptr;
    try {
      data = static_cast<char*>(pool->allocate(bytes, streams[of]));
    } catch (const gpu::out_of_memory& error) {
      ++failures;
      ASSERT_EQ(error.shortage().requested, bytes);
      ASSERT_EQ(error.shortage().cached, 0U) << "failed although something was cached";
      ASSERT_EQ(error.shortage().used, used);
      const std::size_t end = pool->limit() == 0 ? sim.capacity() : std::min(sim.capacity(), pool->limit());
      // The second tier may lack one piece that is large enough; the first has nothing left to give back.
      if (!two_tiers) {
        ASSERT_LT(end - used, size);
      }
      ASSERT_THROW(static_cast<void>(pool->allocate(bytes, streams[of])), gpu::out_of_memory);
      return;
    }
    for (const live_block& b : live) {
      ASSERT_TRUE(b.data + size_of(b) <= data || data + size <= b.data) << "blocks overlap";
    }
    sim.expect_ready(state_of(streams[of]).number(), data, size);
    live.push_back({data, bytes, of});
    used += size;
  }
  static std::size_t size_of(const live_block& b) {
    return gpu::detail::size_of_class(gpu::detail::size_class_of(b.bytes));
  }
  void free_one() {
    if (live.empty()) return;
    std::swap(live[random() % live.size()], live.back());
    const live_block b = live.back();
    live.pop_back();
    std::size_t s = b.stream;
    if (random() % 4 == 0) {
      s = random() % streams.size();
      wait(s, b.stream);
    }
    used -= size_of(b);
    pool->deallocate(b.data, b.bytes, streams[s]);
  }
  void wait(std::size_t s, std::size_t before) {
    if (s == before) return;
    sim.wait(state_of(streams[s]).number(), sim.record(state_of(streams[before]).number()));
    state_of(streams[s]).sync();
  }
  void replace_stream() {
    const std::size_t s = random() % streams.size();
    for (live_block& b : live) {  // arrays move on to another stream
      if (b.stream != s) continue;
      b.stream = (s + 1) % streams.size();
      wait(b.stream, s);
    }
    const int number = state_of(streams[s]).number();
    streams[s] = new_stream();  // the old one ends with its work pending
    unused.insert(number);
  }
  void step() {
    switch (random() % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
      case 7: live.size() < random() % 60 ? allocate() : free_one(); break;
      case 8:
      case 9:
      case 10:
        if (!live.empty()) {
          const live_block& b = live[random() % live.size()];
          sim.launch(state_of(streams[b.stream]).number(), b.data, size_of(b));
          state_of(streams[b.stream]).sync();
        }
        break;
      case 11: wait(random() % streams.size(), random() % streams.size()); break;
      case 12:
        if (random() % 20 == 0) replace_stream();
        break;
      case 13:
        if (random() % 50 == 0) pool->trim(random() % 2 == 0);
        break;
      default: sim.progress();
    }
  }
  void expect_books() {
    const memory_statistics now = pool->statistics();
    ASSERT_EQ(now.used, used);
    ASSERT_EQ(now.blocks, live.size());
    ASSERT_EQ(now.used + now.cached, now.reserved);
    ASSERT_LE(now.used, now.peak);
    if (pool->limit() != 0) {
      ASSERT_LE(now.reserved, pool->limit());
    }
    if (two_tiers) {
      ASSERT_EQ(second.statistics().reserved, sim.reserved());
      ASSERT_GE(second.statistics().used, now.reserved);
    } else {
      ASSERT_EQ(now.reserved, sim.reserved());
    }
  }

  std::mt19937 random;
  bool two_tiers;
  simulated_device sim;
  simulated_memory memory;
  gpu::coalescing_resource second;
  std::unique_ptr<gpu::pool_resource> pool;
  std::set<int> unused;
  std::vector<stream> streams;
  std::vector<live_block> live;
  std::size_t used = 0;
  int failures = 0;
};

// GPUARRAY_TEST_SEED repeats one run.
TEST(pool_model, random_steps_equal_the_model) {
  const char* const chosen = std::getenv("GPUARRAY_TEST_SEED");
  const unsigned first = chosen == nullptr ? 1 : static_cast<unsigned>(std::atoi(chosen));
  const unsigned last = chosen == nullptr ? runtime_test::model_runs / 2 : first;
  int failures = 0;
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("GPUARRAY_TEST_SEED=" + std::to_string(seed));
    pool_model model(seed);
    for (int i = 0; i < 2500 && !testing::Test::HasFailure(); ++i) {
      model.step();
      model.expect_books();
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    while (!model.live.empty()) model.free_one();
    model.sim.finish();
    model.pool->trim(true);
    ASSERT_EQ(model.pool->statistics().reserved, 0U);
    ASSERT_EQ(model.sim.reserved(), 0U);
    failures += model.failures;
    model.pool.reset();
  }
  std::printf("seeds %u to %u, memory ran out %d times\n", first, last, failures);
  if (chosen == nullptr) {
    EXPECT_GT(failures, 0);
  }
}

}  // namespace
