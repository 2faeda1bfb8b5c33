// Pylos: what RULES.md, section 3, says, a rule at a time. Whole games and step counts are in tests/golden.
#include "rules/pylos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/try_steps.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Player kW = 0;
constexpr Player kB = 1;
constexpr Outcome kGoesOn{};

Position standard(std::string_view position_text, const std::string& options = "") {
  return position_of("pylos-standard", position_text, options);
}

int reserve(const Position& position, Player player) { return std::get<Pylos>(position).reserve(player); }

// The ground is full under the second level's square, W has the sphere 1d4 beside it.
constexpr std::string_view kTwoLevels = "3W/WBW1/BWB1/WBW1|3/BW1/WB1|2/2|1 W -";
// W needs 2b2 for a square on the second level; the sphere 1c3 lies under it.
constexpr std::string_view kBeforeUpperSquare = "3W/BBW1/BWB1/WBB1|3/W2/WW1|2/2|1 W -";
// W needs 1b1 for a square on the ground.
constexpr std::string_view kBeforeSquare = "B2B/4/WW2/W2B|3/3/3|2/2|1 W -";

TEST(PylosPut, ComesFromTheReserveOntoAnyOpenSeat) {
  const Position start = standard("4/4/4/4|3/3/3|2/2|1 W -");
  EXPECT_EQ(steps_of(start), "+1a1 +1a2 +1a3 +1a4 +1b1 +1b2 +1b3 +1b4 +1c1 +1c2 +1c3 +1c4 +1d1 +1d2 +1d3 +1d4");
  const Position two = after(start, "+1b2 +1a4");
  EXPECT_EQ(text(two), "B3/4/1W2/4|3/3/3|2/2|1 W -");
  EXPECT_EQ(reserve(two, kW), 14);
  EXPECT_EQ(reserve(two, kB), 14);
}

TEST(PylosPut, SeatIsOpenOnlyWhenAllFourBelowAreFull) {
  EXPECT_EQ(refusal_of(standard("4/4/WB2/1W2|3/3/3|2/2|1 B -"), "+2a1"), "seat_not_open");
  EXPECT_EQ(refusal_of(standard("4/4/WB2/BW2|3/3/3|2/2|1 W -"), "+2a1"), "legal");
  EXPECT_EQ(refusal_of(standard("4/4/WB2/BW2|3/3/3|2/2|1 W -"), "+2b1"), "seat_not_open");
}

TEST(PylosRaise, GoesOneOrMoreLevelsUpToAnOpenSeat) {
  EXPECT_EQ(text(after(standard("4/W3/WB2/BW2|3/3/3|2/2|1 W -"), "1a3-2a1")), "4/4/WB2/BW2|3/3/W2|2/2|1 B -");
  EXPECT_EQ(text(after(standard(kTwoLevels), "1d4-3a1")), "4/WBW1/BWB1/WBW1|3/BW1/WB1|2/W1|1 B -");
}

TEST(PylosRaise, KeepsTheReserveAsItIs) {
  const Position before = standard(kTwoLevels);
  EXPECT_EQ(reserve(after(before, "1d4-3a1"), kW), reserve(before, kW));
}

TEST(PylosRaise, NeverOntoASeatThatTheSphereItselfCarries) {
  const Position position = standard("4/W3/WB2/BW2|3/3/3|2/2|1 W -");
  EXPECT_THAT(steps_of(position), EndsWith(" +2a1 1a3-2a1"));
  EXPECT_EQ(refusal_of(position, "1a2-2a1"), "carries_target");
  EXPECT_EQ(refusal_of(position, "1b1-2a1"), "carries_target");
}

TEST(PylosRaise, NeverSidewaysOrDown) {
  EXPECT_EQ(refusal_of(standard(kTwoLevels), "1d4-1c4"), "not_higher");
  EXPECT_EQ(refusal_of(standard(kTwoLevels), "2a1-1d1"), "not_higher");
}

