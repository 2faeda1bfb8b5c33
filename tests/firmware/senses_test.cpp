#include "firmware/core/senses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace merel::firmware {
namespace {

using link::Change;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SensesTest : public ::testing::Test {
 protected:
  Senses senses;
  Counts counts{};
  std::uint8_t buttons = 0;
  Time now = milliseconds(100);

  SensesTest() { counts.fill(2'048); }

  std::vector<Change> scan(int times = 1) {
    std::vector<Change> changes;
    for (int i = 0; i < times; ++i, now += milliseconds(1)) {
      senses.scan(counts, buttons, now);
      while (const auto change = senses.take_change()) changes.push_back(*change);
    }
    return changes;
  }
  [[nodiscard]] std::uint32_t clock(std::size_t channel) const {
    return static_cast<std::uint32_t>(now.count()) + micros_of(channel);
  }
};

TEST_F(SensesTest, APieceCountsAfterFiveMilliseconds) {
  scan(10);
  counts[24] = 3'000;
  const std::uint32_t contact = clock(24);
  EXPECT_THAT(scan(5), IsEmpty());
  EXPECT_THAT(scan(1), ElementsAre(Change{contact, 24, static_cast<std::uint8_t>(PieceClass::north)}));
  counts[24] = 2'048;
  const std::uint32_t lifted = clock(24);
  EXPECT_THAT(scan(6), ElementsAre(Change{lifted, 24, 0}));
}

TEST_F(SensesTest, TellsAllFourKinds) {
  counts[0] = 3'000;
  counts[1] = 1'000;
  counts[10] = 2'048 + 350;
  counts[63] = 2'048 - 350;
  scan(10);
  EXPECT_EQ(senses.settled(0), PieceClass::north);
  EXPECT_EQ(senses.settled(1), PieceClass::south);
  EXPECT_EQ(senses.settled(10), PieceClass::weak_north);
  EXPECT_EQ(senses.settled(63), PieceClass::weak_south);
  EXPECT_EQ(senses.settled(2), PieceClass::none);
}

TEST_F(SensesTest, ChangesOfOneScanComeWithTheirOwnTimes) {
  counts[0] = counts[48] = counts[63] = 3'000;
  const std::uint32_t t0 = clock(0);
  const std::uint32_t t48 = clock(48);
  const std::uint32_t t63 = clock(63);
  EXPECT_LT(t63, t0);
  EXPECT_LT(t0, t48);
  EXPECT_THAT(scan(6), ElementsAre(Change{t0, 0, 1}, Change{t48, 48, 1}, Change{t63, 63, 1}));
}

TEST_F(SensesTest, ButtonsAreDebouncedToo) {
  buttons = 0b0100;
  scan(2);
  buttons = 0;
  EXPECT_THAT(scan(20), IsEmpty());
  buttons = 0b1010;
  const auto pressed = scan(6);
  ASSERT_EQ(pressed.size(), 2U);
  EXPECT_EQ(pressed[0].channel, Change::kButton + 1);
  EXPECT_EQ(pressed[1].channel, Change::kButton + 3);
  EXPECT_EQ(pressed[0].what, 1);
  EXPECT_EQ(senses.buttons(), 0b1010);
  buttons = 0b1000;
  EXPECT_THAT(scan(6), ElementsAre(::testing::Field(&Change::what, 0)));
}

TEST_F(SensesTest, AnotherDebounceTimeIsRoundedUpToWholeScans) {
  struct Case {
    int micros;
    int scans;
  };
  for (const Case& each : {Case{0, 1}, Case{1, 2}, Case{5'000, 6}, Case{5'001, 7}, Case{60'000, 61}}) {
    senses.debounce(Time(each.micros));
    counts[5] = 2'048;
    scan(100);
    counts[5] = 3'000;
    EXPECT_THAT(scan(each.scans - 1), IsEmpty()) << each.micros;
    EXPECT_EQ(scan(1).size(), 1U) << each.micros;
  }
}

TEST_F(SensesTest, AnotherCalibrationBeginsAnewWithoutAFalseLift) {
  counts[5] = 3'000;
  EXPECT_EQ(scan(10).size(), 1U);
  const std::vector<std::uint16_t> baselines(64, 2'060);
  senses.calibrate(baselines, {150, 530, 20});
  EXPECT_THAT(scan(50), IsEmpty());
  senses.calibrate(baselines, {1'200, 0, 20});
  EXPECT_THAT(scan(6), ElementsAre(::testing::Field(&Change::what, 0)));
}

TEST_F(SensesTest, TheClockWrapsWithoutHarm) {
  now = Time(0xFFFF'FFFF - 2'500);
  scan(1);
  counts[0] = 3'000;
  const auto contact = static_cast<std::uint32_t>(now.count() + micros_of(0));
  EXPECT_THAT(scan(6), ElementsAre(Change{contact, 0, 1}));
}

TEST_F(SensesTest, AQueueThatNobodyEmptiesSaysWhatItHasDropped) {
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < 32; ++i) counts[i] = round % 2 == 0 ? 3'000 : 2'048;
    for (int i = 0; i < 6; ++i, now += milliseconds(1)) senses.scan(counts, 0, now);
  }
  EXPECT_EQ(senses.dropped(), 64U);
  std::size_t left = 0;
  while (senses.take_change()) ++left;
  EXPECT_EQ(left, Senses::kQueue);
  EXPECT_EQ(senses.settled(0), PieceClass::none);
}

TEST_F(SensesTest, RestlessUntilEverythingHasSettled) {
  scan(10);
  EXPECT_FALSE(senses.restless());
  counts[7] = 3'000;
  scan(1);
  EXPECT_TRUE(senses.restless());
  scan(5);
  EXPECT_FALSE(senses.restless());
  buttons = 1;
  scan(1);
  EXPECT_TRUE(senses.restless());
}

}  // namespace
}  // namespace merel::firmware
