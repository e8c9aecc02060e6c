/// @file
/// `pipeline`: more data than a device has memory for, in chunks: while one is computed, the next is on its way there
/// and the one before on its way back.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/keyword.hpp"
#include "transfer.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// How a pipeline cuts and how far ahead it works.
struct pipeline_options {
  keyword_only only = keyword_only();
  std::int64_t chunk = 0;  ///< rows (indices of the first axis) at a time; 0: about 16 MiB
  int depth = 3;  ///< chunks that are on their way at a time, 2 or more: bounds the memory, which grows as needed
};

/// `target[rows] = f(source[rows])` for one chunk of rows after the other, on the current device. `f` is called in the
/// calling thread with a `view<const In>` of a chunk on the device, which it must not keep, and returns an array or
/// expression with as many rows as its chunk. Reading, upload, computation, download and writing each have a stream,
/// and overlap. Source and target are arrays, views, pinned or borrowed memory of the host. They may be the same
/// elements in the same order, or have no memory in common between any two different rows. Waits until all is written.
/// @throws what `f` throws, after the chunks on their way have come to an end; the target is then partly written.
/// @throws shape_error if source, target and results do not fit, or if they overlap otherwise; device_error if source
/// or target are not on the host
template <detail::copy_source Source, detail::copy_target Target, class F, class B = current_tag>
void pipeline(const Source& source, Target&& target, F&& f, const pipeline_options& options = {});

/// The same for data that is not in memory. `read(view<In> chunk)` fills up to `chunk.shape()[0]` rows on the host and
/// returns how many, 0 at the end; it is called in order by a thread of its own, as is `write(view<const Out> result)`
/// for each result. `gpu::pipeline<float>({1 << 20}, read, f, write)`
/// @throws what the functions throw, as above; shape_error for a chunk without an axis of rows or without elements
template <element In, class Read, class F, class Write, class B = current_tag>
void pipeline(const shape& chunk, Read&& read, F&& f, Write&& write, const pipeline_options& options = {});

// ---------------------------------------------------------------------------------------------------------------------

namespace pipelining {

/// The first rows of dense elements.
[[nodiscard]] inline detail::storage first_rows(const detail::storage& s, std::int64_t rows) {
  shape extents = s.where.extents;
  extents[0] = rows;
  return detail::with_layout(s, layout{extents, s.where.strides});
}

/// Rows `[begin, begin + rows)`; `itemsize` bytes an element.
[[nodiscard]] inline detail::storage some_rows(const detail::storage& s, std::int64_t begin, std::int64_t rows,
                                               std::int64_t itemsize) {
  detail::storage part = first_rows(s, rows);
  if (part.first != nullptr) part.first += begin * s.where.strides[0] * itemsize;
  return part;
}

/// Waits, at the end of a scope, until nothing uses what it borrowed.
class waits_at_end {
 public:
  explicit waits_at_end(std::initializer_list<const stream*> streams) : streams_(streams) {}
  waits_at_end(const waits_at_end&) = delete;
  waits_at_end& operator=(const waits_at_end&) = delete;
  ~waits_at_end() {
    for (const stream* const s : streams_) {
      try {
        s->synchronize();
      } catch (...) {  // an error is on its way already
      }
    }
  }

