// Pinuid: what RULES.md, sections 1 and 2, says, a rule at a time. Whole games and step counts are in tests/golden.
#include "rules/pinuid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/unit/try_steps.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kClassicStart = "BB1B1BB/B2B2B/7/7/7/W2W2W/WW1W1WW W - -";
constexpr std::string_view kQuatroStart = "YRG1BYR/BGB1GBG/GRY1RYB/7/RGB1GBY/YRY1RYR/BGR1YBG R - -";

Position classic(std::string_view position_text, const std::string& options = "") {
  return position_of("pinuid-classic", position_text, options);
}
Position quatro(std::string_view position_text, const std::string& options = "") {
  return position_of("pinuid-quatro", position_text, options);
}

// W has just moved d4-e3, which left d1-d3 behind and closed d3-f3; d3 stands in both rows.
constexpr std::string_view kTwoRows = "BB5/2B4/7/7/3WWW1/3W3/3W3 W - W:e3:d1v,d3h";

// ---- moves and rows -----------------------------------------------------------------------------------------------------------

TEST(PinuidMove, GoesOneHoleDiagonallyToAnEmptyHole) {
  EXPECT_EQ(steps_of(classic(kClassicStart)), "a1-b2 a2-b3 b1-c2 d1-c2 d1-e2 d2-c1 d2-c3 d2-e1 d2-e3 f1-e2 g1-f2 g2-f3");
  EXPECT_EQ(text(after(classic(kClassicStart), "d2-c3 b7-c6")), "B2B1BB/B1BB2B/7/7/2W4/W5W/WW1W1WW W - -");
}

TEST(PinuidMove, IsRefusedWithTheReasonOfAReferee) {
  const Position start = classic(kClassicStart);
  struct Case {
    std::string_view step;
    std::string_view reason;
  };
  for (const auto& [step, reason] :
       {Case{"a2-a3", "not_diagonal"}, Case{"a1-c3", "not_diagonal"}, Case{"a1-a1", "not_diagonal"},
        Case{"b1-a2", "site_taken"}, Case{"c4-d5", "nothing_there"}, Case{"a7-b6", "not_your_piece"},
        Case{"xa1", "nothing_to_remove"}, Case{"xc4", "nothing_there"}, Case{"xa7", "not_your_piece"},
        Case{"forget", "nothing_to_remove"}, Case{"pass", "may_still_move"}, Case{"+c1", "not_stagnated"},
        Case{"stop", "not_a_step_here"}}) {
    EXPECT_EQ(refusal_of(start, step), reason) << step;
  }
}

TEST(PinuidMove, WithBytesThatAreNoStepIsRefused) {
  const Position start = classic(kClassicStart);
  EXPECT_EQ(refusal_of(start, Step::move(0x00, 0x71)), "no_such_site");
  EXPECT_EQ(refusal_of(start, Step::move(0xF7, 0xE6)), "no_such_site");
  EXPECT_EQ(refusal_of(start, Step::take(kNoSite)), "no_such_site");
  EXPECT_EQ(refusal_of(start, Step{StepKind::pass, 0x00, kNoSite}), "not_a_step_here");
  EXPECT_EQ(refusal_of(start, Step{static_cast<StepKind>(77), kNoSite, kNoSite}), "not_a_step_here");
}

TEST(PinuidRow, IsARunOfExactlyThree) {
  struct Case {
    std::string_view position;
    std::string step;
    std::string_view end;
  };
  for (const auto& [position, step, end] : {
           Case{"BB5/B6/7/W6/2W4/7/6W W - -", "c3-b4", " B - -"},             // two
           Case{"BB5/B6/7/W1W4/2W4/7/6W W - -", "c3-b4", " W - W:b4:a4h"},    // three
           Case{"BB5/B6/7/W1WW3/2W4/7/6W W - -", "c3-b4", " B - -"},          // four
           Case{"BB5/B6/7/WW1WW2/3W3/7/6W W - -", "d3-c4", " B - -"},         // five
           Case{"BB5/B6/7/1W5/2W4/6W/4W2 W - -", "e1-d2", " B - -"},          // three on a diagonal
           Case{"BB5/B6/1W5/1W1W3/1W5/2W4/7 W - -", "c2-d3", " B - -"},       // three that were there before
           Case{"BB5/B6/2W4/W1W4/2W4/7/6W W - -", "c3-b4", " W - W:b4:a4h"},  // one broken, one made
       }) {
    EXPECT_THAT(text(after(classic(position), step)), EndsWith(end)) << position << ' ' << step;
  }
}

