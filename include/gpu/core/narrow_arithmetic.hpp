/// @file
/// The operators of numbers that are stored in two bytes and computed in float.
#pragma once

#include <cstdint>

namespace gpu::detail {

/// Base of such a number: each operation converts to float, computes, and rounds to nearest even.
template <class N>
struct narrow_arithmetic {
  [[gnu::always_inline]] friend constexpr N operator+(N a, N b) noexcept { return N(float(a) + float(b)); }
  [[gnu::always_inline]] friend constexpr N operator-(N a, N b) noexcept { return N(float(a) - float(b)); }
  [[gnu::always_inline]] friend constexpr N operator*(N a, N b) noexcept { return N(float(a) * float(b)); }
  [[gnu::always_inline]] friend constexpr N operator/(N a, N b) noexcept { return N(float(a) / float(b)); }
  [[gnu::always_inline]] friend constexpr N operator+(N a) noexcept { return a; }
  [[gnu::always_inline]] friend constexpr N operator-(N a) noexcept {
    return N::from_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
  }
  [[gnu::always_inline]] friend constexpr N& operator+=(N& a, N b) noexcept { return a = a + b; }
  [[gnu::always_inline]] friend constexpr N& operator-=(N& a, N b) noexcept { return a = a - b; }
  [[gnu::always_inline]] friend constexpr N& operator*=(N& a, N b) noexcept { return a = a * b; }
  [[gnu::always_inline]] friend constexpr N& operator/=(N& a, N b) noexcept { return a = a / b; }

  [[gnu::always_inline]] friend constexpr bool operator==(N a, N b) noexcept { return float(a) == float(b); }
  [[gnu::always_inline]] friend constexpr bool operator<(N a, N b) noexcept { return float(a) < float(b); }
  [[gnu::always_inline]] friend constexpr bool operator>(N a, N b) noexcept { return float(a) > float(b); }
  [[gnu::always_inline]] friend constexpr bool operator<=(N a, N b) noexcept { return float(a) <= float(b); }
  [[gnu::always_inline]] friend constexpr bool operator>=(N a, N b) noexcept { return float(a) >= float(b); }
};

}  // namespace gpu::detail