 private:
  std::vector<const stream*> streams_;
};

template <class In>
struct pipeline_slot {
  detail::storage filled;  ///< on the host, by the reader
  detail::storage in;      ///< the same on the device; the same memory on the host
  std::int64_t rows = 0;   ///< as the reader says
  event read;
  event written;
};

/// A dense array of the host for chunks, page-locked where that helps.
[[nodiscard]] inline detail::storage chunk_storage(const shape& extents, std::int64_t itemsize, bool page_locked) {
  const device host = device::host();
  const stream_guard inline_stream(stream::default_stream(host));
  detail::storage made = detail::make_storage(page_locked ? shape{0} : extents, itemsize, host);
  if (!page_locked) return made;
  made.owner = detail::allocate_pinned_buffer(static_cast<std::size_t>(extents.size() * itemsize));
  made.first = static_cast<char*>(made.owner->data());
  made.where = contiguous_layout(extents);
  return made;
}

template <class In, class Read, class F, class Write>
void run_pipeline(device d, const shape& chunk, int depth, buffer_list read_from, buffer_list write_to, Read& read,
                  F& f, Write& write) {
  using out = value_t<std::invoke_result_t<F&, view<const In>>>;
  const device host = device::host();
  const bool is_host = d.is_host();
  const stream reading(host);
  const stream writing(host);
  const stream upload(d);
  const stream compute(d);
  const stream download(d);
  bool ended = false;   // only the reader's thread looks at it
  bool failed = false;  // only the writer's
  std::vector<std::unique_ptr<pipeline_slot<In>>> slots;
  const waits_at_end waits{&reading, &upload, &compute, &download, &writing};
  // Made when it is first used, so that there are no more than chunks.
  const auto slot_of = [&](std::size_t i) -> pipeline_slot<In>& {
    const std::size_t place = i % static_cast<std::size_t>(depth);
    if (place < slots.size()) return *slots[place];
    auto slot = std::make_unique<pipeline_slot<In>>();
    slot->filled = chunk_storage(chunk, sizeof(In), !is_host);
    const stream_guard on_upload(upload);
    slot->in = is_host ? slot->filled : detail::make_storage(chunk, sizeof(In), d);
    slots.push_back(std::move(slot));
    return *slots.back();
  };
  const auto begin_read = [&](pipeline_slot<In>& slot) {
    std::vector<buffer*> sources(read_from.begin(), read_from.end());
    submit(reading, sources, {slot.filled.owner.get()}, [&slot, &ended, &read] {
      slot.rows = 0;
      if (std::exchange(ended, true)) return;  // and after an error nothing is read any more
      slot.rows = static_cast<std::int64_t>(read(view<In>(slot.filled)));
      ended = slot.rows == 0;
    });
    slot.read = reading.record();
  };
  begin_read(slot_of(0));
  for (std::size_t i = 0;; ++i) {
    pipeline_slot<In>& slot = slot_of(i);
    begin_read(slot_of(i + 1));
    slot.read.synchronize();
    if (slot.rows == 0) break;
    if (slot.rows < 0 || slot.rows > chunk[0])
      detail::raise<index_error>("pipeline: the reader says that it filled ", slot.rows, " of ", chunk[0], " rows");
    slot.written.synchronize();  // so that no more results than slots are on their way
    const detail::storage in = first_rows(slot.in, slot.rows);
    if (!is_host) {
      const stream_guard on_upload(upload);
      detail::copy_between(in, first_rows(slot.filled, slot.rows), sizeof(In));
    }
    detail::storage result;
    {
      const stream_guard on_compute(compute);
      const array<out> computed(f(view<const In>(in)));
      result = computed.storage();
    }
    if (!is_host) {
      const detail::storage arriving = chunk_storage(result.where.extents, sizeof(out), true);
      const stream_guard on_download(download);
      detail::copy_between(arriving, result, sizeof(out));
      result = arriving;
    }
    submit(writing, {result.owner.get()}, write_to, [result, &write, &failed] {
      if (std::exchange(failed, true)) return;  // what comes after an error would be out of order
      write(view<const out>(result));
      failed = false;
    });
    slot.written = writing.record();
  }
  for (const stream* const s : {&reading, &upload, &compute, &download, &writing}) s->synchronize();
}

inline void check_pipeline(const pipeline_options& options) {
  if (options.depth < 2)
    detail::raise<shape_error>("pipeline: a depth of ", options.depth, "; at least 2 chunks must be on their way");
  if (options.chunk < 0) detail::raise<shape_error>("pipeline: chunks of ", options.chunk, " rows");
}

/// Where rows lie in bytes: the first one, and from one to the next.
struct row_span {
  std::int64_t low = 0;  ///< relative to the first element
  std::int64_t high = 0;
  std::int64_t step = 0;

  row_span(const detail::storage& s, std::int64_t itemsize) : step(s.where.strides[0] * itemsize) {
    layout row = s.where;
    row.extents = first_rows(s, 1).where.extents;
    const auto [first, last] = offset_range(row);
    low = first * itemsize;
    high = (last + 1) * itemsize;
  }
};

/// Whether a row of the target has memory in common with another row of the source, so that it might be written before
/// that is read. Errs towards yes.
[[nodiscard]] inline bool rows_meet(const detail::storage& to, std::int64_t to_size, const detail::storage& from,
                                    std::int64_t from_size) {
  if (!detail::spans_meet(to.first, to.where, to_size, from.first, from.where, from_size)) return false;
  if (to.where.extents[0] == 1) return false;
  const row_span target(to, to_size);
  const row_span source(from, from_size);
  if (target.step != source.step) return true;
  const std::int64_t step = target.step < 0 ? -target.step : target.step;
  const std::int64_t offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to.first) -
                                                        reinterpret_cast<std::uintptr_t>(from.first));
  return offset + target.high - step > source.low || offset + target.low + step < source.high;
}