TEST(PylosSquare, OfTheMoversColourObligesToTakeOneAndAllowsTwo) {
  const Position square = after(standard(kBeforeSquare), "+1b1");
  EXPECT_EQ(text(square), "B2B/4/WW2/WW1B|3/3/3|2/2|1 W t2");
  EXPECT_EQ(steps_of(square), "x1a1 x1a2 x1b1 x1b2");
  const Position one = after(square, "x1a2");
  EXPECT_EQ(text(one), "B2B/4/1W2/WW1B|3/3/3|2/2|1 W t1");
  EXPECT_EQ(steps_of(one), "stop x1a1 x1b1 x1b2");
  EXPECT_EQ(text(after(one, "stop")), "B2B/4/1W2/WW1B|3/3/3|2/2|1 B -");
  const Position two = after(one, "x1b2");
  EXPECT_EQ(text(two), "B2B/4/4/WW1B|3/3/3|2/2|1 B -");
  EXPECT_EQ(reserve(two, kW), 13);
}

TEST(PylosSquare, JustPlayedSphereMayBeTaken) {
  EXPECT_EQ(text(after(standard(kBeforeSquare), "+1b1 x1b1 stop")), "B2B/4/WW2/W2B|3/3/3|2/2|1 B -");
}

TEST(PylosSquare, SphereFreedByTheFirstTakeMayBeTheSecond) {
  const Position square = after(standard(kBeforeUpperSquare), "1d4-2b2");
  EXPECT_EQ(steps_of(square), "x2a1 x2a2 x2b1 x2b2");
  EXPECT_EQ(refusal_of(square, "x1c3"), "sphere_carries");
  EXPECT_EQ(steps_of(after(square, "x2b2")), "stop x1c3 x2a1 x2a2 x2b1");
}

TEST(PylosSquare, AnyFreeOwnSphereMayBeTaken) {
  EXPECT_EQ(steps_of(after(standard("B2W/4/WW2/W2B|3/3/3|2/2|1 W -"), "+1b1")), "x1a1 x1a2 x1b1 x1b2 x1d4");
}

TEST(PylosSquare, SeveralAtOnceStillGiveOneOrTwo) {
  const Position both = after(standard("BBBB/4/W1W1/WWW1|3/3/3|2/2|1 W -"), "+1b2");
  EXPECT_THAT(text(both), EndsWith(" W t2"));
  EXPECT_THAT(text(after(both, "x1a1 x1c1")), EndsWith(" B -"));
}

TEST(PylosSquare, StopExistsOnlyAfterTheFirstTake) {
  EXPECT_EQ(refusal_of(standard(kBeforeSquare), "stop"), "not_a_step_here");
  EXPECT_EQ(refusal_of(after(standard(kBeforeSquare), "+1b1"), "stop"), "must_take_first");
}

TEST(PylosSquare, StopIsThereAlsoAsTheOnlyStep) {
  EXPECT_EQ(steps_of(position_of("pylos-expert", "4/1WBB/1WWB/1WWB|3/1WW/1BB|2/1B|1 W t1")), "stop");
}

TEST(PylosSquare, MustContainTheSphereJustPlayed) {
  EXPECT_THAT(text(after(standard("B2B/4/WW2/WW1B|3/3/3|2/2|1 W -"), "+1c4")), EndsWith(" B -"));
}

TEST(PylosSquare, OfBothColoursGivesNothing) {
  EXPECT_THAT(text(after(standard("4/4/WB2/W3|3/3/3|2/2|1 W -"), "+1b1")), EndsWith(" B -"));
}

TEST(PylosSquare, CountsOnTheThirdLevelToo) {
  EXPECT_EQ(text(after(standard("WBWB/BWBW/WBWB/BWBW|WBB/BWB/BBW|W1/WW|1 W -"), "+3b2")),
            "WBWB/BWBW/WBWB/BWBW|WBB/BWB/BBW|WW/WW|1 W t2");
}

