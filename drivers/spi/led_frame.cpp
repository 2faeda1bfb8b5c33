#include "drivers/spi/led_frame.h"

#include <algorithm>
#include <cmath>

namespace merel {
namespace {

constexpr std::uint32_t kGlobal = 31;             ///< APA102's brightness of all primaries, at most
constexpr std::uint32_t kPwm = 255;               ///< a primary's own, at most
constexpr std::uint32_t kSteps = kGlobal * kPwm;  ///< full brightness in the finest steps that an APA102 has
constexpr std::uint32_t kUndimmed = 1U << 16U;

constexpr std::size_t kApaStart = 4;
constexpr std::size_t kApaLight = 4;
constexpr std::size_t kWsStart = 1;
constexpr std::size_t kWsPrimary = 3;
constexpr std::size_t kWsLight = 3 * kWsPrimary;
constexpr std::size_t kWsEnd = 96;  ///< 320 us

/// 32 zero bits and an edge to show the picture, and half a clock for each light on the way.
constexpr std::size_t apa_end(std::size_t lights) {
  const std::size_t clocks = 32 + 1 + (lights + 1) / 2;
  return (clocks + 7) / 8;
}

/// A byte as WS2812B takes it: each bit as three, 110 or 100.
constexpr std::array<std::array<std::uint8_t, kWsPrimary>, 256> make_ws_bytes() {
  std::array<std::array<std::uint8_t, kWsPrimary>, 256> out{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t wave = 0;
    for (std::uint32_t bit = 8; bit-- > 0;) wave = wave << 3U | ((byte >> bit & 1U) != 0 ? 0b110U : 0b100U);
    for (std::uint32_t i = 0; i < kWsPrimary; ++i) out[byte][i] = static_cast<std::uint8_t>(wave >> (16 - 8 * i));
  }
  return out;
}
constexpr auto kWsBytes = make_ws_bytes();

std::uint8_t brightest(const Rgb& colour) { return std::max({colour.red, colour.green, colour.blue}); }

}  // namespace

LedFrame::LedFrame(const SpiWiring& wiring, std::size_t lights) : kind_(wiring.kind), lights_(lights) {
  const std::uint64_t idle = std::uint64_t{kIdleMilliamps} * lights;
  budget_ = wiring.limit_ma > idle ? (wiring.limit_ma - idle) * kSteps / kPrimaryMilliamps : 0;
  for (std::size_t i = 1; i < level_.size(); ++i) {
    const double share = std::pow(static_cast<double>(i) / 255.0, wiring.gamma);
    level_[i] = static_cast<std::uint16_t>(std::max(1.0, std::round(share * kSteps)));
  }
  const std::size_t bytes =
      divisible(kind_) ? kApaStart + kApaLight * lights + apa_end(lights) : kWsStart + kWsLight * lights + kWsEnd;
  frame_.assign(bytes, 0);
  colours_.resize(lights);
  draws_.resize(lights);
  for (std::size_t i = 0; i < lights; ++i) write(i, drive({}, how_));
}

std::span<const std::uint8_t> LedFrame::encode(std::span<const Rgb> colours) {
  colours = colours.first(std::min(colours.size(), lights_));
  const Dimming how = dimming(colours);
  // A picture differs from the one before it in a few lights.
  const bool anew = how != how_ || how.exact;
  how_ = how;
  for (std::size_t i = 0; i < lights_; ++i) {
    const Rgb colour = i < colours.size() ? colours[i] : Rgb{};
    if (!anew && colour == colours_[i]) continue;
    colours_[i] = colour;
    write(i, drive(colour, how));
  }
  if (how.exact) relight(colours, how);
  return frame_;
}

std::uint64_t LedFrame::microamps() const {
  return std::uint64_t{kIdleMilliamps} * 1'000 * lights_ + (drawn_ * kPrimaryMilliamps * 1'000 + kSteps - 1) / kSteps;
}

LedFrame::Dimming LedFrame::dimming(std::span<const Rgb> colours) const {
  std::uint64_t wanted = 0;
  std::uint64_t lit = 0;  // primaries
  for (const Rgb& colour : colours) {
    for (const std::uint8_t primary : {colour.red, colour.green, colour.blue}) {
      wanted += level_[primary];
      lit += primary != 0 ? 1U : 0U;
    }
  }
  // Rounding, and keeping what is lit lit, can add up to one step of the PWM to each primary; room for that is set aside.
  const std::uint64_t rounding = kGlobal * lit;
  if (wanted + rounding <= budget_) return {kUndimmed, false};
  if (rounding < budget_) return {static_cast<std::uint32_t>((budget_ - rounding) * kUndimmed / wanted), false};
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(budget_ * kUndimmed / wanted, kUndimmed)), true};
}

LedFrame::Drive LedFrame::drive(const Rgb& colour, const Dimming& how) const {
  const auto level = [&](std::uint8_t primary) { return level_[primary] * std::uint64_t{how.factor} / kUndimmed; };
  const std::array<std::uint8_t, 3> primaries = {colour.red, colour.green, colour.blue};
  const std::uint8_t most = brightest(colour);
  Drive out{{}, divisible(kind_) && level(most) <= kPwm ? 1 : kGlobal};
  if (most == 0) return out;  // as most lights are
  const std::uint32_t half = how.exact ? 0 : kGlobal / 2;
  for (std::size_t i = 0; i < primaries.size(); ++i) {
    const auto fine = static_cast<std::uint32_t>(level(primaries[i]));
    out.pwm[i] = out.step == 1 ? fine : (fine + half) / kGlobal;  // divided by a constant: a multiplication
  }
  if (out.sum() == 0 && !how.exact) {
    // The nearest that there is to its hue: the primaries that make most of it.
    for (std::size_t i = 0; i < primaries.size(); ++i) out.pwm[i] = 2 * primaries[i] >= most ? 1 : 0;
  }
  return out;
}

void LedFrame::write(std::size_t light, const Drive& drive) {
  const std::uint32_t draws = drive.sum() * drive.step;
  drawn_ += draws;
  drawn_ -= draws_[light];
  draws_[light] = draws;
  const auto [red, green, blue] = drive.pwm;
  if (kind_ == LedKind::apa102) {
    std::uint8_t* const at = &frame_[kApaStart + kApaLight * light];
    at[0] = static_cast<std::uint8_t>(0b1110'0000U | drive.step);
    at[1] = static_cast<std::uint8_t>(blue);
    at[2] = static_cast<std::uint8_t>(green);
    at[3] = static_cast<std::uint8_t>(red);
  } else {
    std::uint8_t* const at = &frame_[kWsStart + kWsLight * light];
    std::copy_n(kWsBytes[green].data(), kWsPrimary, at);
    std::copy_n(kWsBytes[red].data(), kWsPrimary, at + kWsPrimary);
    std::copy_n(kWsBytes[blue].data(), kWsPrimary, at + 2 * kWsPrimary);
  }
}

/// Under a limit too low for everybody: lights that have turned black get the least there is, as far as the limit goes.
void LedFrame::relight(std::span<const Rgb> colours, const Dimming& how) {
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::uint8_t most = brightest(colours[i]);
    Drive least = drive(colours[i], how);
    if (most == 0 || least.sum() != 0 || drawn_ + least.step > budget_) continue;
    least.pwm[colours[i].red == most ? 0 : colours[i].green == most ? 1 : 2] = 1;
    write(i, least);
  }
}

}  // namespace merel
