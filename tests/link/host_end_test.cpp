// The host's end of the link against a board made of nothing, in simulated time.
#include "drivers/link/host_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/link/made_up_board.h"

namespace merel::link {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kStep{500};  // what a frame takes to the other side
constexpr const char* kClassNames[] = {"none", "north", "south", "weak_north", "weak_south"};

/// Both sides and the wire between them.
class LinkOfTwo : public testing::Test {
 protected:
  using Bytes = MadeUpBoard::Bytes;

  void connect() {
    host.open(now);
    run(milliseconds(100));
    ASSERT_EQ(host.stage(), HostEnd::Stage::in_step);
    words.clear();
    board.heard.clear();
  }
  /// Lets time pass in steps of a frame's way.
  void run(Time span) {
    for (const Time end = now + span; now < end;) {
      now += kStep;
      step();
    }
  }
  void step() {
    for (const Bytes& bytes : to_board) board.hear(bytes, now);
    for (const Bytes& bytes : to_host) host.hear(bytes, now);
    to_board.clear();
    to_host.clear();
    board.tick(now);
    for (const Bytes& bytes : board.take_frames()) {
      if (!lose_to_host || !lose_to_host(bytes)) to_host.push_back(bytes);
    }
    std::array<std::uint8_t, kMaxWire> wire{};
    while (const std::size_t length = host.next_frame(now, wire)) {
      ++frames_of_host;
      const bool lost = lose_to_board && lose_to_board(static_cast<MessageType>(wire[1]));
      if (!cut && !lost) to_board.emplace_back(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length));
    }
    if (cut) to_host.clear();
    note(host.take_events());
  }
  void note(const std::vector<HostEvent>& events) {
    for (const HostEvent& event : events) {
      if (const auto* site = std::get_if<SiteChange>(&event)) {
        add(std::to_string(site->channel) + "=" + kClassNames[static_cast<std::size_t>(site->what)] +
                (site->repaired ? "!" : ""),
            site->time);
        board_times.push_back(site->board_us);
      } else if (const auto* button = std::get_if<ButtonChange>(&event)) {
        add("B" + std::to_string(button->number) + (button->down ? "+" : "-") + (button->repaired ? "!" : ""), button->time);
        board_times.push_back(button->board_us);
      } else if (std::holds_alternative<Joined>(event)) {
        words.emplace_back("joined");
      } else if (std::holds_alternative<Lost>(event)) {
        words.emplace_back("lost");
      } else if (const auto* unfit = std::get_if<Unfit>(&event)) {
        words.emplace_back(unfit->why == Unfit::Why::protocol ? "other protocol" : "other revision");
      } else if (const auto* ended = std::get_if<CommandEnded>(&event)) {
        ends.push_back(*ended);
      } else if (const auto* levels = std::get_if<LevelsHeard>(&event)) {
        words.push_back("level " + std::to_string(levels->levels.counts[0]));
        EXPECT_LE(levels->time, now);
      } else if (const auto* calibration = std::get_if<CalibrationHeard>(&event)) {
        words.push_back("calibration of revision " + std::to_string(calibration->data.revision));
      }
    }
  }
  void add(const std::string& word, Time time) {
    words.push_back(word);
    times.push_back(time);
    EXPECT_LE(time, now) << word;
    if (times.size() > 1) {
      EXPECT_GE(time, times[times.size() - 2]) << word;
    }
  }
  std::vector<std::string> take_words() { return std::exchange(words, {}); }

  Time now = seconds(10);
  HostEnd host{1, 1000};
  MadeUpBoard board;
  bool cut = false;
  std::function<bool(const Bytes&)> lose_to_host;
  std::function<bool(MessageType)> lose_to_board;
  std::vector<Bytes> to_board;
  std::vector<Bytes> to_host;
  std::vector<std::string> words;
  std::vector<Time> times;
  std::vector<std::uint32_t> board_times;
  std::vector<CommandEnded> ends;
  int frames_of_host = 0;
};

Lights picture(std::uint8_t red) {
  Lights lights;
  lights.count = 2;
  lights.lamps[1].colour = {red, 0, 0};
  return lights;
}