TEST(PinuidRow, LeftBehindByThePinCountsUnlessTheOptionSaysOtherwise) {
  const std::string four = "BB5/2B4/7/3W3/3W1W1/3W3/3W3 W - -";
  const std::string seven = "BB1W3/B2W3/3W3/3W3/3W3/3W3/3W3 W - -";
  EXPECT_EQ(text(after(classic(four), "d4-c5")), "BB5/2B4/2W4/7/3W1W1/3W3/3W3 W - W:c5:d1v");
  EXPECT_EQ(text(after(classic(seven), "d4-c5")), "BB1W3/B2W3/2WW3/7/3W3/3W3/3W3 W - W:c5:d1v,d5v");
  EXPECT_EQ(text(after(classic(four, "departure_rows=false"), "d4-c5")), "BB5/2B4/2W4/7/3W1W1/3W3/3W3 B - -");
  EXPECT_EQ(text(after(classic(four, "departure_rows=false"), "d4-e3")), "BB5/2B4/7/7/3WWW1/3W3/3W3 W - W:e3:d3h");
}

TEST(PinuidRow, IsSeenAcrossAllFilesOfTheLargestBoard) {
  for (int file = 0; file + 2 < 15; ++file) {
    const auto name = [file](int more, int rank) { return static_cast<char>('a' + file + more) + std::to_string(rank); };
    const auto gap = [](int n) { return n > 0 ? std::to_string(n) : std::string(); };
    const std::string before = "15/BB13/2B12/15/15/15/15/" + gap(file) + "W1W" + gap(12 - file) + "/" + gap(file) + "W" +
                               gap(14 - file) + "/15/15/15/15/W14/15 W - -";
    const Position made = after(classic(before), name(0, 7) + "-" + name(1, 8));
    EXPECT_THAT(text(made), EndsWith(" W - W:" + name(1, 8) + ":" + name(0, 8) + "h"));
    EXPECT_EQ(steps_of(made), "forget x" + name(0, 8) + " x" + name(2, 8));
  }
}

// ---- removals -----------------------------------------------------------------------------------------------------------------

TEST(PinuidRemoval, TakesOnePinFromEachRowInAnyOrderAndNeverThePinJustPlayed) {
  EXPECT_EQ(steps_of(classic(kTwoRows)), "forget xd1 xd2 xf3");
  EXPECT_EQ(text(after(classic(kTwoRows), "xf3 xd2")), "BB5/2B4/7/7/3WW2/7/3W3 B - -");
  EXPECT_EQ(text(after(classic(kTwoRows), "xd2 xf3")), "BB5/2B4/7/7/3WW2/7/3W3 B - -");
  EXPECT_EQ(refusal_of(classic(kTwoRows), "xe3"), "pin_just_played");
}

TEST(PinuidRemoval, OfASharedPinIsForbiddenUntilItsOtherRowIsServed) {
  EXPECT_EQ(refusal_of(classic(kTwoRows), "xd3"), "shared_pin");
  EXPECT_EQ(steps_of(after(classic(kTwoRows), "xd1")), "forget xd3 xf3");
}

TEST(PinuidRemoval, OfASharedPinServesBothRowsWhereTheOptionAllowsIt) {
  const Position allowed = classic(kTwoRows, "shared_pin=allow");
  EXPECT_EQ(steps_of(allowed), "forget xd1 xd2 xd3 xf3");
  EXPECT_EQ(text(after(allowed, "xd3")), "BB5/2B4/7/7/4WW1/3W3/3W3 B - -");
}

TEST(PinuidRemoval, NeverMakesANewRow) {
  // Without a1 the run b1-d1 would be a row, but a1-d1 is a run of four and owes nothing; c1 is taken for c1-c3.
  const Position position = classic("BB5/2B4/7/7/2W4/2W4/WWWW3 W - W:c2:c1v");
  EXPECT_EQ(text(after(position, "xc3")), "BB5/2B4/7/7/7/2W4/WWWW3 B - -");
  const Position five = classic("BB5/2B4/7/7/2W4/2W4/1WWWW2 W - W:c2:c1v");
  EXPECT_EQ(text(after(five, "xc1")), "BB5/2B4/7/7/2W4/2W4/1W1WW2 B - -");
  const Position four = classic("BB5/2B4/7/7/4W2/4W2/1WWWW2 W - W:e2:e1v");
  EXPECT_EQ(text(after(four, "xe1")), "BB5/2B4/7/7/4W2/4W2/1WWW3 B - -");
}

