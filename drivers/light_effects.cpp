#include "drivers/light_effects.h"

#include <algorithm>

namespace merel {
namespace {

constexpr std::uint32_t kFull = 256;
constexpr std::uint32_t kGlow = kFull / 8;  ///< the least that an effect which glides leaves of a light

/// From 0 to kFull and back over the period, without a corner: 3x² - 2x³ on either side, close to a raised cosine.
constexpr std::uint32_t hump(Time at, Time period) {
  constexpr std::int64_t kOne = 4'096;  // finer than brightness, for a glide without steps
  const std::int64_t twice = 2 * kOne * at.count() / period.count();
  const std::int64_t x = twice < kOne ? twice : 2 * kOne - twice;
  return static_cast<std::uint32_t>(x * x / kOne * (3 * kOne - 2 * x) * kFull / (kOne * kOne));
}

constexpr std::uint32_t glowing(std::uint32_t share) { return kGlow + (kFull - kGlow) * share / kFull; }

constexpr std::uint8_t scaled(std::uint8_t primary, std::uint32_t share) {
  if (primary == 0 || share == 0) return 0;
  return static_cast<std::uint8_t>(std::max<std::uint32_t>((primary * share + kFull / 2) / kFull, 1));
}

constexpr bool is_ending_wave(Effect effect) { return effect == Effect::wave_then_solid || effect == Effect::slow_wave; }

/// How long after its beginning a wave has left that light.
constexpr Time wave_time(const LightState& light) {
  return light.lamp.effect == Effect::wave_then_solid
             ? light.place * LightEffects::kWaveStep + LightEffects::kWaveWidth
             : light.place * LightEffects::kSlowWaveStep + LightEffects::kSlowWaveWidth;
}

}  // namespace

LightEffects::LightEffects(std::span<LightState> lights) : lights_(lights) {
  std::fill(lights_.begin(), lights_.end(), LightState{});
}

void LightEffects::show(std::span<const Lamp> lamps, Time now) {
  const std::uint16_t before = shown_;
  std::array<std::uint16_t, LightEffects::kEffects> places{};
  shown_ = 0;
  candidates_ = 0;
  waves_end_ = {};
  for (std::size_t i = 0; i < lights_.size(); ++i) {
    LightState& light = lights_[i];
    const Lamp lamp = i < lamps.size() && lamps[i].colour != Rgb{} ? lamps[i] : Lamp{};  // what is dark has no effect
    const auto effect = static_cast<std::size_t>(lamp.effect);
    const bool joins = lamp.effect != light.lamp.effect;
    light.lamp = lamp;
    if (joins) light.since = now;
    if (joins || lamp.effect == Effect::running_wave) light.place = places[effect]++;
    if (is_ending_wave(lamp.effect)) waves_end_ = std::max(waves_end_, light.since + wave_time(light));
    if (lamp.effect == Effect::taking_turns) candidates_ = std::max(candidates_, static_cast<std::uint16_t>(lamp.turn + 1));
    shown_ = static_cast<std::uint16_t>(shown_ | 1U << effect);
  }
  for (std::size_t effect = 0; effect < begun_.size(); ++effect) {
    if ((shown_ >> effect & 1U) != 0 && (before >> effect & 1U) == 0) begun_[effect] = now;
  }
  // The two halves of one beat: whichever was there first leads, and alone it begins lit.
  constexpr Time kHalf = kBlink4Hz / 2;
  constexpr auto kBlink = static_cast<std::size_t>(Effect::blink_4hz);
  constexpr auto kAntiphase = static_cast<std::size_t>(Effect::blink_4hz_antiphase);
  if ((before >> kAntiphase & 1U) != 0 && shown(Effect::blink_4hz_antiphase)) {
    begun_[kBlink] = begun_[kAntiphase] - kHalf;
  } else {
    begun_[kAntiphase] = shown(Effect::blink_4hz) ? begun_[kBlink] + kHalf : begun_[kAntiphase];
  }
}

std::uint32_t LightEffects::brightness(const LightState& light, Time now) const {
  const Time at = now - begun(light.lamp.effect);
  switch (light.lamp.effect) {
    case Effect::solid: return kFull;
    case Effect::breathing: return glowing(kFull - hump(at % kBreath, kBreath));
    case Effect::blink_2hz: return at % kBlink2Hz < kBlink2Hz / 2 ? kFull : 0;
    case Effect::blink_4hz: return at % kBlink4Hz < kBlink4Hz / 2 ? kFull : 0;
    case Effect::blink_4hz_antiphase: return (at + kBlink4Hz) % kBlink4Hz < kBlink4Hz / 2 ? kFull : 0;
    case Effect::taking_turns: return at / kTurn % candidates_ == light.lamp.turn ? kFull : 0;
    case Effect::wave_then_solid: {
      const Time reached = now - light.since - light.place * kWaveStep;
      return reached < Time{} || reached >= kWaveWidth ? kFull : glowing(kFull - hump(reached, kWaveWidth));
    }
    case Effect::slow_wave: {
      const Time reached = now - light.since - light.place * kSlowWaveStep;
      if (reached < Time{}) return kGlow;
      if (reached >= kSlowWaveWidth) return 0;
      const std::uint32_t crest = hump(reached, kSlowWaveWidth);
      return reached < kSlowWaveWidth / 2 ? glowing(crest) : crest;
    }
    case Effect::running_wave: {
      const Time later = light.place % kRunningLights * kRunning / kRunningLights;
      return glowing(kFull - hump((at + kRunning - later) % kRunning, kRunning));
    }
  }
  return kFull;
}

Rgb LightEffects::colour(std::size_t light, Time now) const {
  const LightState& state = lights_[light];
  const Rgb full = state.lamp.colour;
  if (state.lamp.effect == Effect::solid) return full;
  const std::uint32_t share = brightness(state, now);
  return {scaled(full.red, share), scaled(full.green, share), scaled(full.blue, share)};
}

std::optional<Time> LightEffects::next_change(Time now) const {
  std::optional<Time> first;
  const auto not_after = [&first](Time time) { first = first ? std::min(*first, time) : time; };
  const auto switches = [&](Effect effect, Time half) { not_after(now + half - (now - begun(effect) + half) % half); };
  if (shown(Effect::breathing) || shown(Effect::running_wave) || now < waves_end_) not_after((now / kFrame + 1) * kFrame);
  if (shown(Effect::blink_2hz)) switches(Effect::blink_2hz, kBlink2Hz / 2);
  if (shown(Effect::blink_4hz)) switches(Effect::blink_4hz, kBlink4Hz / 2);
  if (shown(Effect::blink_4hz_antiphase)) switches(Effect::blink_4hz_antiphase, kBlink4Hz / 2);
  if (shown(Effect::taking_turns) && candidates_ > 1) switches(Effect::taking_turns, kTurn);
  return first;
}

}  // namespace merel