TEST_F(LinkOfTwo, GreetsAgainAndAgainUntilItIsAnswered) {
  board.answers_hello = false;
  host.open(now);
  const Time began = now;
  run(seconds(3));
  std::vector<std::int64_t> at;
  std::set<std::uint32_t> sessions;
  for (const auto& message : board.heard) {
    ASSERT_EQ(message.type, MessageType::host_hello);
    at.push_back((message.time - began) / milliseconds(1));
    const auto hello = read_message<HostHello>({static_cast<std::uint8_t>(message.type), 0, message.payload});
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->protocol, kProtocol);
    EXPECT_EQ(hello->understands, 0x7EU);
    sessions.insert(hello->session);
  }
  EXPECT_THAT(at, ElementsAre(1, 21, 61, 141, 301, 621, 1121, 1621, 2121, 2621));
  EXPECT_THAT(sessions, ElementsAre(1001));
  EXPECT_THAT(take_words(), IsEmpty());
  board.answers_hello = true;
  run(milliseconds(600));
  EXPECT_EQ(words.back(), "joined");
  EXPECT_EQ(board.resets, 1);
}

TEST_F(LinkOfTwo, TellsFirstWhatEverythingIsAndThenThatItIsThere) {
  board.seen.classes[1] = PieceClass::south;
  board.seen.classes[5] = PieceClass::weak_north;
  board.seen.buttons = 2;
  host.open(now);
  run(milliseconds(20));
  EXPECT_THAT(take_words(),
              ElementsAre("0=none", "1=south", "2=none", "3=none", "4=none", "5=weak_north", "B0-", "B1+", "joined"));
  EXPECT_EQ(host.classes().size(), 6U);
  EXPECT_EQ(host.buttons(), 2);
  EXPECT_EQ(host.buttons_down(), 2);
  EXPECT_EQ(host.counts().repaired, 0U);
  EXPECT_EQ(host.counts().gaps, 0U);
}

TEST_F(LinkOfTwo, TellsChangesOnceInOrderAtTheTimeOfTheirFirstContact) {
  board.clock_ahead = 0xFFFF'0000U - 10'000'000U;  // its clock wraps 65 ms after the start
  host.open(now);
  run(milliseconds(40));
  take_words();
  times.clear();
  board_times.clear();
  const Time first = now;
  for (int i = 0; i < 10; ++i) {
    board.change(3, i % 2 == 0 ? PieceClass::north : PieceClass::none, now, milliseconds(5));
    board.press(0, i % 2 == 0, now);
    run(milliseconds(10));
  }
  std::vector<std::string> expected;
  for (int i = 0; i < 10; ++i) {
    expected.push_back(i % 2 == 0 ? "3=north" : "3=none");
    expected.push_back(i % 2 == 0 ? "B0+" : "B0-");
  }
  EXPECT_EQ(take_words(), expected);
  ASSERT_EQ(times.size(), 20U);
  for (std::size_t i = 0; i < 10; ++i) {
    const Time contact = first + milliseconds(10) * static_cast<int>(i) - milliseconds(5);
    // The way of a frame is all that the host cannot know.
    EXPECT_NEAR(static_cast<double>((times[2 * i] - contact).count()), 0, 1001) << i;
    EXPECT_EQ(board_times[2 * i], static_cast<std::uint32_t>(contact.count()) + board.clock_ahead) << i;
  }
  EXPECT_EQ(host.counts().changes, 20U);
  EXPECT_EQ(host.counts().repaired, 0U);
}

TEST_F(LinkOfTwo, AcknowledgesEveryReportAndThenThereIsSilence) {
  connect();
  board.change(2, PieceClass::north, now);
  run(milliseconds(5));
  EXPECT_EQ(board.last<Acknowledge>().number, 1);
  EXPECT_EQ(board.times_heard(MessageType::acknowledge), 1U);
  run(milliseconds(200));
  EXPECT_EQ(board.times_heard(MessageType::acknowledge), 1U);
  // One that is lost is given again with the repetition of the report, of which nothing is told again.
  bool lost = false;
  lose_to_board = [&lost](MessageType type) { return type == MessageType::acknowledge && !std::exchange(lost, true); };
  board.change(2, PieceClass::none, now);
  run(milliseconds(15));
  EXPECT_TRUE(lost);
  EXPECT_EQ(board.last<Acknowledge>().number, 1);
  run(milliseconds(15));
  EXPECT_EQ(board.last<Acknowledge>().number, 2);
  EXPECT_THAT(take_words(), ElementsAre("2=north", "2=none"));
}