TEST(PinuidRemoval, ThatIsWrongIsRefusedWithItsReason) {
  struct Case {
    std::string_view position;
    std::string_view step;
    std::string_view reason;
  };
  constexpr std::string_view kFourAbove = "BB5/2B4/WWWW3/7/3WWW1/3W3/3W3 W - W:e3:d1v,d3h";
  for (const auto& [position, step, reason] :
       {Case{kTwoRows, "xa7", "not_your_piece"}, Case{kTwoRows, "xa1", "nothing_there"},
        Case{kFourAbove, "xb5", "run_not_three"},
        Case{"BB5/2B4/W6/7/3WWW1/3W3/3W3 W - W:e3:d1v,d3h", "xa5", "pin_in_no_row"},
        Case{"BB5/2B4/WWWW3/7/7/7/4W2 W - -", "xb5", "run_not_three"}, Case{kTwoRows, "d1-c2", "must_remove_first"},
        Case{kTwoRows, "+a1", "must_remove_first"}, Case{kTwoRows, "pass", "must_remove_first"}}) {
    EXPECT_EQ(refusal_of(classic(position), step), reason) << position << ' ' << step;
  }
}

TEST(PinuidForgottenRemoval, IsADebtThatFillsTheNextOwnTurn) {
  const Position forgotten = after(classic(kTwoRows), "xd1 forget");
  EXPECT_EQ(text(forgotten), "BB5/2B4/7/7/3WWW1/3W3/7 B - W!e3:d3h");
  const Position again = after(forgotten, "c6-d5");
  EXPECT_EQ(text(again), "BB5/7/3B3/7/3WWW1/3W3/7 W - W!e3:d3h");
  EXPECT_EQ(steps_of(again), "xd3 xf3");
  EXPECT_EQ(refusal_of(again, "forget"), "must_remove_now");
  EXPECT_EQ(refusal_of(again, "xe3"), "pin_just_played");
  EXPECT_EQ(refusal_of(again, "d2-c1"), "must_remove_first");
  EXPECT_EQ(text(after(again, "xd3")), "BB5/7/3B3/7/4WW1/3W3/7 B - -") << "the turn is over without a move";
}

TEST(PinuidForgottenRemoval, OfSeveralRowsLastsUntilTheLastIsServed) {
  const Position again = after(classic(kTwoRows), "forget c6-d5");
  EXPECT_EQ(steps_of(again), "xd1 xd2 xf3");
  EXPECT_EQ(text(after(again, "xd1")), "BB5/7/3B3/7/3WWW1/3W3/7 W - W!e3:d3h");
  EXPECT_EQ(to_act(after(again, "xd1 xf3")), 1);
}

TEST(PinuidForgottenRemoval, DoesNotExistWhereTheBoardWaits) {
  const Position waiting = classic(kTwoRows, "forgotten_removal=enforce");
  EXPECT_EQ(steps_of(waiting), "xd1 xd2 xf3");
  EXPECT_EQ(refusal_of(waiting, "forget"), "must_remove_now");
}

// ---- stagnation, passes, ends -------------------------------------------------------------------------------------------------

constexpr std::string_view kOneParity = "BB5/2B4/6W/7/4W2/7/W1W4 W - -";
constexpr std::string_view kOneLine = "BB5/2B4/7/3W3/2W4/1W5/W6 W - -";

TEST(PinuidStagnation, OfPinsOfOneParityBringsAPinBackOnTheOwnBackLine) {
  EXPECT_EQ(steps_of(classic(kOneParity)), "+b1 +d1 +e1 +f1 +g1");
  EXPECT_EQ(steps_of(classic("7/7/6W/4W2/1W3B1/4B1B/7 B - -")), "+a7 +b7 +c7 +d7 +e7 +f7 +g7");
  EXPECT_EQ(text(after(classic(kOneParity), "+b1")), "BB5/2B4/6W/7/4W2/7/WWW4 B - -") << "a return makes no row";
}

