// The driver on real pseudo terminals, with a board made of nothing at the other end: readings, lights, beeps, calibration, cables that
// are pulled, and what it says when there is no board. Asserts what happens, not how fast.
#include "drivers/serial/link_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "drivers/serial/link_buzzer.h"
#include "drivers/serial/link_lights.h"
#include "drivers/serial/link_source.h"
#include "tests/gpio/heard.h"
#include "tests/link/pty_board.h"

namespace merel {
namespace {

using link::Answer;
using link::MessageType;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Longer than anything takes, on a machine with much else to do.
constexpr auto kPatience = seconds(20);

class Cable : public testing::Test {
 protected:
  LinkWiring wiring() {
    LinkWiring out;
    out.device = name;
    return out;
  }
  void make(const LinkWiring& how, std::size_t channels = 6, std::size_t lights = 6) {
    link = std::make_shared<LinkBoard>(loop, clock, how, lights);
    source = std::make_unique<LinkSource>(link, channels, false);
    sink = std::make_unique<LinkLights>(link);
    sink->on_trouble([this](const std::string& sentence) { light_troubles.push_back(sentence); });
  }
  void start() {
    if (!link) make(wiring());
    source->start(heard);
  }
  /// Lets the loop work until that is so.
  template <typename Condition>
  bool until(Condition condition, std::chrono::nanoseconds patience = kPatience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    loop.restart();
    while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_for(milliseconds(20));
    return condition();
  }
  void run(milliseconds time) {
    loop.restart();
    loop.run_for(time);
  }
  bool until_joined() {
    return until([this] { return link->facts().joined; });
  }
  void plug_and_join() {
    board.cable.plug();
    start();
    ASSERT_TRUE(until_joined());
    heard.take();
  }
  ~Cable() override {
    if (source) source->stop();
  }