TEST_F(LinkOfTwo, TheMasksHaveTheLastWord) {
  connect();
  board.seen.classes[4] = PieceClass::south;  // although no change says so
  board.report();
  run(milliseconds(5));
  EXPECT_THAT(take_words(), ElementsAre("4=south!"));
  board.seen.classes[4] = PieceClass::north;
  board.change(1, PieceClass::north, now);
  run(milliseconds(5));
  EXPECT_THAT(take_words(), ElementsAre("1=north", "4=north!"));
  EXPECT_EQ(host.counts().repaired, 2U);
}

TEST_F(LinkOfTwo, AListOfAnotherNumberingIsNotBelieved) {
  connect();
  for (int i = 0; i < 6; ++i) {
    board.change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none, now);
    run(milliseconds(3));
  }
  take_words();
  board.set_number(1);  // it counts anew, and nobody knows since when
  board.change(3, PieceClass::south, now, milliseconds(5));
  run(milliseconds(5));
  EXPECT_THAT(take_words(), ElementsAre("3=south!"));
  board.change(3, PieceClass::none, now);
  run(milliseconds(5));
  EXPECT_THAT(take_words(), ElementsAre("3=none"));
}

TEST_F(LinkOfTwo, TakesFromTheNextReportWhatALostOneWouldHaveTold) {
  connect();
  times.clear();
  board.repeats = false;
  lose_to_host = [](const Bytes& /*bytes*/) { return true; };
  board.change(2, PieceClass::north, now);
  const Time lost = now;
  run(milliseconds(50));
  lose_to_host = nullptr;
  board.change(4, PieceClass::south, now);
  run(milliseconds(5));
  EXPECT_THAT(take_words(), ElementsAre("2=north", "4=south"));
  EXPECT_NEAR(static_cast<double>((times[0] - lost).count()), 0, 1001);
  EXPECT_EQ(host.counts().changes, 2U);
  EXPECT_EQ(host.counts().gaps, 0U);
}

TEST_F(LinkOfTwo, TakesTheMasksWhenTheListDoesNotReachBackFarEnough) {
  connect();
  times.clear();
  board.repeats = false;
  lose_to_host = [](const Bytes& /*bytes*/) { return true; };
  board.change(5, PieceClass::north, now);
  board.change(1, PieceClass::north, now);
  run(milliseconds(10));
  for (std::size_t i = 0; i < Report::kMaxChanges; ++i) {  // fills the list with another channel
    board.change(2, i % 2 == 0 ? PieceClass::south : PieceClass::none, now);
    run(milliseconds(1));
  }
  lose_to_host = nullptr;
  board.report();
  run(milliseconds(5));
  const std::vector<std::string> told = take_words();
  ASSERT_EQ(told.size(), 2 + Report::kMaxChanges);
  EXPECT_THAT(std::vector(told.begin(), told.begin() + 4), ElementsAre("1=north!", "5=north!", "2=south", "2=none"));
  EXPECT_EQ(times[0], times[2]);  // before the first change that is listed, and nobody knows how long before
  EXPECT_EQ(host.counts().gaps, 1U);
  EXPECT_EQ(host.counts().repaired, 2U);
  EXPECT_EQ(host.counts().changes, Report::kMaxChanges);
}

TEST_F(LinkOfTwo, ChangesGoOnWhenTheirNumberWraps) {
  board.first_number = 65'534;
  connect();
  for (int i = 0; i < 6; ++i) {
    board.change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none, now);
    run(milliseconds(3));
  }
  EXPECT_THAT(take_words(), ElementsAre("0=north", "0=none", "0=north", "0=none", "0=north", "0=none"));
  EXPECT_EQ(board.last<Acknowledge>().number, 4);
  EXPECT_EQ(host.counts().gaps, 0U);
}