TEST(PinuidStagnation, OnALineIsSeenUnderBothReadings) {
  EXPECT_EQ(steps_of(classic(kOneLine)), "+b1 +c1 +d1 +e1 +f1 +g1");
  EXPECT_EQ(steps_of(classic(kOneLine, "stagnation=line")), "+b1 +c1 +d1 +e1 +f1 +g1");
  EXPECT_EQ(steps_of(classic("W6/1W5/2W4/7/7/BB5/2B4 W - -", "stagnation=line")), "+a1 +b1 +d1 +e1 +f1 +g1");
}

TEST(PinuidStagnation, OfOneParityButNotOneLinePlaysOnWithLine) {
  EXPECT_EQ(steps_of(classic(kOneParity, "stagnation=line")), "a1-b2 c1-b2 c1-d2 e3-d2 e3-d4 e3-f2 e3-f4 g5-f4 g5-f6");
}

TEST(PinuidStagnation, RefusesEverythingButTheReturn) {
  struct Case {
    std::string_view step;
    std::string_view reason;
  };
  for (const auto& [step, reason] :
       {Case{"e3-d4", "must_return_pin"}, Case{"pass", "must_return_pin"}, Case{"+a2", "not_back_line"},
        Case{"+a7", "not_back_line"}, Case{"+a1", "site_taken"}, Case{"xa1", "nothing_to_remove"}}) {
    EXPECT_EQ(refusal_of(classic(kOneParity), step), reason) << step;
  }
}

TEST(PinuidStagnation, WaitsUntilWhatIsOwedIsServed) {
  // b1 is the only pin off the even holes; without it W is stagnated, but only on the next own turn.
  const Position position = classic("BB5/2B4/7/7/7/7/WWW1W2 W - W:c1:a1h");
  EXPECT_EQ(text(after(position, "xb1")), "BB5/2B4/7/7/7/7/W1W1W2 B - -");
  EXPECT_EQ(steps_of(after(position, "xb1 a7-b6")), "+b1 +d1 +f1 +g1");
}

TEST(PinuidStagnation, WithAFullBackLineIsAPass) {
  const Position full = classic("B6/7/7/7/7/7/WBWBWBW W - -");
  EXPECT_EQ(steps_of(full), "pass");
  EXPECT_EQ(text(after(full, "pass")), "B6/7/7/7/7/7/WBWBWBW B - -");
}

TEST(PinuidPass, IsTheOnlyStepOfABlockedPlayer) {
  EXPECT_EQ(steps_of(classic("7/7/7/7/7/BBBB3/WWW4 W - -")), "pass");
  EXPECT_EQ(steps_of(quatro("YYB3B/4B1Y/7/7/7/GGGG3/RRR4 R - -")), "pass");
}

TEST(PinuidPass, ByEveryPlayerInSuccessionIsADraw) {
  const std::string both_full = "WBWBWBW/7/7/7/7/7/WBWBWBW W - -";
  const Position one = after(classic(both_full), "pass");
  EXPECT_FALSE(outcome(one).over());
  const Position two = after(one, "pass");
  EXPECT_EQ(outcome(two), (Outcome{Ending::blocked, kNoPlayer}));
  EXPECT_EQ(steps_of(two), "");
  EXPECT_EQ(refusal_of(two, "pass"), "game_over");
}

TEST(PinuidPass, IsForgottenAfterAnyOtherStep) {
  // W is stagnated behind a full back line; B could move for ever.
  const Position position = classic("B6/7/7/7/7/7/WBWBWBW W - -");
  EXPECT_FALSE(outcome(after(position, "pass a7-b6 pass b6-a7 pass")).over());
}

TEST(PinuidPass, IsPartOfThePositionButNotOfItsText) {
  const Position passed = after(classic("WBWBWBW/7/7/7/7/7/WBWBWBW W - -"), "pass");
  const Position read = classic(text(passed));
  EXPECT_EQ(text(read), text(passed));
  EXPECT_NE(read, passed);
  EXPECT_NE(hash(read), hash(passed));
  EXPECT_FALSE(outcome(after(read, "pass")).over()) << "reading starts the count at zero";
}

TEST(PinuidWin, ComesWithTheRemovalThatLeavesTwoPins) {
  const Position won = after(classic("BB5/2B4/7/7/7/7/WWW4 W - W:b1:a1h"), "xa1");
  EXPECT_EQ(outcome(won), (Outcome{Ending::two_left, 0}));
  EXPECT_EQ(text(won), "BB5/2B4/7/7/7/7/1WW4 B - -");
  EXPECT_EQ(steps_of(won), "");
  EXPECT_EQ(refusal_of(won, "a7-b6"), "game_over");
  EXPECT_EQ(outcome(classic(text(won))), outcome(won));
}

