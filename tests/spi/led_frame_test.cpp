#include "drivers/spi/led_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace merel {
namespace {

using Bytes = std::vector<std::uint8_t>;

SpiWiring wired(LedKind kind, double gamma = 1.0, std::uint32_t limit_ma = 100'000) {
  SpiWiring out;
  out.kind = kind;
  out.gamma = gamma;
  out.limit_ma = limit_ma;
  return out;
}

Bytes encoded(LedFrame& frame, const std::vector<Rgb>& colours) {
  const auto bytes = frame.encode(colours);
  return {bytes.begin(), bytes.end()};
}

/// What one light is told, in steps of 1/7905 of a primary's full brightness.
struct Driven {
  std::uint32_t red, green, blue;
  [[nodiscard]] std::uint32_t sum() const { return red + green + blue; }
  [[nodiscard]] bool dark() const { return sum() == 0; }
};

/// Reads an APA102 frame as the chips do.
std::vector<Driven> read_apa102(const Bytes& frame, std::size_t lights) {
  std::vector<Driven> out;
  out.reserve(lights);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(frame.at(i), 0);
  for (std::size_t light = 0; light < lights; ++light) {
    const std::uint8_t* const at = &frame.at(4 + 4 * light);
    EXPECT_EQ(at[0] >> 5, 0b111);
    const std::uint32_t global = at[0] & 31U;
    out.push_back({at[3] * global, at[2] * global, at[1] * global});
  }
  for (std::size_t i = 4 + 4 * lights; i < frame.size(); ++i) EXPECT_EQ(frame[i], 0);
  return out;
}

struct Pulse {
  int high;  ///< in SPI bits
  int low;
};

/// The line as an oscilloscope shows it: low before the first pulse, then pulse by pulse.
std::vector<Pulse> pulses_of(const Bytes& frame, int& low_before) {
  std::vector<Pulse> out;
  out.reserve(frame.size() * 3);
  low_before = 0;
  bool was = false;
  for (const std::uint8_t byte : frame) {
    for (int bit = 7; bit >= 0; --bit) {
      const bool is = (byte >> bit & 1) != 0;
      if (is && !was) out.push_back({0, 0});
      if (out.empty()) {
        ++low_before;
      } else if (is) {
        ++out.back().high;
      } else {
        ++out.back().low;
      }
      was = is;
    }
  }
  return out;
}

/// Reads a WS2812B frame as the chips do: by how long each pulse is.
std::vector<Driven> read_ws2812b(const Bytes& frame, std::size_t lights) {
  int low_before = 0;
  const std::vector<Pulse> pulses = pulses_of(frame, low_before);
  EXPECT_EQ(pulses.size(), 24 * lights);
  std::vector<Driven> out;
  out.reserve(lights);
  for (std::size_t light = 0; light < lights; ++light) {
    std::uint32_t word = 0;
    for (std::size_t bit = 0; bit < 24; ++bit) word = word << 1U | (pulses.at(24 * light + bit).high >= 2 ? 1U : 0U);
    out.push_back({31 * (word >> 8U & 255U), 31 * (word >> 16U), 31 * (word & 255U)});
  }
  return out;
}

std::vector<Driven> read(LedKind kind, const Bytes& frame, std::size_t lights) {
  return kind == LedKind::apa102 ? read_apa102(frame, lights) : read_ws2812b(frame, lights);
}

/// 1 mA for each chip, 20 mA for a primary at full brightness.
double milliamps(const std::vector<Driven>& lights) {
  double out = 0;
  for (const Driven& light : lights) out += 1.0 + 20.0 * light.sum() / 7905.0;
  return out;
}

TEST(Apa102Frame, IsWhatTheDataSheetSays) {
  LedFrame frame(wired(LedKind::apa102), 3);
  EXPECT_EQ(encoded(frame, {{255, 128, 64}, {0, 0, 0}, {1, 2, 3}}),
            (Bytes{0x00, 0x00, 0x00, 0x00,  // start: 32 zero bits
                   0xFF, 0x40, 0x80, 0xFF,  // 111 and brightness 31; blue 64, green 128, red 255
                   0xE1, 0x00, 0x00, 0x00,  // dark: 111 and brightness 1
                   0xE1, 0x5D, 0x3E, 0x1F,  // faint: brightness 1, everything 31 times as much: 93, 62, 31
                   0x00, 0x00, 0x00, 0x00,  // SK9822 shows the picture: 32 zero bits …
                   0x00}));                 // … and an edge, and half a clock for each of 3 lights: 3 bits, 1 byte
}

TEST(Apa102Frame, EndsWithZerosThatReachTheLastLight) {
  struct Case {
    std::size_t lights;
    std::size_t end;  ///< bytes: 32 bits, 1 bit and half a bit a light
  };
  for (const Case& each : {Case{0, 5}, Case{1, 5}, Case{14, 5}, Case{15, 6}, Case{49, 8}, Case{144, 14}, Case{1'000, 67}}) {
    LedFrame frame(wired(LedKind::apa102), each.lights);
    const Bytes bytes = encoded(frame, std::vector<Rgb>(each.lights, {255, 255, 255}));
    EXPECT_EQ(bytes.size(), 4 + 4 * each.lights + each.end) << each.lights;
    for (std::size_t i = bytes.size() - each.end; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], 0);
  }
}

TEST(Ws2812bFrame, IsWhatTheDataSheetSays) {
  LedFrame frame(wired(LedKind::ws2812b), 2);
  Bytes wanted = {
      0x00,              // a line that did not rest low does now
                         // light 0: red 0xA5, green 0xFF, blue 0x00, in the order green, red, blue
      0xDB, 0x6D, 0xB6,  // 1111 1111: 110 110 110 110 110 110 110 110 = 1101 1011 0110 1101 1011 0110
      0xD3, 0x49, 0xA6,  // 1010 0101: 110 100 110 100 100 110 100 110 = 1101 0011 0100 1001 1010 0110
      0x92, 0x49, 0x24,  // 0000 0000: 100 100 100 100 100 100 100 100 = 1001 0010 0100 1001 0010 0100
                         // light 1: red 0x01, green 0x80, blue 0x3C
      0xD2, 0x49, 0x24,  // 1000 0000: 110 100 100 100 100 100 100 100 = 1101 0010 0100 1001 0010 0100
      0x92, 0x49, 0x26,  // 0000 0001: 100 100 100 100 100 100 100 110 = 1001 0010 0100 1001 0010 0110
      0x93, 0x6D, 0xA4,  // 0011 1100: 100 100 110 110 110 110 100 100 = 1001 0011 0110 1101 1010 0100
  };
  wanted.resize(wanted.size() + 96);  // low for 320 us: the end
  EXPECT_EQ(encoded(frame, {{0xA5, 0xFF, 0x00}, {0x01, 0x80, 0x3C}}), wanted);
}

TEST(Ws2812bFrame, KeepsTheTimesOfTheDataSheetInEveryBit) {
  constexpr double kBit = 1e9 / kWs2812bSpeed;  // ns
  constexpr double kTolerance = 150;
  constexpr double kReset = 280'000;
  std::mt19937 random(1);
  std::vector<Rgb> colours(49);
  for (Rgb& colour : colours) {
    colour = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random())};
  }
  LedFrame frame(wired(LedKind::ws2812b), colours.size());
  int low_before = 0;
  const std::vector<Pulse> pulses = pulses_of(encoded(frame, colours), low_before);
  ASSERT_EQ(pulses.size(), 24 * colours.size());
  EXPECT_GE(low_before * kBit, 1'250) << "at least one bit of rest before the first";
  for (std::size_t i = 0; i < pulses.size(); ++i) {
    const Rgb& light = colours[i / 24];
    const std::uint32_t word = std::uint32_t{light.green} << 16U | std::uint32_t{light.red} << 8U | light.blue;
    const bool one = (word >> (23 - i % 24) & 1U) != 0;
    EXPECT_NEAR(pulses[i].high * kBit, one ? 800 : 400, kTolerance) << "bit " << i;
    if (i + 1 < pulses.size()) {
      EXPECT_NEAR(pulses[i].low * kBit, one ? 450 : 850, kTolerance) << "bit " << i;
      EXPECT_NEAR((pulses[i].high + pulses[i].low) * kBit, 1'250, 600);
    }
  }
  EXPECT_GE(pulses.back().low * kBit, kReset);
}

TEST(Ws2812bFrame, IsNeverShorterThanWhatTheRaspberryPiSendsWithoutGaps) {
  LedFrame frame(wired(LedKind::ws2812b), 1);
  EXPECT_GE(frame.encode({}).size(), 96U);
}

TEST(LedFrame, FollowsTheGamma) {
  for (const double gamma : {1.0, 1.8, 2.2, 2.8}) {
    for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
      LedFrame frame(wired(kind, gamma), 256);
      std::vector<Rgb> greys(256);
      for (std::size_t i = 0; i < greys.size(); ++i) {
        const auto value = static_cast<std::uint8_t>(i);
        greys[i] = {value, value, value};
      }
      const std::vector<Driven> lights = read(kind, encoded(frame, greys), 256);
      for (std::size_t i = 0; i < lights.size(); ++i) {
        const double wanted = 7905 * std::pow(static_cast<double>(i) / 255, gamma);
        // Half a step of the PWM; the faintest of APA102 are 31 times as fine. What is lit is lit at least one step.
        const double off = wanted > 255 || kind == LedKind::ws2812b ? 15.5 : 0.5;
        const double least = i == 0 ? 0 : kind == LedKind::apa102 ? 1 : 31;
        EXPECT_NEAR(lights[i].red, std::max(wanted, least), off + 0.01) << i;
        EXPECT_EQ(lights[i].red, lights[i].green);
        EXPECT_EQ(lights[i].red, lights[i].blue);
        EXPECT_EQ(lights[i].dark(), i == 0);
      }
    }
  }
}

TEST(Apa102Frame, KeepsTheHueOfFaintLights) {
  // Amber as faint as the lights of whose turn it is: with gamma, less than one step of 8 bits for all three.
  LedFrame frame(wired(LedKind::apa102, 2.2), 1);
  const Driven light = read_apa102(encoded(frame, {{15, 8, 0}}), 1).front();
  EXPECT_EQ(light.red, 16U);   // 7905 * (15/255)^2.2 = 15.5
  EXPECT_EQ(light.green, 4U);  // 7905 * (8/255)^2.2 = 3.9
  EXPECT_EQ(light.blue, 0U);
}

TEST(LedFrame, DimsTheWholePictureInProportionWhenItWouldDrawTooMuch) {
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    const std::vector<Rgb> colours(49, {255, 140, 70});
    LedFrame free(wired(kind), 49);
    static_cast<void>(free.encode(colours));
    EXPECT_NEAR(static_cast<double>(free.microamps()), 49'000 + 49 * 20'000 * (255 + 140 + 70) / 255.0, 5'000);

    LedFrame limited(wired(kind, 1.0, 900), 49);
    const std::vector<Driven> lights = read(kind, encoded(limited, colours), 49);
    EXPECT_LE(milliamps(lights), 900);
    EXPECT_GE(milliamps(lights), 870) << "and not dimmer than it must be";
    for (const Driven& light : lights) {
      EXPECT_NEAR(light.green * 1.0 / light.red, 140.0 / 255, 0.01);
      EXPECT_NEAR(light.blue * 1.0 / light.red, 70.0 / 255, 0.01);
    }
  }
}

TEST(LedFrame, LeavesAPictureAloneThatTheLimitHasRoomFor) {
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    LedFrame free(wired(kind, 2.2), 49);
    LedFrame limited(wired(kind, 2.2, 1'500), 49);
    const std::vector<Rgb> colours(20, {255, 255, 255});  // 49 + 20 * 60 mA
    EXPECT_EQ(encoded(limited, colours), encoded(free, colours));
  }
}

TEST(LedFrame, NeverDrawsMoreThanTheLimitAndKeepsLitWhatIsLit) {
  std::mt19937 random(3);
  const auto primary = [&random](unsigned most) { return static_cast<std::uint8_t>(random() % (most + 1)); };
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    for (int round = 0; round < 3'000; ++round) {
      const std::size_t lights = 1 + random() % 60;
      const auto idle = static_cast<std::uint32_t>(lights);
      const auto limit = static_cast<std::uint32_t>(idle + random() % (round % 2 == 0 ? 20U : 3'000U));
      LedFrame frame(wired(kind, round % 3 == 0 ? 1.0 : 2.2, limit), lights);
      std::vector<Rgb> colours(lights);
      const unsigned most = round % 5 == 0 ? 20 : 255;
      for (Rgb& colour : colours) {
        if (random() % 3 != 0) colour = {primary(most), primary(most), primary(most)};
      }
      const std::vector<Driven> shown = read(kind, encoded(frame, colours), lights);
      ASSERT_LE(milliamps(shown), limit + 1e-6) << "round " << round;
      ASSERT_NEAR(static_cast<double>(frame.microamps()), milliamps(shown) * 1'000, 1.1);
      // Room for the least light that there is in every light.
      const double least = 20.0 * (kind == LedKind::apa102 ? 1 : 31) / 7905 * static_cast<double>(lights);
      const bool roomy = limit - idle > 3 * 20.0 * 31 / 7905 * static_cast<double>(lights);
      for (std::size_t i = 0; i < lights; ++i) {
        if (colours[i] == Rgb{}) {
          ASSERT_TRUE(shown[i].dark());
        } else if (roomy || milliamps(shown) + least < limit) {
          ASSERT_FALSE(shown[i].dark()) << "round " << round;
        }
      }
    }
  }
}

TEST(LedFrame, IsDarkUnderALimitThatTheChipsAloneExceed) {
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    LedFrame frame(wired(kind, 2.2, 30), 49);
    for (const Driven& light : read(kind, encoded(frame, std::vector<Rgb>(49, {255, 255, 255})), 49))
      EXPECT_TRUE(light.dark());
  }
}

TEST(LedFrame, TakesAsManyColoursAsItHasLights) {
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    LedFrame frame(wired(kind), 4);
    const Bytes two = encoded(frame, {{9, 9, 9}, {9, 9, 9}});
    EXPECT_EQ(two, encoded(frame, {{9, 9, 9}, {9, 9, 9}, {}, {}}));
    EXPECT_EQ(two, encoded(frame, {{9, 9, 9}, {9, 9, 9}, {}, {}, {255, 255, 255}}));
  }
}

}  // namespace
}  // namespace merel
