// A board and its game through everything that is not a step: set-up, take-back, the ways to end, restarts, clocks, buttons. The
// numbers are those of reports by owners of electronic boards (20, 21, 22, 30, 31).
#include <gmock/gmock.h>

#include "tests/session/virtual_table.h"

namespace merel {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto kMillSoon = "3/3/3/3WW1/3/3/BB1 W 7 7 -";  // a man of W on g4 closes a mill

Time seconds(double s) { return Time(static_cast<std::int64_t>(s * 1e6)); }

bool refused(const Session::Answer& answer) { return !answer; }

// ---- set-up ----------------------------------------------------------------------------------------------------------------

TEST(SetUp, LeadsEachPieceToItsSiteOneAtATime) {
  VirtualTable table;
  table.begin(record_of("pinuid-classic"));
  const Picture start(table.game(), table.record().position());
  int placed = 0;
  while (table.session.phase() == Phase::setup && placed < 40) {
    const Scene scene = table.session.scene();
    ASSERT_EQ(scene.size(), 1U) << table.lights();
    const auto [site, light] = *scene.begin();
    EXPECT_EQ(light.role, Role::put);
    EXPECT_EQ(light.player, start[site].player());
    const SiteInfo& info = geometry(table.record().position()).info(site);
    EXPECT_THAT(table.session.advice(), HasSubstr("on " + std::string(info.name())));
    table.put(info.name(), table.game().colours[start[site].player()]);
    table.wait(400);
    ++placed;
  }
  EXPECT_EQ(placed, 16);
  EXPECT_EQ(table.session.phase(), Phase::play);
  EXPECT_THAT(table.record().steps(), IsEmpty());
}

TEST(SetUp, ShowsPiecesThatMustComeOff) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.move("d1", "c2");
  ASSERT_EQ(table.steps(), "d1-c2");
  ASSERT_TRUE(table.session.abort(table.now));
  table.begin(record_of("pinuid-classic"));
  EXPECT_EQ(table.session.phase(), Phase::setup);
  EXPECT_EQ(table.lights(), "c2:take_off d1:put");
  table.move("c2", "d1");
  EXPECT_EQ(table.session.phase(), Phase::play);
}

TEST(SetUp, GoesToAGivenPosition) {
  VirtualTable table;
  table.begin(record_of("morris", kMillSoon));
  EXPECT_EQ(table.session.phase(), Phase::setup);
  table.arrange();
  EXPECT_EQ(table.session.phase(), Phase::play);
  EXPECT_EQ(text(table.record().position()), kMillSoon);
}

TEST(SetUp, IsOverAtOnceWhereNothingHasToStand) {
  VirtualTable table;
  table.begin(record_of("morris"));
  EXPECT_EQ(table.session.phase(), Phase::play);
}

TEST(SetUp, IsRefusedOnABoardWithoutTheSensors) {
  VirtualTable table(plain_board(5));
  const auto answer = table.session.begin(record_of("pinuid-classic"), {}, table.now);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr("has no sensor under"));
  EXPECT_EQ(table.session.phase(), Phase::idle);
}

TEST(SetUp, IsRefusedWhileAGameRuns) {
  VirtualTable table;
  table.begin(record_of("morris"));
  EXPECT_TRUE(refused(table.session.begin(record_of("morris"), {}, table.now)));
}

// A sensor that is not sure keeps what it has been told to expect: without that a sphere that lies where it should would be asked for.
TEST(KnownBoard, IsWhatShouldLieThereWhileThePiecesAreLedToTheStartOrBack) {
  VirtualTable table;
  EXPECT_THAT(table.session.known().sites, IsEmpty());
  const auto expect_record = [&table](const KnownBoard& known, bool agreed) {
    const Picture picture(table.game(), table.record().position());
    for (const SiteInfo& info : geometry(table.record().position()).sites) {
      EXPECT_EQ(known.sites[info.site], picture[info.site]) << info.name();
    }
    EXPECT_EQ(known.agreed, agreed);
  };
  table.begin(record_of("morris", kMillSoon));
  ASSERT_EQ(table.session.phase(), Phase::setup);
  expect_record(table.session.known(), false);
  EXPECT_FALSE(table.session.known().empty[table.channel("e3")]) << "the sensors have not agreed to it yet";

  table.arrange();
  ASSERT_EQ(table.session.phase(), Phase::play);
  expect_record(table.session.known(), true);
  EXPECT_TRUE(table.session.known().empty[table.channel("e3")]);
  EXPECT_FALSE(table.session.known().empty[table.channel("f4")]);
  table.lift("f4");
  table.wait(100);
  expect_record(table.session.known(), false);
  EXPECT_FALSE(table.session.known().empty[table.channel("f4")]) << "the record has a man there";

  const GameRecord record = table.record();
  table.session.resume(record, {}, {}, table.now);
  ASSERT_EQ(table.session.phase(), Phase::setup) << "nothing had been played";
  expect_record(table.session.known(), false);
  table.put("f4", 'W');
  table.put("g4", 'W');
  table.wait(1000);
  table.lift("a1");
  table.wait(1000);
  ASSERT_EQ(table.steps(), "+g4 xa1");
  table.lift("f4");
  table.session.resume(table.record(), {}, {}, table.now);
  table.wait(100);
  ASSERT_EQ(table.session.phase(), Phase::restore);
  expect_record(table.session.known(), false);

  ASSERT_TRUE(table.session.abort(table.now));
  EXPECT_THAT(table.session.known().sites, IsEmpty());
  EXPECT_FALSE(table.session.known().agreed);
}

