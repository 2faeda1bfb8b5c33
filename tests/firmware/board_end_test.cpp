#include "drivers/link/board_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/firmware/link_talk.h"

namespace merel::link {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Type = MessageType;

constexpr std::uint32_t kEverything = 0xFFFF'FFFF;

/// Remembers what it was told.
class Told final : public BoardCommands {
 public:
  void outputs(bool on) override { outputs_on.push_back(on); }
  Answer show(const Lights& lights) override {
    shown.push_back(lights);
    return answer;
  }
  Answer beep(const Buzzer& beep) override {
    beeps.push_back(beep);
    return answer;
  }
  Answer apply(const Settings& settings) override {
    applied.push_back(settings);
    return answer;
  }
  Answer calibrate(const CalibrationData& data) override {
    calibrations.push_back(data);
    return answer;
  }
  void empty(std::uint64_t channels) override { empties.push_back(channels); }
  void fill(Levels& levels) override { levels.counts.fill(1234); }
  void fill(BoardStatus& status) override { status.scans = 77; }
  void fill(CalibrationData& data) override { data = {1, {100, 0, 10}, 2, {2000, 2100}}; }

  Answer answer = Answer::done;
  std::vector<bool> outputs_on;
  std::vector<Lights> shown;
  std::vector<Buzzer> beeps;
  std::vector<Settings> applied;
  std::vector<CalibrationData> calibrations;
  std::vector<std::uint64_t> empties;
};

BoardHello board_hello() {
  BoardHello self;
  self.firmware = {0, 1, 0};
  self.revision = 3;
  self.session = 99;
  self.channels = 8;
  self.lights = 8;
  self.buttons = 2;
  self.capabilities = kHasBuzzer | kTellsLevels;
  return self;
}

class BoardEndTest : public ::testing::Test {
 protected:
  Told told;
  Time now = milliseconds(1000);
  BoardEnd end{board_hello(), told, now};
  HostVoice host;

