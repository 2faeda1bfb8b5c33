// Nine Men's Morris: what RULES.md, section 4, says, a rule at a time. Whole games and step counts are in tests/golden.
#include "rules/morris.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/try_steps.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Player kW = 0;
constexpr Player kB = 1;
constexpr Outcome kGoesOn{};

Position morris(std::string_view position_text, const std::string& options = "") {
  return position_of("morris", position_text, options);
}

TEST(MorrisPlacing, PlayersTakeTurnsToPutMenOnAnyEmptyPoint) {
  const Position start = morris("3/3/3/6/3/3/3 W 9 9 -");
  EXPECT_EQ(steps_of(start),
            "+a1 +a4 +a7 +b2 +b4 +b6 +c3 +c4 +c5 +d1 +d2 +d3 +d5 +d6 +d7 +e3 +e4 +e5 +f2 +f4 +f6 +g1 +g4 +g7");
  EXPECT_EQ(text(after(start, "+d2 +f4")), "3/3/3/4B1/3/1W1/3 W 8 8 -");
}

TEST(MorrisPlacing, LastManInHandIsPutBeforeAnyManMoves) {
  const Position position = morris("B2/WB1/BWB/W1WWW1/B1W/1WB/BWB B 0 1 -");
  EXPECT_EQ(steps_of(position), "+b2 +b4 +d3 +d7 +f6 +g4 +g7");
  EXPECT_EQ(refusal_of(position, "a7-d7"), "men_left_to_place");
  EXPECT_EQ(refusal_of(after(position, "+d7"), "+b4"), "no_men_left_to_place");
}

TEST(MorrisMoving, ManGoesAlongLineToNextEmptyPoint) {
  const Position position = morris("1W1/1W1/3/W2W1B/3/1B1/B1B W 0 0 -");
  EXPECT_EQ(steps_of(position), "a4-a7 a4-b4 d6-b6 d6-d5 d6-f6 d7-a7 d7-g7 e4-e3 e4-e5 e4-f4");
}

TEST(MorrisMoving, SquaresAreNotJoinedAtTheirCorners) {
  const Position corners = morris("W2/3/3/6/W2/W2/BBB W 0 0 -", "flying=false");
  EXPECT_EQ(steps_of(corners), "a7-a4 a7-d7 b2-b4 b2-d2 c3-c4 c3-d3");
  EXPECT_EQ(refusal_of(corners, "a7-b6"), "not_adjacent");
}

TEST(MorrisFlying, ThreeMenWithNoneInHandGoAnywhere) {
  const Position position = morris("WW1/3/3/W5/3/3/BBB W 0 0 -");
  EXPECT_EQ(legal_steps(position).size(), 3U * 18U);
  EXPECT_EQ(refusal_of(position, "a4-e3"), "legal");
  EXPECT_EQ(refusal_of(position, "a4-a1"), "site_taken");
}

TEST(MorrisFlying, FourMenWalk) { EXPECT_EQ(refusal_of(morris("WW1/3/1W1/W5/3/3/BBB W 0 0 -"), "a4-e3"), "not_adjacent"); }

TEST(MorrisFlying, ThreeMenOnTheBoardWithMenInHandStillPlace) {
  EXPECT_EQ(refusal_of(morris("3/B1B/3/W5/3/1B1/WW1 W 6 6 -"), "a4-e3"), "men_left_to_place");
}

TEST(MorrisFlying, OptionMakesThreeMenWalk) {
  EXPECT_EQ(steps_of(morris("WW1/3/3/W5/3/3/BBB W 0 0 -", "flying=false")), "a4-b4 d7-d6 d7-g7");
}

TEST(MorrisFlying, OptionIsPartOfThePosition) {
  constexpr std::string_view kStart = "3/3/3/6/3/3/3 W 9 9 -";
  EXPECT_FALSE(morris(kStart) == morris(kStart, "flying=false"));
  EXPECT_NE(hash(morris(kStart)), hash(morris(kStart, "flying=false")));
}

TEST(MorrisMill, ClosingOneWithManFromHandObligesToTake) {
  const Position closed = after(morris("3/3/BB1/6/3/3/WW1 W 7 7 -"), "+g1");
  EXPECT_EQ(text(closed), "3/3/BB1/6/3/3/WWW W 6 7 x");
  EXPECT_EQ(steps_of(closed), "xc5 xd5");
}

