#include "firmware/core/chain_picture.h"

#include <algorithm>

#include "firmware/core/gamma.h"

namespace merel::firmware {
namespace {

/// Of 255 steps of the light's own PWM each is 32 fine ones, so that dimming rounds once and not twice.
constexpr std::uint32_t kFine = 32;
constexpr std::uint32_t kFull = 255 * kFine;
constexpr std::uint32_t kUndimmed = 1U << 16U;

}  // namespace

ChainPicture::ChainPicture(std::size_t lights) : lights_(std::min(lights, kMaxLights)) {
  gamma(22);
  limit(1'500);
}

void ChainPicture::gamma(std::uint8_t tenths) {
  if (tenths == tenths_) return;
  tenths_ = tenths;
  for (std::size_t i = 0; i < level_.size(); ++i) {
    level_[i] = static_cast<std::uint16_t>(with_gamma(static_cast<std::uint8_t>(i), tenths, kFull));
  }
}

void ChainPicture::limit(std::uint16_t milliamps) {
  const auto idle = static_cast<std::uint32_t>(kIdleMilliamps * lights_);
  budget_ = milliamps > idle ? (milliamps - idle) * kFull / kPrimaryMilliamps : 0;
}

/// What its PWM is told. `exact`: never round up, even if it turns black.
std::uint32_t ChainPicture::primary(std::uint8_t brightness, std::uint32_t factor, bool exact) const {
  if (brightness == 0) return 0;
  const std::uint32_t fine = level_[brightness] * factor >> 16U;
  return exact ? fine / kFine : (fine + kFine / 2) / kFine;
}

std::span<const std::uint32_t> ChainPicture::encode(std::span<const Rgb> colours) {
  colours = colours.first(std::min(colours.size(), lights_));
  std::uint32_t wanted = 0;
  std::uint32_t lit = 0;  // primaries
  for (const Rgb& colour : colours) {
    for (const std::uint8_t one : {colour.red, colour.green, colour.blue}) {
      wanted += level_[one];
      lit += one != 0 ? 1U : 0U;
    }
  }
  // Rounding, and keeping what is lit lit, can add up to one step of the PWM to each primary; room for that is set aside.
  const std::uint32_t rounding = kFine * lit;
  std::uint32_t factor = kUndimmed;
  bool exact = false;
  dimmed_ = wanted + rounding > budget_;
  if (dimmed_) {
    exact = rounding >= budget_;
    const std::uint64_t room = exact ? budget_ : budget_ - rounding;
    factor = static_cast<std::uint32_t>(std::min<std::uint64_t>(room * kUndimmed / wanted, kUndimmed));
  }
  Picture& picture = pictures_[next_];
  next_ = 1 - next_;
  picture.fill(0);
  std::uint32_t drawn = 0;  // steps of the PWM
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const Rgb& colour = colours[i];
    std::uint32_t red = primary(colour.red, factor, exact);
    std::uint32_t green = primary(colour.green, factor, exact);
    std::uint32_t blue = primary(colour.blue, factor, exact);
    if (red + green + blue == 0) {
      // The nearest that there is to its hue: the primaries that make most of it. Under a limit too low for that, the first of them as
      // far as the limit goes.
      const std::uint8_t most = std::max({colour.red, colour.green, colour.blue});
      if (most != 0 && !exact) {
        red = 2 * colour.red >= most ? 1 : 0;
        green = 2 * colour.green >= most ? 1 : 0;
        blue = 2 * colour.blue >= most ? 1 : 0;
      }
    }
    drawn += red + green + blue;
    picture[i] = green << 24U | red << 16U | blue << 8U;
  }
  if (exact) {
    for (std::size_t i = 0; i < colours.size() && (drawn + 1) * kFine <= budget_; ++i) {
      const Rgb& colour = colours[i];
      const std::uint8_t most = std::max({colour.red, colour.green, colour.blue});
      if (most == 0 || picture[i] != 0) continue;
      picture[i] = 1U << (colour.green == most ? 24U : colour.red == most ? 16U : 8U);
      ++drawn;
    }
  }
  milliamps_ = static_cast<std::uint16_t>(kIdleMilliamps * lights_ + (drawn * kPrimaryMilliamps + 254) / 255);
  return std::span(picture).first(lights_);
}

}  // namespace merel::firmware
