// What reaches the SPI bus, bit by bit, worked out by hand from the data sheets.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kLights = 49;

/// Pinuid Classic at its start: White's pins are lit faintly, it is White's turn. 6 % of 255 are 15, and (15 / 255)^2.2 = 0.00196.
const std::set<std::size_t> kWhitesPins = {0, 1, 3, 5, 6, 7, 10, 13};  // a1 b1 d1 f1 g1, a2 d2 g2

void add(Bytes& bytes, std::initializer_list<int> more) {
  for (const int byte : more) bytes.push_back(static_cast<std::uint8_t>(byte));
}

/// 32 zero bits; 111 and five bits of brightness, blue, green, red for each light; 32 zero bits and a clock edge for every second light.
/// 0.00196 of full brightness are 16 of the 255 * 31 steps: 16 at a brightness of 1.
Bytes apa102(const std::set<std::size_t>& lit) {
  Bytes out(4, 0);
  for (std::size_t light = 0; light < kLights; ++light) {
    if (lit.count(light) != 0) {
      add(out, {0xE1, 0x10, 0x10, 0x10});
    } else {
      add(out, {0xE1, 0x00, 0x00, 0x00});
    }
  }
  out.insert(out.end(), 8, 0);
  return out;
}

class LightFrames : public ::testing::Test {
 protected:
  /// The board of a game that has just begun, and its lights once they are still.
  Bytes start_of_classic(const Board& board) {
    Table table{board};
    const GameInfo& game = *find_game("pinuid-classic");
    arrange(table, wires_, game, start_of(game));
    table.post("/api/game", {{"game", "pinuid-classic"}});
    EXPECT_EQ(table.wait_for("/api/state", [](const Json& now) { return now.at("phase") == "play"; }).at("phase"), "play");
    std::this_thread::sleep_for(std::chrono::seconds(5));
    Bytes frame = spi_.last();
    table.daemon().end(SIGTERM);
    return frame;
  }

  Header header_;
  SwitchLines wires_;
  SpiStub spi_;
};

TEST_F(LightFrames, OfApa102AreTheGoldenBytes) {
  EXPECT_EQ(start_of_classic({"lattice7-expander", {}}), apa102(kWhitesPins));
  EXPECT_EQ(spi_.speed_hz(), 4'000'000U);
  EXPECT_EQ(spi_.last(), apa102({})) << "a daemon that ends leaves the lights dark";
}

/// The wave on the wire: how long it is high and low in turn, in nanoseconds, beginning with low.
std::vector<double> wave(const Bytes& bytes, double bit_ns) {
  std::vector<double> out = {0};
  bool high = false;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      if ((((byte >> bit) & 1) != 0) != high) {
        high = !high;
        out.push_back(0);
      }
      out.back() += bit_ns;
    }
  }
  return out;
}

TEST_F(LightFrames, OfWs2812bAreTheGoldenBytesAndKeepTheDataSheetsTimes) {
  const Board board{"lattice7-expander", {{"kind = \"apa102\"", "kind = \"ws2812b\""}, {"speed_hz = 4000000\n", ""}}};
  const Bytes frame = start_of_classic(board);

  // 0.00196 of 255 is 0.5: the least that there is. A bit is 100 or 110, so 0 is 924924 and 1 is 924926.
  Bytes golden = {0};
  for (std::size_t light = 0; light < kLights; ++light) {
    for (int primary = 0; primary < 3; ++primary) add(golden, {0x92, 0x49, kWhitesPins.count(light) != 0 ? 0x26 : 0x24});
  }
  golden.insert(golden.end(), 96, 0);
  EXPECT_EQ(frame, golden);

  EXPECT_EQ(spi_.speed_hz(), 2'400'000U);
  const std::vector<double> times = wave(frame, 1e9 / static_cast<double>(spi_.speed_hz()));
  constexpr double kTolerance = 150;
  std::vector<bool> bits;
  for (std::size_t i = 1; i + 1 < times.size(); i += 2) {
    const bool one = times[i] > 600;
    EXPECT_NEAR(times[i], one ? 800 : 400, kTolerance);
    const bool last = i + 2 >= times.size();
    if (last) {
      EXPECT_GE(times[i + 1], 280'000) << "the pause that shows the picture";
    } else {
      EXPECT_NEAR(times[i + 1], one ? 450 : 850, kTolerance);
    }
    bits.push_back(one);
  }
  EXPECT_EQ(bits.size(), kLights * 24);
  for (std::size_t bit = 0; bit < bits.size(); ++bit) {
    EXPECT_EQ(bits[bit], bit % 8 == 7 && kWhitesPins.count(bit / 24) != 0) << "bit " << bit;
  }
}

TEST_F(LightFrames, AreSentOnlyWhileSomethingIsAnimated) {
  Table table{{"lattice7-expander", {}}};
  const auto messages = [&](int seconds) {
    const std::uint64_t before = spi_.messages();
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    return spi_.messages() - before;
  };
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(messages(20), 0U) << "no game: still";
  table.post("/api/game", {{"game", "pinuid-classic"}});
  EXPECT_GT(messages(5), 100U) << "sites that want a piece breathe";
}

}  // namespace
}  // namespace merel