TEST(PinuidWin, ComesAtOnceAlsoWhenTheOtherWouldWinByPayingADebt) {
  const Position both = classic("2BBB2/7/7/7/7/7/WWW4 W - W:b1:a1h;B!c7:c7h");
  const Position won = after(both, "xc1");
  EXPECT_EQ(outcome(won), (Outcome{Ending::two_left, 0}));
  EXPECT_EQ(text(won), "2BBB2/7/7/7/7/7/WW5 B - B!c7:c7h");
  const Position lost = after(both, "forget xd7");
  EXPECT_EQ(outcome(lost), (Outcome{Ending::two_left, 1}));
}

TEST(PinuidWin, ByPayingADebtComesWithoutAMove) {
  EXPECT_EQ(outcome(after(classic("BB5/2B4/7/7/7/7/WWW4 W - W!b1:a1h"), "xa1")), (Outcome{Ending::two_left, 0}));
}

// ---- Quatro -------------------------------------------------------------------------------------------------------------------

// G, B and Y can make rows; without b1 all pins of R are on even holes.
constexpr std::string_view kBeforeOut = "YY1BB2/Y2B3/GG5/G6/7/7/RRR1R2 R - R:c1:a1h";

TEST(PinuidQuatro, PlayersActClockwise) {
  EXPECT_EQ(text(after(quatro(kQuatroStart), "a3-b4")).substr(0, 30), "YRG1BYR/BGB1GBG/GRY1RYB/1R5/1G");
  Position position = quatro(kQuatroStart);
  for (const int next : {1, 2, 3, 0}) {
    position = *merel::apply(position, legal_steps(position)[0]);
    EXPECT_EQ(to_act(position), next);
  }
}

TEST(PinuidElimination, ComesWithTheStepThatLeavesAllPinsOnOneParity) {
  const Position out = after(quatro(kBeforeOut), "xb1");
  EXPECT_EQ(text(out), "YY1BB2/Y2B3/GG5/G6/7/7/R1R1R2 G R -");
  EXPECT_FALSE(outcome(out).over());
  EXPECT_EQ(text(after(quatro(kBeforeOut), "xa1")), "YY1BB2/Y2B3/GG5/G6/7/7/1RR1R2 G - -");
}

TEST(PinuidElimination, LeavesThePinsAsObstaclesAndTheOthersPlayOn) {
  const Position out = after(quatro(kBeforeOut), "xb1");
  EXPECT_EQ(refusal_of(out, "a1-b2"), "player_is_out");
  EXPECT_EQ(refusal_of(out, "xa1"), "player_is_out");
  EXPECT_EQ(to_act(after(out, "b5-c4 e7-f6 b7-c6")), 1) << "R is passed over";
}

TEST(PinuidElimination, IsToldByTheOutcome) {
  const Position all_in =
      position_of("pinuid-quatro", find_game("pinuid-quatro")->start(find_game("pinuid-quatro")->defaults()));
  EXPECT_EQ(outcome(all_in).out, 0);
  const Position two_out = position_of("pinuid-quatro", "Y1Y4/4Y2/7/6R/6R/2B1B1B/R1G1G1G Y GB -");
  EXPECT_EQ(outcome(two_out).out, 1 << 1 | 1 << 2);  // G and B
  EXPECT_FALSE(outcome(two_out).over());
}

TEST(PinuidElimination, WithLineComesOnlyOnOneLine) {
  EXPECT_EQ(text(after(quatro(kBeforeOut, "stagnation=line"), "xb1")), "YY1BB2/Y2B3/GG5/G6/7/7/R1R1R2 G - -");
  const std::string nearly = "YY1BB2/Y2B3/GG5/G6/R1R4/7/R6 R - -";
  EXPECT_EQ(text(after(quatro(nearly, "stagnation=line"), "a3-b2")), "YY1BB2/Y2B3/GG5/G6/2R4/1R5/R6 G R -");
}

TEST(PinuidElimination, OfAPlayerReadOnOneParityComesWithTheNextOwnStep) {
  const Position position = quatro("YY1BB2/Y2B3/GG5/G6/7/7/R1R1R2 R - -");
  EXPECT_EQ(steps_of(position), "a1-b2 c1-b2 c1-d2 e1-d2 e1-f2");
  EXPECT_EQ(text(after(position, "a1-b2")), "YY1BB2/Y2B3/GG5/G6/7/1R5/2R1R2 G R -");
}