TEST_F(LinkOfTwo, TellsNothingWhenNothingHasChangedWhileTheLinkWasAway) {
  board.seen.classes[3] = PieceClass::north;
  connect();
  for (int i = 0; i < 20; ++i) {
    host.close();
    to_board.clear();
    to_host.clear();
    run(milliseconds(300));
    host.open(now);
    run(milliseconds(50));
    EXPECT_THAT(take_words(), ElementsAre("joined")) << i;
  }
  EXPECT_EQ(host.counts().repaired, 0U);
  EXPECT_EQ(host.counts().sessions, 21U);
}

TEST_F(LinkOfTwo, TellsWhatHasChangedMeanwhileAtTheTimeOfTheSnapshot) {
  board.seen.classes[3] = PieceClass::north;
  connect();
  host.close();
  board.change(3, PieceClass::none, now);
  board.change(4, PieceClass::north, now);
  board.press(1, true, now);
  run(seconds(1));
  host.open(now);
  const Time back = now;
  run(milliseconds(50));
  EXPECT_THAT(take_words(), ElementsAre("3=none!", "4=north!", "B1+!", "joined"));
  for (std::size_t i = times.size() - 3; i < times.size(); ++i) EXPECT_GE(times[i], back);
  EXPECT_EQ(host.counts().repaired, 3U);
}

TEST_F(LinkOfTwo, ALostSnapshotDoesNotTurnTheOrderAround) {
  board.seen.classes[3] = PieceClass::north;
  connect();
  for (int i = 0; i < 6; ++i) {
    board.change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none, now);
    run(milliseconds(3));
  }
  take_words();
  host.close();
  board.change(3, PieceClass::none, now);
  run(milliseconds(100));
  bool lost = false;
  lose_to_host = [&lost](const Bytes& bytes) { return bytes.size() > 1 && bytes[1] == 2 && !std::exchange(lost, true); };
  host.open(now);
  run(milliseconds(5));
  board.change(1, PieceClass::south, now);
  run(milliseconds(50));
  EXPECT_TRUE(lost);
  EXPECT_THAT(take_words(), ElementsAre("3=none!", "1=south", "joined"));
}

TEST_F(LinkOfTwo, ABoardThatStartsAnewIsGreetedAnew) {
  connect();
  Settings settings;
  settings.limit_ma = 700;
  host.want(settings, now);
  host.want(picture(9), now);
  host.want(EmptySites{0, 0x15}, now);
  host.want(Buzzer{0, 440, 100}, now);
  run(milliseconds(50));
  ASSERT_EQ(board.times_heard(MessageType::buzzer), 1U);
  board.unconfirmed = {MessageType::buzzer};
  host.want(Buzzer{0, 880, 100}, now);
  run(milliseconds(30));
  board.change(2, PieceClass::north, now);
  run(milliseconds(50));
  take_words();
  board.heard.clear();
  board.restart(now);
  run(milliseconds(100));
  EXPECT_THAT(take_words(), ElementsAre("joined"));
  EXPECT_EQ(board.resets, 2);
  EXPECT_EQ(board.last<Accept>().revision, 1);
  EXPECT_EQ(board.last<Settings>().limit_ma, 700);
  EXPECT_EQ(board.last<Lights>().lamps[1].colour.red, 9);
  EXPECT_EQ(board.last<EmptySites>().channels, 0x15U);
  EXPECT_EQ(board.times_heard(MessageType::buzzer), 0U);
}

TEST_F(LinkOfTwo, NoticesThatTheBoardHasStartedAnewWhenItsHelloIsLost) {
  connect();
  run(seconds(2));
  board.change(2, PieceClass::north, now);
  run(milliseconds(50));
  take_words();
  lose_to_host = [](const Bytes& /*bytes*/) { return true; };
  board.restart(now);
  step();
  lose_to_host = nullptr;
  board.seen.classes[2] = PieceClass::none;
  run(milliseconds(600));
  EXPECT_THAT(take_words(), ElementsAre("2=none!", "joined"));
}

