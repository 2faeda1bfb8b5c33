// Sensors and buttons on lines of their own: edges, what happens when the kernel loses some, and chips that come and go.
#include "drivers/gpio/gpio_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpio/heard.h"
#include "tests/gpio/made_up_chip.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two expanders with two sensors each, and a chip with two buttons.
class Board : public testing::Test {
 protected:
  static GpioSensors sensors(std::uint32_t scans = 0) {
    GpioSensors out;
    out.lines = {{"1-0020", "0"}, {"1-0020", "1"}, {"1-0021", "0"}, {"1-0021", "1"}};
    out.scans_per_second = scans;
    return out;
  }
  void start(const GpioSensors& wiring = sensors(), Time debounce = {}) {
    ButtonLines buttons;
    buttons.lines = {{"pinctrl-*", "GPIO17"}, {"", "GPIO18"}};
    source = std::make_unique<GpioSource>(loop, clock, wiring, buttons, debounce, machine.list());
    source->start(heard);
  }
  /// Lets the loop work; answers how often something woke it.
  std::size_t run(int ms = 5) {
    loop.restart();
    return loop.run_for(milliseconds(ms));
  }
  ~Board() override {
    if (source) source->stop();
  }

  MadeUpMachine machine;
  ChipState& first = machine.add("mcp23017", "1-0020", "", 16);
  ChipState& second = machine.add("mcp23017", "1-0021", "", 16);
  ChipState& header = machine.add("pinctrl-bcm2711", "fe200000.gpio", "GPIO", 28);
  boost::asio::io_context loop;
  LoopClock clock;
  Heard heard;
  std::unique_ptr<GpioSource> source;
};

TEST_F(Board, TellsWhatEveryLineIsFirst) {
  first.set(1, false);
  header.set(18, false);
  start();
  EXPECT_EQ(heard.take(), "0- 1+ 2- 3- B0- B1+");
  EXPECT_TRUE(heard.health.well);
  EXPECT_EQ(heard.healths, 1);
}

TEST_F(Board, TellsEdgesOfSeveralChipsInTheOrderOfTheKernelsTimes) {
  start();
  heard.take();
  const auto now = LoopClock::Steady::now();
  second.set(1, false, now + milliseconds(1));
  first.set(0, false, now + milliseconds(2));
  header.set(17, false, now + milliseconds(3));
  second.set(1, true, now + milliseconds(4));
  run(20);
  EXPECT_EQ(heard.take(), "3+ 0+ B0+ 3-");
  EXPECT_TRUE(heard.ordered);
  EXPECT_EQ(source->counts().edges, 4U);
  EXPECT_EQ(source->counts().gaps, 0U);
}

TEST_F(Board, WakesNobodyWhileNothingMoves) {
  start();
  run(80);  // what the start left to do
  EXPECT_EQ(run(300), 0U);
  first.set(0, false);
  run(120);  // the edge, and the look after it
  EXPECT_EQ(run(300), 0U);
}

TEST_F(Board, ReadsEverythingAgainWhenTheKernelHasDroppedEdges) {
  start();
  heard.take();
  first.set(0, false, LoopClock::Steady::now(), true);
  first.set(1, false, LoopClock::Steady::now(), true);
  first.overflow();
  run();
  EXPECT_EQ(heard.take(), "0+ 1+");
  EXPECT_EQ(source->counts().gaps, 1U);
  EXPECT_EQ(source->counts().repaired, 2U);
}

TEST_F(Board, ReadsAgainWhenAnEdgeContradictsWhatIsKnown) {
  start();
  heard.take();
  first.set(0, false, LoopClock::Steady::now(), true);  // the fall that nobody tells of
  first.set(1, false, LoopClock::Steady::now(), true);
  first.set(0, true);  // rises although it was high already
  run();
  EXPECT_EQ(heard.take(), "1+");
  EXPECT_EQ(source->counts().gaps, 1U);
}

TEST_F(Board, FindsWhatNoEdgeToldOfWhenTheLinesHaveComeToRest) {
  start();
  heard.take();
  first.set(0, false);
  run();
  first.set(1, false, LoopClock::Steady::now(), true);
  EXPECT_EQ(heard.take(), "0+");
  run(120);
  EXPECT_EQ(heard.take(), "1+");
  EXPECT_EQ(source->counts().repaired, 1U);
}

TEST_F(Board, FindsWhatNoEdgeToldOfAtTheNextCheck) {
  start();
  heard.take();
  second.set(0, false, LoopClock::Steady::now(), true);
  source->check();
  EXPECT_EQ(heard.take(), "2+");
}

TEST_F(Board, TakesEdgesThatAreOlderThanAReadingForOldNews) {
  start();
  heard.take();
  const auto before = LoopClock::Steady::now();
  first.set(0, false, before, true);
  source->check();
  EXPECT_EQ(heard.take(), "0+");
  first.set(0, false, before);  // the same fall, heard late
  run();
  EXPECT_EQ(heard.take(), "");
  EXPECT_EQ(source->counts().gaps, 0U);
}