  Folder folder;
  std::string name = folder.file("merel-board");
  boost::asio::io_context loop;
  LoopClock clock;
  link::PtyBoard board{loop, clock, name};
  Heard heard;
  std::vector<std::string> light_troubles;
  std::shared_ptr<LinkBoard> link;
  std::unique_ptr<LinkSource> source;
  std::unique_ptr<LinkLights> sink;
};

TEST_F(Cable, TellsWhatEverythingIsThenEveryChange) {
  board.board.seen.classes[2] = PieceClass::south;
  board.cable.plug();
  start();
  ASSERT_TRUE(until_joined());
  EXPECT_EQ(heard.take(), "0- 1- 2+ 3- 4- 5- B0- B1-");
  EXPECT_TRUE(heard.health.well);
  EXPECT_EQ(heard.healths, 1);
  board.change(4, PieceClass::weak_north);
  board.change(4, PieceClass::north);  // another magnet, still a piece
  board.press(1, true);
  board.change(2, PieceClass::none);
  ASSERT_TRUE(until([this] { return link->facts().counts.changes == 4; }));
  EXPECT_EQ(heard.take(), "4+ B1+ 2-");
  EXPECT_TRUE(heard.ordered);
  EXPECT_EQ(source->counts().edges, 4U);
  EXPECT_EQ(source->debounced(), milliseconds(5));
  EXPECT_EQ(source->counts().repaired, 0U);
}

TEST_F(Cable, WithColoursPoleAndStrengthSayWhosePieceItIs) {
  class Colours final : public SensorListener {
   public:
    void on_reading(const Reading& reading) override {
      if (!reading.contents.is_empty()) players.emplace_back(reading.channel, reading.contents.player());
    }
    void on_button(std::uint8_t /*number*/, bool /*down*/, Time /*time*/) override {}
    void on_tray(std::uint8_t /*number*/, int /*count*/, Time /*time*/) override {}
    void on_health(const SourceHealth& /*health*/, Time /*time*/) override {}
    std::vector<std::pair<int, Player>> players;
  } colours;
  for (std::uint8_t i = 1; i < 5; ++i) board.board.seen.classes[i] = static_cast<PieceClass>(i);
  board.cable.plug();
  make(wiring());
  LinkSource coloured(link, 5, true);  // channel 5 is none of the profile's
  coloured.use({{}, 4});
  coloured.start(colours);
  ASSERT_TRUE(until_joined());
  EXPECT_THAT(colours.players, ElementsAre(std::pair(1, Player{0}), std::pair(2, Player{1}), std::pair(3, Player{2}),
                                           std::pair(4, Player{3})));
  // With two players a weak magnet is a weak piece of the same side.
  colours.players.clear();
  coloured.use({{1, 1, 1, 1, 1}, 2});
  EXPECT_THAT(colours.players, ElementsAre(std::pair(3, Player{0}), std::pair(4, Player{1})));
  coloured.stop();
}

TEST_F(Cable, ListeningAgainTellsEverythingAgain) {
  board.board.seen.classes[0] = PieceClass::north;
  plug_and_join();
  source->stop();
  heard.take();
  source->start(heard);
  ASSERT_TRUE(until_joined());
  EXPECT_EQ(heard.take(), "0+ 1- 2- 3- 4- 5- B0- B1-");
}

TEST_F(Cable, ShowsTheNewestPictureAndLimitsItFirst) {
  LinkWiring how = wiring();
  how.limit_ma = 800;
  how.gamma = 1.8;
  how.debounce = milliseconds(7);
  how.crosstalk = {-2'100, -740};
  make(how);
  board.cable.plug();
  start();
  std::vector<Lamp> lamps(6);
  for (std::uint8_t i = 1; i <= 100; ++i) {
    lamps[5].colour.green = i;
    sink->show(lamps);
  }
  ASSERT_TRUE(until([this] { return board.board.last<link::Lights>().lamps[5].colour.green == 100; }));
  EXPECT_LE(board.board.times_heard(MessageType::lights), 2U);
  EXPECT_EQ(board.board.last<link::Lights>().count, 6);
  const auto settings = board.board.last<link::Settings>();
  EXPECT_EQ(settings.limit_ma, 800);
  EXPECT_EQ(settings.gamma_tenths, 18);
  EXPECT_EQ(settings.debounce_us, 7'000);
  EXPECT_EQ(settings.crosstalk, (Crosstalk{-2'100, -740}));
  EXPECT_EQ(board.board.last<link::Accept>().revision, 1);
  EXPECT_TRUE(light_troubles.empty());
}

TEST_F(Cable, TheLastPictureGoesOutBeforeThePortIsLetGo) {
  plug_and_join();
  sink->show(std::vector<Lamp>(6, Lamp{{9, 9, 9}, Effect::solid, 0}));
  ASSERT_TRUE(until([this] { return board.board.last<link::Lights>().lamps[5].colour.red == 9; }));
  run(milliseconds(100));
  sink->show({});
  source->stop();
  EXPECT_TRUE(until([this] { return board.board.last<link::Lights>().lamps[5].colour.red == 0; }));
  EXPECT_EQ(board.board.last<link::Lights>().count, 6);
  sink->show(std::vector<Lamp>(6));  // nobody is there, and nothing is opened for it
  run(milliseconds(50));
  EXPECT_FALSE(link->facts().joined);
}

TEST_F(Cable, BeepsOnceOrTwice) {
  plug_and_join();
  LinkBuzzer buzzer(loop, link);
  buzzer.sound(Beep::tick);
  ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::buzzer) == 1; }));
  EXPECT_EQ(board.board.last<link::Buzzer>().milliseconds, 60);
  run(milliseconds(300));
  EXPECT_EQ(board.board.times_heard(MessageType::buzzer), 1U);
  buzzer.sound(Beep::warning);
  ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::buzzer) == 3; }));
  buzzer.sound(Beep::warning);
  buzzer.sound(Beep::end);  // ends the sound before
  ASSERT_TRUE(until([this] { return board.board.last<link::Buzzer>().milliseconds == 600; }));
  run(milliseconds(400));
  EXPECT_EQ(board.board.last<link::Buzzer>().milliseconds, 600);
}