TEST(PylosVariants, DecideWhatGivesATake) {
  struct Case {
    std::string_view what;
    std::string_view position;
    std::string_view step;
    bool in_standard;
    bool in_expert;
  };
  for (const auto& [what, position, step, in_standard, in_expert] : {
           Case{"square", kBeforeSquare, "+1b1", true, true},
           Case{"rank of level 1", "WWW1/B3/B3/B3|3/3/3|2/2|1 W -", "+1d4", false, true},
           Case{"file of level 1", "1W2/1WBB/4/BW2|3/3/3|2/2|1 W -", "+1b2", false, true},
           Case{"three on level 1", "WW2/B3/B3/4|3/3/3|2/2|1 W -", "+1c4", false, false},
           Case{"mixed rank", "WBW1/B3/B3/W3|3/3/3|2/2|1 W -", "+1d4", false, false},
           Case{"diagonal of level 1", "W3/1W2/2W1/BBB1|3/3/3|2/2|1 W -", "+1d1", false, false},
           Case{"rank of level 2", "4/4/WBWB/BWBW|3/3/WW1|2/2|1 W -", "+2c1", false, true},
           Case{"file of level 2", "WB2/BW2/WB2/BW2|3/W2/W2|2/2|1 W -", "+2a3", false, true},
           Case{"diagonal of level 2", "WBWB/BWBW/WBWB/BWBW|3/1W1/W2|2/2|1 W -", "+2c3", false, false},
           Case{"two on level 2", "4/4/WBW1/BWB1|3/3/W2|2/2|1 W -", "+2b1", false, false},
           Case{"rank of level 3", "WBWB/BWBW/WBWB/BWBW|WBB/BBW/WBW|2/W1|1 W -", "+3b1", false, false},
           Case{"raise into a rank", "W3/4/WBWB/BWBW|3/3/WW1|2/2|1 W -", "1a4-2c1", false, true},
       }) {
    const auto gives_take = [before = position, line = std::string(step)](std::string_view game) {
      return text(after(position_of(game, before), line)).ends_with(" W t2");
    };
    EXPECT_FALSE(gives_take("pylos-children")) << what;
    EXPECT_EQ(gives_take("pylos-standard"), in_standard) << what;
    EXPECT_EQ(gives_take("pylos-expert"), in_expert) << what;
  }
}

TEST(PylosVariants, SquareAndAlignmentTogetherStillGiveOneOrTwo) {
  const Position both = after(position_of("pylos-expert", "BBBB/4/WW2/WWW1|3/3/3|2/2|1 W -"), "+1d1 x1a1");
  EXPECT_EQ(steps_of(both), "stop x1a2 x1b1 x1b2 x1c1 x1d1");
  EXPECT_THAT(text(after(both, "x1b1")), EndsWith(" B -"));
}

TEST(PylosVariants, ArePartOfThePosition) {
  constexpr std::string_view kStart = "4/4/4/4|3/3/3|2/2|1 W -";
  EXPECT_FALSE(position_of("pylos-children", kStart) == standard(kStart));
  EXPECT_FALSE(standard(kStart, "empty_reserve=raise") == standard(kStart));
  EXPECT_NE(hash(standard(kStart, "empty_reserve=raise")), hash(standard(kStart)));
}

TEST(PylosEnd, TopSphereWinsAtOnce) {
  // B would have a square below the top and spheres in reserve; nothing of that matters any more.
  const Position won = after(standard("WBWB/BWBW/WBWB/BWBW|WBW/WWW/WBW|BB/BB|1 B -"), "+4a1");
  EXPECT_EQ(outcome(won), (Outcome{Ending::apex, kB}));
  EXPECT_EQ(text(won), "WBWB/BWBW/WBWB/BWBW|WBW/WWW/WBW|BB/BB|B W -");
  EXPECT_EQ(steps_of(won), "");
  EXPECT_EQ(refusal_of(won, "x3a1"), "game_over");
}