TEST_F(Board, AMissingExpanderTakesItsOwnChannelsAndIsNamed) {
  second.there = false;
  start();
  EXPECT_EQ(heard.take(), "0- 1- B0- B1-");
  EXPECT_FALSE(heard.health.well);
  EXPECT_TRUE(heard.health.partial);
  EXPECT_THAT(heard.health.lost, ElementsAre(2, 3));
  EXPECT_THAT(heard.health.what, HasSubstr("I2C bus 1, address 0x21"));
  EXPECT_THAT(heard.health.what, HasSubstr("dtoverlay=mcp23017,addr=0x21,gpiopin=23"));
  second.there = true;
  source->check();
  EXPECT_EQ(heard.take(), "2- 3-");
  EXPECT_TRUE(heard.health.well);
  EXPECT_THAT(heard.health.lost, IsEmpty());
}

TEST_F(Board, AnExpanderThatFallsSilentComesBackByItselfAndIsPolledFromThenOn) {
  start();
  heard.take();
  second.broken = EREMOTEIO;
  second.set(0, false);
  run();
  EXPECT_THAT(heard.health.lost, ElementsAre(2, 3));
  EXPECT_THAT(heard.health.what, HasSubstr("does not answer"));
  EXPECT_EQ(source->debounced(), milliseconds(0));  // asked of those that are left
  first.set(0, false);
  run();
  EXPECT_EQ(heard.take(), "0+");  // the other goes on
  second.broken = 0;
  run(400);
  EXPECT_EQ(heard.take(), "2+ 3-");
  EXPECT_TRUE(heard.health.well);
  // Without supply it has forgotten to tell edges.
  second.set(1, false, LoopClock::Steady::now(), true);
  run(100);
  EXPECT_EQ(heard.take(), "3+");
}

TEST_F(Board, AChipThatStaysBrokenIsToldOnce) {
  start();
  second.broken = EREMOTEIO;
  source->check();
  const int told = heard.healths;
  run(1000);
  source->check();
  EXPECT_EQ(heard.healths, told);
  EXPECT_FALSE(heard.health.well);
}

TEST_F(Board, ALineInUseIsNamedWithItsUserAndTakenWhenItIsFree) {
  first.others[1] = "fan";
  start();
  EXPECT_EQ(heard.take(), "0- 2- 3- B0- B1-");
  EXPECT_THAT(heard.health.lost, ElementsAre(1));
  EXPECT_THAT(heard.health.what,
              HasSubstr("The line '1' of gpiochip0 (mcp23017, I2C bus 1, address 0x20) is in use by 'fan'"));
  first.others.clear();
  source->check();
  EXPECT_EQ(heard.take(), "1-");
  EXPECT_TRUE(heard.health.well);
}

TEST_F(Board, AChipThatCannotTellEdgesIsATroubleUnlessTheProfileAllowsToPollIt) {
  first.tells_edges = false;
  start();
  EXPECT_THAT(heard.health.lost, ElementsAre(0, 1));
  EXPECT_THAT(heard.health.what, HasSubstr("scans_per_second"));
  source->stop();
  heard.take();
  start(sensors(200));
  EXPECT_TRUE(heard.health.well);
  EXPECT_EQ(heard.take(), "0- 1- 2- 3- B0- B1-");
  first.set(1, false);
  run(50);
  EXPECT_EQ(heard.take(), "1+");
  EXPECT_EQ(source->counts().repaired, 0U);
}

TEST_F(Board, APolledBoardThatIsStoppedIsPolledAgainAfterItsStart) {
  first.tells_edges = false;
  start(sensors(200));
  run(20);
  source->stop();
  source->start(heard);
  heard.take();
  first.set(0, false);
  run(50);
  EXPECT_EQ(heard.take(), "0+");
}

TEST_F(Board, ButtonsThatCannotBeHadLeaveTheSensorsAlone) {
  header.there = false;
  start();
  EXPECT_EQ(heard.take(), "0- 1- 2- 3-");
  EXPECT_FALSE(heard.health.well);
  EXPECT_TRUE(heard.health.partial);
  EXPECT_THAT(heard.health.lost, IsEmpty());
}

TEST_F(Board, ABoardOfWhichNothingIsThereIsNotPartlyWell) {
  first.there = second.there = false;
  start();
  EXPECT_FALSE(heard.health.well);
  EXPECT_FALSE(heard.health.partial);
}

TEST_F(Board, TheKernelTakesNoMoreThanItsShareOfTheDebounceTime) {
  start(sensors(), milliseconds(12));
  EXPECT_EQ(source->debounced(), milliseconds(2));
  source->stop();
  start(sensors(), milliseconds(0));
  EXPECT_EQ(source->debounced(), milliseconds(0));
}

TEST_F(Board, MoreLinesThanOneRequestCanHaveAreRequestedInParts) {
  ChipState& large = machine.add("large", "large.0", "L", 100);
  GpioSensors wiring;
  for (int i = 0; i < 100; ++i) wiring.lines.push_back({"large", std::to_string(i)});
  start(wiring);
  EXPECT_EQ(large.requests, 2);
  heard.take();
  large.set(99, true);
  large.set(99, false);
  run();
  EXPECT_THAT(heard.take(), HasSubstr("99+"));
}

}  // namespace
}  // namespace merel
