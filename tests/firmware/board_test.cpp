#include "firmware/core/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "firmware/core/link_lost.h"
#include "firmware/native/flash_in_memory.h"
#include "tests/firmware/link_talk.h"

namespace merel::firmware {
namespace {

using link::Answer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Type = link::MessageType;

/// A chip without one: scans of whatever `counts` says, and no interrupt to hold off.
class BoardTest : public ::testing::Test {
 protected:
  class Gate final : public ScanGate {
   public:
    void close() override { ++closed; }
    void open() override { --closed; }
    int closed = 0;
  };

  Gate gate;
  FlashInMemory flash;
  ChipState chip;
  Counts counts{};
  std::uint8_t buttons = 0;
  Time now = milliseconds(1);
  std::unique_ptr<Senses> senses;
  std::unique_ptr<Board> board;
  link::HostVoice host;
  std::vector<link::Heard> heard;
  std::vector<std::vector<std::uint32_t>> pictures;  ///< each as it was sent
  Time last_picture{};

  BoardTest() {
    counts.fill(2'048);
    start();
  }
  void start() {
    board.reset();
    senses = std::make_unique<Senses>();
    board = std::make_unique<Board>(*senses, gate, flash, 4711, std::uint16_t{0}, now);
  }
  /// A millisecond, as the main loop spends it.
  void turn() {
    now += milliseconds(1);
    senses->scan(counts, buttons, now - milliseconds(1));
    board->attend(now, chip);
    for (const link::Heard& one : drain(*board, now)) heard.push_back(one);
    if (const auto picture = board->picture(now)) {
      pictures.emplace_back(picture->begin(), picture->end());
      last_picture = now;
    }
    ASSERT_EQ(gate.closed, 0);
  }
  void run(Time span) {
    for (const Time until = now + span; now < until;) turn();
  }
  /// The same with a host that is there.
  void run_alive(Time span) {
    for (const Time until = now + span; now < until;) {
      say(link::HostAlive{});
      run(std::min(until - now, Time(milliseconds(500))));
    }
  }
  template <typename Message>
  void say(const Message& message) {
    board->hear(host.say(message), now);
  }
  template <typename Message>
  [[nodiscard]] std::optional<Message> last() const {
    for (auto at = heard.rbegin(); at != heard.rend(); ++at) {
      if (at->type == Message::kType) return at->as<Message>();
    }
    return std::nullopt;
  }
  void join() {
    run(milliseconds(20));
    say(link::HostHello{link::kProtocol, 1, 0xFFFF'FFFF});
    turn();
    say(link::Acknowledge{0});
    say(link::Accept{1, Board::kRevision});
    turn();
    heard.clear();
    pictures.clear();
  }
  link::Lights lights(std::vector<Lamp> lamps) {
    link::Lights message;
    message.number = ++lights_number;
    message.count = static_cast<std::uint8_t>(lamps.size());
    std::copy(lamps.begin(), lamps.end(), message.lamps.begin());
    return message;
  }
  std::uint16_t lights_number = 0;
};

TEST_F(BoardTest, SaysWhatItIsOnceItHasLookedAround) {
  counts[3] = 3'000;  // stands there already
  say(link::HostHello{link::kProtocol, 1, 0xFFFF'FFFF});
  run(milliseconds(9));
  EXPECT_THAT(heard, IsEmpty());
  run(milliseconds(2));
  ASSERT_TRUE(last<link::BoardHello>());
  EXPECT_EQ(last<link::BoardHello>()->session, 4711U);
  EXPECT_EQ(last<link::BoardHello>()->channels, 64);
  EXPECT_EQ(last<link::BoardHello>()->lights, 49);
  EXPECT_EQ(last<link::BoardHello>()->buttons, 4);
  EXPECT_EQ(last<link::BoardHello>()->capabilities, 0b1111);
  ASSERT_TRUE(last<link::Report>());
  EXPECT_EQ(last<link::Report>()->classes[3], PieceClass::north);
  for (const link::Heard& one : heard) {
    if (one.type != Type::report) continue;
    EXPECT_EQ(one.as<link::Report>().classes[3], PieceClass::north) << "never was it not there";
  }
}

TEST_F(BoardTest, ASensorThatNeverRestsDoesNotKeepItSilent) {
  for (int i = 0; i < 110; ++i) {
    counts[3] = i % 2 == 0 ? 3'000 : 2'048;
    turn();
  }
  EXPECT_TRUE(last<link::BoardHello>());
}

TEST_F(BoardTest, ReportsWhatChangesInTheSameTurn) {
  join();
  counts[24] = 1'000;
  buttons = 0b0001;
  run(milliseconds(5));
  EXPECT_FALSE(last<link::Report>());
  turn();
  ASSERT_TRUE(last<link::Report>());
  EXPECT_EQ(last<link::Report>()->classes[24], PieceClass::south);
  EXPECT_EQ(last<link::Report>()->buttons, 1);
  EXPECT_EQ(last<link::Report>()->change_count, 2);
}

TEST_F(BoardTest, CatchesUpAfterMoreChangesThanItCouldKeep) {
  join();
  // As while the flash is written: scans go on and nobody attends.
  buttons = 0b10;
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < 30; ++i) counts[i] = round % 2 == 0 ? 3'000 : 2'048;
    for (int i = 0; i < 6; ++i, now += milliseconds(1)) senses->scan(counts, buttons, now);
  }
  turn();
  const auto report = last<link::Report>();
  ASSERT_TRUE(report);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(report->classes[i], i < 30 ? PieceClass::north : PieceClass::none) << i;
  EXPECT_EQ(report->buttons, 0b10);
  say(link::Acknowledge{report->number});
  heard.clear();
  run(milliseconds(200));
  EXPECT_FALSE(last<link::Report>());
}

TEST_F(BoardTest, LightsStayDarkUntilTheBoardIsAccepted) {
  run(milliseconds(20));
  say(link::HostHello{link::kProtocol, 1, 0xFFFF'FFFF});
  say(lights({Lamp{{255, 255, 255}}}));
  say(link::Buzzer{1, 1'000, 100});
  run(milliseconds(50));
  EXPECT_EQ(board->tone(now), 0);
  for (const auto& picture : pictures) EXPECT_THAT(picture, ::testing::Each(0U));
  say(link::Accept{1, Board::kRevision});
  lights_number = 0;
  say(lights({Lamp{{255, 255, 255}}}));
  turn();
  ASSERT_FALSE(pictures.empty());
  EXPECT_EQ(pictures.back()[0], 0xFFFFFF00U);
}

TEST_F(BoardTest, AStillPictureIsSentAgainOnceASecondForLightsThatHaveForgottenIt) {
  join();
  say(lights({Lamp{{255, 0, 0}}, Lamp{{0, 9, 0}}}));
  run_alive(milliseconds(3'500));
  ASSERT_EQ(pictures.size(), 4U);
  for (const auto& picture : pictures) EXPECT_EQ(picture, pictures.front());
}

TEST_F(BoardTest, AnimationsGoOnSixtyTimesASecond) {
  join();
  say(lights({Lamp{{255, 0, 0}, Effect::breathing}}));
  run_alive(seconds(2));
  EXPECT_NEAR(static_cast<double>(pictures.size()), 120, 2);
}

TEST_F(BoardTest, ALostLinkShowsAndTheOldPictureComesBack) {
  join();
  say(lights({Lamp{{0, 255, 0}}}));
  run(milliseconds(1'990));
  const auto before = pictures.back();
  pictures.clear();
  run(milliseconds(20));
  ASSERT_GE(pictures.size(), 1U);
  ASSERT_THAT(pictures.back(), Contains(::testing::Ne(0U)));
  EXPECT_NE(pictures.back()[48], 0U);
  EXPECT_EQ(pictures.back()[1], 0U);
  run(seconds(4));
  EXPECT_NEAR(static_cast<double>(pictures.size()), 1 + 4 * 2 + 2, 2)
      << "four edges every two seconds, and once more while it is dark";
  say(link::HostAlive{});
  run(milliseconds(2));
  EXPECT_EQ(pictures.back(), before);
}

TEST_F(BoardTest, WithoutAHostThatAcceptedItThereIsNoLostLink) {
  run(seconds(5));
  for (const auto& picture : pictures) EXPECT_THAT(picture, ::testing::Each(0U));
}

TEST_F(BoardTest, AnotherHostFindsItDarkAndSilent) {
  join();
  say(lights({Lamp{{0, 255, 0}}}));
  say(link::Buzzer{1, 1'000, 5'000});
  turn();
  EXPECT_EQ(board->tone(now), 1'000);
  say(link::HostHello{link::kProtocol, 2, 0xFFFF'FFFF});
  turn();
  EXPECT_EQ(board->tone(now), 0);
  EXPECT_THAT(pictures.back(), ::testing::Each(0U));
  // Accepted again, it does not bring back what the host before wanted.
  say(link::Accept{1, Board::kRevision});
  run(milliseconds(5));
  EXPECT_THAT(pictures.back(), ::testing::Each(0U));
}

TEST_F(BoardTest, ABeepEndsByItself) {
  join();
  say(link::Buzzer{1, 2'000, 120});
  EXPECT_EQ(board->tone(now + milliseconds(119)), 2'000);
  EXPECT_EQ(board->tone(now + milliseconds(120)), 0);
  say(link::Buzzer{2, 0, 100});
  EXPECT_EQ(board->tone(now), 0);
  for (const std::uint16_t hertz : std::initializer_list<std::uint16_t>{1, 49, 20'001, 65'535}) {
    say(link::Buzzer{static_cast<std::uint16_t>(hertz / 2 + 10), hertz, 10});
    turn();
    EXPECT_EQ(last<link::Confirm>()->answer, Answer::cannot) << hertz;
    EXPECT_EQ(board->tone(now), 0);
  }
}

TEST_F(BoardTest, SettingsReachEverything) {
  join();
  link::Settings settings;
  settings.number = 1;
  settings.debounce_us = 20'000;
  settings.limit_ma = 100;
  settings.gamma_tenths = 10;
  settings.levels_hz = 50;
  say(settings);
  say(lights(std::vector<Lamp>(49, Lamp{{200, 200, 200}})));
  turn();
  EXPECT_EQ(last<link::Confirm>()->answer, Answer::done);
  counts[1] = 3'000;
  run(milliseconds(20));
  EXPECT_FALSE(last<link::Report>());
  turn();
  EXPECT_TRUE(last<link::Report>());
  run(milliseconds(500));
  EXPECT_TRUE(last<link::Levels>());
  EXPECT_EQ(last<link::Levels>()->counts[1], 3'000);
  const auto status = last<link::BoardStatus>();
  ASSERT_TRUE(status);
  EXPECT_LE(status->lights_ma, 100);
  EXPECT_EQ(status->flags, link::kOutputsOn | link::kDimmed);
}

TEST_F(BoardTest, KeepsItsCalibrationOverARestart) {
  join();
  link::Calibration calibration;
  calibration.number = 1;
  calibration.data.revision = Board::kRevision;
  calibration.data.thresholds = {500, 0, 50};
  calibration.data.channels = 49;
  calibration.data.baselines.fill(1'900);
  std::fill(calibration.data.baselines.begin() + 49, calibration.data.baselines.end(), std::uint16_t{0});
  say(calibration);
  turn();
  EXPECT_EQ(last<link::Confirm>()->answer, Answer::done);
  for (int starts = 0; starts < 2; ++starts) {
    say(link::Ask{Type::board_calibration});
    say(link::Ask{Type::board_status});
    turn();
    EXPECT_EQ(last<link::BoardCalibration>()->data, calibration.data);
    EXPECT_EQ(last<link::BoardStatus>()->flags, link::kOutputsOn | link::kCalibrated);
    counts[2] = 1'900 + 460;  // within the new thresholds; and now a piece
    run(milliseconds(10));
    EXPECT_EQ(senses->settled(2), PieceClass::none);
    counts[2] = 1'900 + 560;
    run(milliseconds(10));
    EXPECT_EQ(senses->settled(2), PieceClass::north);
    counts[2] = 2'048;
    run(milliseconds(10));
    start();
    join();
  }
}

TEST_F(BoardTest, ABoardWithoutACalibrationSaysSo) {
  join();
  say(link::Ask{Type::board_calibration});
  turn();
  ASSERT_TRUE(last<link::BoardCalibration>());
  EXPECT_EQ(last<link::BoardCalibration>()->data.channels, 0);
}

TEST_F(BoardTest, ACalibrationThatCannotBeStoredIsNotUsed) {
  join();
  flash.powered = false;
  flash.steps_left = 0;
  link::Calibration calibration;
  calibration.number = 1;
  calibration.data = {Board::kRevision, {500, 0, 50}, 64, {}};
  say(calibration);
  turn();
  EXPECT_EQ(last<link::Confirm>()->answer, Answer::not_stored);
  run(milliseconds(20));
  EXPECT_EQ(senses->settled(0), PieceClass::none) << "with baselines of 0 everything would be a piece";
}

TEST_F(BoardTest, TheStatusSaysWhatTheChipSays) {
  chip.late = 3;
  chip.scan_us = 1'100;
  chip.watchdog_started = true;
  join();
  say(link::Ask{Type::board_status});
  turn();
  const auto status = last<link::BoardStatus>();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->late, 3U);
  EXPECT_EQ(status->scan_us, 1'100);
  EXPECT_EQ(status->scans, senses->scans());
  EXPECT_EQ(status->lights_ma, 49);
  EXPECT_EQ(status->flags, link::kOutputsOn | link::kWatchdogStarted);
}

TEST_F(BoardTest, OnlyEmptySitesFollowADrift) {
  join();
  say(link::EmptySites{1, 0b01});
  counts[0] = counts[1] = 2'048 + 8;
  run_alive(seconds(100));
  // A piece by the old baseline, and none by the one that has followed.
  const PieceThresholds& thresholds = Classifier::kDefaultThresholds;
  counts[0] = counts[1] = static_cast<std::uint16_t>(2'048 + thresholds.piece + thresholds.hysteresis + 4);
  run(milliseconds(10));
  EXPECT_EQ(senses->settled(0), PieceClass::none);
  EXPECT_EQ(senses->settled(1), PieceClass::weak_north);
}

}  // namespace
}  // namespace merel::firmware
