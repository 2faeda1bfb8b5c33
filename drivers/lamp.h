#pragma once
#include <cstdint>

namespace merel {

/// How a light changes over time. Lights with the same effect keep in step with each other.
enum class Effect : std::uint8_t {
  solid,
  breathing,
  blink_2hz,
  blink_4hz,
  blink_4hz_antiphase,  ///< lit while blink_4hz is dark
  taking_turns,         ///< candidates light one after the other, 1 s each
  wave_then_solid,      ///< one wave, then solid for good
  slow_wave,            ///< one slow wave
  running_wave,
};

/// Brightness of the three primaries, 0 to 255, linear: what gamma a lamp needs is its driver's affair.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// What one light shows until it is told otherwise.
struct Lamp {
  Rgb colour;  ///< black: dark
  Effect effect = Effect::solid;
  std::uint8_t turn = 0;  ///< for taking_turns: which candidate it belongs to
  friend bool operator==(const Lamp&, const Lamp&) = default;
};

}  // namespace merel
