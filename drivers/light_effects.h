#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/lamp.h"
#include "drivers/reading.h"

namespace merel {

/// What LightEffects remembers of one light.
struct LightState {
  Lamp lamp;
  Time since{};             ///< when it was given this effect
  std::uint16_t place = 0;  ///< its turn in a wave: 0 is reached first
};

/// Makes colours of effects: what each light of a picture shows at a time, and when that changes. Pure and freestanding:
/// time is an argument, integers only, no heap; the caller lends the memory. Lights with the same effect keep in step, and
/// whatever a picture brings in is lit at once: an effect that no light had before begins with its bright half.
class LightEffects {
 public:
  static constexpr Time kFrame{16'667};                     ///< between two pictures of a gliding effect: 60 a second
  static constexpr Time kBreath = std::chrono::seconds(2);  ///< from full brightness to an eighth and back
  static constexpr Time kBlink2Hz = std::chrono::milliseconds(500);  ///< lit for the first half
  static constexpr Time kBlink4Hz = std::chrono::milliseconds(250);
  static constexpr Time kTurn = std::chrono::seconds(1);  ///< how long each candidate is lit
  // wave_then_solid: lit from the start; a shadow passes over each light, one after the other.
  static constexpr Time kWaveStep = std::chrono::milliseconds(80);
  static constexpr Time kWaveWidth = std::chrono::milliseconds(600);
  // slow_wave: an eighth of the brightness, full brightness as the wave passes, dark behind it.
  static constexpr Time kSlowWaveStep = std::chrono::milliseconds(160);
  static constexpr Time kSlowWaveWidth = std::chrono::milliseconds(1'600);
  // running_wave: as breathing, each light a little later than the one before it.
  static constexpr Time kRunning = std::chrono::milliseconds(1'600);  ///< from crest to crest
  static constexpr std::uint16_t kRunningLights = 8;                  ///< from crest to crest
  static constexpr std::size_t kEffects = static_cast<std::size_t>(Effect::running_wave) + 1;

  /// One state for each light, of any content; they must live as long as this.
  explicit LightEffects(std::span<LightState> lights);

  /// From now on light n shows the n-th of these lamps; lights beyond them are dark. A light that keeps its effect keeps its
  /// place in time too, whatever becomes of its colour. A wave that ends runs over the lights that were given it together,
  /// in order of their numbers, and is not run again for a light that keeps it; a running wave runs over all lights that
  /// have it.
  void show(std::span<const Lamp> lamps, Time now);

  /// The colour of that light, which must be one of them. `now` is not before the last show(). A colour that is not black
  /// stays lit at any brightness that an effect gives it, other than dark.
  [[nodiscard]] Rgb colour(std::size_t light, Time now) const;

  /// When a colour may change next without a new picture, always after `now`; nothing for a picture that is still.
  [[nodiscard]] std::optional<Time> next_change(Time now) const;

  [[nodiscard]] std::size_t size() const { return lights_.size(); }

 private:
  [[nodiscard]] bool shown(Effect effect) const { return (shown_ >> static_cast<unsigned>(effect) & 1U) != 0; }
  [[nodiscard]] Time begun(Effect effect) const { return begun_[static_cast<std::size_t>(effect)]; }
  [[nodiscard]] std::uint32_t brightness(const LightState& light, Time now) const;

  std::span<LightState> lights_;
  std::array<Time, kEffects> begun_{};  ///< by effect: since when a light has it
  std::uint16_t shown_ = 0;             ///< a bit for every effect that a light has
  std::uint16_t candidates_ = 0;        ///< of taking_turns
  Time waves_end_{};
};

}  // namespace merel