  template <typename Message>
  void hear(const Message& message) {
    end.hear(host.say(message), now);
  }
  std::vector<Heard> said() { return drain(end, now); }
  std::vector<Heard> after(Time time) {
    now += time;
    return said();
  }
  /// Every message of that type within that time, looked for each millisecond.
  std::vector<Time> times_of(Type type, Time span) {
    std::vector<Time> times;
    for (const Time until = now + span; now < until; now += milliseconds(1)) {
      for (const Heard& one : said()) {
        if (one.type == type) times.push_back(now);
      }
    }
    return times;
  }
  void greet(std::uint32_t session = 5, std::uint32_t understands = kEverything) {
    hear(HostHello{kProtocol, session, understands});
  }
  /// Greeted, acknowledged and accepted.
  void join() {
    greet();
    said();
    hear(Acknowledge{0});
    hear(Accept{1, 3});
    said();
  }
  void change(std::uint8_t channel, PieceClass what) {
    end.change({static_cast<std::uint32_t>(now.count()), channel, static_cast<std::uint8_t>(what)});
  }
  std::vector<Answer> answers_to(Type command) {
    std::vector<Answer> out;
    for (const Heard& one : said()) {
      if (one.type != Type::confirm) continue;
      const auto confirm = one.as<Confirm>();
      if (confirm.command == command) out.push_back(confirm.answer);
    }
    return out;
  }
};

TEST_F(BoardEndTest, IntroducesItselfAtItsStart) {
  const auto first = said();
  ASSERT_THAT(types(first), ElementsAre(Type::board_hello));
  BoardHello expected = board_hello();
  expected.understands =
      0x7FE;  // hello, acknowledge, accept, lights, buzzer, settings, calibration, empty_sites, ask, host_alive
  EXPECT_EQ(first.front().as<BoardHello>(), expected);
}

TEST_F(BoardEndTest, SaysNothingElseBeforeAHostHasGreeted) {
  said();
  change(1, PieceClass::north);
  hear(Accept{1, 3});
  hear(Lights{1, 1, {}});
  hear(Ask{Type::report});
  EXPECT_THAT(after(milliseconds(5000)), IsEmpty());
  EXPECT_THAT(told.outputs_on, IsEmpty());
}

TEST_F(BoardEndTest, TellsAHostOfAnotherProtocolOnlyWhoItIs) {
  said();
  hear(HostHello{kProtocol + 1, 5, kEverything});
  EXPECT_THAT(types(said()), ElementsAre(Type::board_hello));
  hear(Accept{1, 3});
  EXPECT_THAT(after(milliseconds(5000)), IsEmpty());
  EXPECT_FALSE(end.accepted());
}

TEST_F(BoardEndTest, AnswersAHelloWithItselfAndEverythingItSees) {
  said();
  change(1, PieceClass::north);
  end.change({0, Change::kButton + 1, 1});
  greet();
  const auto all = said();
  ASSERT_THAT(types(all), ElementsAre(Type::board_hello, Type::report));
  const auto report = all.back().as<Report>();
  EXPECT_EQ(report.number, 0);
  EXPECT_EQ(report.change_count, 0);
  EXPECT_EQ(report.channels, 8);
  EXPECT_EQ(report.classes[1], PieceClass::north);
  EXPECT_EQ(report.buttons, 0b10);
  EXPECT_EQ(report.time_us, 1'000'000U);
}

TEST_F(BoardEndTest, ARepeatedHelloResetsNothing) {
  join();
  change(2, PieceClass::south);
  said();
  greet();
  EXPECT_THAT(types(said()), ElementsAre(Type::board_hello));
  EXPECT_TRUE(end.accepted());
  EXPECT_EQ(end.number(), 1);
}

TEST_F(BoardEndTest, AnotherSessionBeginsEverythingAnew) {
  join();
  hear(Lights{4, 1, {Lamp{{9, 9, 9}}}});
  change(2, PieceClass::south);
  said();
  told = {};
  greet(6);
  const auto all = said();
  ASSERT_THAT(types(all), ElementsAre(Type::board_hello, Type::report));
  const auto report = all.back().as<Report>();
  EXPECT_EQ(report.number, 0);
  EXPECT_EQ(report.change_count, 0);
  EXPECT_EQ(report.classes[2], PieceClass::south);
  EXPECT_FALSE(end.accepted());
  EXPECT_THAT(told.outputs_on, ElementsAre(false));
  EXPECT_THAT(told.empties, ElementsAre(0));
  // The numbers of commands begin again too.
  hear(Accept{4, 3});
  hear(Lights{4, 1, {Lamp{{9, 9, 9}}}});
  EXPECT_EQ(told.shown.size(), 1U);
}

TEST_F(BoardEndTest, RepeatsAReportMoreAndMoreSeldomUntilItIsAcknowledged) {
  join();
  change(3, PieceClass::north);
  const Time begun = now;
  std::vector<Time> times = times_of(Type::report, milliseconds(400));
  for (Time& time : times) time -= begun;
  EXPECT_THAT(times, ElementsAre(milliseconds(0), milliseconds(20), milliseconds(60), milliseconds(140), milliseconds(240),
                                 milliseconds(340)));
  hear(Acknowledge{1});
  EXPECT_THAT(times_of(Type::report, milliseconds(1000)), IsEmpty());
}

TEST_F(BoardEndTest, TheFirstReportIsRepeatedToo) {
  greet();
  EXPECT_EQ(times_of(Type::report, milliseconds(100)).size(), 3U);
  hear(Acknowledge{0});
  EXPECT_THAT(times_of(Type::report, milliseconds(1000)), IsEmpty());
}

TEST_F(BoardEndTest, AChangeIsToldAtOnceAndStaysListedUntilAcknowledged) {
  join();
  change(3, PieceClass::north);
  const Time first = now;
  said();
  now += milliseconds(7);
  change(4, PieceClass::weak_south);
  auto all = said();
  ASSERT_THAT(types(all), ElementsAre(Type::report));
  auto report = all.back().as<Report>();
  EXPECT_EQ(report.number, 2);
  ASSERT_EQ(report.change_count, 2);
  EXPECT_EQ(report.changes[0], (Change{static_cast<std::uint32_t>(first.count()), 3, 1}));
  EXPECT_EQ(report.changes[1], (Change{static_cast<std::uint32_t>(now.count()), 4, 4}));
  hear(Acknowledge{1});
  all = after(milliseconds(20));
  ASSERT_THAT(types(all), ElementsAre(Type::report));
  report = all.back().as<Report>();
  ASSERT_EQ(report.change_count, 1);
  EXPECT_EQ(report.changes[0].channel, 4);
}

TEST_F(BoardEndTest, TheOldestChangesFallOffAFullListAndTheMasksStayRight) {
  join();
  for (int i = 0; i < 40; ++i) change(static_cast<std::uint8_t>(i % 8), i % 16 < 8 ? PieceClass::north : PieceClass::none);
  const auto all = said();
  ASSERT_THAT(types(all), ElementsAre(Type::report));
  const auto report = all.back().as<Report>();
  EXPECT_EQ(report.number, 40);
  ASSERT_EQ(report.change_count, Report::kMaxChanges);
  EXPECT_EQ(report.changes[0].channel, (40 - 24) % 8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(report.classes[i], PieceClass::north);
  // A host that has heard of one that fell off since has still to take the rest.
  hear(Acknowledge{10});
  EXPECT_EQ(after(milliseconds(20)).at(0).as<Report>().change_count, Report::kMaxChanges);
  hear(Acknowledge{40});
  EXPECT_THAT(times_of(Type::report, milliseconds(300)), IsEmpty());
}

TEST_F(BoardEndTest, NumbersOfChangesWrap) {
  join();
  for (int i = 0; i < 65'535; ++i) {
    change(0, i % 2 == 0 ? PieceClass::north : PieceClass::none);
    hear(Acknowledge{end.number()});
  }
  EXPECT_EQ(end.number(), 65'535);
  said();
  change(1, PieceClass::south);
  change(2, PieceClass::south);
  EXPECT_EQ(end.number(), 1);
  EXPECT_EQ(said().at(0).as<Report>().change_count, 2);
  hear(Acknowledge{0});
  EXPECT_EQ(after(milliseconds(20)).at(0).as<Report>().change_count, 1);
  hear(Acknowledge{1});
  EXPECT_THAT(times_of(Type::report, milliseconds(300)), IsEmpty());
}

TEST_F(BoardEndTest, AnAcknowledgementFromBeforeIsNotTakenForOne) {
  join();
  change(1, PieceClass::north);
  said();
  hear(Acknowledge{7});
  hear(Acknowledge{65'000});
  EXPECT_EQ(after(milliseconds(20)).at(0).as<Report>().change_count, 1);
}

TEST_F(BoardEndTest, TellsOnlyWhatTheHostUnderstands) {
  said();
  greet(5, bit_of(Type::board_hello) | bit_of(Type::board_status));
  change(1, PieceClass::north);
  hear(Accept{1, 3});
  hear(Ask{Type::levels});
  hear(Ask{Type::board_calibration});
  hear(Ask{Type::report});
  std::set<Type> heard;
  for (int i = 0; i < 2000; ++i) {
    for (const Type type : types(after(milliseconds(1)))) heard.insert(type);
  }
  EXPECT_THAT(heard, ElementsAre(Type::board_hello, Type::board_status));
}

TEST_F(BoardEndTest, OutputsWaitForTheRightRevision) {
  greet();
  said();
  told.outputs_on.clear();
  hear(Accept{1, 2});
  EXPECT_THAT(answers_to(Type::accept), ElementsAre(Answer::wrong_revision));
  hear(Lights{1, 1, {}});
  EXPECT_THAT(answers_to(Type::lights), ElementsAre(Answer::not_accepted));
  hear(Buzzer{1, 440, 10});
  EXPECT_THAT(answers_to(Type::buzzer), ElementsAre(Answer::not_accepted));
  EXPECT_THAT(told.shown, IsEmpty());
  EXPECT_THAT(told.beeps, IsEmpty());
  hear(Accept{2, 3});
  EXPECT_THAT(answers_to(Type::accept), ElementsAre(Answer::done));
  // The same commands, which have done nothing yet.
  hear(Lights{1, 1, {}});
  EXPECT_THAT(answers_to(Type::lights), ElementsAre(Answer::done));
  hear(Buzzer{1, 440, 10});
  EXPECT_THAT(answers_to(Type::buzzer), ElementsAre(Answer::done));
  EXPECT_THAT(told.outputs_on, ElementsAre(false, true));
  EXPECT_EQ(told.shown.size(), 1U);
  EXPECT_EQ(told.beeps.size(), 1U);
}

TEST_F(BoardEndTest, ACommandIsCarriedOutOnceAndConfirmedEachTime) {
  join();
  told = {};
  const CalibrationData data{3, {100, 300, 10}, 2, {2000, 2100}};
  Settings settings;
  settings.number = 7;
  for (int i = 0; i < 3; ++i) {
    hear(Accept{7, 3});
    hear(Lights{7, 1, {}});
    hear(Buzzer{7, 440, 10});
    hear(settings);
    hear(Calibration{7, data});
    hear(EmptySites{7, 0x55});
    const auto all = said();
    ASSERT_THAT(types(all), ::testing::Each(Type::confirm));
    ASSERT_EQ(all.size(), 6U);
    for (const Heard& one : all) {
      EXPECT_EQ(one.as<Confirm>().number, 7);
      EXPECT_EQ(one.as<Confirm>().answer, Answer::done);
    }
  }
  EXPECT_THAT(told.outputs_on, ElementsAre(true));
  EXPECT_EQ(told.shown.size(), 1U);
  EXPECT_EQ(told.beeps.size(), 1U);
  EXPECT_EQ(told.applied.size(), 1U);
  EXPECT_THAT(told.calibrations, ElementsAre(data));
  EXPECT_THAT(told.empties, ElementsAre(0x55));
  hear(Lights{8, 1, {}});
  EXPECT_EQ(told.shown.size(), 2U);
}

TEST_F(BoardEndTest, ARepetitionGetsTheAnswerOfTheFirstTime) {
  join();
  told.answer = Answer::not_stored;
  hear(Calibration{3, {3, {100, 0, 10}, 2, {}}});
  EXPECT_THAT(answers_to(Type::calibration), ElementsAre(Answer::not_stored));
  told.answer = Answer::done;
  hear(Calibration{3, {3, {100, 0, 10}, 2, {}}});
  EXPECT_THAT(answers_to(Type::calibration), ElementsAre(Answer::not_stored));
  EXPECT_EQ(told.calibrations.size(), 1U);
}

TEST_F(BoardEndTest, WhatTheBoardHasNotCannotBeCommanded) {
  join();
  hear(Lights{1, 9, {}});
  EXPECT_THAT(answers_to(Type::lights), ElementsAre(Answer::cannot));
  hear(Calibration{1, {2, {100, 0, 10}, 2, {}}});
  EXPECT_THAT(answers_to(Type::calibration), ElementsAre(Answer::wrong_revision));
  hear(Calibration{2, {3, {100, 0, 10}, 9, {}}});
  EXPECT_THAT(answers_to(Type::calibration), ElementsAre(Answer::cannot));
  hear(Calibration{3, {3, {100, 90, 10}, 2, {}}});  // strong magnets weaker than weak ones: no sound message
  EXPECT_THAT(answers_to(Type::calibration), ElementsAre(Answer::cannot));
  EXPECT_THAT(told.shown, IsEmpty());
  EXPECT_THAT(told.calibrations, IsEmpty());
}

TEST_F(BoardEndTest, UnknownMessagesAreCountedAndSkipped) {
  join();
  end.hear(host.say_raw(0x9F, {1, 2, 3}), now);
  end.hear(host.say_raw(0x02, {}), now);      // a board's own
  end.hear(host.say_raw(0xE4, {1, 0}), now);  // looks like `lights` to who sees only five bits
  hear(Ask{static_cast<Type>(0x1F)});
  EXPECT_EQ(end.unknown(), 4U);
  EXPECT_THAT(said(), IsEmpty());
  hear(Ask{Type::board_status});
  EXPECT_EQ(said().at(0).as<BoardStatus>().unknown, 4U);
}

TEST_F(BoardEndTest, DamagedFramesAreCountedAndHurtNothing) {
  join();
  Bytes bytes = host.say(Lights{1, 1, {}});
  bytes[3] ^= 0x10;
  end.hear(bytes, now);
  end.hear(Bytes{1, 2, 3}, now);
  hear(HostAlive{});  // is lost: the three bytes are its beginning
  hear(Lights{1, 1, {}});
  EXPECT_EQ(end.frames().damaged, 2U);
  EXPECT_EQ(told.shown.size(), 1U);
}

TEST_F(BoardEndTest, AnswersWhatItIsAsked) {
  join();
  for (const Type type : {Type::board_hello, Type::report, Type::levels, Type::board_status, Type::board_calibration}) {
    hear(Ask{type});
    EXPECT_THAT(types(said()), ElementsAre(type));
  }
  hear(Acknowledge{0});
  hear(Ask{Type::levels});
  const auto levels = said().at(0).as<Levels>();
  EXPECT_EQ(levels.channels, 8);
  EXPECT_EQ(levels.counts[7], 1234);
  EXPECT_EQ(levels.number, 2);
  hear(Ask{Type::board_calibration});
  EXPECT_EQ(said().at(0).as<BoardCalibration>().data.baselines[1], 2100);
}

TEST_F(BoardEndTest, ItsHeartbeatComesTwiceASecond) {
  join();
  const auto times = times_of(Type::board_status, milliseconds(5001));
  ASSERT_EQ(times.size(), 10U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], milliseconds(500));
}

TEST_F(BoardEndTest, LevelsComeAtTheRateAskedFor) {
  struct Case {
    std::uint8_t hertz;
    std::size_t in_two_seconds;
  };
  join();
  std::uint16_t number = 0;
  for (const Case& each : {Case{10, 20}, Case{100, 200}, Case{3, 6}, Case{0, 0}}) {
    Settings settings;
    settings.number = ++number;
    settings.levels_hz = each.hertz;
    hear(settings);
    std::size_t count = 0;
    for (int i = 0; i < 20; ++i) {
      count += times_of(Type::levels, milliseconds(100)).size();
      hear(HostAlive{});
    }
    EXPECT_EQ(count, each.in_two_seconds) << int{each.hertz};
  }
}

TEST_F(BoardEndTest, LevelsStopWhenNobodyIsHeard) {
  join();
  Settings settings;
  settings.levels_hz = 10;
  hear(settings);
  EXPECT_EQ(times_of(Type::levels, milliseconds(2000)).size(), 20U);
  EXPECT_THAT(times_of(Type::levels, milliseconds(2000)), IsEmpty());
  hear(HostAlive{});
  EXPECT_THAT(times_of(Type::levels, milliseconds(1000)),
              ::testing::SizeIs(::testing::AllOf(::testing::Ge(10U), ::testing::Le(11U))));
}

TEST_F(BoardEndTest, TwoSecondsOfSilenceAreALostLink) {
  join();
  now += BoardEnd::kSilence - milliseconds(1);
  EXPECT_FALSE(end.lost(now));
  now += milliseconds(1);
  EXPECT_TRUE(end.lost(now));
  EXPECT_TRUE(end.accepted());
  end.hear(Bytes{0, 17, 0}, now);  // noise is nobody
  EXPECT_TRUE(end.lost(now));
  hear(HostAlive{});
  EXPECT_FALSE(end.lost(now));
}

TEST_F(BoardEndTest, WhatCanWaitDoesNotStandInTheWayOfAComingChange) {
  join();
  Settings settings;
  settings.levels_hz = 100;
  hear(settings);
  said();
  now += milliseconds(10);
  end.expect_change(now + milliseconds(6));
  EXPECT_THAT(said(), IsEmpty());
  change(1, PieceClass::north);
  EXPECT_THAT(types(said()), ElementsAre(Type::report));
  EXPECT_THAT(types(after(milliseconds(6))), ElementsAre(Type::levels));
  hear(Acknowledge{1});
  // A sensor that never rests does not silence the board.
  std::size_t levels = 0;
  std::size_t status = 0;
  for (int i = 0; i < 1000; ++i) {
    end.expect_change(now + milliseconds(6));
    for (const Type type : types(after(milliseconds(1)))) {
      levels += type == Type::levels ? 1U : 0U;
      status += type == Type::board_status ? 1U : 0U;
    }
  }
  EXPECT_GE(levels, 30U);
  EXPECT_GE(status, 1U);
}

TEST_F(BoardEndTest, ConfirmsComeBeforeLevelsAndReportsBeforeBoth) {
  join();
  hear(Ask{Type::levels});
  hear(Lights{1, 1, {}});
  change(1, PieceClass::north);
  EXPECT_THAT(types(said()), ElementsAre(Type::report, Type::confirm, Type::levels));
}

/// Both directions lose every third frame; whatever the host does not hear it asks for again, as a host does.
TEST_F(BoardEndTest, HealsWhateverIsLost) {
  join();
  std::uint32_t dice = 12345;
  const auto lost = [&dice] {
    dice = dice * 1'664'525 + 1'013'904'223;
    return dice >> 16U & 1U;
  };
  std::uint16_t heard_number = 0;
  std::array<PieceClass, kMaxChannels> seen{};
  std::array<PieceClass, kMaxChannels> truth{};
  std::vector<std::uint16_t> confirmed;
  std::uint16_t command = 1;
  for (int step = 0; step < 20'000; ++step, now += milliseconds(1)) {
    if (step % 50 == 0 && step < 19'000) {
      const auto channel = static_cast<std::uint8_t>(step / 50 % 8);
      truth[channel] = truth[channel] == PieceClass::none ? PieceClass::south : PieceClass::none;
      change(channel, truth[channel]);
    }
    if (step % 30 == 0) {
      const Bytes bytes = host.say(Lights{command, 1, {}});
      if (lost() == 0) end.hear(bytes, now);
    }
    for (const Heard& one : said()) {
      if (lost() != 0) continue;
      if (one.type == Type::report) {
        const auto report = one.as<Report>();
        seen = report.classes;
        heard_number = report.number;
        const Bytes bytes = host.say(Acknowledge{heard_number});
        if (lost() == 0) end.hear(bytes, now);
      } else if (one.type == Type::confirm && one.as<Confirm>().number == command) {
        confirmed.push_back(command++);
      }
    }
  }
  EXPECT_EQ(seen, truth);
  EXPECT_EQ(heard_number, end.number());
  EXPECT_GE(confirmed.size(), 100U);
  // The last command has perhaps been carried out and not yet confirmed.
  EXPECT_THAT(told.shown.size(), ::testing::AnyOf(confirmed.size(), confirmed.size() + 1));
}

}  // namespace
}  // namespace merel::link
