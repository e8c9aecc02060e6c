/// @file
/// What is remembered of work while it is captured into a graph: the buffers it uses and the memory it is given.
#pragma once

#include <cstddef>

#include "buffer.hpp"
#include "stream.hpp"

namespace gpu::detail {

/// The buffers of captured work. Those of the capture's own memory may be freed, and their memory used again, before
/// the capture ends: they are watched, not owned.
struct capture_log {
  memory_resource* memory = nullptr;
  relocatable_list<buffer*> own;
  relocatable_list<buffer_ptr> reads;
  relocatable_list<buffer_ptr> writes;

  void note(buffer_list reading, buffer_list writing) {
    for (buffer* const b : reading) note(*b, reads);
    for (buffer* const b : writing) note(*b, writes);
  }
  /// A block of the capture's own memory is free again.
  void forget(const void* data) noexcept {
    for (std::size_t i = 0; i < own.size();) {
      if (own[i]->data() == data) {
        own.erase_unordered(i);
      } else {
        ++i;
      }
    }
  }
  /// What is left of them belongs to results.
  void keep_own() {
    for (buffer* const b : own) writes.push_back(buffer_ptr::share(b));
    while (!own.empty()) static_cast<void>(own.pop_back());
  }

 private:
  void note(buffer& b, relocatable_list<buffer_ptr>& external) {
    if (buffer_access::resource(b) == memory && memory != nullptr) {
      for (const buffer* const known : own) {
        if (known == &b) return;
      }
      own.push_back(&b);
      return;
    }
    for (const buffer_ptr& known : external) {
      if (known.get() == &b) return;
    }
    external.push_back(buffer_ptr::share(&b));
  }
};

/// The memory of one graph. Blocks are reused within the order of the captured stream, and nothing is given back before
/// the graph and all of its results are gone. It consists of buffers, so that whatever runs the graph can wait for
/// them.
class graph_memory final : public memory_resource {
 public:
  graph_memory(device d, capture_log& log) : upstream_(d), pool_(d, upstream_), log_(&log) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    void* const data = pool_.allocate(bytes, s);
    add_reference();
    return data;
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    if (log_ != nullptr) log_->forget(data);
    pool_.deallocate(data, bytes, s);
    drop_reference();
  }
  [[nodiscard]] memory_statistics statistics() const override { return pool_.statistics(); }

  /// The capture has ended.
  void close() noexcept { log_ = nullptr; }
  [[nodiscard]] const relocatable_list<buffer_ptr>& blocks() const noexcept { return upstream_.blocks; }

  void add_reference() noexcept { references_.add(); }
  void drop_reference() noexcept {
    if (references_.drop()) delete this;
  }

 private:
  /// Takes buffers on a stream that is not captured, and keeps them.
  struct source final : memory_resource {
    explicit source(device d) : side(d) {}
    [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
      blocks.make_room();
      blocks.push_back(allocate_buffer(bytes, s.device(), side));
      return blocks[blocks.size() - 1]->data();
    }
    void deallocate(void*, std::size_t, const stream&) noexcept override {}

    stream side;
    relocatable_list<buffer_ptr> blocks;
  };

  source upstream_;
  pool_resource pool_;
  capture_log* log_;
  reference_count references_;
};

}  // namespace gpu::detail