// W has all fifteen spheres on the board; 1d4 can go to 3b1.
constexpr std::string_view kEmptyReserve = "WBBW/WBWW/BBBW/1WWW|WB1/WWW/1BW|W1/2|1 W -";

TEST(PylosEnd, EmptyReserveAtTheBeginningOfATurnLoses) {
  const Position lost = standard(kEmptyReserve);
  EXPECT_EQ(outcome(lost), (Outcome{Ending::empty_reserve, kB}));
  EXPECT_EQ(steps_of(lost), "");
  EXPECT_EQ(refusal_of(lost, "1d4-3b1"), "game_over");
}

TEST(PylosEnd, LastSphereMayBePlayedAndTheOtherPlayerGoesOn) {
  const Position position = standard("WBBW/WBWW/BBBW/1WWW|WB1/WWW/1BW|2/2|1 W -");
  EXPECT_EQ(reserve(position, kW), 1);
  const Position played = after(position, "+1a1");
  EXPECT_EQ(reserve(played, kW), 0);
  EXPECT_EQ(outcome(played), kGoesOn);
}

TEST(PylosEnd, LastSphereThatCompletesASquareRefillsTheReserve) {
  const Position position = standard("BWWW/WWBW/WBWW/WWBB|3/W2/WW1|2/2|1 W -");
  EXPECT_EQ(reserve(position, kW), 1);
  const Position square = after(position, "+2b2");
  EXPECT_EQ(reserve(square, kW), 0);
  EXPECT_EQ(outcome(square), kGoesOn);
  EXPECT_EQ(reserve(after(square, "x2b2 stop"), kW), 1);
}

TEST(PylosEmptyReserve, OptionLetsThePlayerRaiseButNotPut) {
  const Position position = standard(kEmptyReserve, "empty_reserve=raise");
  EXPECT_EQ(outcome(position), kGoesOn);
  EXPECT_EQ(steps_of(position), "1d4-3b1");
  EXPECT_EQ(refusal_of(position, "+1a1"), "reserve_empty");
  EXPECT_EQ(to_act(after(position, "1d4-3b1")), kB);
}

TEST(PylosEmptyReserve, PlayerWhoCannotRaiseEitherLoses) {
  const Position lost = standard("WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|1 W -", "empty_reserve=raise");
  EXPECT_EQ(outcome(lost), (Outcome{Ending::empty_reserve, kB}));
  EXPECT_EQ(steps_of(lost), "");
}

TEST(PylosEmptyReserve, RaiseIntoASquareFillsTheReserveAgain) {
  const Position position = standard("BWWW/WWBW/WBWW/WWWB|3/W2/WW1|2/2|1 W -", "empty_reserve=raise");
  EXPECT_EQ(reserve(position, kW), 0);
  const Position taken = after(position, "1d4-2b2 x2a1 x2b1");
  EXPECT_EQ(reserve(taken, kW), 2);
  EXPECT_EQ(to_act(taken), kB);
}

TEST(PylosRefusal, GivesTheReasonOfAReferee) {
  struct Case {
    std::string_view position;
    std::string_view step;
    std::string_view reason;
  };
  constexpr std::string_view kMustTake = "B2B/4/WW2/WW1B|3/3/3|2/2|1 W t2";
  constexpr std::string_view kMayTake = "B2B/4/1W2/WW1B|3/3/3|2/2|1 W t1";
  for (const auto& [position, step, reason] : {
           Case{kTwoLevels, "+1d4", "site_taken"},        Case{kTwoLevels, "+2a1", "site_taken"},
           Case{kTwoLevels, "+3b1", "seat_not_open"},     Case{kTwoLevels, "+4a1", "seat_not_open"},
           Case{kTwoLevels, "1d1-3a1", "nothing_there"},  Case{kTwoLevels, "2a2-3a1", "not_your_piece"},
           Case{kTwoLevels, "1a1-3a1", "sphere_carries"}, Case{kTwoLevels, "2a1-3a1", "carries_target"},
           Case{kTwoLevels, "1d4-2a2", "site_taken"},     Case{kTwoLevels, "1d4-1d4", "site_taken"},
           Case{kTwoLevels, "1d4-3b2", "seat_not_open"},  Case{kTwoLevels, "1d4-1d3", "not_higher"},
           Case{kTwoLevels, "x1d4", "nothing_to_remove"}, Case{kTwoLevels, "pass", "not_a_step_here"},
           Case{kMustTake, "+1c1", "must_take"},          Case{kMustTake, "1a1-2a1", "must_take"},
           Case{kMustTake, "pass", "must_take"},          Case{kMustTake, "stop", "must_take_first"},
           Case{kMustTake, "x1c1", "nothing_there"},      Case{kMustTake, "x1d1", "not_your_piece"},
           Case{kMayTake, "+1c1", "take_or_stop"},        Case{kMayTake, "forget", "take_or_stop"},
       }) {
    EXPECT_EQ(refusal_of(standard(position), step), reason) << step << " in " << position;
  }
}