TEST(PinuidQuatro, KnowsNoReturn) {
  EXPECT_EQ(refusal_of(quatro("YY1BB2/Y2B3/GG5/G6/7/7/R1R1R2 R - -"), "+b1"), "not_a_step_here");
}

TEST(PinuidQuatro, LastPlayerWins) {
  const Position last = after(quatro("Y1Y4/5Y1/7/6R/6R/2B1B1B/R1G1G1G Y GB -"), "a7-b6");
  EXPECT_EQ(outcome(last), (Outcome{Ending::last_player, 0, 0b1110}));
  EXPECT_EQ(text(last), "2Y4/1Y3Y1/7/6R/6R/2B1B1B/R1G1G1G R GBY -");
  EXPECT_EQ(steps_of(last), "");
}

TEST(PinuidQuatro, WinAtTwoPinsComesBeforeElimination) {
  const Position won = after(quatro("YY1BB2/Y2B3/GG5/G6/7/7/RRR4 R - R:c1:a1h"), "xb1");
  EXPECT_EQ(outcome(won), (Outcome{Ending::two_left, 0}));
  EXPECT_EQ(text(won), "YY1BB2/Y2B3/GG5/G6/7/7/R1R4 G - -");
}

TEST(PinuidQuatro, PassesOfAllWhoAreStillInAreADraw) {
  // R and Y are out and wall in G at a1 and B at g7.
  const Position position = quatro("5BB/4RYB/5R1/3Y3/1R5/GYR4/GG5 G RY -");
  EXPECT_EQ(steps_of(position), "pass");
  const Position one = after(position, "pass");
  EXPECT_EQ(steps_of(one), "pass");
  EXPECT_FALSE(outcome(one).over());
  EXPECT_EQ(outcome(after(one, "pass")), (Outcome{Ending::blocked, kNoPlayer, 0b1001}));
}

TEST(PinuidQuatroStart, HoldsForEverySizeWhatThePrintedStepsSayForSeven) {
  // A larger board only has more room between the corners: wider gaps in their ranks, more empty ranks between them.
  const std::vector<std::string> low = {"RGB?GBY", "YRY?RYR", "BGR?YBG"};
  const std::vector<std::string> high = {"YRG?BYR", "BGB?GBG", "GRY?RYB"};
  for (int n = 7; n <= 15; n += 2) {
    std::string expected;
    const auto add = [&expected, n](std::string rank) {
      if (const std::size_t gap = rank.find('?'); gap != std::string::npos) rank.replace(gap, 1, std::to_string(n - 6));
      expected += (expected.empty() ? "" : "/") + rank;
    };
    for (const std::string& rank : high) add(rank);
    for (int i = 0; i < n - 6; ++i) add(std::to_string(n));
    for (const std::string& rank : low) add(rank);
    expected += " R - -";
    EXPECT_EQ(pinuid_quatro_start_text(n, '\0', 'R'), expected);
    EXPECT_EQ(text(quatro(expected)), expected);
  }
}

TEST(PinuidQuatroStart, ForThreeLeavesOutOneColourAndItsTurn) {
  struct Case {
    std::string absent;
    std::string first;
    std::string_view start;
  };
  for (const auto& [absent, first, start] : {Case{"Y", "R", "1RG1B1R/BGB1GBG/GR2R1B/7/RGB1GB1/1R2R1R/BGR2BG R - -"},
                                             Case{"Y", "Y", "1RG1B1R/BGB1GBG/GR2R1B/7/RGB1GB1/1R2R1R/BGR2BG R - -"},
                                             Case{"R", "R", "Y1G1BY1/BGB1GBG/G1Y2YB/7/1GB1GBY/Y1Y2Y1/BG2YBG G - -"},
                                             Case{"B", "Y", "YRG2YR/1G2G1G/GRY1RY1/7/RG2G1Y/YRY1RYR/1GR1Y1G Y - -"}}) {
    const GameInfo& game = *find_game("pinuid-quatro3");
    Options options = game.defaults();
    EXPECT_TRUE(options.set("absent", absent).ok());
    EXPECT_TRUE(options.set("first", first).ok());
    EXPECT_EQ(game.start(options), start);
    Position position = position_of("pinuid-quatro3", start);
    std::set<Player> players;
    for (int i = 0; i < 6; ++i) {
      players.insert(to_act(position));
      position = *merel::apply(position, legal_steps(position)[0]);
    }
    EXPECT_EQ(players.size(), 3U);
    EXPECT_FALSE(players.contains(game.player(absent.front())));
  }
}

