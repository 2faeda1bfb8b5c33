#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "drivers/lamp.h"
#include "drivers/reading.h"

namespace merel::firmware {

/// What a board shows by itself when it no longer hears the host: two short magenta flashes at the four corners every two seconds,
/// everything else dark. No role of the guide flashes twice, none is magenta, and none leaves the rest of the time dark.
namespace link_lost {

inline constexpr Time kPeriod = std::chrono::seconds(2);
inline constexpr Time kFlash = std::chrono::milliseconds(80);
inline constexpr Time kSecond = std::chrono::milliseconds(240);  ///< when the second flash begins
inline constexpr Rgb kColour{220, 0, 160};

constexpr bool lit(Time since) {
  const Time at = since % kPeriod;
  return at < kFlash || (at >= kSecond && at < kSecond + kFlash);
}

/// The picture so long after the link was lost, for lights in ranks of `lattice`.
constexpr void show(std::span<Rgb> lights, std::size_t lattice, Time since) {
  for (Rgb& light : lights) light = {};
  if (lights.empty() || !lit(since)) return;
  const std::size_t last = lights.size() - 1;
  const std::size_t file = lattice == 0 || lattice > lights.size() ? last : lattice - 1;
  for (const std::size_t corner : {std::size_t{0}, file, last - file, last}) lights[corner] = kColour;
}

/// When the picture changes next.
constexpr Time next_change(Time since) {
  const Time begun = since / kPeriod * kPeriod;
  for (const Time edge : {kFlash, kSecond, kSecond + kFlash}) {
    if (since < begun + edge) return begun + edge;
  }
  return begun + kPeriod;
}

}  // namespace link_lost
}  // namespace merel::firmware