TEST(PylosRefusal, SeatsBeyondTheApexDoNotExist) {
  for (const Site site : {Site{30}, Site{32}, Site{254}, kNoSite}) {
    EXPECT_EQ(refusal_of(standard(kTwoLevels), Step::put(site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(standard(kTwoLevels), Step::take(site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(standard(kTwoLevels), Step::move(0, site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(standard(kTwoLevels), Step::move(site, 0)), "no_such_site") << int{site};
  }
}

TEST(PylosGeometry, SeatsLieOnTheLatticeLevelByLevel) {
  const Position position = standard("4/4/4/4|3/3/3|2/2|1 W -");
  const Geometry& board = geometry(position);
  EXPECT_EQ(board.lattice, 7);
  EXPECT_EQ(board.sites.front().name(), "1a4");
  EXPECT_EQ(board.sites[3].name(), "1d4");
  EXPECT_EQ(board.sites[16].name(), "2a3");
  EXPECT_EQ(board.sites.back().name(), "4a1");
  struct Case {
    std::string_view name;
    int site, file, rank, level;
    bool sensed;
  };
  for (const auto& [name, site, file, rank, level, sensed] : {
           Case{"1a1", 0, 0, 0, 1, true},
           Case{"1b3", 6, 2, 4, 1, true},
           Case{"1d4", 15, 6, 6, 1, true},
           Case{"2a1", 16, 1, 1, 2, true},
           Case{"2b3", 21, 3, 5, 2, true},
           Case{"3a1", 25, 2, 2, 3, false},
           Case{"3b1", 27, 4, 2, 3, false},
           Case{"4a1", 29, 3, 3, 4, false},
       }) {
    const SiteInfo& info = board.info(board.find(name));
    EXPECT_EQ(info.site, site) << name;
    EXPECT_EQ(info.file, file) << name;
    EXPECT_EQ(info.rank, rank) << name;
    EXPECT_EQ(info.level, level) << name;
    EXPECT_EQ(info.sensed, sensed) << name;
  }
}

TEST(PylosReading, SaysWhereAndWhatWouldBeRight) {
  struct Case {
    std::string_view text;
    std::string_view where;
    std::string_view says;
  };
  for (const auto& [position, where, says] : {
           // form
           Case{"", "levels, column 1:", "empty"},
           Case{"4/4/4/4|3/3/3|2/2|1 W", "take, column 22:", "missing"},
           Case{"4/4/4/4|3/3/3|2/2|1 W - -", "end, column 25:", "must end"},
           Case{"4/4/4/4|3/3/3|2/2 W -", "levels, column 18:", "4 levels, not 3"},
           Case{"4/4/4/4|3/3/3|2/2|1|1 W -", "levels, column 21:", "4 levels, not 5"},
           Case{"4/4/4|3/3/3|2/2|1 W -", "level 1, column 6:", "4 ranks, not 3"},
           Case{"4/4/4/4|3/3/3|2/2|1/1 W -", "level 4, column 21:", "1 ranks, not 2"},
           Case{"4/4/4/4|3/4/3|2/2|1 W -", "level 2, column 11:", "more than its 3 sites"},
           Case{"4/4/4/4|3/3/3|2/1|1 W -", "level 3, column 17:", "2 sites, not 1"},
           Case{"4/4/4/3R|3/3/3|2/2|1 W -", "level 1, column 8:", "W or B"},
           Case{"4/4/4/4|3/3/3|2/2|1 R -", "player to act, column 21:", "W or B"},
           Case{"4/4/4/4|3/3/3|2/2|1 W t3", "take, column 23:", "t2"},
           // spheres
           Case{"4/4/WW2/W3|3/3/B2|2/2|1 W -", "level 2, column 16:", "2a1 is in the air"},
           Case{"4/4/4/4|3/3/3|2/2|W B -", "level 4, column 19:", "4a1 is in the air"},
           Case{"WWWW/WWWW/WWWW/WWWW|3/3/3|2/2|1 B -", "levels, column 1:", "W has 16 spheres"},
           Case{"WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|B B -", "player to act, column 41:", "must be W"},
           Case{"4/4/4/4|3/3/3|2/2|1 B -", "player to act, column 21:", "who begins"},
           // takes that nothing gave
           Case{"4/4/WB2/BW2|3/3/3|2/2|1 W t2", "take, column 27:", "no square"},
           Case{"4/4/WW2/WW2|3/3/3|2/2|1 B t2", "take, column 27:", "no square"},
           Case{"WWWW/B3/B3/B3|3/3/3|2/2|1 W t2", "take, column 29:", "no square"},
           Case{"BBB1/WWW1/WWW1/WWW1|3/BB1/BB1|2/2|1 W t2", "take, column 39:", "free sphere"},
           Case{"WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|B W t2", "take, column 43:", "top sphere"},
           Case{"4/4/4/4|3/3/3|2/2|1 W t1", "take, column 23:", "just left a square"},
           Case{"4/4/WB2/BW2|3/3/3|2/2|1 W t1", "take, column 27:", "just left a square"},
           Case{"WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|1 W t1", "take, column 43:", "reserve of W is empty"},
       }) {
    EXPECT_THAT(reading_error_of("pylos-standard", position), AllOf(StartsWith(where), HasSubstr(says))) << position;
  }
}

TEST(PylosReading, TakesDependOnTheVariant) {
  constexpr std::string_view kSquare = "4/4/WW2/WW2|3/3/3|2/2|1 W t2";
  constexpr std::string_view kAlignment = "WWWW/B3/B3/B3|3/3/3|2/2|1 W t2";
  constexpr std::string_view kAlignmentLeft = "WWW1/B3/B3/B3|3/3/3|2/2|1 W t1";
  EXPECT_THAT(reading_error_of("pylos-children", kSquare), StartsWith("take, column 27:"));
  EXPECT_EQ(reading_error_of("pylos-standard", kSquare), "read");
  EXPECT_THAT(reading_error_of("pylos-standard", kAlignmentLeft), StartsWith("take, column 29:"));
  EXPECT_EQ(reading_error_of("pylos-expert", kAlignment), "read");
  EXPECT_EQ(reading_error_of("pylos-expert", kAlignmentLeft), "read");
}

TEST(PylosReading, AcceptsWhatCanOccur) {
  for (const std::string_view position : {
           "4/4/4/2W1|3/3/3|2/2|1 B -",                    // after the first sphere
           "B2B/4/WW2/W2B|3/3/3|2/2|1 W t1",               // the sphere that completed the square was taken
           "B2B/4/WW2/WW1B|3/3/3|2/2|1 W t1",              // a sphere beside the square was taken
           "WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|1 W -",  // W has no sphere left
           "WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BW/WB|B W -",  // the full pyramid
       }) {
    EXPECT_EQ(text(standard(position)), position);
  }
}

}  // namespace
}  // namespace merel