TEST(PinuidClassicStart, MakesNoRowOnTheFirstMoveAndLetsEitherBegin) {
  const Position start = classic(kClassicStart);
  for (const Step step : legal_steps(start)) EXPECT_THAT(text(*merel::apply(start, step)), EndsWith(" B - -"));
  Options options(pinuid_classic_options());
  EXPECT_TRUE(options.set("first", "B").ok());
  EXPECT_EQ(pinuid_classic_start(options), "BB1B1BB/B2B2B/7/7/7/W2W2W/WW1W1WW B - -");
}

// ---- texts --------------------------------------------------------------------------------------------------------------------

TEST(PinuidText, IsWrittenInTheOrderOfTheRulesWhateverOrderWasRead) {
  struct Case {
    std::string_view game;
    std::string_view read;
    std::string_view written;
  };
  for (const auto& [game, read, written] :
       {Case{"pinuid-classic", "BB1W3/B2W3/2WW3/7/3W3/3W3/3W3 W - W:c5:d5v,d1v",
             "BB1W3/B2W3/2WW3/7/3W3/3W3/3W3 W - W:c5:d1v,d5v"},
        Case{"pinuid-classic", "BB5/2B4/7/7/3W3/3W3/3WWW1 W - W:d1:d1v,d1h", "BB5/2B4/7/7/3W3/3W3/3WWW1 W - W:d1:d1h,d1v"},
        Case{"pinuid-classic", "2BBB2/4B2/7/7/7/W1WWW2/2W4 W - B!c7:c7h;W:c2:c2h",
             "2BBB2/4B2/7/7/7/W1WWW2/2W4 W - W:c2:c2h;B!c7:c7h"},
        Case{"pinuid-quatro", "Y1Y4/4Y2/7/6R/6R/2B1B1B/R1G1G1G Y BG -", "Y1Y4/4Y2/7/6R/6R/2B1B1B/R1G1G1G Y GB -"}}) {
    EXPECT_EQ(text(position_of(game, read)), written);
    EXPECT_EQ(position_of(game, read), position_of(game, written));
  }
}

