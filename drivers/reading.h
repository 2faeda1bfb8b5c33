#pragma once
#include <chrono>
#include <cstdint>

#include "rules/step.h"

namespace merel {

/// Time since the start of a trace or of the daemon. Always an argument: nothing outside the shell reads a clock.
using Time = std::chrono::microseconds;

/// What a sensor tells of its site.
class Contents {
 public:
  static constexpr Contents empty() { return Contents(0); }
  /// Occupied, and the sensor cannot tell by whom.
  static constexpr Contents occupied() { return Contents(1); }
  static constexpr Contents piece(Player player) { return Contents(static_cast<std::uint8_t>(player + 2)); }

  [[nodiscard]] constexpr bool is_empty() const { return code_ == 0; }
  /// Whose piece it is; kNoPlayer when empty or unknown.
  [[nodiscard]] constexpr Player player() const { return code_ < 2 ? kNoPlayer : static_cast<Player>(code_ - 2); }

  /// True when both can be the same piece: a colour that was not sensed agrees with every colour.
  [[nodiscard]] constexpr bool agrees(Contents other) const {
    if (is_empty() || other.is_empty()) return code_ == other.code_;
    return player() == kNoPlayer || other.player() == kNoPlayer || player() == other.player();
  }
  friend constexpr bool operator==(Contents, Contents) = default;

  constexpr Contents() = default;

 private:
  explicit constexpr Contents(std::uint8_t code) : code_(code) {}
  std::uint8_t code_ = 0;
};

/// One raw statement of a sensor source: from `time` on this channel reads `contents`. Bounces included.
struct Reading {
  Time time{};
  std::uint16_t channel = 0;
  Contents contents;
};

}  // namespace merel
