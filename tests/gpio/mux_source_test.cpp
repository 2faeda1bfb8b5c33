// Sensors behind multiplexers: the walk over the addresses, its pace, and what happens when the lines are gone.
#include "drivers/gpio/mux_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "drivers/gpio/gray_code.h"
#include "tests/gpio/heard.h"
#include "tests/gpio/made_up_chip.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(GrayCode, VisitsEveryAddressOnceChangingOneLineAtATime) {
  std::set<std::uint32_t> visited;
  for (std::uint32_t n = 0; n < 16; ++n) {
    visited.insert(gray_code(n));
    EXPECT_EQ(std::popcount(gray_code(n) ^ gray_code((n + 1) % 16)), 1) << n;
  }
  EXPECT_EQ(visited.size(), 16U);
}

TEST(ScanPace, SlowsDownOnAStillBoardAndIsFastAgainWithTheFirstChange) {
  struct Case {
    const char* what;
    Time changed, due, now, next;
  };
  const Case cases[] = {
      {"busy", milliseconds(100), milliseconds(200), milliseconds(200), milliseconds(205)},
      {"still", milliseconds(100), milliseconds(1200), milliseconds(1200), milliseconds(1250)},
      {"just within", milliseconds(100), milliseconds(1100), milliseconds(1100), milliseconds(1105)},
      {"late scans are not made up for", milliseconds(100), milliseconds(200), milliseconds(290), milliseconds(290)},
  };
  for (const Case& c : cases) {
    ScanPace pace(200, 20, milliseconds(1000));
    pace.changed(c.changed);
    EXPECT_EQ(pace.next(c.due, c.now), c.next) << c.what;
  }
}

/// Four multiplexers of 16 channels, magnets pulling their outputs low, as four CD74HC4067 behave.
class Multiplexers : public testing::Test {
 protected:
  Multiplexers() {
    chip.on_set = [this](std::span<const bool> lines) {
      std::size_t address = 0;
      for (std::size_t i = 0; i < 4; ++i) address |= std::size_t{lines[i] ? 1U : 0U} << i;
      ++addresses;
      for (unsigned mux = 0; mux < 4; ++mux) chip.high[4 + mux] = !magnet[mux * 16 + address];
    };
  }
  void start(MuxSensors wiring = {}) {
    wiring.address = {{"", "M0"}, {"", "M1"}, {"", "M2"}, {"", "M3"}};
    wiring.data = {{"", "M4"}, {"", "M5"}, {"", "M6"}, {"", "M7"}};
    wiring.settle = Time(1);
    ButtonLines buttons;
    buttons.lines = {{"", "M8"}};
    source = std::make_unique<MuxSource>(loop, clock, wiring, buttons, machine.list());
    source->start(heard);
  }
  void run(int ms) {
    loop.restart();
    loop.run_for(milliseconds(ms));
  }
  ~Multiplexers() override {
    if (source) source->stop();
  }

  MadeUpMachine machine;
  ChipState& chip = machine.add("pinctrl-bcm2711", "fe200000.gpio", "M", 9);
  std::vector<bool> magnet = std::vector<bool>(64);
  int addresses = 0;
  boost::asio::io_context loop;
  LoopClock clock;
  Heard heard;
  std::unique_ptr<MuxSource> source;
};

TEST_F(Multiplexers, EveryInputIsItsOwnChannel) {
  start();
  heard.take();
  for (std::uint16_t channel = 0; channel < 64; ++channel) {
    magnet[channel] = true;
    run(12);
    EXPECT_EQ(heard.take(), std::to_string(channel) + "+");
    magnet[channel] = false;
    run(12);
    EXPECT_EQ(heard.take(), std::to_string(channel) + "-");
  }
  EXPECT_TRUE(heard.health.well);
  EXPECT_TRUE(heard.ordered);
}

TEST_F(Multiplexers, ButtonsAreHeardBetweenScans) {
  start();
  heard.take();
  chip.set(8, false);
  run(5);
  EXPECT_EQ(heard.take(), "B0+");
}

TEST_F(Multiplexers, LinesThatFailAreToldAndTakenUpAgainWithEverythingToldAnew) {
  start();
  heard.take();
  chip.broken = EIO;
  run(20);
  EXPECT_FALSE(heard.health.well);
  EXPECT_FALSE(heard.health.partial);
  EXPECT_THAT(heard.health.what, HasSubstr("does not answer"));
  const int at_rest = addresses;
  run(30);
  EXPECT_EQ(addresses, at_rest);
  chip.broken = 0;
  magnet[5] = true;
  source->check();
  EXPECT_TRUE(heard.health.well);
  EXPECT_THAT(heard.take(), HasSubstr("5+"));
}

TEST_F(Multiplexers, AddressLinesInUseAreNamedWithTheirUser) {
  chip.others[2] = "fan";
  start();
  EXPECT_FALSE(heard.health.well);
  EXPECT_THAT(heard.health.what,
              HasSubstr("The line 'M2' of gpiochip0 (pinctrl-bcm2711, fe200000.gpio) is in use by 'fan'"));
}

TEST_F(Multiplexers, AStillBoardIsScannedSlowly) {
  MuxSensors wiring;
  wiring.scans_per_second = 1000;
  wiring.idle_scans_per_second = 10;
  wiring.idle_after = milliseconds(50);
  start(wiring);
  run(300);  // long since still
  const std::uint64_t before = source->counts().scans;
  run(500);
  EXPECT_LE(source->counts().scans - before, 7U);
  EXPECT_GE(source->counts().scans - before, 3U);
}

}  // namespace
}  // namespace merel