TEST_F(Cable, ABoardWithoutABuzzerIsNotAskedToBeep) {
  board.board.hello.capabilities = 0;
  plug_and_join();
  LinkBuzzer buzzer(loop, link);
  buzzer.sound(Beep::end);
  run(milliseconds(200));
  EXPECT_EQ(board.board.times_heard(MessageType::buzzer), 0U);
}

TEST_F(Cable, LevelsReachWhoeverLooks) {
  class Levels final : public LevelsObserver {
   public:
    void on_levels(std::span<const std::uint16_t> counts, Time /*time*/) override {
      last.assign(counts.begin(), counts.end());
    }
    std::vector<std::uint16_t> last;
  } levels;
  plug_and_join();
  link->observe_levels(&levels);
  link->watch_levels(10);
  ASSERT_TRUE(until([this] { return board.board.last<link::Settings>().levels_hz == 10; }));
  link->ask_levels();
  ASSERT_TRUE(until([this] { return board.board.last<link::Ask>().what == MessageType::levels; }));
  link::Levels told;
  told.channels = 3;
  told.counts = {2048, 1000, 3000};
  board.board.send(told);
  board.flush();
  ASSERT_TRUE(until([&levels] { return !levels.last.empty(); }));
  EXPECT_THAT(levels.last, ElementsAre(2048, 1000, 3000));
  link->watch_levels(0);
  ASSERT_TRUE(until([this] { return board.board.last<link::Settings>().levels_hz == 0; }));
}

TEST_F(Cable, CalibratesAndReadsTheCalibration) {
  plug_and_join();
  std::vector<std::string> ends;
  const link::CalibrationData data{1, {200, 400, 20}, 6, {2000, 2001}};
  board.board.kept.reset();
  link->calibrate(data, [&ends](const std::string& sentence) { ends.push_back(sentence); });
  ASSERT_TRUE(until([&ends] { return !ends.empty(); }));
  EXPECT_EQ(ends.back(), "");
  EXPECT_EQ(board.board.last<link::Calibration>().data, data);
  board.board.answers[MessageType::calibration] = Answer::not_stored;
  link->calibrate(data, [&ends](const std::string& sentence) { ends.push_back(sentence); });
  ASSERT_TRUE(until([&ends] { return ends.size() == 2; }));
  EXPECT_THAT(ends.back(), AllOf(HasSubstr("could not keep the calibration"), HasSubstr("do it again")));

  std::optional<Result<link::CalibrationData, std::string>> read;
  link->read_calibration([&read](const auto& result) { read = result; });
  board.board.kept = data;
  ASSERT_TRUE(until([&read] { return read.has_value(); }));
  ASSERT_TRUE(read->ok());
  EXPECT_EQ(**read, data);

  // Whoever waits is told when there is nothing to wait for any more.
  board.board.confirms = false;
  link->calibrate(data, [&ends](const std::string& sentence) { ends.push_back(sentence); });
  link->calibrate(data, [&ends](const std::string& sentence) { ends.push_back(sentence); });
  EXPECT_THAT(ends.back(), HasSubstr("Another calibration"));
  read.reset();
  link->read_calibration([&read](const auto& result) { read = result; });
  source->stop();
  EXPECT_EQ(ends.size(), 4U);
  EXPECT_THAT(ends.back(), HasSubstr("let go"));
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->ok());
}

TEST_F(Cable, ACalibrationThatIsPulledOutEndsAndTheLoopSleeps) {
  plug_and_join();
  board.board.confirms = false;
  std::vector<std::string> ends;
  link->calibrate({1, {200, 400, 20}, 6, {}}, [&ends](const std::string& sentence) { ends.push_back(sentence); });
  run(milliseconds(100));
  board.pull();
  ASSERT_TRUE(until([&ends] { return !ends.empty(); }));  // after ten seconds
  EXPECT_THAT(ends.back(), HasSubstr("has not confirmed the calibration"));
  loop.restart();
  EXPECT_LT(loop.run_for(milliseconds(500)), 150U) << "handlers, the made-up board's own hundred among them";
}

TEST_F(Cable, SaysWhichSitesAreEmpty) {
  plug_and_join();
  link->set_empty_sites(0x2A);
  EXPECT_TRUE(until([this] { return board.board.last<link::EmptySites>().channels == 0x2A; }));
}