TEST(PinuidText, IsRefusedWithFieldColumnAndWhatWouldBeRight) {
  struct Case {
    std::string_view game;
    std::string text;
    std::string_view where;
    std::string_view reason;
  };
  constexpr std::string_view kClassic = "pinuid-classic";
  constexpr std::string_view kQuatro = "pinuid-quatro";
  constexpr std::string_view kQuatro3 = "pinuid-quatro3";
  const std::string ranks = "BB5/2B4/7/7/3WWW1/3W3/3W3 ";        // 26 bytes
  const std::string three = "Y1Y4/4Y2/7/6R/6R/2B1B1B/R1G1G1G ";  // 32 bytes
  for (const auto& [game, text, where, reason] : {
           Case{kClassic, "", "ranks, column 1", "empty"},
           Case{kClassic, ranks + "W -", "owed, column 30", "missing"},
           Case{kClassic, ranks + "W - - ", "end, column 33", "empty"},
           Case{kClassic, "BB1BB/B3B/W3W/WW1WW W - -", "ranks, column 1", "has 4 ranks; there must be 5, 7"},
           Case{kQuatro, "BB1BB/B3B/5/W3W/WW1WW W - -", "ranks, column 1", "has 5 ranks; there must be 7, 9"},
           Case{kClassic, "BB5/2B4/7/7/3WWW2/3W3/3W3 W - -", "ranks, column 17", "7 sites"},
           Case{kClassic, "BB5/2B4/7/7/3WW1/3W3/3W3 W - -", "ranks, column 13", "7 sites"},
           Case{kClassic, "BB5/2B4/7/7/3WRW1/3W3/3W3 W - -", "ranks, column 15", "W or B"},
           Case{kClassic, "BB5/2B4/7/07/3WWW1/3W3/3W3 W - -", "ranks, column 11", "must not begin with 0"},
           Case{kClassic, "BB5/2B4/7/7/7/7/3W3 W - -", "ranks, column 1", "W has 1 and needs at least 2 pins"},
           Case{kClassic, "BB5/7/7/7/7/7/3WW2 W - -", "ranks, column 1", "W and B have 2 pins each"},
           Case{kClassic, ranks + "R - -", "player to act, column 27", "W or B"},
           Case{kClassic, ranks + "W B -", "out, column 29", "write -"},
           Case{kQuatro, three + "Y R -", "out, column 35", "R can still make rows"},
           Case{kQuatro, three + "Y GG -", "out, column 36", "twice"},
           Case{kQuatro, three + "Y GW -", "out, column 36", "'W' is no player"},
           Case{kQuatro, three + "G GB -", "out, column 35", "to act"},
           Case{kQuatro, "YRG1BYR/BGB1GBG/GRY1RYB/R6/RGB1GBY/YRY1RYR/BGR1YBG R - -", "ranks, column 1", "R has 10 pins"},
           Case{kQuatro, "Y1Y4/4Y2/7/6R/6R/7/R1G1G1G Y - -", "ranks, column 1", "three players play pinuid-quatro3"},
           Case{kQuatro3, std::string(kQuatroStart), "ranks, column 1", "4 colours; exactly three play"},
           Case{kQuatro3, "1RG1B1R/BGB1GBG/GR2R1B/7/RGB1GB1/1R2R1R/BGR2BG Y - -", "player to act, column 48", "no pins"},
           Case{kQuatro3, "1RG1B1R/BGB1GBG/GR2R1B/7/RGB1GB1/1R2R1R/BGR2BG R Y -", "out, column 50", "no pins"},
           Case{kClassic, ranks + "W - R:e3:d1v", "owed, column 31", "'R' is no player"},
           Case{kClassic, ranks + "W - We3:d1v", "owed, column 32", "must be :"},
           Case{kClassic, ranks + "W - W:h3:d1v", "owed, column 33", "W pin that made the rows"},
           Case{kClassic, ranks + "W - W:e4:d1v", "owed, column 33", "W pin that made the rows"},
           Case{kClassic, ranks + "W - W:e3", "owed, column 35", "must be : before the rows"},
           Case{kClassic, ranks + "W - W:e3:", "owed, column 36", "first hole of a row, a1 to g7"},
           Case{kClassic, ranks + "W - W:e3:d1x", "owed, column 38", "'x' must be h"},
           Case{kClassic, ranks + "W - W:e3:d1v,d2h", "owed, column 40", "d2h is not a row of exactly three"},
           Case{kClassic, ranks + "W - W:e3:d1v,d1v", "owed, column 40", "listed twice"},
           Case{kClassic, ranks + "W - W:e3:d1v.", "owed, column 39", "'.' must be ,"},
           Case{kClassic, ranks + "W - W:e3:d1v;", "owed, column 40", "the end of the field is no player"},
           Case{kClassic, ranks + "W - W:e3:d1v;W!e3:d3h", "owed, column 40", "two entries"},
           Case{kClassic, ranks + "B - W:e3:d1v", "owed, column 32", "only the player to act"},
           Case{kClassic, ranks + "W - W:f3:d1v", "owed, column 31", "no single move of the pin on f3"},
           Case{kClassic, "BB5/7/7/7/3WWW1/3W3/3W3 W - W:e3:d1v", "owed, column 30", "the game is over"},
           Case{kClassic, ranks + "W - \xff", "owed, column 31", "byte 0xff"},
       }) {
    EXPECT_THAT(reading_error_of(game, text), AllOf(StartsWith(std::string(where) + ": "), HasSubstr(reason))) << text;
  }
}

TEST(PinuidGeometry, NamesTheHolesOfEverySizeInTheOrderOfTheText) {
  for (int n = 7; n <= 15; n += 2) {
    const Position position = quatro(pinuid_quatro_start_text(n, '\0', 'R'));
    const Geometry& board = geometry(position);
    ASSERT_EQ(board.sites.size(), static_cast<std::size_t>(n * n));
    EXPECT_EQ(board.lattice, n);
    EXPECT_EQ(board.sites.front().name(), "a" + std::to_string(n));
    EXPECT_EQ(board.sites.back().name(), std::string(1, static_cast<char>('a' + n - 1)) + "1");
    for (const SiteInfo& site : board.sites) {
      EXPECT_EQ(site.site, site.file * 16 + site.rank);
      EXPECT_EQ(site.name(), static_cast<char>('a' + site.file) + std::to_string(site.rank + 1));
    }
  }
}

}  // namespace
}  // namespace merel
