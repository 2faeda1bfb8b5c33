#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

/// x to the power of gamma with integers: the Pico's processor has no floating point, and a table by std::pow would keep it from
/// everything else for 27 ms.
namespace merel::firmware {

namespace gamma_detail {

inline constexpr int kBits = 24;  ///< behind the point of a logarithm
inline constexpr int kRoots = 20;

/// log2(n) for n from 1 on, by squaring: each time a bit more.
constexpr std::uint32_t log2(std::uint32_t n) {
  std::uint32_t whole = 0;
  while (n >> (whole + 1) != 0) ++whole;
  std::uint64_t mantissa = std::uint64_t{n} << (31 - whole);  // 1 to 2, with 31 bits behind the point
  std::uint32_t out = whole;
  for (int bit = 0; bit < kBits; ++bit) {
    mantissa = mantissa * mantissa >> 31U;
    out <<= 1U;
    if (mantissa >> 32U != 0) {
      mantissa >>= 1U;
      out |= 1U;
    }
  }
  return out;
}

constexpr std::uint32_t square_root(std::uint64_t of) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31U; bit != 0; bit >>= 1U) {
    if ((root | bit) * (root | bit) <= of) root |= bit;
  }
  return static_cast<std::uint32_t>(root);
}

constexpr std::array<std::uint32_t, 256> make_logarithms() {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t n = 1; n < out.size(); ++n) out[n] = log2(n);
  return out;
}
/// 2^(-1/2), 2^(-1/4) …, with 31 bits behind the point.
constexpr std::array<std::uint32_t, kRoots> make_roots() {
  std::array<std::uint32_t, kRoots> out{};
  std::uint32_t root = 1U << 30U;  // one half
  for (std::uint32_t& each : out) {
    root = square_root(std::uint64_t{root} << 31U);
    each = root;
  }
  return out;
}
inline constexpr auto kLogarithms = make_logarithms();
inline constexpr auto kRootsOfHalf = make_roots();

}  // namespace gamma_detail

/// full * (brightness / 255)^(tenths / 10), rounded, but never 0 for a brightness that is not.
constexpr std::uint32_t with_gamma(std::uint8_t brightness, std::uint8_t tenths, std::uint32_t full) {
  using namespace gamma_detail;
  if (brightness == 0) return 0;
  const std::uint32_t below = kLogarithms[255] - kLogarithms[brightness];  // of the logarithm of full brightness
  const std::uint64_t exponent = std::uint64_t{below} * tenths / 10;
  const auto halvings = static_cast<unsigned>(exponent >> kBits);
  if (halvings > 30) return 1;
  std::uint64_t share = std::uint64_t{1} << 31U;
  for (int bit = 0; bit < kRoots; ++bit) {
    if ((exponent >> (kBits - 1 - bit) & 1U) != 0) share = share * kRootsOfHalf[static_cast<std::size_t>(bit)] >> 31U;
  }
  const std::uint64_t scaled = (share >> halvings) * full;
  return std::max(static_cast<std::uint32_t>((scaled + (1U << 30U)) >> 31U), std::uint32_t{1});
}

}  // namespace merel::firmware