TEST_F(Cable, TwentyTimesUnpluggedAndPluggedInTellNoFalseLift) {
  board.board.seen.classes[1] = PieceClass::north;
  plug_and_join();
  const std::vector<Lamp> picture(6, Lamp{{1, 2, 3}, Effect::breathing, 0});
  sink->show(picture);
  for (int i = 0; i < 20; ++i) {
    board.pull();
    ASSERT_TRUE(until([this] { return !heard.health.well; })) << i;
    EXPECT_THAT(heard.health.what, HasSubstr("has gone away"));
    board.board.heard.clear();
    // In every other round somebody moves a piece meanwhile.
    if (i % 2 == 1) board.board.seen.classes[5] = i % 4 == 1 ? PieceClass::south : PieceClass::none;
    board.cable.plug();
    ASSERT_TRUE(until([this] { return heard.health.well; })) << i;
    EXPECT_EQ(heard.take(), i % 2 == 0 ? "" : i % 4 == 1 ? "5+" : "5-");
    ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::lights) > 0; })) << i;
    EXPECT_EQ(board.board.last<link::Lights>().lamps[5], picture[5]);
  }
  EXPECT_TRUE(heard.ordered);
  EXPECT_EQ(heard.healths, 41);  // one word when it goes, one when it is back
  EXPECT_EQ(link->facts().openings, 21U);
}

TEST_F(Cable, APortThatComesIsTakenAtOnceAndNotAfterThePause) {
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }));
  run(milliseconds(1'000));  // the pauses have grown to a second and more
  board.cable.plug();
  EXPECT_TRUE(until_joined());
  EXPECT_TRUE(heard.health.well);
  EXPECT_EQ(link->facts().openings, 1U);
}

TEST_F(Cable, ABoardThatStartsAnewInTheMiddleIsTakenUpWithoutAWord) {
  board.board.seen.classes[1] = PieceClass::north;
  plug_and_join();
  sink->show(std::vector<Lamp>(6, Lamp{{7, 0, 0}, Effect::solid, 0}));
  ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::lights) == 1; }));
  board.board.restart(clock.now());
  board.flush();
  ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::lights) == 2; }));
  EXPECT_EQ(heard.take(), "");
  EXPECT_EQ(heard.healths, 1);
  EXPECT_EQ(link->facts().counts.sessions, 2U);
}

TEST_F(Cable, WakesNobodyWhileNothingMovesButForTheHeartbeats) {
  plug_and_join();
  run(milliseconds(600));
  board.asleep = true;
  const auto heard_before = board.board.times_heard(MessageType::host_alive);
  run(milliseconds(1'500));
  const auto alive = board.board.times_heard(MessageType::host_alive) - heard_before;
  EXPECT_GE(alive, 1U);
  EXPECT_LE(alive, 3U);
}

// ---- what it says when there is no board -----------------------------------------------------------------------------------

TEST_F(Cable, AMissingPortIsNamedAtOnceWithWhatToDo) {
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr(name), HasSubstr("does not exist"), HasSubstr("plug the board in")));
  EXPECT_FALSE(heard.health.partial);
  ASSERT_EQ(light_troubles.size(), 1U);
  EXPECT_EQ(light_troubles[0], heard.health.what);
  EXPECT_EQ(link->facts().trouble, heard.health.what);
  board.cable.plug();
  ASSERT_TRUE(until([this] { return heard.health.well; }));
  EXPECT_EQ(light_troubles.back(), "");
}

TEST_F(Cable, APortThatMayNotBeOpenedNamesTheGroup) {
  board.cable.plug();
  const bool root = geteuid() == 0;
  ASSERT_EQ(chmod(board.cable.device().c_str(), 0), 0);
  if (root) {
    std::filesystem::permissions(std::filesystem::path(name).parent_path(), std::filesystem::perms::all);
    ASSERT_EQ(seteuid(65'534), 0);
  }
  start();
  const bool told = until([this] { return !heard.health.well; }, seconds(5));
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_TRUE(told);
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr(name), HasSubstr("may not be opened"), HasSubstr("dialout")));
  ASSERT_EQ(chmod(board.cable.device().c_str(), 0600), 0);  // udev has given it its group
  EXPECT_TRUE(until([this] { return heard.health.well; }));
}

