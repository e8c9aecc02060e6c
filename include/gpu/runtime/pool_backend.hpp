/// @file
/// `pool_backend`: the few things that a coalescing pool asks of the memory and the streams that it works with.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace gpu {

/// What a coalescing pool needs to know of the memory that it hands out. A `place` is a point in the order of a
/// stream's work; places of one stream are ordered by their `ticket`. The pool holds no lock when it calls any of these
/// but `record` and `key`, which must not call a driver.
template <class B>
concept pool_backend = requires(B& b, std::size_t bytes, void* data, const typename B::stream_type& s,
                                typename B::place& p, const typename B::place& done) {
  { b.allocate(bytes, p) } -> std::same_as<void*>;              ///< null: none left; usable from `p` on
  { b.deallocate(data, bytes) } noexcept;                       ///< all work on it is done
  { b.record(s) } noexcept -> std::same_as<typename B::place>;  ///< the end of the work that `s` has now
  { b.query(done) } noexcept -> std::same_as<bool>;             ///< whether that work is done
  { b.wait(s, done) };                                          ///< later work of `s` comes after it
  { b.wait(done) } noexcept -> std::same_as<bool>;              ///< the caller waits; false if that is impossible
  { b.key(s) } noexcept -> std::same_as<std::uintptr_t>;        ///< tells streams apart; 0: its work is always done
  { b.key(done) } noexcept -> std::same_as<std::uintptr_t>;     ///< of the place's stream; 0: nothing to wait for
  { done.ticket } -> std::convertible_to<std::uint64_t>;
};

}  // namespace gpu