TEST(MorrisMill, ClosingOneByMoveObligesToTake) {
  const Position closed = after(morris("3/3/B1B/B4B/3/1W1/W1W W 0 0 -"), "d2-d1");
  EXPECT_EQ(text(closed), "3/3/B1B/B4B/3/3/WWW W 0 0 x");
  for (const std::string_view step : {"d1-d2", "+a7", "stop", "pass", "forget"}) {
    EXPECT_EQ(refusal_of(closed, step), "must_capture") << step;
  }
  EXPECT_EQ(text(after(closed, "xc5")), "3/3/2B/B4B/3/3/WWW B 0 0 -");
}

TEST(MorrisMill, OneThatStandsAlreadyGivesNothing) {
  const Position moved = after(morris("3/B1B/3/1W3B/3/3/WWW W 0 0 -"), "b4-c4");
  EXPECT_EQ(text(moved), "3/B1B/3/2W2B/3/3/WWW B 0 0 -");
}

TEST(MorrisMill, LeavingAndClosingItAgainCountsAnew) {
  const Position closed_again = after(morris("3/3/B1B/B4B/W2/3/WWW W 0 0 -"), "d1-d2 a4-b4 d2-d1");
  EXPECT_EQ(text(closed_again), "3/3/B1B/1B3B/W2/3/WWW W 0 0 x");
}

TEST(MorrisMill, TwoClosedAtOnceTakeOneMan) {
  const Position closed = after(morris("1W1/W1W/1W1/1B4/3/1B1/B1B W 5 5 -"), "+d6");
  EXPECT_EQ(text(closed), "1W1/WWW/1W1/1B4/3/1B1/B1B W 4 5 x");
  EXPECT_EQ(text(after(closed, "xd2")), "1W1/WWW/1W1/1B4/3/3/B1B B 4 5 -");
}

TEST(MorrisMill, EveryLineOfThreeIsOne) {
  constexpr std::array<std::string_view, 16> kLines{"a1 a4 a7", "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5",
                                                    "f2 f4 f6", "g1 g4 g7", "a1 d1 g1", "b2 d2 f2", "c3 d3 e3", "a4 b4 c4",
                                                    "e4 f4 g4", "c5 d5 e5", "b6 d6 f6", "a7 d7 g7"};
  for (const std::string_view line : kLines) {
    // B puts two men where they are not in the way and close nothing.
    std::vector<std::string> others;
    for (const std::string other : {"a1", "b6", "e4", "g7"}) {
      if (line.find(other) == std::string_view::npos && others.size() < 2) others.push_back(other);
    }
    const auto w = [line](std::size_t i) { return " +" + std::string(line.substr(3 * i, 2)); };
    const Position two = after(morris("3/3/3/6/3/3/3 W 9 9 -"), w(0) + " +" + others[0] + w(1) + " +" + others[1]);
    EXPECT_THAT(text(two), testing::EndsWith(" W 7 7 -")) << line;
    EXPECT_THAT(text(after(two, w(2))), testing::EndsWith(" W 6 7 x")) << line;
  }
}

TEST(MorrisMill, MiddleLinesAreNotJoinedAcrossTheCentre) {
  EXPECT_THAT(text(after(morris("3/3/1W1/6/1W1/3/B1B W 7 7 -"), "+d2")), testing::EndsWith(" B 6 7 -"));
}

TEST(MorrisCapture, ManInMillStaysWhileOthersAreFree) {
  const Position position = morris("3/3/BBB/4B1/3/3/WWW W 0 0 x");
  EXPECT_EQ(steps_of(position), "xf4");
  EXPECT_EQ(refusal_of(position, "xd5"), "man_in_mill");
}

TEST(MorrisCapture, AnyManIsTakenWhenAllAreInMills) {
  EXPECT_EQ(steps_of(morris("3/3/BBB/6/3/3/WWW W 5 6 x")), "xc5 xd5 xe5");
}

TEST(MorrisEnd, PlayerWithTwoMenLosesAtOnce) {
  const Position won = after(morris("3/3/BBB/6/3/3/WWW W 0 0 x"), "xd5");
  EXPECT_EQ(outcome(won), (Outcome{Ending::fewer_than_three, kW}));
  EXPECT_EQ(to_act(won), kB);
  EXPECT_EQ(steps_of(won), "");
  EXPECT_EQ(refusal_of(won, "c5-c4"), "game_over");
}

TEST(MorrisEnd, MenInHandCountAsMen) {
  const Position position = after(morris("3/3/BB1/6/3/3/WWW W 6 7 x"), "xd5");
  EXPECT_EQ(outcome(position), kGoesOn);
  EXPECT_EQ(to_act(position), kB);
}

