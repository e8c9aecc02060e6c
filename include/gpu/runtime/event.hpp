/// @file
/// `event`: a place in a stream that can be waited for and timed.
#pragma once

#include <utility>

#include "stream.hpp"

namespace gpu {

/// A place in a stream. Copies refer to the same recording; recording again leaves copies and waits as they were.
class event {
 public:
  /// Not recorded: `done()`, and waiting for it does nothing.
  event() noexcept = default;

  /// Marks the end of the work that `s` has now. Does not wait.
  void record(const stream& s) {
    auto made = detail::intrusive_ptr<detail::event_record>::adopt(new detail::event_record);
    made->place.stream = detail::intrusive_ptr<detail::stream_state>::share(&s.state());
    s.state().mark(*made);
    record_ = std::move(made);
  }
  [[nodiscard]] bool recorded() const noexcept { return static_cast<bool>(record_); }
  /// Whether the stream has reached the place. Does not wait.
  [[nodiscard]] bool done() const { return !record_ || record_->place.stream->is_done(record_->place.ticket); }
  /// Waits until the stream has reached the place. @throws what work of the stream has thrown.
  void synchronize() const {
    if (record_) detail::wait_for(record_->place);
  }

  /// Milliseconds from `start` to `end`. Waits for both.
  /// @throws device_error if one was not recorded or they are on different devices.
  [[nodiscard]] friend double elapsed_time(const event& start, const event& end) {
    return start.milliseconds_until(end);
  }

 private:
  friend class stream;

  [[nodiscard]] double milliseconds_until(const event& end) const {
    if (!record_ || !end.record_) detail::raise_device_error("elapsed_time: an event was not recorded");
    detail::stream_state& state = *record_->place.stream;
    const device other = end.record_->place.stream->owner;
    if (state.owner != other) {
      detail::raise_device_error("elapsed_time: one event is on %s, the other on %s",
                                 detail::device_text(state.owner).text, detail::device_text(other).text);
    }
    synchronize();
    end.synchronize();
    return state.milliseconds(*record_, *end.record_);
  }

  detail::intrusive_ptr<detail::event_record> record_;
};

inline event stream::record() const {
  event made;
  made.record(*this);
  return made;
}

inline void stream::wait(const event& before) const {
  if (before.record_ && before.record_->place.stream.get() != state_) state_->wait_before_more(before.record_->place);
}

}  // namespace gpu