TEST_F(LinkOfTwo, AsksABoardThatIsSilentForASecondWhetherItHasStartedAnew) {
  connect();
  board.heartbeat = false;  // as a board that nobody has greeted yet
  lose_to_host = [](const Bytes& /*bytes*/) { return true; };
  board.restart(now);
  step();
  lose_to_host = nullptr;
  run(milliseconds(1'600));
  EXPECT_THAT(take_words(), ElementsAre("joined"));
}

TEST_F(LinkOfTwo, ASilentBoardIsLostAfterTwoSecondsAndComesBackWithoutFalseLifts) {
  board.seen.classes[3] = PieceClass::north;
  connect();
  cut = true;
  run(milliseconds(1400));
  EXPECT_THAT(take_words(), IsEmpty());
  run(milliseconds(700));
  EXPECT_THAT(take_words(), ElementsAre("lost"));
  run(seconds(10));
  EXPECT_THAT(take_words(), IsEmpty());
  cut = false;
  run(milliseconds(600));
  EXPECT_THAT(take_words(), ElementsAre("joined"));
}

TEST_F(LinkOfTwo, WhoeverComesLateToListenHasNotMetSilence) {
  // The host was held up for three seconds; meanwhile the board has gone on talking into the port's buffer.
  connect();
  board.change(2, PieceClass::north, now);
  now += milliseconds(300);
  board.change(2, PieceClass::none, now);
  std::vector<Bytes> buffered = board.take_frames();
  for (const Time end = now + seconds(3); now < end; now += milliseconds(5)) {
    board.tick(now);
    for (Bytes& bytes : board.take_frames()) buffered.push_back(std::move(bytes));
  }
  for (const Bytes& bytes : buffered) host.hear(bytes, now);
  run(milliseconds(200));
  EXPECT_THAT(take_words(), ElementsAre("2=north", "2=none"));
  EXPECT_EQ(host.stage(), HostEnd::Stage::in_step);
}

TEST_F(LinkOfTwo, AScanCounterThatWrapsIsNoRestart) {
  board.scans = 0xFFFF'FF00U;
  connect();
  run(seconds(2));
  board.heard.clear();
  run(seconds(5));
  EXPECT_LT(board.scans, 10'000U);
  EXPECT_EQ(board.times_heard(MessageType::host_hello), 0U);
  EXPECT_THAT(take_words(), IsEmpty());
}

TEST_F(LinkOfTwo, SaysLittleWhileNothingMoves) {
  connect();
  run(seconds(1));
  frames_of_host = 0;
  board.heard.clear();
  run(seconds(10));
  EXPECT_EQ(board.times_heard(MessageType::host_alive), 20U);
  EXPECT_EQ(frames_of_host, 20);
  // Without the board's heartbeats it keeps its own time, and after a second asks whether the board has started anew.
  board.heartbeat = false;
  run(milliseconds(1'900));
  EXPECT_EQ(board.times_heard(MessageType::host_alive), 22U);
  EXPECT_GE(board.times_heard(MessageType::host_hello), 1U);
  EXPECT_THAT(take_words(), IsEmpty());
}

TEST_F(LinkOfTwo, ACommandIsRepeatedUntilItIsConfirmed) {
  connect();
  board.confirms = false;
  host.want(EmptySites{0, 3}, now);
  const Time began = now;
  run(milliseconds(1000));
  std::vector<std::int64_t> at;
  std::set<std::uint16_t> numbers;
  for (const auto& message : board.heard) {
    if (message.type != MessageType::empty_sites) continue;
    at.push_back((message.time - began) / milliseconds(1));
    numbers.insert(read_message<EmptySites>({static_cast<std::uint8_t>(message.type), 0, message.payload})->number);
  }
  EXPECT_THAT(at, ElementsAre(1, 21, 61, 141, 301, 501, 701, 901));
  EXPECT_EQ(numbers.size(), 1U);
  EXPECT_THAT(ends, testing::SizeIs(1));  // accept
  board.confirms = true;
  run(milliseconds(300));
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[1].command, MessageType::empty_sites);
  EXPECT_EQ(ends[1].answer, Answer::done);
  board.heard.clear();
  run(seconds(1));
  EXPECT_EQ(board.times_heard(MessageType::empty_sites), 0U);
  host.want(EmptySites{0, 3}, now);  // nothing new
  run(seconds(1));
  EXPECT_EQ(board.times_heard(MessageType::empty_sites), 0U);
}

TEST_F(LinkOfTwo, OnlyTheLatestPictureCountsAndAStreamOfThemDoesNotFillTheLine) {
  connect();
  board.confirms = false;
  for (std::uint8_t i = 1; i <= 100; ++i) {
    host.want(picture(i), now);
    run(kStep);
  }
  // 50 ms without any confirmation: not more than one picture in 20 ms.
  EXPECT_LE(board.times_heard(MessageType::lights), 3U);
  board.confirms = true;
  run(milliseconds(50));
  EXPECT_EQ(board.last<Lights>().lamps[1].colour.red, 100);
  const std::size_t before = board.times_heard(MessageType::lights);
  for (std::uint8_t i = 1; i <= 10; ++i) {
    host.want(picture(i), now);
    run(milliseconds(2));
    EXPECT_EQ(board.last<Lights>().lamps[1].colour.red, i);  // confirmed one after the other, at once
  }
  EXPECT_EQ(board.times_heard(MessageType::lights), before + 10);
}

TEST_F(LinkOfTwo, LightsWaitUntilTheBoardIsAcceptedAndKnowsItsLimit) {
  host.want(picture(5), now);
  host.want(Settings{}, now);
  for (const MessageType missing : {MessageType::accept, MessageType::settings}) {  // the second time after a break
    SCOPED_TRACE(static_cast<int>(missing));
    board.heard.clear();
    board.unconfirmed = {missing};
    host.close();
    to_board.clear();
    to_host.clear();
    host.open(now);
    run(milliseconds(300));
    EXPECT_EQ(board.times_heard(MessageType::lights), 0U);
    EXPECT_GE(board.times_heard(missing), 3U);
    board.unconfirmed.clear();
    run(milliseconds(300));
    EXPECT_EQ(board.times_heard(MessageType::lights), 1U);
  }
}

TEST_F(LinkOfTwo, APictureFollowsTheOneBeforeAsSoonAsThatHasArrived) {
  connect();
  host.want(picture(1), now);
  step();  // it is on its way
  host.want(picture(2), now);
  run(milliseconds(2));
  EXPECT_EQ(board.last<Lights>().lamps[1].colour.red, 2);
}

TEST_F(LinkOfTwo, TellsHowACommandWasAnswered) {
  for (const Answer answer : {Answer::done, Answer::wrong_revision, Answer::cannot, Answer::not_stored}) {
    const std::size_t before = ends.size();
    board.answers[MessageType::calibration] = answer;
    if (host.stage() == HostEnd::Stage::closed) connect();
    Calibration calibration;
    calibration.data.thresholds = {100, 0, 10};
    host.want(calibration, now);
    run(milliseconds(50));
    ASSERT_GT(ends.size(), before);
    EXPECT_EQ(ends.back().command, MessageType::calibration);
    EXPECT_EQ(ends.back().how, CommandEnded::How::answered);
    EXPECT_EQ(ends.back().answer, answer);
  }
  // A calibration is for once: it lies in the board's flash.
  board.heard.clear();
  board.restart(now);
  run(milliseconds(100));
  EXPECT_EQ(board.times_heard(MessageType::calibration), 0U);
}

TEST_F(LinkOfTwo, ABoardThatForgetsThatItWasAcceptedIsAcceptedAgain) {
  connect();
  ends.clear();
  board.answers[MessageType::lights] = Answer::not_accepted;
  host.want(picture(1), now);
  run(milliseconds(3));
  board.answers.clear();
  run(milliseconds(60));
  ASSERT_EQ(ends.size(), 2U);  // accept, lights
  EXPECT_EQ(ends[1].answer, Answer::done);
  // But not for ever.
  board.heard.clear();
  board.answers[MessageType::lights] = Answer::not_accepted;
  host.want(picture(2), now);
  run(seconds(2));
  EXPECT_EQ(ends.back().command, MessageType::lights);
  EXPECT_EQ(ends.back().answer, Answer::not_accepted);
  EXPECT_EQ(board.times_heard(MessageType::accept), 2U);
}

TEST_F(LinkOfTwo, WhatTheBoardDoesNotUnderstandIsNeverSent) {
  board.hello.understands =
      bit_of(MessageType::host_hello) | bit_of(MessageType::acknowledge) | bit_of(MessageType::host_alive);
  host.want(picture(1), now);
  host.want(Settings{}, now);
  host.open(now);
  run(milliseconds(100));
  host.want(EmptySites{0, 1}, now);
  host.want(Buzzer{0, 440, 10}, now);
  host.want(Calibration{}, now);
  host.want(picture(2), now);
  host.ask(MessageType::levels, now);
  run(seconds(3));
  for (const auto& message : board.heard) {
    EXPECT_NE(board.hello.understands & bit_of(message.type), 0U) << static_cast<int>(message.type);
  }
  std::multiset<MessageType> told;
  for (const CommandEnded& ended : ends) {
    EXPECT_EQ(ended.how, CommandEnded::How::not_understood);
    told.insert(ended.command);
  }
  EXPECT_THAT(told, ElementsAre(MessageType::accept, MessageType::lights, MessageType::buzzer, MessageType::settings,
                                MessageType::calibration, MessageType::empty_sites));
}

TEST_F(LinkOfTwo, SkipsAndCountsWhatItDoesNotKnowAndWhatCannotBe) {
  connect();
  board.send_frame(0x1F, {1, 2, 3});
  board.send_frame(0x07, {});
  board.send_frame(0x84, {});                                            // a host's message
  board.send_frame(static_cast<std::uint8_t>(MessageType::report), {});  // too short
  board.send(Confirm{MessageType::report, 1, Answer::done});             // no command
  run(milliseconds(10));
  EXPECT_EQ(host.counts().unknown, 3U);
  EXPECT_EQ(host.counts().unreadable, 2U);
  board.change(1, PieceClass::north, now);
  run(milliseconds(10));
  EXPECT_THAT(take_words(), ElementsAre("1=north"));
}

TEST_F(LinkOfTwo, RefusesABoardThatDoesNotFitAndTakesItWhenItDoes) {
  struct Case {
    const char* what;
    std::uint8_t protocol;
    std::uint16_t revision;
    std::uint8_t channels;
    const char* told;
  };
  const Case cases[] = {
      {"newer", 2, 1, 6, "other protocol"},
      {"newer, with numbers that this version does not allow", 3, 1, 200, "other protocol"},
      {"older", 0, 1, 6, "other protocol"},
      {"another board", 1, 2, 6, "other revision"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    host.close();
    board = MadeUpBoard();
    board.hello.protocol = c.protocol;
    board.hello.revision = c.revision;
    board.hello.channels = c.channels;
    board.repeats = false;
    lose_to_host = [](const Bytes& bytes) { return bytes.size() > 1 && bytes[1] == 2; };  // its reports may be anything
    to_host.clear();
    to_board.clear();
    host.want(picture(1), now);
    board.heard.clear();
    host.open(now);
    run(seconds(3));
    EXPECT_THAT(take_words(), ElementsAre(c.told));
    EXPECT_EQ(host.hello()->protocol, c.protocol);
    EXPECT_EQ(board.heard.size(), board.times_heard(MessageType::host_hello));
    EXPECT_LE(board.heard.size(), 5U);
    lose_to_host = nullptr;
    board.hello = MadeUpBoard().hello;  // flashed, or the right one
    board.restart(now);
    run(milliseconds(1500));
    EXPECT_EQ(words.back(), "joined");
    words.clear();
  }
}

TEST_F(LinkOfTwo, AnyRevisionWillDoWhenNoneIsWanted) {
  host = HostEnd(0, 5);
  board.hello.revision = 9;
  connect();
  EXPECT_EQ(host.hello()->revision, 9);
}

TEST_F(LinkOfTwo, FollowsTheBoardsClock) {
  struct Case {
    const char* what;
    double pace;  ///< of the board's clock
    Time most;    ///< that a change may seem old
  };
  const Case cases[] = {
      {"quartz, fast", 1.0001, milliseconds(3)},
      {"quartz, slow", 0.9999, milliseconds(3)},
      {"an emulator on a busy machine", 0.7, milliseconds(103)},
  };
  for (const Case& c : cases) {
    host.close();
    to_board.clear();
    to_host.clear();
    board = MadeUpBoard();
    host.open(now);
    run(milliseconds(50));
    times.clear();
    take_words();
    Time worst{};
    const Time began = now;
    for (int i = 0; i < 300; ++i) {
      board.clock_ahead =
          static_cast<std::uint32_t>(static_cast<std::int64_t>(static_cast<double>((now - began).count()) * (c.pace - 1)));
      board.change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none, now);
      const Time happened = now;
      run(milliseconds(200));
      ASSERT_EQ(times.size(), static_cast<std::size_t>(i) + 1) << c.what;
      worst = std::max(worst, happened - times.back());
    }
    EXPECT_LE(worst, c.most) << c.what;
  }
}

TEST_F(LinkOfTwo, TimesStayInOrderWhateverTheBoardsClockDoes) {
  connect();
  const std::uint32_t jumps[] = {0, 1'000'000, 0x7FFF'FFFF, 0x8000'0000, 5, 0xFFFF'FFFF, 0xC000'0000};
  for (int i = 0; i < 42; ++i) {
    board.clock_ahead = jumps[static_cast<std::size_t>(i) % std::size(jumps)];
    board.change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none, now, Time(i % 3 == 0 ? -50'000 : 3'000));
    run(milliseconds(30));
  }
  EXPECT_EQ(take_words().size(), 42U);  // add() looks at the times
}

TEST_F(LinkOfTwo, ACalibrationOutlivesALossOfTheLinkButNotForEver) {
  connect();
  ends.clear();
  cut = true;
  Calibration calibration;
  calibration.data.revision = 1;
  calibration.data.thresholds = {200, 400, 20};
  host.want(calibration, now);
  run(seconds(3));
  cut = false;
  run(milliseconds(600));
  EXPECT_EQ(board.last<Calibration>().data, calibration.data);
  ASSERT_EQ(ends.back().command, MessageType::calibration);
  EXPECT_EQ(ends.back().how, CommandEnded::How::answered);
  host.close();
  ends.clear();
  run(minutes(1));
  host.want(calibration, now);
  run(milliseconds(9'900));
  EXPECT_THAT(ends, IsEmpty());
  run(milliseconds(200));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].how, CommandEnded::How::given_up);
  EXPECT_FALSE(host.deadline());
}

TEST_F(LinkOfTwo, AsksUntilItIsAnswered) {
  connect();
  board.kept.reset();
  host.ask(MessageType::board_calibration, now);
  host.ask(MessageType::levels, now);
  host.ask(MessageType::host_alive, now);  // nobody can be asked for that
  run(milliseconds(500));
  std::map<MessageType, int> asked;
  for (const auto& message : board.heard) {
    if (message.type == MessageType::ask) ++asked[static_cast<MessageType>(message.payload.at(0))];
  }
  EXPECT_GE(asked[MessageType::board_calibration], 2);
  EXPECT_GE(asked[MessageType::levels], 2);
  EXPECT_EQ(asked.size(), 2U);
  BoardCalibration calibration;
  calibration.data.revision = 4;
  calibration.data.thresholds = {100, 0, 10};
  board.send(calibration);
  Levels levels;
  levels.channels = 1;
  levels.counts[0] = 2048;
  board.send(levels);
  run(milliseconds(10));
  EXPECT_THAT(take_words(), ElementsAre("calibration of revision 4", "level 2048"));
  board.heard.clear();
  run(seconds(1));
  EXPECT_EQ(board.times_heard(MessageType::ask), 0U);
}

TEST_F(LinkOfTwo, AsksForTheReportWhenTheHeartbeatSaysThatOneIsMissing) {
  connect();
  board.repeats = false;
  lose_to_host = [](const Bytes& /*bytes*/) { return true; };
  board.change(2, PieceClass::north, now);
  step();
  lose_to_host = nullptr;
  run(milliseconds(600));
  EXPECT_THAT(take_words(), ElementsAre("2=north"));
}

TEST_F(LinkOfTwo, TellsWhatHasComeInSinceThePortWasOpened) {
  connect();
  EXPECT_GT(host.traffic().good, 2U);
  host.close();
  run(milliseconds(20));
  to_host.clear();
  board.take_frames();
  board.heartbeat = false;
  board.answers_hello = false;
  host.open(now);
  const Bytes noise = {1, 2, 3, 0, 4, 5, 6, 7, 8, 0, 9};
  host.hear(noise, now);
  EXPECT_EQ(host.traffic().bytes, noise.size());
  EXPECT_EQ(host.traffic().good, 0U);
  EXPECT_EQ(host.traffic().damaged, 2U);
}

}  // namespace
}  // namespace merel::link