TEST(MorrisEnd, PlayerWhoCannotMoveLoses) {
  const Position blocked = after(morris("W1W/1B1/3/B4B/3/3/WBW B 0 0 -"), "d6-d7");
  EXPECT_EQ(text(blocked), "WBW/3/3/B4B/3/3/WBW W 0 0 -");
  EXPECT_EQ(outcome(blocked), (Outcome{Ending::cannot_move, kB}));
  EXPECT_EQ(refusal_of(blocked, "a7-b6"), "game_over");
}

TEST(MorrisEnd, ThreeMenAreBlockedOnlyWhereTheyMayNotFly) {
  constexpr std::string_view kSurrounded = "WBW/3/3/B4B/3/3/WB1 W 0 0 -";
  EXPECT_EQ(outcome(morris(kSurrounded)), kGoesOn);
  EXPECT_EQ(steps_of(morris(kSurrounded, "flying=false")), "");
  EXPECT_EQ(outcome(morris(kSurrounded, "flying=false")), (Outcome{Ending::cannot_move, kB}));
}

TEST(MorrisRefusal, GivesTheReasonOfAReferee) {
  struct Case {
    std::string_view position;
    std::string_view step;
    std::string_view reason;
  };
  constexpr std::string_view kPlacing = "3/3/3/6/3/3/WB1 W 8 8 -";
  constexpr std::string_view kMoving = "3/B1B/3/1W3B/3/3/WWW W 0 0 -";
  constexpr std::string_view kTaking = "3/3/BBB/4B1/3/3/WWW W 0 0 x";
  for (const auto& [position, step, reason] : {
           Case{kPlacing, "+a1", "site_taken"},
           Case{kPlacing, "+d1", "site_taken"},
           Case{kPlacing, "a1-a4", "men_left_to_place"},
           Case{kPlacing, "xd1", "nothing_to_remove"},
           Case{kPlacing, "pass", "not_a_step_here"},
           Case{kPlacing, "stop", "not_a_step_here"},
           Case{kMoving, "+a7", "no_men_left_to_place"},
           Case{kMoving, "a7-d7", "nothing_there"},
           Case{kMoving, "b6-d6", "not_your_piece"},
           Case{kMoving, "a1-d1", "site_taken"},
           Case{kMoving, "a1-a1", "site_taken"},
           Case{kMoving, "a1-b2", "not_adjacent"},
           Case{kMoving, "xb6", "nothing_to_remove"},
           Case{kTaking, "xa7", "nothing_there"},
           Case{kTaking, "xa1", "own_man"},
           Case{kTaking, "xc5", "man_in_mill"},
           Case{kTaking, "a1-a4", "must_capture"},
       }) {
    EXPECT_EQ(refusal_of(morris(position), step), reason) << step << " in " << position;
  }
}