/// A process of its own that has a port open; ends with the test.
class Holder {
 public:
  Holder(const std::string& device, bool locks) {
    std::array<int, 2> ready{};
    EXPECT_EQ(pipe(ready.data()), 0);
    child_ = fork();
    if (child_ == 0) {
      const int port = open(device.c_str(), O_RDWR | O_NOCTTY);
      if (locks) flock(port, LOCK_EX);
      static_cast<void>(write(ready[1], "x", 1) == 1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() { end(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  [[nodiscard]] std::string text() const {
    const std::string name = program_invocation_short_name;
    return "'" + name.substr(0, 15) + "' (process " + std::to_string(child_) + ")";  // the kernel keeps no more of it
  }

 private:
  pid_t child_ = 0;
};

TEST_F(Cable, APortOfAnotherProcessIsNotTakenAndTheProcessIsNamed) {
  board.cable.plug();
  Holder holder(board.cable.device(), true);
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr(name), HasSubstr("is in use by " + holder.text())));
  EXPECT_EQ(link->facts().openings, 0U);
  holder.end();
  EXPECT_TRUE(until([this] { return heard.health.well; }));
}

TEST_F(Cable, TwoOfUsCannotReadOneBoard) {
  plug_and_join();
  Heard other;
  auto second = std::make_shared<LinkBoard>(loop, clock, wiring(), 6);
  LinkSource late(second, 6, false);
  late.start(other);
  ASSERT_TRUE(until([&other] { return !other.health.well; }, seconds(5)));
  EXPECT_THAT(other.health.what, HasSubstr("in use by another program"));  // nobody is named: it is this very process
  EXPECT_TRUE(link->facts().joined);
  source->stop();
  EXPECT_TRUE(until([&second] { return second->facts().joined; }));
  late.stop();
}

TEST_F(Cable, AProcessThatReadsAlongIsNamedWhenNoBoardAnswers) {
  board.cable.plug();
  board.cable.came = nullptr;
  board.asleep = true;
  const Holder holder(board.cable.device(), false);
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(10)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr("No board answers"), HasSubstr(holder.text())));
}

TEST_F(Cable, SomethingThatIsNoPortIsCalledSo) {
  std::ofstream(name) << "a file";
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr(name), HasSubstr("is no serial port")));
}

TEST_F(Cable, ARateThatDoesNotExistIsRefused) {
  LinkWiring how = wiring();
  how.baud = 460'801;
  make(how);
  board.cable.plug();
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_THAT(heard.health.what, HasSubstr("460801 baud"));
}

TEST_F(Cable, APortWithoutABoardIsCalledSilent) {
  board.cable.plug();
  board.cable.came = nullptr;
  board.asleep = true;
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(10)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr("Nothing at all is heard at " + name), HasSubstr("no firmware")));
}

TEST_F(Cable, NoiseIsCalledAWrongRate) {
  board.cable.plug();
  board.asleep = true;
  board.cable.came = [this](std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> noise(bytes.size(), 0xF8);
    noise.back() = 0;
    board.cable.write(noise);
  };
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(10)));
  EXPECT_THAT(heard.health.what,
              AllOf(HasSubstr("not the language of a board"), HasSubstr("another speed than baud = 460800")));
}

TEST_F(Cable, ABoardThatDoesNotAnswerAHelloIsCalledSo) {
  board.board.answers_hello = false;
  board.cable.plug();
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(10)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr("does not answer a hello"), HasSubstr("flash")));
}

TEST_F(Cable, ABoardOfAnotherRevisionIsRefusedByNameAndStaysDark) {
  board.board.hello.revision = 3;
  board.cable.plug();
  make(wiring());
  sink->show(std::vector<Lamp>(6));
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_THAT(heard.health.what,
              AllOf(HasSubstr("is revision 3"), HasSubstr("is for revision 1"), HasSubstr("lights stay off")));
  run(milliseconds(300));
  EXPECT_EQ(board.board.times_heard(MessageType::accept), 0U);
  EXPECT_EQ(board.board.times_heard(MessageType::lights), 0U);
  EXPECT_EQ(heard.take(), "");
  EXPECT_EQ(link->facts().hello->revision, 3);
}

