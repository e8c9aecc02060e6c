/// @file
/// `assembly`: an array that is put together from parts of others, in one piece of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage.hpp"

namespace gpu::detail {

/// Copies to parts of one array that are noted first and done together: on a GPU in one kernel, however many there are.
/// The parts do not overlap, and no copy reads what another writes.
class assembly {
 public:
  /// `target` and what is copied hold elements of `itemsize` bytes and are on one device.
  assembly(storage target, std::int64_t itemsize) : target_(std::move(target)), itemsize_(itemsize) {}

  /// Notes a copy of `source`, read as the shape of `where`, to the elements that `where` has from element `offset` of
  /// the target on.
  void add(const layout& where, std::int64_t offset, const storage& source) {
    if (where.extents.size() == 0) return;
    copies_.push_back(plan_copy(with_layout(target_, where, offset * itemsize_), source, itemsize_));
    buffer* const read = source.owner.get();
    if (reads_.empty() || reads_.back() != read) {
      reads_.push_back(read);
      owners_.push_back(source.owner);
    }
  }
  /// The same for a view of the target.
  void add(const storage& part, const storage& source) {
    add(part.where, (part.first - target_.first) / itemsize_, source);
  }

  /// Does all copies, in the order of the current stream of the device, and forgets them. Does not wait.
  /// @throws out_of_memory, cuda_error
  void run() {
    if (copies_.empty()) return;
    const stream s = current_stream(target_.device());
    if (s.device().is_host()) {
      submit(s, reads_, {target_.owner.get()}, [copies = std::move(copies_)] {
        for (const strided_copy& one : copies) copy_strided_on_host(one);
      });
    } else {
      s.device().table().copy_parts(copies_.data(), copies_.size(), *target_.owner, reads_, s.state());
    }
    copies_.clear();
    reads_.clear();
    owners_.clear();
  }

 private:
  storage target_;
  std::int64_t itemsize_;
  std::vector<strided_copy> copies_;
  std::vector<buffer*> reads_;
  std::vector<buffer_ptr> owners_;  ///< keep what is read until it is handed over
};

}  // namespace gpu::detail