TEST(MorrisRefusal, LatticeSitesWithoutPointDoNotExist) {
  constexpr Site kCentre = 3 * 16 + 3;
  constexpr Site kA2 = 1;
  const Position placing = morris("3/3/3/6/3/3/WB1 W 8 8 -");
  for (const Site site : {kCentre, kA2, Site{7 * 16}, Site{254}, kNoSite}) {
    EXPECT_EQ(refusal_of(placing, Step::put(site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(placing, Step::take(site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(placing, Step::move(0, site)), "no_such_site") << int{site};
    EXPECT_EQ(refusal_of(placing, Step::move(site, 0)), "no_such_site") << int{site};
  }
}

TEST(MorrisGeometry, PointsLieOnTheLatticeInTheOrderOfTheText) {
  const Position position = morris("3/3/3/6/3/3/3 W 9 9 -");
  const Geometry& board = geometry(position);
  EXPECT_EQ(board.lattice, 7);
  std::string names;
  for (const SiteInfo& site : board.sites) {
    names += std::string(site.name()) + " ";
    EXPECT_EQ(site.site, site.file * 16 + site.rank);
    EXPECT_TRUE(site.sensed && site.level == 1);
  }
  EXPECT_EQ(names, "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1 ");
}

TEST(MorrisReading, SaysWhereAndWhatWouldBeRight) {
  struct Case {
    std::string_view text;
    std::string_view where;
    std::string_view says;
  };
  for (const auto& [position, where, says] : {
           // form
           Case{"", "ranks, column 1:", "empty"},
           Case{"3/3/3/6/3/3/3 W 9 9", "capture, column 20:", "missing"},
           Case{"3/3/3/6/3/3/3 W 9 9 - ", "end, column 23:", "one space"},
           Case{"3/3/3/6/3/3/3  W 9 9 -", "player to act, column 15:", "one space"},
           Case{"3/3/3/6/3/3/3 W 9 9 - -", "end, column 23:", "must end"},
           Case{"3/3/3/6/3/3 W 9 9 -", "ranks, column 12:", "7 ranks, not 6"},
           Case{"3/3/3/6/3/3/3/3 W 9 9 -", "ranks, column 15:", "7 ranks, not 8"},
           Case{"3/3/3/7/3/3/3 W 9 9 -", "ranks, column 7:", "more than its 6 sites"},
           Case{"3/3/3/5/3/3/3 W 9 9 -", "ranks, column 7:", "6 sites, not 5"},
           Case{"3/3/3/6/3/3/99999999999999999999 W 9 9 -", "ranks, column 13:", "more than its 3 sites"},
           Case{"3/3/3/6/3/3/03 W 9 9 -", "ranks, column 13:", "begin with 0"},
           Case{"3/3/3/6/3/3/1X1 W 9 9 -", "ranks, column 14:", "W or B"},
           Case{"3/3/3/6/3/3/3 w 9 9 -", "player to act, column 15:", "W or B"},
           Case{"3/3/3/6/3/3/3 W 10 9 -", "W in hand, column 17:", "0 to 9"},
           Case{"3/3/3/6/3/3/3 W 9 -1 -", "B in hand, column 19:", "0 to 9"},
           Case{"3/3/3/6/3/3/3 W 9 9 X", "capture, column 21:", "must be x"},
           // too many men
           Case{"3/3/3/6/3/3/W2 W 9 9 -", "W in hand, column 18:", "10 men"},
           Case{"BBB/BBB/BBB/B5/3/3/WWW W 0 0 -", "B in hand, column 28:", "10 men"},
           // men in hand against the player to act
           Case{"3/3/3/6/3/3/3 B 9 9 -", "B in hand, column 19:", "one more than W in hand"},
           Case{"3/3/3/6/3/3/W2 W 8 9 -", "B in hand, column 20:", "the same as W in hand"},
           Case{"3/3/3/6/3/3/WB1 B 8 8 -", "B in hand, column 21:", "one more"},
           Case{"3/3/3/6/3/BB1/WWW W 6 6 x", "B in hand, column 23:", "one more"},
           Case{"3/3/3/6/3/WW1/BBB B 5 6 x", "B in hand, column 23:", "the same"},
           Case{"WW1/3/3/W5/3/3/BBB W 1 0 -", "B in hand, column 24:", "the same"},
           // a capture that nothing gave
           Case{"3/3/3/6/3/3/W2 W 8 9 x", "capture, column 22:", "no mill"},
           Case{"3/3/3/6/3/3/WWW W 0 0 x", "capture, column 23:", "no man"},
           // men that nobody can have taken
           Case{"3/3/3/6/3/3/3 W 8 8 -", "ranks, column 1:", "lost more men"},
           Case{"3/3/BBB/6/3/3/WW1 B 6 6 x", "ranks, column 1:", "W has lost more men"},
           // a game that would have ended before
           Case{"WW1/3/3/6/3/3/BBB B 0 0 -", "W in hand, column 21:", "at least 3"},
           Case{"W2/3/3/6/3/3/BBB W 0 0 -", "W in hand, column 20:", "at least 2"},
           Case{"WWW/3/3/6/3/3/BB1 W 0 0 x", "B in hand, column 23:", "at least 3"},
       }) {
    EXPECT_THAT(reading_error_of("morris", position), AllOf(StartsWith(where), HasSubstr(says))) << position;
  }
}

TEST(MorrisReading, AcceptsWhatCanOccur) {
  for (const std::string_view position : {
           "3/3/3/6/3/3/W2 B 8 9 -",                 // after the first man
           "3/3/BB1/6/3/3/WWW W 6 7 x",              // a mill with the third man
           "3/3/BBB/W5/3/3/WW1 B 6 6 x",             // one by B
           "B2/WB1/BWB/W1WWW1/B1W/1WB/BWB B 0 1 -",  // the last man in hand
           "WW1/3/3/6/3/3/BBB W 0 0 -",              // a game that is over
           "WBW/3/3/B4B/3/3/WBW W 0 0 -",            // blocked
           "3/3/3/6/3/BBB/WWW B 0 0 -",              // three against three
       }) {
    EXPECT_EQ(text(morris(position)), position);
  }
}

}  // namespace
}  // namespace merel