// 22. A dead cable looks like an empty board.
TEST(EmptyBoard, NeverStartsEndsOrErasesAGame) {
  VirtualTable table;
  table.clear();
  table.wait(600'000);
  EXPECT_EQ(table.session.phase(), Phase::idle);
  table.begin_arranged(record_of("pinuid-classic"));
  table.move("d1", "c2");
  table.sensors.unplug(table.now);
  table.wait(600'000);
  EXPECT_EQ(table.steps(), "d1-c2");
  EXPECT_FALSE(table.session.verdict().over());
  table.sensors.mend(table.now);
  table.wait(5'000);
  EXPECT_EQ(table.session.phase(), Phase::play);
  table.move("d6", "c5");
  EXPECT_EQ(table.steps(), "d1-c2 d6-c5");
}

// ---- take-back -------------------------------------------------------------------------------------------------------------

// 20. Take-back works at every point of a turn.
TEST(TakeBack, WorksAtEveryPointOfATurn) {
  for (const int point : {0, 1, 2}) {
    VirtualTable table;
    table.begin_arranged(record_of("morris", kMillSoon));
    table.put("g4", 'W');
    if (point == 0) {
      table.wait(50);  // before anything was understood
    } else {
      table.wait(1000);
    }
    if (point == 2) {
      ASSERT_TRUE(legal_steps(table.record().position())[0].kind == StepKind::take) << text(table.record().position());
      table.lift("a1");
      table.wait(1500);
      ASSERT_EQ(table.steps(), "+g4 xa1");
    }
    const auto answer = table.session.take_back(table.now);
    ASSERT_TRUE(answer) << answer.error();
    table.wait(100);
    EXPECT_EQ(table.steps(), "") << point;
    EXPECT_EQ(table.session.phase(), Phase::restore) << point;
    table.arrange();
    EXPECT_EQ(table.session.phase(), Phase::play) << point;
    table.put("g4", 'W');
    table.wait(1500);
    EXPECT_EQ(table.steps(), "+g4") << point;  // and the game can go on from there
  }
}

// 21. A take-back asked for from outside leads the pieces back and play goes on; and back to the very first move.
TEST(TakeBack, LeadsThePiecesBackToTheVeryFirstMove) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.move("d1", "c2");
  table.move("d6", "c5");
  ASSERT_EQ(table.steps(), "d1-c2 d6-c5");
  ASSERT_TRUE(table.session.take_back(table.now));
  table.wait(10);
  EXPECT_EQ(table.lights(), "c5:take_off d6:put");
  EXPECT_EQ(table.session.advice(), "Take the pin off c5 and put a Black pin on d6");
  table.move("c5", "d6");
  EXPECT_EQ(table.session.phase(), Phase::play);
  ASSERT_TRUE(table.session.take_back(table.now));
  table.move("c2", "d1");
  EXPECT_EQ(table.steps(), "");
  EXPECT_TRUE(refused(table.session.take_back(table.now)));
  table.move("d1", "e2");
  EXPECT_EQ(table.steps(), "d1-e2");
}

// ---- the ways to end -------------------------------------------------------------------------------------------------------

TEST(Ending, ByTheRulesIsShownAndNamed) {
  VirtualTable table;
  table.begin_arranged(record_of("morris", "2W/1B1/3/3WW1/3/3/BB1 W 0 0 -"));
  table.move("g7", "g4");
  EXPECT_EQ(table.lights(), "a1:remove d1:remove d6:remove");
  table.lift("d6");
  table.wait(1'500);
  EXPECT_EQ(table.session.phase(), Phase::over);
  EXPECT_EQ(table.lights(), "e4:win f4:win g4:win");
  EXPECT_EQ(table.session.advice(), "White wins: the other player has only two men left");
}

TEST(Ending, ResignedGameHasTheOtherAsWinner) {
  VirtualTable table;
  table.begin(record_of("morris"));
  ASSERT_TRUE(table.session.resign(Player{1}, table.now));
  EXPECT_EQ(table.session.phase(), Phase::over);
  EXPECT_EQ(table.session.advice(), "White wins: Black resigned");
  EXPECT_EQ(result_text(table.game(), table.session.verdict()), "W");
  EXPECT_TRUE(refused(table.session.take_back(table.now)));
  EXPECT_TRUE(table.session.begin(record_of("morris"), {}, table.now));
}

TEST(Ending, ResigningAmongFourHasNoWinner) {
  VirtualTable table;
  table.begin(record_of("pinuid-quatro"));
  ASSERT_TRUE(table.session.resign(std::nullopt, table.now));
  EXPECT_THAT(table.session.advice(), StartsWith("No winner: "));
  EXPECT_EQ(result_text(table.game(), table.session.verdict()), "unfinished");
}

TEST(Ending, DrawNeedsEverybody) {
  VirtualTable table;
  table.begin(record_of("morris"));
  ASSERT_TRUE(table.session.draw(Player{0}, table.now));
  EXPECT_EQ(table.session.phase(), Phase::play);
  EXPECT_EQ(table.session.draw_offers(), 1);
  ASSERT_TRUE(table.session.draw(Player{1}, table.now));
  EXPECT_EQ(table.session.phase(), Phase::over);
  EXPECT_EQ(table.session.advice(), "Draw: the players agreed");
}

TEST(Ending, DrawOfferLapsesWhenTheGameGoesOn) {
  VirtualTable table;
  table.begin(record_of("morris"));
  ASSERT_TRUE(table.session.draw(Player{1}, table.now));
  table.put("a1", 'W');
  table.wait(1000);
  EXPECT_EQ(table.session.draw_offers(), 0);
  ASSERT_TRUE(table.session.draw(Player{0}, table.now));
  EXPECT_EQ(table.session.phase(), Phase::play);
}

// 17, 31. Correction never blocks abort, and an aborted game never comes back by itself.
TEST(Ending, AbortWorksAtAnyMoment) {
  VirtualTable table;
  table.begin(record_of("pinuid-classic"));
  ASSERT_EQ(table.session.phase(), Phase::setup);
  ASSERT_TRUE(table.session.abort(table.now));
  EXPECT_EQ(table.session.phase(), Phase::idle);
  EXPECT_EQ(table.lights(), "");
  table.wait(60'000);
  EXPECT_EQ(table.session.phase(), Phase::idle);
  EXPECT_TRUE(refused(table.session.abort(table.now)));
}

// ---- power cuts ------------------------------------------------------------------------------------------------------------

// 30. After the restart the pieces are compared with the record, and the next legal move is accepted.
TEST(Restart, ComparesThePiecesWithTheRecord) {
  const GameRecord record = record_of("pinuid-classic", "", {"d1-c2", "d6-c5"});
  VirtualTable table;
  table.session.resume(record, {}, {}, table.now);
  table.wait(10);
  EXPECT_EQ(table.session.phase(), Phase::restore);
  EXPECT_FALSE(table.heard().empty());
  table.arrange();
  EXPECT_EQ(table.session.phase(), Phase::play);
  table.move("c2", "d3");
  EXPECT_EQ(table.steps(), "d1-c2 d6-c5 c2-d3");
}

// 10. The removal is asked for after a restart in the middle of the turn too.
TEST(Restart, InTheMiddleOfATurnAsksForTheRest) {
  const GameRecord record = record_of("morris", kMillSoon, {"+g4"});
  VirtualTable table;
  table.session.resume(record, {}, {}, table.now);
  table.wait(10);
  table.arrange();
  EXPECT_EQ(table.lights(), "a1:remove d1:remove");
  table.lift("a1");
  table.wait(1500);
  EXPECT_EQ(table.steps(), "+g4 xa1");
}

TEST(Restart, KeepsTheClocks) {
  const GameRecord record = record_of("morris", "", {"+a1"});
  VirtualTable table;
  table.session.resume(record, ClockSettings{seconds(60), {}}, {seconds(50), seconds(40)}, table.now);
  table.wait(20'000);
  EXPECT_EQ(table.session.clock()->left(1, table.now), seconds(40)) << "stands still while the pieces are led back";
  table.arrange();
  table.wait(5'000);
  EXPECT_EQ(table.session.clock()->running(), 1);
  EXPECT_LT(table.session.clock()->left(1, table.now), seconds(36));
  EXPECT_EQ(table.session.clock()->left(0, table.now), seconds(50));
}

// ---- clocks ----------------------------------------------------------------------------------------------------------------

TEST(Clock, SwitchesWithTheLastRequiredPartOfATurn) {
  VirtualTable table;
  table.begin_arranged(record_of("morris", kMillSoon), ClockSettings{seconds(60), {}});
  EXPECT_EQ(table.session.clock()->running(), kNoPlayer) << "begins with the first complete turn";
  table.put("g4", 'W');
  table.wait(3'000);
  ASSERT_EQ(table.steps(), "+g4");
  EXPECT_EQ(table.session.clock()->running(), kNoPlayer) << "the removal is still owed";
  table.lift("a1");
  table.wait(2'000);
  ASSERT_EQ(table.steps(), "+g4 xa1");
  EXPECT_EQ(table.session.clock()->running(), 1);
  EXPECT_EQ(table.session.clock()->left(1, table.now), seconds(58))
      << "from the moment of the lift, not of its understanding";
}

TEST(Clock, FischerAddsTheIncrementAfterEachTurn) {
  VirtualTable table;
  table.begin(record_of("morris"), ClockSettings{seconds(60), seconds(5)});
  table.put("a1", 'W');
  table.wait(10'000);
  table.put("d1", 'B');
  table.wait(1'000);
  EXPECT_EQ(table.session.clock()->left(1, table.now), seconds(55));
  EXPECT_EQ(table.session.clock()->running(), 0);
}

TEST(Clock, OutOfTimeLosesAndNamesIt) {
  VirtualTable table;
  table.begin(record_of("morris"), ClockSettings{seconds(5), {}});
  table.put("a1", 'W');
  table.wait(6'000);
  EXPECT_EQ(table.session.phase(), Phase::over);
  EXPECT_EQ(table.session.advice(), "White wins: Black ran out of time");
}

TEST(Clock, WhatTheHandsDidInTimeCountsThoughItIsUnderstoodLater) {
  VirtualTable table;
  table.begin(record_of("morris"), ClockSettings{seconds(5), {}});
  table.put("a1", 'W');
  table.wait(4'900);
  table.put("d1", 'B');
  table.wait(1'000);
  EXPECT_EQ(table.session.phase(), Phase::play);
  EXPECT_EQ(table.steps(), "+a1 +d1");
}

TEST(Clock, StandsStillWhilePiecesAreLedBack) {
  VirtualTable table;
  table.begin(record_of("morris"), ClockSettings{seconds(60), {}});
  table.put("a1", 'W');
  table.wait(1'000);
  table.put("d1", 'B');
  table.wait(1'000);
  ASSERT_TRUE(table.session.take_back(table.now));
  table.wait(10);
  ASSERT_EQ(table.session.phase(), Phase::restore);
  const Time left = table.session.clock()->left(1, table.now);
  table.wait(30'000);
  EXPECT_EQ(table.session.clock()->left(1, table.now), left);
  table.lift("d1");
  table.wait(1'000);
  EXPECT_EQ(table.session.phase(), Phase::play);
  EXPECT_EQ(table.session.clock()->running(), 1);
}

TEST(ThinkingTime, IsToldWithEachStep) {
  VirtualTable table;
  table.begin(record_of("morris"));
  table.wait(2'000);
  table.put("a1", 'W');
  table.wait(4'000);
  table.put("d1", 'B');
  table.wait(1'000);
  std::vector<std::int64_t> thought;
  for (const SessionEvent& event : table.heard()) {
    if (event.think) thought.push_back(*event.think / std::chrono::milliseconds(1));
  }
  EXPECT_THAT(thought, ElementsAre(2'010, 4'000));
}

// ---- buttons ---------------------------------------------------------------------------------------------------------------

// 16. No gesture that means something to the board is itself a move; 31. abort from the board.
TEST(ButtonGestures, MeanWhatTheManualSays) {
  VirtualTable table;
  table.session.button(0, true, table.now);
  table.wait(3'100);
  table.session.button(0, false, table.now);
  table.wait(10);
  ASSERT_EQ(table.heard().size(), 1U);  // a new game is wanted
  table.begin(record_of("morris"));
  table.put("a1", 'W');
  table.wait(1'000);
  table.press(1, 3'100);  // held: take back
  EXPECT_EQ(table.steps(), "");
  table.lift("a1");
  table.wait(1'000);
  for (std::uint8_t button = 0; button < 2; ++button) table.session.button(button, true, table.now);
  table.wait(4'000);
  EXPECT_EQ(table.session.phase(), Phase::play);
  for (std::uint8_t button = 0; button < 2; ++button) table.session.button(button, false, table.now);
  table.wait(10);
  EXPECT_EQ(table.session.verdict().closing, Closing::agreed_draw);
  table.begin(record_of("morris"));
  for (std::uint8_t button = 0; button < 2; ++button) table.session.button(button, true, table.now);
  table.wait(9'000);
  EXPECT_EQ(table.session.verdict().closing, Closing::aborted);
  EXPECT_EQ(table.steps(), "");
}

TEST(ButtonGestures, ShortBounceIsNoPress) {
  Buttons buttons(2);
  buttons.change(0, true, seconds(1));
  buttons.change(0, false, seconds(1.005));
  EXPECT_THAT(buttons.take(), IsEmpty());
  buttons.change(0, true, seconds(2));
  buttons.change(0, false, seconds(2.1));
  const auto made = buttons.take();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].gesture, Gesture::press);
}

// ---- configuration ---------------------------------------------------------------------------------------------------------

TEST(Reload, KeepsTheRunningGame) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.move("d1", "c2");
  SessionSettings settings = table.session.settings();
  settings.help = false;
  settings.tracker.settle = std::chrono::milliseconds(500);
  table.session.configure(settings, table.now);
  EXPECT_EQ(table.session.phase(), Phase::play);
  table.move("d6", "c5");
  EXPECT_EQ(table.steps(), "d1-c2 d6-c5");
}

TEST(Reload, OfATurnedBoardLeadsThePiecesToWhereTheyBelongNow) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.move("d1", "c2");
  SessionSettings settings = table.session.settings();
  settings.board.turned = Turned::half;
  table.session.configure(settings, table.now);
  table.wait(10);
  EXPECT_EQ(table.session.phase(), Phase::restore);
  table.arrange();
  EXPECT_EQ(table.session.phase(), Phase::play);
}

TEST(UnwellSource, SilenceMeansNothing) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.session.source_well(false, table.now);
  table.sensors.unplug(table.now);
  table.wait(60'000);
  EXPECT_THAT(table.sentences(), IsEmpty());
  table.sensors.mend(table.now);
  table.session.source_well(true, table.now);
  table.wait(5'000);
  EXPECT_THAT(table.sentences(), IsEmpty());
  table.move("d1", "c2");
  EXPECT_EQ(table.steps(), "d1-c2");
}

/// The channels under these sites.
std::vector<std::uint16_t> channels(const VirtualTable& table, const std::vector<std::string>& sites) {
  std::vector<std::uint16_t> out;
  for (const std::string& site : sites) out.push_back(table.channel(site));
  std::sort(out.begin(), out.end());
  return out;
}

TEST(LostExpander, TheOthersPlayOnAndNothingHappensWhenItComesBack) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  table.session.channels_lost(channels(table, {"a1", "c1", "e7", "g7"}), table.now);
  table.wait(60'000);
  table.move("d1", "c2");
  table.session.channels_lost({}, table.now);
  table.wait(60'000);
  EXPECT_EQ(table.steps(), "d1-c2");
  table.move("d7", "c6");
  EXPECT_EQ(table.steps(), "d1-c2 d7-c6");
  EXPECT_EQ(table.session.phase(), Phase::play);
}

TEST(LostExpander, WhatWasMovedMeanwhileIsReadWhenItComesBack) {
  VirtualTable table;
  table.begin_arranged(record_of("pinuid-classic"));
  const auto lost = channels(table, {"d1", "c2"});
  table.session.channels_lost(lost, table.now);
  table.move("d1", "c2");  // heard only as what the channels read in the end
  table.wait(10'000);
  table.session.channels_lost({}, table.now);
  table.wait(5'000);
  EXPECT_EQ(table.steps(), "d1-c2");
}

TEST(LostExpander, ANewGameIsSetUpWithoutItsSites) {
  VirtualTable table;
  table.session.channels_lost({0, 1}, table.now);
  table.begin_arranged(record_of("morris"));
  EXPECT_EQ(table.session.phase(), Phase::play);
  table.put("d7", 'W');
  table.wait(2'000);
  EXPECT_EQ(table.steps(), "+d7");
}

TEST(LostExpander, PiecesThatMustBeLedBackAreNotWaitedForWhereNothingIsHeard) {
  VirtualTable table;
  table.begin(record_of("pinuid-classic"));
  table.arrange();
  table.session.source_well(true, table.now);
  const auto lost = channels(table, {"a1"});
  table.session.channels_lost(lost, table.now);
  table.wait(1'000);
  EXPECT_EQ(table.session.phase(), Phase::play);
}

}  // namespace
}  // namespace merel