TEST_F(Cable, ABoardOfAnotherProtocolSaysWhichSideIsOlder) {
  struct Case {
    std::uint8_t protocol;
    const char* what;
  };
  for (const Case& c : {Case{0, "the board is the older one, flash it"}, Case{2, "mereld is the older one, install"}}) {
    board.board.hello.protocol = c.protocol;
    if (!board.cable.plugged()) board.cable.plug();
    heard.health = {};
    make(wiring());
    start();
    ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
    EXPECT_THAT(heard.health.what, AllOf(HasSubstr("firmware 1.2.3"), HasSubstr(c.what)));
    source->stop();
  }
}

TEST_F(Cable, ABoardThatFallsSilentIsLostAndTakenUpAgain) {
  plug_and_join();
  board.asleep = true;
  const auto answer = std::exchange(board.cable.came, nullptr);
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(10)));
  EXPECT_THAT(heard.health.what, AllOf(HasSubstr("has said nothing for 2 s"), HasSubstr("cable")));
  run(milliseconds(3'000));
  EXPECT_EQ(heard.healths, 2);  // and that was all
  board.asleep = false;
  board.cable.came = answer;
  ASSERT_TRUE(until([this] { return heard.health.well; }));
  EXPECT_EQ(heard.take(), "");
}

TEST_F(Cable, APortThatTakesNothingAnyMoreIsGivenUp) {
  plug_and_join();
  board.cable.go_deaf();
  ASSERT_TRUE(until([this] { return !heard.health.well; }));
  EXPECT_THAT(heard.health.what, HasSubstr("has said nothing"));
}

TEST_F(Cable, WhatTheBoardRefusesIsSaidOfTheLights) {
  board.board.answers[MessageType::lights] = Answer::cannot;
  plug_and_join();
  sink->show(std::vector<Lamp>(6));
  ASSERT_TRUE(until([this] { return !light_troubles.empty(); }));
  EXPECT_THAT(light_troubles.back(), HasSubstr("refuses the lights"));
  EXPECT_TRUE(heard.health.well);
  EXPECT_EQ(link->facts().refusals.size(), 1U);
  board.board.answers.clear();
  sink->show(std::vector<Lamp>(6, Lamp{{1, 1, 1}, Effect::solid, 0}));
  ASSERT_TRUE(until([this] { return light_troubles.back().empty(); }));
}

TEST_F(Cable, AFirmwareThatKnowsNoLightsIsCalledOld) {
  board.board.hello.understands &= ~link::bit_of(MessageType::lights);
  plug_and_join();
  sink->show(std::vector<Lamp>(6));
  ASSERT_TRUE(until([this] { return !light_troubles.empty(); }));
  EXPECT_THAT(light_troubles.back(), AllOf(HasSubstr("does not know the lights"), HasSubstr("flash")));
  EXPECT_EQ(board.board.times_heard(MessageType::lights), 0U);
}

TEST_F(Cable, ASmallerBoardThanTheProfilesNamesWhatIsMissing) {
  make(wiring(), 8, 9);
  board.cable.plug();
  start();
  ASSERT_TRUE(until([this] { return !heard.health.well; }, seconds(5)));
  EXPECT_TRUE(heard.health.partial);
  EXPECT_THAT(heard.health.lost, ElementsAre(6, 7));
  EXPECT_THAT(heard.health.what, HasSubstr("only 6 channels of the 8"));
  ASSERT_FALSE(light_troubles.empty());
  EXPECT_THAT(light_troubles.back(), HasSubstr("has only 6"));
  sink->show(std::vector<Lamp>(9));
  ASSERT_TRUE(until([this] { return board.board.times_heard(MessageType::lights) > 0; }));
  EXPECT_EQ(board.board.last<link::Lights>().count, 6);
}

}  // namespace
}  // namespace merel