/// @throws shape_error if writing the target would change rows of the source that are still to be read
[[gnu::noinline]] inline void check_overlap(const detail::storage& to, std::int64_t to_size,
                                            const detail::storage& from, std::int64_t from_size) {
  if (!rows_meet(to, to_size, from, from_size)) return;
  bool same = to.first == from.first && to_size == from_size && to.where.extents == from.where.extents;
  for (int i = 0; same && i < to.where.rank(); ++i)
    same = to.where.extents[i] == 1 || to.where.strides[i] == from.where.strides[i];
  if (same) return;
  const auto distance = reinterpret_cast<std::intptr_t>(to.first) - reinterpret_cast<std::intptr_t>(from.first);
  detail::raise<shape_error>("pipeline: a target of shape ", to.where.extents, " whose first element is ",
                             distance < 0 ? -distance : distance, distance < 0 ? " bytes before" : " bytes after",
                             " that of the source, of shape ", from.where.extents,
                             ", overlaps it; they must be the same elements in the same order, or apart");
}

}  // namespace pipelining

template <detail::copy_source Source, detail::copy_target Target, class F, class B>
void pipeline(const Source& source, Target&& target, F&& f, const pipeline_options& options) {
  using in = typename Source::value_type;
  using out = typename std::remove_cvref_t<Target>::value_type;
  pipelining::check_pipeline(options);
  const detail::storage from = source.storage();
  const detail::storage to = target.storage();
  if (!from.device().is_host() || !to.device().is_host())
    detail::raise<device_error>("pipeline: source and target are memory of the host, not of ",
                                from.device().is_host() ? to.device() : from.device());
  if (from.where.rank() == 0 || to.where.rank() == 0 || from.where.extents[0] != to.where.extents[0]) {
    detail::raise<shape_error>("pipeline: a source of shape ", from.where.extents, " and a target of shape ",
                               to.where.extents, " have not the same rows");
  }
  detail::check_writable(to.where);
  pipelining::check_overlap(to, sizeof(out), from, sizeof(in));
  const std::int64_t rows = from.where.extents[0];
  if (rows == 0) return;
  shape chunk = from.where.extents;
  const std::int64_t row_bytes = from.where.extents.size() / rows * std::int64_t{sizeof(in)};
  chunk[0] = options.chunk != 0 ? options.chunk : (std::int64_t{16} << 20) / (row_bytes + (row_bytes == 0)) + 1;
  if (chunk[0] > rows) chunk[0] = rows;
  const std::int64_t chunks = (rows - 1) / chunk[0] + 1;
  const int depth = chunks < options.depth ? (chunks < 2 ? 2 : static_cast<int>(chunks)) : options.depth;
  std::int64_t next = 0;
  const auto read = [&](const view<in>& filled) {
    const std::int64_t count = filled.shape()[0] < rows - next ? filled.shape()[0] : rows - next;
    if (count != 0 && row_bytes != 0) {
      detail::copy_strided_on_host(detail::plan_copy(pipelining::first_rows(filled.storage(), count),
                                                     pipelining::some_rows(from, next, count, sizeof(in)), sizeof(in)));
    }
    next += count;
    return count;
  };
  std::int64_t done = 0;
  const auto write = [&](const view<const out>& result) {
    const std::int64_t count = chunk[0] < rows - done ? chunk[0] : rows - done;
    const detail::storage part = pipelining::some_rows(to, done, count, sizeof(out));
    if (result.shape() != part.where.extents) {
      detail::raise<shape_error>("pipeline: the function gave a result of shape ", result.shape(),
                                 " where the target has ", part.where.extents);
    }
    if (result.size() != 0) detail::copy_strided_on_host(detail::plan_copy(part, result.storage(), sizeof(out)));
    done += count;
  };
  buffer* const reads[] = {from.owner.get()};
  buffer* const writes[] = {to.owner.get()};
  pipelining::run_pipeline<in>(current_device<B>(), chunk, depth, {reads, from.owner ? 1U : 0U},
                               {writes, to.owner ? 1U : 0U}, read, f, write);
}

template <element In, class Read, class F, class Write, class B>
void pipeline(const shape& chunk, Read&& read, F&& f, Write&& write, const pipeline_options& options) {
  pipelining::check_pipeline(options);
  if (chunk.rank() == 0) detail::raise<shape_error>("pipeline: a chunk of shape ", chunk, " has no axis of rows");
  if (chunk.size() == 0) detail::raise<shape_error>("pipeline: a chunk of shape ", chunk, " has no elements");
  pipelining::run_pipeline<In>(current_device<B>(), chunk, options.depth, {}, {}, read, f, write);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
