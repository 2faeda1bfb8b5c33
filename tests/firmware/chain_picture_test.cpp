#include "firmware/core/chain_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace merel::firmware {
namespace {

std::uint32_t steps(std::span<const std::uint32_t> picture) {
  return std::accumulate(picture.begin(), picture.end(), 0U, [](std::uint32_t sum, std::uint32_t word) {
    return sum + (word >> 24U) + (word >> 16U & 0xFFU) + (word >> 8U & 0xFFU);
  });
}

TEST(ChainPictureTest, GreenRedBlueFromTheTop) {
  ChainPicture chain(3);
  chain.gamma(10);
  const std::vector<Rgb> colours = {{1, 2, 3}, {255, 0, 0}};
  const auto picture = chain.encode(colours);
  ASSERT_EQ(picture.size(), 3U);
  EXPECT_EQ(picture[0], 0x02010300U);
  EXPECT_EQ(picture[1], 0x00FF0000U);
  EXPECT_EQ(picture[2], 0U);
}

TEST(ChainPictureTest, GammaBendsTheBrightness) {
  ChainPicture chain(1);
  for (const int tenths : {10, 18, 22, 28, 40}) {
    chain.gamma(static_cast<std::uint8_t>(tenths));
    for (int brightness = 1; brightness < 256; ++brightness) {
      const std::vector<Rgb> colours = {{0, static_cast<std::uint8_t>(brightness), 0}};
      const double exact = 255 * std::pow(brightness / 255.0, tenths / 10.0);
      const auto told = static_cast<double>(chain.encode(colours)[0] >> 24U);
      EXPECT_NEAR(told, std::max(exact, 1.0), 0.52) << tenths << " " << brightness;
    }
  }
}

TEST(ChainPictureTest, TheDimmestColourStaysLitAndKeepsItsHue) {
  ChainPicture chain(3);
  const std::vector<Rgb> colours = {{1, 0, 0}, {3, 6, 1}, {5, 5, 5}};
  const auto picture = chain.encode(colours);
  EXPECT_EQ(picture[0], 0x00010000U);
  EXPECT_EQ(picture[1], 0x01010000U);
  EXPECT_EQ(picture[2], 0x01010100U);
}

TEST(ChainPictureTest, NothingEverDrawsMoreThanTheLimit) {
  std::uint32_t dice = 7;
  const auto next = [&dice](std::uint32_t bound) {
    dice = dice * 1'664'525 + 1'013'904'223;
    return (dice >> 8U) % bound;
  };
  ChainPicture chain(49);
  for (int round = 0; round < 3'000; ++round) {
    const auto limit = static_cast<std::uint16_t>(49 + next(round % 3 == 0 ? 20 : 3'000));
    chain.limit(limit);
    std::vector<Rgb> colours(49);
    const std::uint32_t most = 1 + next(255);
    for (Rgb& colour : colours) {
      colour = {static_cast<std::uint8_t>(next(most + 1)), static_cast<std::uint8_t>(next(most + 1)),
                static_cast<std::uint8_t>(next(most + 1))};
    }
    const auto picture = chain.encode(colours);
    ASSERT_LE(49.0 + steps(picture) * 20.0 / 255.0, limit) << round;
    ASSERT_LE(chain.milliamps(), limit) << round;
    ASSERT_EQ(chain.milliamps(), 49 + std::ceil(steps(picture) * 20 / 255.0));
  }
}

TEST(ChainPictureTest, DimsAsAWholeAndNoMoreThanItMust) {
  ChainPicture chain(49);
  chain.gamma(10);
  std::vector<Rgb> colours(49, Rgb{255, 255, 255});
  colours[0] = {255, 0, 0};
  colours[1] = {128, 0, 0};
  const auto picture = chain.encode(colours);
  EXPECT_TRUE(chain.dimmed());
  EXPECT_GT(chain.milliamps(), 1'480);
  EXPECT_LE(chain.milliamps(), 1'500);
  const std::uint32_t full = picture[0] >> 16U & 0xFFU;
  const std::uint32_t half = picture[1] >> 16U & 0xFFU;
  EXPECT_NEAR(full, 2 * half, 2);
  EXPECT_EQ(picture[48], full << 24U | full << 16U | full << 8U);
  chain.limit(4'000);
  EXPECT_EQ(chain.encode(colours)[48], 0xFFFFFF00U);
  EXPECT_FALSE(chain.dimmed());
  EXPECT_EQ(chain.milliamps(), 49 + 47 * 60 + 20 + 11);
}

TEST(ChainPictureTest, ALimitBelowTheIdleCurrentKeepsAllDark) {
  ChainPicture chain(49);
  const std::vector<Rgb> colours(49, Rgb{255, 255, 255});
  for (const std::uint16_t limit : std::initializer_list<std::uint16_t>{0, 10, 49}) {
    chain.limit(limit);
    EXPECT_EQ(steps(chain.encode(colours)), 0U) << limit;
    EXPECT_TRUE(chain.dimmed());
  }
  chain.limit(50);  // room for twelve steps: twelve lights get one each
  EXPECT_EQ(steps(chain.encode(colours)), 12U);
}

TEST(ChainPictureTest, TheLastPictureStaysAsItIsWhileTheNextIsMade) {
  ChainPicture chain(2);
  chain.gamma(10);
  const std::vector<Rgb> red = {{255, 0, 0}, {255, 0, 0}};
  const std::vector<Rgb> blue = {{0, 0, 255}, {0, 0, 255}};
  const auto first = chain.encode(red);
  const std::vector<std::uint32_t> before(first.begin(), first.end());
  const auto second = chain.encode(blue);
  EXPECT_EQ(before, std::vector<std::uint32_t>(first.begin(), first.end()));
  EXPECT_NE(first.data(), second.data());
}

}  // namespace
}  // namespace merel::firmware
