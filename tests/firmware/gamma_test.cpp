#include "firmware/core/gamma.h"

#include <gtest/gtest.h>

#include <cmath>

namespace merel::firmware {
namespace {

TEST(GammaTest, IsThePowerToTheLastStep) {
  constexpr std::uint32_t kFull = 8'160;
  for (int tenths = 10; tenths <= 40; ++tenths) {
    for (int brightness = 0; brightness < 256; ++brightness) {
      const double exact = brightness == 0 ? 0 : std::max(kFull * std::pow(brightness / 255.0, tenths / 10.0), 1.0);
      const std::uint32_t made = with_gamma(static_cast<std::uint8_t>(brightness), static_cast<std::uint8_t>(tenths), kFull);
      ASSERT_NEAR(made, exact, 0.51) << tenths << " " << brightness;
    }
  }
}

static_assert(with_gamma(255, 22, 8'160) == 8'160);
static_assert(with_gamma(0, 22, 8'160) == 0);
static_assert(with_gamma(1, 40, 8'160) == 1);

}  // namespace
}  // namespace merel::firmware
