// What the board makes of hands: one small trace, one behaviour.
//
// Faults that owners of electronic boards report, by the number of the report, and the tests here that pin what this board does:
//
//    1  DraggedPieceIsOneMove                         12  PinuidRemovalLightsOwnPins, MorrisRemovalLightsTheOpponentsMen
//    2  SlowDragIsContinuedUntilTheNextPlayerActs     13  TurnPassesOnOnlyAfterItsLastRemoval
//    3  TwoHundredTurnsAtBlitzPace                    14  AllMenInMills…, BlockedPlayerLoses, MillOpenedAndClosedAgain
//    4  TwoTurnsInOneSettleWindow…, PutsAtOnceAreAsked… 15  TheEndIsNamed
//    5  FlickerGivesNothing                           16  ButtonsAloneAreNoMove
//    6  LiftedAndPutBackIsNothing                     17  MissingAndExtraPiecesAreShownOneByOne, HelpEndsByItself
//    7  NoAlarmWhileTheHandMoves, WrongPicture…       18  WhatIsCalledIllegalIsLit
//    8  BumpedPiecesPutRight…                         19  OnlyWhatIsRequiredIsLit
//    9  RemovalNeedsALift                             20  TakeBack…
//   10  RemovalIsAskedForAfterARestart                21  TakeBackLeadsThePiecesBack…
//   11  LegalRemovalIsNeverIllegal, WrongRemoval…     22  DeadCable…
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/replay/said.h"

namespace merel {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// When something that begins like this was said first; -1 when never.
double time_of(std::string_view beginning, const std::vector<Said>& all) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Said& said) { return said.what.starts_with(beginning); });
  return at == all.end() ? -1 : at->at;
}

/// How often something that begins like this was said.
std::ptrdiff_t times_said(std::string_view beginning, const std::vector<std::string>& all) {
  return std::count_if(all.begin(), all.end(), [&](const std::string& said) { return said.starts_with(beginning); });
}

/// Event lines of several hands and sensors, brought into the order of their times.
std::string in_order(const std::vector<std::string>& parts) {
  std::vector<std::string> lines;
  for (const std::string& part : parts) {
    std::istringstream in(part);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return std::stod(a) < std::stod(b); });
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// A wiring fault: all these sites read the same within a millisecond or two.
std::string all_read(double at, const std::string& sites, const std::string& contents) {
  std::istringstream in(sites);
  std::ostringstream out;
  for (std::string site; in >> site; at += 0.2) out << at << ' ' << site << ' ' << contents << '\n';
  return out.str();
}

/// An empty site toggles at this pace and ends empty.
std::string toggling(const std::string& site, double from, double to, double pace) {
  std::ostringstream out;
  const auto pairs = static_cast<int>((to - from) / pace / 2);
  for (int i = 0; i < pairs; ++i, from += 2 * pace)
    out << from << ' ' << site << " o\n" << from + pace << ' ' << site << " .\n";
  return out.str();
}

// ---- one explanation -------------------------------------------------------------------------------------------------------

TEST(Behaviour, NoDifferenceIsQuiet) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
60000 end
)"),
              IsEmpty());
}

TEST(Behaviour, LiftedAndPutBackIsNothing) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1800 a2 o
4000 d7 .
4900 d7 o
9000 end
)"),
              IsEmpty());
}

TEST(Behaviour, OneExplanationIsCommittedAfterSettle) {
  EXPECT_EQ(said_when(R"(game pinuid-classic
---
1000 a2 .
1800 b3 o
9000 end
)"),
            (std::vector<Said>{{2100, "step W a2-b3"}}));
  EXPECT_EQ(said_when(R"(game pinuid-classic
settle 750
---
1000 a2 .
1800 b3 o
9000 end
)"),
            (std::vector<Said>{{2550, "step W a2-b3"}}));
}

TEST(Behaviour, NextPlayerActingCommitsTheTurnBefore) {
  const auto all = said_when(R"(game pinuid-classic
---
1000 a2 .
1800 b3 o
1900 g7 .
2600 f6 o
9000 end
)");
  EXPECT_NEAR(time_of("step W a2-b3", all), 1900, 50);
  EXPECT_NEAR(time_of("step B g7-f6", all), 2900, 50);
}

TEST(Behaviour, WhatIsPendingAtTheEndIsDecided) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1800 b3 o
1805 end
)"),
              ElementsAre("step W a2-b3"));
}

TEST(Behaviour, DraggedPieceIsOneMove) {
  EXPECT_THAT(said(R"(game morris
position BB1/3/B2/6/2B/W2/W1W W 0 0 -
---
1000 a1 .
1300 d1 o
1400 d1 .
1500 d3 o
1550 d3 .
1800 d2 o
5000 end
)"),
              ElementsAre("step W a1-d2"));
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1200 a3 o
1400 a3 .
1450 b3 o
5000 end
)"),
              ElementsAre("step W a2-b3"));
  EXPECT_THAT(said(R"(game pylos-standard
position 3W/4/WB2/BW2|3/3/3|2/2|1 W -
---
500 reserve B 13
1000 1d4 .
1400 1c3 o
1500 1c3 .
1800 2a1 o
5000 end
)"),
              ElementsAre("step W 1d4-2a1"));
}

TEST(Behaviour, SlowDragIsContinuedUntilTheNextPlayerActs) {
  const std::string trace = R"(game morris
position BB1/3/B2/6/2B/W2/W1W W 0 0 -
---
1000 a1 .
1300 d1 o
2500 d1 .
2800 d2 o
6000 c5 .
6500 c4 o
9000 end
)";
  EXPECT_THAT(said(trace), ElementsAre("step W a1-d1", "amend -a1-d1 +a1-d2", "step B c5-c4"));
  EXPECT_EQ(recorded(trace), "a1-d2 c5-c4");
  EXPECT_THAT(roles_at(5000, trace), Contains(Pair("last", "a1 d2")));
}

TEST(Behaviour, FlickerGivesNothing) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 d4 o
1008 d4 .
1100 a2 .
1104 a2 o
1107 a2 .
1111 a2 o
3000 c3 o
3022 c3 .
6000 end
)"),
              IsEmpty());
}

TEST(Behaviour, BouncingContactsAreOneMove) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1004 a2 o
1009 a2 .
1800 b3 o
1805 b3 .
1809 b3 o
1815 b3 .
1818 b3 o
5000 end
)"),
              ElementsAre("step W a2-b3"));
}

// ---- fast play -------------------------------------------------------------------------------------------------------------

TEST(Behaviour, TwoTurnsInOneSettleWindowAreRecordedInOrder) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1100 b3 o
1150 g7 .
1250 f6 o
9000 end
)"),
              ElementsAre("step W a2-b3", "step B g7-f6"));
}

TEST(Behaviour, TwoTurnsInOneSettleWindowOverlapping) {
  for (const int early : {20, 100, 200, 300, 400, 500, 550}) {  // how long before W sets down B lifts
    std::ostringstream trace;
    trace << "game pinuid-classic\n---\n";
    trace << in_order(
        {"1000 a2 .\n1500 b3 o\n", std::to_string(1500 - early) + " g7 .\n" + std::to_string(2010 - early) + " f6 o\n"});
    trace << "9000 end\n";
    EXPECT_THAT(said(trace.str()), ElementsAre("step W a2-b3", "step B g7-f6")) << "B lifts " << early << " ms early";
  }
}

TEST(Behaviour, TwoHundredTurnsAtBlitzPace) {
  const std::vector<std::string> white{"d2", "e3", "f2", "e1"};
  const std::vector<std::string> black{"d6", "e5", "f6", "e7"};
  std::ostringstream trace;
  std::string script;
  trace << "game pinuid-classic\nposition BB5/3B3/7/7/7/3W3/WW5 W - -\n---\n";
  int now = 1000;
  for (std::size_t turn = 0; turn < 200; ++turn, now += 230) {
    const auto& pin = turn % 2 == 0 ? white : black;
    const std::string from = pin[turn / 2 % 4];
    const std::string to = pin[(turn / 2 + 1) % 4];
    trace << now << ' ' << from << " .\n" << now + 130 << ' ' << to << " o\n";
    script += (turn == 0 ? "" : " ") + from + "-" + to;
  }
  trace << now + 5000 << " end\n";
  EXPECT_EQ(recorded(trace.str()), script);
  const auto all = said(trace.str());
  EXPECT_EQ(all.size(), 200U);
  EXPECT_THAT(all, Each(StartsWith("step ")));
}

TEST(Behaviour, PutsAtOnceAreAskedAbout) {
  const std::string trace = R"(game morris
---
1000 a1 o
1010 d7 o
9000 end
)";
  EXPECT_THAT(said(trace), ElementsAre("step W +a1", "step B +d7", "ambiguous +a1 +d7 | +d7 +a1"));
  EXPECT_THAT(lights_at(2000, trace),
              UnorderedElementsAre(Pair("a1", "choose cyan taking-turns"), Pair("d7", "choose cyan taking-turns")));
}

TEST(Behaviour, ColoursTellWhoseTurnCameFirst) {
  EXPECT_THAT(said(R"(game morris
sensing colour
---
1000 d7 B
1010 a1 W
9000 end
)"),
              ElementsAre("step W +a1", "step B +d7"));
}

TEST(Behaviour, APieceOfTheOtherSideInHandIsNotTheMoversPiece) {
  // B lifts a7 before W lifts a2; only W can have played first.
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a7 .
1050 a2 .
1300 b3 o
1600 b6 o
9000 end
)"),
              ElementsAre("step W a2-b3", "step B a7-b6"));
}

// ---- several explanations --------------------------------------------------------------------------------------------------

TEST(Behaviour, TheButtonDecidesForTheCandidateThatIsShown) {
  EXPECT_EQ(recorded(R"(game morris
---
1000 a1 o
1010 d7 o
2000 button W
9000 end
)"),
            "+a1 +d7");
  EXPECT_EQ(recorded(R"(game morris
---
1000 a1 o
1010 d7 o
2800 button W
9000 end
)"),
            "+d7 +a1");
}

TEST(Behaviour, ChooseOfACandidateAsItWasListedDecides) {
  EXPECT_EQ(recorded(R"(game morris
---
1000 a1 o
1010 d7 o
3000 choose +d7 +a1
9000 end
)"),
            "+d7 +a1");
}

TEST(Behaviour, ChooseDecidesForTheTurnItNames) {
  EXPECT_EQ(recorded(R"(game morris
---
1000 a1 o
1010 d7 o
3000 choose +d7
9000 end
)"),
            "+a1 +d7");
  EXPECT_EQ(recorded(R"(game morris
---
1000 a1 o
1010 d7 o
3000 choose +a1
9000 end
)"),
            "+d7 +a1");
}

TEST(Behaviour, ALaterMoveDecidesWhoseManItWas) {
  // The man on g4 is moved by W, so it was B who had put the one on g1.
  const std::string trace = R"(game morris
position WWB/3/BB1/3W2/WW1/BB1/B2 W 2 2 -
---
1000 g1 o
1050 g4 o
2000 d1 o
3000 f6 o
5000 g4 .
5500 f4 o
9000 end
)";
  EXPECT_THAT(said(trace), Contains(StartsWith("ambiguous ")));
  EXPECT_THAT(said(trace), Contains(StartsWith("amend ")));
  EXPECT_EQ(times_said("illegal", said(trace)), 0);
  EXPECT_EQ(recorded(trace), "+g4 +g1 +d1 +f6 g4-f4");
}

TEST(Behaviour, ADoubtIsToldOnce) {
  EXPECT_EQ(times_said("ambiguous", said(R"(game morris
---
1000 a1 o
1010 d7 o
4000 e4 o
8000 c5 o
20000 end
)")),
            1);
  EXPECT_EQ(times_said("ambiguous", said(R"(game pylos-standard
position 4/WBWB/BWBW/WBWB|3/WBW/BWB|2/2|1 W -
---
1000 reserve W 5
20000 end
)")),
            1);
}

// ---- on the way ------------------------------------------------------------------------------------------------------------

struct Way {
  std::string_view name;
  std::string_view events;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class OnTheWay : public ::testing::TestWithParam<Way> {};

TEST_P(OnTheWay, ATurnWithARemovalIsReadInWhateverOrderItIsPlayed) {
  const auto all = said("game pinuid-classic\nposition BB4B/7/7/7/7/3W2W/WW5 W - -\n---\n" + std::string(GetParam().events) +
                        "9000 end\n");
  EXPECT_THAT(all, ElementsAre("step W d2-c1", "step W xb1"));
}

INSTANTIATE_TEST_SUITE_P(Orders, OnTheWay,
                         ::testing::Values(Way{"ByTheBook", "1000 d2 .\n1500 c1 o\n2500 b1 .\n"},
                                           Way{"TakenPieceFirst", "1000 b1 .\n1600 d2 .\n2200 c1 o\n"},
                                           Way{"TakenWhileTheOtherHandMoves", "1000 d2 .\n1300 b1 .\n1600 c1 o\n"},
                                           Way{"BothHandsAtOnce", "1000 b1 .\n1005 d2 .\n1600 c1 o\n"},
                                           Way{"TakenAtOnce", "1000 d2 .\n1500 c1 o\n1520 b1 .\n"},
                                           Way{"SlidOverTheHoleBetween",
                                               "1000 d2 .\n1300 d1 o\n1420 d1 .\n1500 c1 o\n2500 b1 .\n"},
                                           Way{"LongInHand", "1000 d2 .\n5500 c1 o\n7500 b1 .\n"},
                                           Way{"LongAfter", "1000 d2 .\n1500 c1 o\n8500 b1 .\n"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Behaviour, MorrisManTakenFirst) {
  EXPECT_THAT(said(R"(game morris
position BB1/3/B2/5W/2B/W2/WW1 W 0 0 -
---
1000 c5 .
1600 g4 .
2000 g1 o
6000 end
)"),
              ElementsAre("step W g4-g1", "step W xc5"));
}

TEST(Behaviour, APieceInHandIsHelped) {
  EXPECT_THAT(lights_at(3000, R"(game pinuid-classic
---
1000 d2 .
9000 end
)"),
              UnorderedElementsAre(Pair("d2", "origin dim-blue solid"), Pair("c1", "target green breathing"),
                                   Pair("c3", "target green breathing"), Pair("e1", "target green breathing"),
                                   Pair("e3", "target green breathing")));
}

TEST(Behaviour, AnOwnPieceInHandIsNoFault) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 d2 .
30000 c3 o
40000 end
)"),
              ElementsAre("step W d2-c3"));
}

// ---- no explanation --------------------------------------------------------------------------------------------------------

struct Wrong {
  std::string_view name;
  std::string_view game;
  std::string_view position;  ///< empty: the game's start
  std::string_view events;
  std::string_view expected;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class WrongPicture : public ::testing::TestWithParam<Wrong> {
 protected:
  [[nodiscard]] std::string trace() const {
    const Wrong& wrong = GetParam();
    std::string out = "game " + std::string(wrong.game) + "\n";
    if (!wrong.position.empty()) out += "position " + std::string(wrong.position) + "\n";
    return out + "---\n" + std::string(wrong.events) + "20000 end\n";
  }
  /// When the last thing happened before the end.
  [[nodiscard]] double stands_since() const {
    const Trace read = trace_of(trace());
    return millis(read.events[read.events.size() - 2].time);
  }
  /// The last thing was a piece set down.
  [[nodiscard]] bool placed() const { return GetParam().events.ends_with("o\n"); }
};

TEST_P(WrongPicture, IsCalledIllegalOnceWithReasonAndSites) { EXPECT_THAT(said(trace()), ElementsAre(GetParam().expected)); }

TEST_P(WrongPicture, IsSignalledWithinASecondWhenPlacedAndLaterWhenLifted) {
  const double after = time_of("illegal", said_when(trace())) - stands_since();
  if (placed()) {
    EXPECT_GE(after, 300);  // a hand may still be moving
    EXPECT_LE(after, 1000);
  } else {
    EXPECT_GT(after, 1000);
    EXPECT_LE(after, 4000);
  }
}

TEST_P(WrongPicture, WhatIsCalledIllegalIsLit) {
  const auto lights = roles_at(19000, trace());
  std::istringstream words{std::string(GetParam().expected)};
  std::string word;
  words >> word >> word;
  std::string lit;
  for (const auto& [role, sites] : lights) {
    EXPECT_THAT(role, AnyOf("illegal", "back", "out")) << sites;
    if (role != "out") lit += sites + " ";
  }
  while (words >> word) EXPECT_NE(lit.find(word), std::string::npos) << word << " is dark, lit are " << lit;
}

constexpr std::string_view kRowMade = "BB4B/7/7/7/7/6W/WWW4 W - W:c1:a1h";
constexpr std::string_view kStagnated = "BB4B/7/7/7/7/W1W4/1W5 W - -";
constexpr std::string_view kMen = "BB1/3/B2/5W/2B/W2/WW1 W 0 0 -";
constexpr std::string_view kMillMade = "BBB/3/B2/6/3/W2/WWW W 0 0 x";
constexpr std::string_view kSpheres = "3W/4/WB2/BW2|3/3/3|2/2|1 W -";
constexpr std::string_view kRIsOut = "GG1B1BB/7/G6/6Y/6Y/7/R1R1R1Y G R -";

INSTANTIATE_TEST_SUITE_P(
    Behaviour, WrongPicture,
    ::testing::Values(
        Wrong{"PinMovesStraight", "pinuid-classic", "", "1000 a2 .\n1500 a3 o\n", "illegal not_diagonal a3 a2"},
        Wrong{"PinMovesTwoHoles", "pinuid-classic", "", "1000 a2 .\n1500 c4 o\n", "illegal not_diagonal c4 a2"},
        Wrong{"OthersMoveFirst", "pinuid-classic", "", "1000 a7 .\n1500 b6 o\n", "illegal other_players_turn b6 a7"},
        Wrong{"OthersPinLifted", "pinuid-classic", "", "1000 d7 .\n", "illegal not_your_piece d7"},
        Wrong{"PinFromNowhere", "pinuid-classic", "", "1000 d4 o\n", "illegal not_stagnated d4"},
        Wrong{"MovedInsteadOfRemoved", "pinuid-classic", kRowMade, "1000 g2 .\n1500 f3 o\n",
              "illegal must_remove_first f3 g2"},
        Wrong{"MovedInsteadOfReturned", "pinuid-classic", kStagnated, "1000 a2 .\n1500 b3 o\n",
              "illegal must_return_pin b3 a2"},
        Wrong{"ReturnedElsewhere", "pinuid-classic", kStagnated, "1000 d4 o\n", "illegal not_back_line d4"},
        Wrong{"PinOfAPlayerWhoIsOutMoved", "pinuid-quatro", kRIsOut, "1000 a1 .\n1500 b2 o\n",
              "illegal player_is_out b2 a1"},
        Wrong{"PinOfAPlayerWhoIsOutLifted", "pinuid-quatro", kRIsOut, "1000 a1 .\n", "illegal player_is_out a1"},
        Wrong{"ManMovedWhilePlacing", "morris", "B2/3/3/6/2B/3/WW1 W 7 7 -", "1000 a1 .\n1500 a4 o\n",
              "illegal men_left_to_place a4 a1"},
        Wrong{"ManMovedTooFar", "morris", kMen, "1000 g4 .\n1500 e4 o\n", "illegal not_adjacent e4 g4"},
        Wrong{"ManFromNowhere", "morris", kMen, "1000 g7 o\n", "illegal no_men_left_to_place g7"},
        Wrong{"OthersManMoved", "morris", kMen, "1000 c5 .\n1500 c4 o\n", "illegal other_players_turn c4 c5"},
        Wrong{"MovedInsteadOfCaptured", "morris", kMillMade, "1000 b2 .\n1500 b4 o\n", "illegal must_capture b4 b2"},
        Wrong{"SphereInTheAir", "pylos-standard", "", "500 reserve W 14\n1000 2a1 o\n", "illegal seat_not_open 2a1"},
        Wrong{"SphereNotRaised", "pylos-standard", kSpheres, "500 reserve W 12\n1000 1d4 .\n1500 1c4 o\n",
              "illegal not_higher 1c4 1d4"},
        Wrong{"SphereNotRaisedAndNoTrays", "pylos-standard", kSpheres, "1000 1d4 .\n1500 1c4 o\n",
              "illegal not_higher 1c4 1d4"},
        Wrong{"SphereWouldCarryItself", "pylos-standard", kSpheres, "500 reserve W 12\n1000 1a2 .\n1500 2a1 o\n",
              "illegal carries_target 2a1 1a2"},
        Wrong{"OthersSphereMoved", "pylos-standard", kSpheres, "500 reserve W 12\n1000 1b2 .\n1500 1c4 o\n",
              "illegal other_players_turn 1c4 1b2"}),
    [](const auto& tested) { return std::string(tested.param.name); });

class WrongRemoval : public WrongPicture {};

TEST_P(WrongRemoval, IsCalledIllegalWithTheReason) { EXPECT_THAT(said(trace()), ElementsAre(GetParam().expected)); }

INSTANTIATE_TEST_SUITE_P(
    Behaviour, WrongRemoval,
    ::testing::Values(Wrong{"ThePinJustPlayed", "pinuid-classic", kRowMade, "1000 c1 .\n", "illegal pin_just_played c1"},
                      Wrong{"APinInNoRow", "pinuid-classic", kRowMade, "1000 g2 .\n", "illegal pin_in_no_row g2"},
                      Wrong{"APinInALongerRun", "pinuid-classic", "BB4B/7/W6/W6/W6/W5W/WWW4 W - W:c1:a1h", "1000 a4 .\n",
                            "illegal run_not_three a4"},
                      Wrong{"ThePinOwedBefore", "pinuid-classic", "BB4B/7/7/7/7/6W/WWW4 W - W!c1:a1h", "1000 c1 .\n",
                            "illegal pin_just_played c1"},
                      Wrong{"AManInAMill", "morris", kMillMade, "1000 a7 .\n", "illegal man_in_mill a7"},
                      Wrong{"AnOwnMan", "morris", kMillMade, "1000 b2 .\n", "illegal own_man b2"},
                      Wrong{"AnotherPlayersSphere", "pylos-standard", "4/4/WWB1/WWBB|3/3/3|2/2|1 W t2", "1000 1c1 .\n",
                            "illegal not_your_piece 1c1"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Behaviour, WrongRemovalOfAnotherPlayersPinWhereTheBoardWaits) {
  EXPECT_THAT(said(R"(game pinuid-classic
option forgotten_removal=enforce
position BB4B/7/7/7/7/6W/WWW4 W - W:c1:a1h
---
1000 a7 .
20000 end
)"),
              ElementsAre(StartsWith("illegal ")));
}

TEST(Behaviour, WrongPictureIsToldOncePerOccurrenceAndResolvedWhenRight) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1500 a3 o
9000 a3 .
9500 a2 o
11000 a2 .
11500 a3 o
15000 a3 .
15400 a2 o
18000 end
)"),
              ElementsAre("illegal not_diagonal a3 a2", "resolved", "illegal not_diagonal a3 a2", "resolved"));
}

TEST(Behaviour, WrongPictureThatBecomesALegalMoveIsResolved) {
  const std::string trace = R"(game pinuid-classic
---
1000 a2 .
1500 a3 o
5000 a3 .
5500 b3 o
9000 end
)";
  EXPECT_THAT(said(trace), UnorderedElementsAre("illegal not_diagonal a3 a2", "resolved", "step W a2-b3"));
  EXPECT_EQ(said(trace).front(), "illegal not_diagonal a3 a2");
}

TEST(Behaviour, NoAlarmWhileTheHandMoves) {
  std::ostringstream hops;
  for (int now = 1500; now < 8000; now += 500) hops << now << " a3 o\n" << now + 250 << " a3 .\n";
  EXPECT_THAT(said("game pinuid-classic\n---\n1000 a2 .\n" + hops.str() + "8200 a2 o\n12000 end\n"), IsEmpty());
}

TEST(Behaviour, BumpedPiecesPutRightLeaveTheMoveAccepted) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1300 d2 .
1600 d2 o
1700 g1 .
1800 b3 o
2100 g1 o
9000 end
)"),
              ElementsAre("step W a2-b3"));
}

TEST(Behaviour, BumpedPiecesPutRightWhileTheGuideCorrects) {
  const std::string during = R"(game pinuid-classic
---
1000 a2 .
1300 d2 .
1400 e2 o
4000 b3 o
6000 e2 .
6500 d2 o
9000 end
)";
  EXPECT_EQ(recorded(during), "a2-b3");
  EXPECT_THAT(said(during), UnorderedElementsAre(StartsWith("illegal "), "step W a2-b3", "resolved"));
  const std::string after = R"(game pinuid-classic
---
1000 a2 .
1800 b3 o
2300 d2 .
2400 e2 o
6000 e2 .
6500 d2 o
7000 g7 .
7500 f6 o
9000 end
)";
  EXPECT_THAT(said(after), ElementsAre("step W a2-b3", StartsWith("illegal "), "resolved", "step B g7-f6"));
}

TEST(Behaviour, MissingAndExtraPiecesAreShownOneByOne) {
  const std::string trace = R"(game pinuid-classic
---
1000 a2 .
1500 b3 o
3000 takeback
9000 b3 .
9500 a2 o
12000 end
)";
  EXPECT_THAT(lights_at(5000, trace), UnorderedElementsAre(Pair("a2", "put W breathing"), Pair("b3", "take_off red solid")));
  EXPECT_THAT(lights_at(9200, trace), UnorderedElementsAre(Pair("a2", "put W breathing")));
  EXPECT_THAT(roles_at(11000, trace), ElementsAre(Pair("turn", "a1 a2 b1 d1 d2 f1 g1 g2")));
}

TEST(Behaviour, HelpEndsByItselfWhenTheBoardIsSetUp) {
  const GameInfo& game = *find_game("morris");
  const Position start = *game.read(game.defaults(), "BB1/3/3/6/3/3/WW1 W 7 7 -");
  Tracker tracker(game, game.defaults(), start);
  Picture seen;
  const Site a1 = geometry(start).find("a1");
  const Site a7 = geometry(start).find("a7");
  const Site d7 = geometry(start).find("d7");
  const Site g4 = geometry(start).find("g4");
  seen.set(g4, Contents::occupied());
  seen.set(geometry(start).find("d1"), Contents::occupied());
  tracker.lead_back(seen, Time(0));
  const auto lit = [&](Site site) {
    const Scene scene = guide(tracker.record(), tracker.view());
    return scene.contains(site) ? std::string(name(scene.at(site).role)) : "";
  };
  const auto lit_sites = [&] { return guide(tracker.record(), tracker.view()).size(); };
  EXPECT_EQ(lit_sites(), 2U);  // one piece to take off, one site that waits for one
  EXPECT_EQ(lit(g4), "take_off");
  EXPECT_EQ(lit(a7), "put");
  Time now = std::chrono::seconds(1);
  const auto change = [&](Site site, Contents contents) {
    tracker.feed({now, site, contents}, now);
    now += std::chrono::seconds(5);
    tracker.tick(now);
  };
  change(g4, Contents::empty());
  EXPECT_EQ(lit_sites(), 1U);
  change(d7, Contents::occupied());
  change(a1, Contents::occupied());
  EXPECT_TRUE(tracker.view().leading_back);
  EXPECT_EQ(lit_sites(), 1U);
  change(a7, Contents::occupied());
  EXPECT_FALSE(tracker.view().leading_back);
  EXPECT_TRUE(tracker.take_events().empty());
  change(g4, Contents::occupied());
  ASSERT_EQ(tracker.record().steps().size(), 1U);
  EXPECT_EQ(tracker.record().steps()[0], Step::put(g4));
}

// ---- second thoughts -------------------------------------------------------------------------------------------------------

TEST(Behaviour, AmendUntilTheNextPlayerActs) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 d2 .
1500 c3 o
4000 c3 .
4400 e3 o
9000 end
)"),
              ElementsAre("step W d2-c3", "amend -d2-c3 +d2-e3"));
  const std::string later = R"(game pinuid-classic
---
1000 d2 .
1500 c3 o
4000 g7 .
4500 f6 o
6000 c3 .
6500 e3 o
12000 end
)";
  EXPECT_THAT(said(later), ElementsAre("step W d2-c3", "step B g7-f6", "illegal not_diagonal e3 c3"));
}

TEST(Behaviour, AmendByAnotherPiece) {
  const std::string trace = R"(game pinuid-classic
---
1000 d2 .
1500 c3 o
4000 c3 .
4500 d2 o
4600 a2 .
5000 b3 o
12000 end
)";
  EXPECT_THAT(said(trace), ElementsAre("step W d2-c3", "amend -d2-c3 +a2-b3"));
  EXPECT_EQ(recorded(trace), "a2-b3");
}

TEST(Behaviour, AmendByPuttingThePieceBack) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 d2 .
1500 c3 o
4000 c3 .
4500 d2 o
9000 a2 .
9500 b3 o
12000 end
)"),
              ElementsAre("step W d2-c3", "amend -d2-c3", "step W a2-b3"));
}

TEST(Behaviour, AmendARemoval) {
  EXPECT_THAT(said(R"(game pinuid-classic
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
3000 b1 .
5000 a1 .
5500 b1 o
9000 end
)"),
              ElementsAre("step W d2-c1", "step W xb1", "amend -xb1 +xa1"));
}

// ---- no hand needed --------------------------------------------------------------------------------------------------------

constexpr std::string_view kBlocks = R"(game pinuid-classic
position BBB4/WW1W3/3W3/7/7/7/5WW W - -
---
1000 d5 .
1500 c6 o
6000 f1 .
6500 e2 o
9000 end
)";

TEST(Behaviour, ForcedPassIsPlayedByTheBoard) {
  EXPECT_THAT(said(kBlocks), ElementsAre("step W d5-c6", "step B pass", "step W f1-e2", "step B pass"));
}

TEST(Behaviour, ForcedStopIsPlayedByTheBoard) {
  EXPECT_THAT(said(R"(game pylos-standard
position BB2/BW2/BWWB/BBBB|B2/3/B1B|2/2|1 W -
---
1000 reserve W 11
1500 1c3 o
3000 1c3 .
3500 reserve W 12
9000 end
)"),
              ElementsAre("step W +1c3", "step W x1c3", "step W stop"));
}

constexpr std::string_view kSquare = R"(game pylos-standard
position 4/4/WWB1/W1BB|3/3/3|2/2|1 W -
---
1000 reserve W 11
1500 1b1 o
3000 1a2 .
3500 reserve W 12
)";

TEST(Behaviour, StopFollowsFromTheNextPlayersMove) {
  EXPECT_THAT(said(std::string(kSquare) + "6000 reserve B 11\n6500 1d4 o\n9000 end\n"),
              ElementsAre("step W +1b1", "step W x1a2", "step W stop", "step B +1d4"));
}

TEST(Behaviour, StopFollowsFromTheButton) {
  EXPECT_THAT(said(std::string(kSquare) + "6000 button W\n9000 end\n"),
              ElementsAre("step W +1b1", "step W x1a2", "step W stop"));
}

TEST(Behaviour, ASecondSphereMayBeTaken) {
  EXPECT_THAT(said(std::string(kSquare) + "5000 1a1 .\n5500 reserve W 13\n9000 end\n"),
              ElementsAre("step W +1b1", "step W x1a2", "step W x1a1"));
}

TEST(Behaviour, ForgottenRemovalBecomesADebt) {
  const std::string trace = R"(game pinuid-classic
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
4000 g7 .
4500 f6 o
8000 b1 .
10000 b7 .
10500 a6 o
12000 end
)";
  EXPECT_THAT(said(trace), ElementsAre("step W d2-c1", "step W forget", "step B g7-f6", "step W xb1", "step B b7-a6"));
  EXPECT_THAT(lights_at(7000, trace),
              UnorderedElementsAre(Pair("a1", "remove amber blink-2hz"), Pair("b1", "remove amber blink-2hz")));
}

TEST(Behaviour, ForgottenRemovalIsWaitedForWhereTheRulesEnforceIt) {
  const std::string trace = R"(game pinuid-classic
option forgotten_removal=enforce
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
4000 g7 .
4500 f6 o
8000 b1 .
12000 end
)";
  EXPECT_EQ(recorded(trace), "d2-c1 xb1 g7-f6");
  EXPECT_THAT(said(trace), Not(Contains("step W forget")));
  EXPECT_LT(time_of("step W d2-c1", said_when(trace)), 4000);
  EXPECT_GT(time_of("step B g7-f6", said_when(trace)), 8000);
}

// ---- turns with a second part ----------------------------------------------------------------------------------------------

constexpr std::string_view kTwoRows = R"(game pinuid-classic
position BB4B/7/4W2/1WW4/3W3/3W3/6W W - -
---
1000 e5 .
1500 d4 o
)";

TEST(Behaviour, RemovalNeedsALift) {
  EXPECT_THAT(said(R"(game pinuid-classic
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
60000 end
)"),
              ElementsAre("step W d2-c1"));
}

struct Restart {
  std::string_view game;
  std::string_view position;
  std::string_view lit;
  std::string_view events;
  std::string_view expected;
};

TEST(Behaviour, RemovalIsAskedForAfterARestart) {
  for (const Restart& restart :
       {Restart{"pinuid-classic", "BB4B/7/7/7/7/6W/WWW4 W - W:c1:a1h", "a1 b1", "5000 b1 .\n", "step W xb1"},
        Restart{"pinuid-classic", "BB4B/7/7/7/7/6W/WWW4 W - W!c1:a1h", "a1 b1", "5000 a1 .\n", "step W xa1"},
        Restart{"pinuid-quatro", "GG1B1BB/7/G6/6Y/6Y/3R3/RRR2RY R - R:c1:a1h", "a1 b1", "5000 a1 .\n", "step R xa1"},
        Restart{"morris", "BB1/3/B2/6/2B/W2/WWW W 0 0 x", "a7 c5 d7 e3", "5000 c5 .\n", "step W xc5"},
        Restart{"pylos-standard", "4/4/WWB1/WWBB|3/3/3|2/2|1 W t2", "1a1 1a2 1b1 1b2", "5000 1b1 .\n5500 reserve W 12\n",
                "step W x1b1"},
        Restart{"pylos-standard", "4/4/1WB1/WWBB|3/3/3|2/2|1 W t1", "1a1 1b1 1b2", "5000 1b1 .\n5500 reserve W 13\n",
                "step W x1b1"}}) {
    const std::string trace = "game " + std::string(restart.game) + "\nposition " + std::string(restart.position) +
                              "\n---\n" + std::string(restart.events) + "9000 end\n";
    EXPECT_THAT(roles_at(4000, trace), ElementsAre(Pair("remove", restart.lit))) << restart.position;
    EXPECT_EQ(said(trace).front(), restart.expected) << restart.position;
  }
}

TEST(Behaviour, LegalRemovalIsNeverIllegal) {
  for (const std::string_view position :
       {"BB4B/7/7/7/7/6W/WWW4 W - W:c1:a1h", "BB4B/7/7/2WWW2/3W3/3W3/6W W - W:d4:c4h,d2v"}) {
    const Trace trace = trace_of("game pinuid-classic\nposition " + std::string(position) + "\n---\n0 end\n");
    for (const Step step : legal_steps(trace.start)) {
      if (step.kind != StepKind::take) continue;
      const std::string site(geometry(trace.start).info(step.from).name());
      EXPECT_THAT(said("game pinuid-classic\nposition " + std::string(position) + "\n---\n1000 " + site + " .\n9000 end\n"),
                  ElementsAre("step W x" + site));
    }
  }
}

TEST(Behaviour, TurnPassesOnOnlyAfterItsLastRemoval) {
  const std::string trace = std::string(kTwoRows) + "3000 b4 .\n6000 d3 .\n9000 end\n";
  EXPECT_THAT(said(trace), ElementsAre("step W e5-d4", "step W xb4", "step W xd3"));
  EXPECT_THAT(roles_at(2500, trace), ElementsAre(Pair("remove", "b4 c4 d2 d3")));
  EXPECT_THAT(roles_at(5000, trace), ElementsAre(Pair("remove", "d2 d3")));
  EXPECT_THAT(roles_at(8000, trace), Contains(Pair("turn", "a7 b7 g7")));
}

TEST(Behaviour, PinuidRemovalLightsOwnPins) {
  EXPECT_THAT(lights_at(2500, R"(game pinuid-classic
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
9000 end
)"),
              UnorderedElementsAre(Pair("a1", "remove amber blink-2hz"), Pair("b1", "remove amber blink-2hz")));
}

TEST(Behaviour, MorrisRemovalLightsTheOpponentsMen) {
  EXPECT_THAT(lights_at(2500, R"(game morris
position BBB/3/B2/5W/2B/W2/WW1 W 0 0 -
---
1000 g4 .
1500 g1 o
9000 end
)"),
              UnorderedElementsAre(Pair("c5", "remove amber blink-2hz"), Pair("e3", "remove amber blink-2hz")));
}

TEST(Behaviour, AllMenInMillsMayBeTaken) {
  const std::string trace = R"(game morris
position BBB/3/BBB/5W/3/W2/WW1 W 0 0 -
---
1000 g4 .
1500 g1 o
4000 d7 .
9000 end
)";
  EXPECT_THAT(roles_at(3000, trace), ElementsAre(Pair("remove", "a7 c5 d5 d7 e5 g7")));
  EXPECT_THAT(said(trace), ElementsAre("step W g4-g1", "step W xd7"));
}

TEST(Behaviour, BlockedPlayerLoses) {
  EXPECT_THAT(said(R"(game morris
option flying=false
position BBW/1W1/3/BW4/3/3/1W1 W 0 0 -
---
1000 d1 .
1500 a1 o
9000 end
)"),
              ElementsAre("step W d1-a1", "over W"));
}

TEST(Behaviour, MillOpenedAndClosedAgain) {
  EXPECT_THAT(said(R"(game morris
position BB1/3/B2/6/2B/W2/WWW W 0 0 -
---
1000 g1 .
1500 g4 o
3000 e3 .
3500 e4 o
5000 g4 .
5500 g1 o
7000 a7 .
12000 end
)"),
              ElementsAre("step W g1-g4", "step B e3-e4", "step W g4-g1", "step W xa7"));
}

TEST(Behaviour, StagnatedPlayerReturnsAPin) {
  EXPECT_THAT(said(R"(game pinuid-classic
position BB4B/7/7/7/7/W1W4/1W5 W - -
---
1000 d1 o
5000 end
)"),
              ElementsAre("step W +d1"));
}

TEST(Behaviour, APlayerGoesOut) {
  EXPECT_THAT(said(R"(game pinuid-quatro
position GG1B1BB/7/G6/6Y/6Y/3R3/RR2R1Y R - -
---
1000 d2 .
1500 c1 o
3000 b1 .
9000 end
)"),
              ElementsAre("step R d2-c1", "step R xb1", "out R"));
}

struct End {
  std::string_view trace;
  std::string_view said;
  Ending ending;
};

TEST(Behaviour, TheEndIsNamed) {
  for (const End& end : {End{R"(game pinuid-classic
position BB4B/7/7/7/7/3W3/WW5 W - -
---
1000 d2 .
1500 c1 o
3000 b1 .
9000 end
)",
                             "over W", Ending::two_left},
                         End{R"(game pinuid-classic
option repetition=2
---
1000 a2 .
1500 b3 o
3000 g7 .
3500 f6 o
6000 b3 .
6500 a2 o
9000 f6 .
9500 g7 o
12000 end
)",
                             "over draw", Ending::repetition},
                         End{R"(game morris
position BB1/3/B2/5W/3/W2/WW1 W 0 0 -
---
1000 g4 .
1500 g1 o
3000 a7 .
9000 end
)",
                             "over W", Ending::fewer_than_three},
                         End{R"(game pylos-standard
position WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BB/WB|1 W -
---
1000 reserve W 0
1700 choose +4a1
9000 end
)",
                             "over W", Ending::apex}}) {
    EXPECT_EQ(said(end.trace).back(), end.said) << end.trace;
    EXPECT_EQ(record_of(end.trace).outcome().ending, end.ending) << end.trace;
    EXPECT_FALSE(sentence(end.ending).empty()) << end.trace;
  }
}

TEST(Behaviour, PiecesPutAwayAfterTheEndAreQuiet) {
  EXPECT_THAT(said(R"(game morris
position BB1/3/B2/5W/3/W2/WW1 W 0 0 -
---
1000 g4 .
1500 g1 o
3000 a7 .
9000 a1 .
9300 d1 .
9600 g1 .
10000 b2 .
10300 d7 .
10600 c5 .
30000 end
)"),
              ElementsAre("step W g4-g1", "step W xa7", "over W"));
}

TEST(Behaviour, ButtonsAloneAreNoMove) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 button W
2000 button B
9000 end
)"),
              ElementsAre("ignored button", "ignored button"));
  EXPECT_THAT(said(R"(game pinuid-classic
position BB4B/7/7/7/7/6W/WWW4 W - W:c1:a1h
---
1000 button W
9000 end
)"),
              ElementsAre("ignored button"));
}

// ---- what cannot be seen ---------------------------------------------------------------------------------------------------

constexpr std::string_view kOneSeat = "position 4/WBW1/BWB1/WBW1|3/WB1/BW1|2/2|1 B -\n---\n";   // 3a1 is open
constexpr std::string_view kTwoSeats = "position 4/WBWB/BWBW/WBWB|3/WBW/BWB|2/2|1 W -\n---\n";  // 3a1 and 3b1 are

std::string pylos(std::string_view position, std::string_view events, std::string_view sensing = "occupancy") {
  return "game pylos-standard\nsensing " + std::string(sensing) + "\n" + std::string(position) + std::string(events);
}

TEST(Unseen, PutIsChosen) {
  EXPECT_THAT(said(pylos(kOneSeat, "1000 reserve B 8\n1700 choose +3a1\n9000 end\n")), ElementsAre("step B +3a1"));
  EXPECT_THAT(said(pylos(kTwoSeats, "1000 reserve W 5\n1700 choose +3b1\n9000 end\n")), ElementsAre("step W +3b1"));
}

TEST(Unseen, PutIsChosenWithoutTrays) {
  EXPECT_THAT(said(pylos(kOneSeat, "1700 choose +3a1\n4000 1a4 o\n9000 end\n")), ElementsAre("step B +3a1", "step W +1a4"));
  EXPECT_THAT(said(pylos(kTwoSeats, "1700 choose +3b1\n9000 end\n")), ElementsAre("step W +3b1"));
}

TEST(Unseen, RaiseIsChosen) {
  EXPECT_THAT(said(pylos(kTwoSeats, "1000 2c2 .\n3000 choose 2c2-3a1\n9000 end\n")), ElementsAre("step W 2c2-3a1"));
}

TEST(Unseen, TheOnlySeatNeedsNoWord) {
  EXPECT_THAT(said(pylos(kOneSeat, "1000 reserve B 8\n9000 end\n")), ElementsAre("step B +3a1"));
  EXPECT_THAT(said(pylos(kTwoSeats, "1000 2c2 .\n9000 reserve B 5\n9400 1a4 o\n12000 end\n")),
              ElementsAre("step W 2c2-3a1", "step B +1a4"));
}

TEST(Unseen, TheNextPlayersTurnProvesAPut) {
  EXPECT_THAT(said(pylos(kOneSeat, "1000 reserve B 8\n4000 reserve W 7\n4500 1a4 W\n9000 end\n", "colour")),
              ElementsAre("step B +3a1", "step W +1a4"));
}

TEST(Unseen, TheNextPlayersTurnProvesAPutOrTheBoardAsks) {
  // Without colours the sphere on 1a4 may be B's as well, and W's on 3a1.
  const auto all = said(pylos(kOneSeat, "1000 reserve B 8\n4000 reserve W 7\n4500 1a4 o\n9000 end\n"));
  EXPECT_THAT(all, AnyOf(ElementsAre("step B +3a1", "step W +1a4"), Contains(StartsWith("ambiguous "))));
}

TEST(Unseen, TheNextPlayersTurnProvesAPutWithoutTrays) {
  EXPECT_THAT(said(pylos(kOneSeat, "4500 1a4 W\n9000 end\n", "colour")), ElementsAre("step B +3a1", "step W +1a4"));
}

TEST(Unseen, SeveralSeatsAreAskedAbout) {
  const std::string asked = pylos(kTwoSeats, "1000 reserve W 5\n12000 choose +3b1\n15000 end\n");
  EXPECT_THAT(said(asked), ElementsAre("ambiguous +3a1 | +3b1", "step W +3b1"));
  EXPECT_THAT(roles_at(11000, asked), ElementsAre(Pair("choose", "3a1 3b1")));
  EXPECT_THAT(said(pylos(kTwoSeats, "1000 reserve W 5\n6500 button W\n12000 end\n")),
              ElementsAre("ambiguous +3a1 | +3b1", "step W +3b1"));
}

TEST(Unseen, NothingIsLostWhenPlayGoesOnUnasked) {
  for (const std::string_view sensing : {"occupancy", "colour"}) {
    const std::string sphere = sensing == "colour" ? "B" : "o";
    const auto all = said(pylos(
        kTwoSeats, "1000 reserve W 5\n7000 reserve B 5\n7500 1a4 " + sphere + "\n15000 choose +1a4\n20000 end\n", sensing));
    EXPECT_THAT(all, Contains("step B +1a4")) << sensing;
  }
}

TEST(Unseen, ChooseNamesCommittedStepsToo) {
  const std::string trace = R"(game pylos-standard
position 4/BWB1/WBWW/BBW1|3/WB1/BB1|2/W1|1 W -
---
1000 reserve W 7
1500 1d1 o
3000 reserve W 8
3700 choose +1d1 x3a1
9000 reserve B 6
9500 1a4 o
12000 end
)";
  EXPECT_THAT(said(trace), ElementsAre("step W +1d1", "step W x3a1", "step W stop", "step B +1a4"));
}

TEST(Unseen, ChooseThatDoesNotFitIsIgnored) {
  EXPECT_THAT(said(pylos(kOneSeat, "1000 reserve B 8\n1700 choose +3b2\n2300 choose +3a1\n9000 end\n")),
              ElementsAre("ignored choose", "step B +3a1"));
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 choose a2-b3
2000 choose a2-a3
9000 end
)"),
              ElementsAre("ignored choose", "ignored choose"));
}

TEST(Unseen, LastSphereOnTheApexWins) {
  EXPECT_THAT(said(R"(game pylos-standard
position WBWB/BWBW/WBWB/BWBW|WBW/BWB/WBW|BB/WB|1 W -
---
1000 reserve W 0
9000 end
)"),
              ElementsAre("step W +4a1", "over W"));
}

// ---- sick sensors ----------------------------------------------------------------------------------------------------------

class Flapping : public ::testing::TestWithParam<int> {};

TEST_P(Flapping, SiteIsReportedOnceAndPlayGoesOnAroundIt) {
  const std::string trace = "game pinuid-classic\n---\n" +
                            in_order({toggling("e4", 1000, 9000, GetParam()), "4000 a2 .\n4500 b3 o\n6000 g7 .\n6500 f6 o\n",
                                      "25000 d1 .\n25500 e2 o\n30000 end\n"});
  EXPECT_THAT(said(trace), ElementsAre("fault e4 flapping", "step W a2-b3", "step B g7-f6", "step W d1-e2"));
}

// Milliseconds from toggle to toggle: no hand does that for seconds.
INSTANTIATE_TEST_SUITE_P(Behaviour, Flapping, ::testing::Values(2, 10, 15, 20, 30, 40, 60, 80, 100),
                         ::testing::PrintToStringParamName());

TEST(SickSensor, MoveToAFlappingSiteIsReadFromTheOtherEnd) {
  const std::string trace =
      "game pinuid-classic\n---\n" + in_order({toggling("b3", 1000, 9000, 8), "9000 b3 o\n",
                                               "4000 a2 .\n6000 g7 .\n6500 f6 o\n", "20000 b3 .\n20500 c4 o\n25000 end\n"});
  EXPECT_THAT(said(trace), ElementsAre("fault b3 flapping", "step W a2-b3", "step B g7-f6", "step W b3-c4"));
}

TEST(SickSensor, StuckSiteIsNamedWhenAPersonContradictsIt) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
3000 choose a2-b3
5000 g7 .
5500 f6 o
8000 c4 o
12000 end
)"),
              UnorderedElementsAre("step W a2-b3", "fault b3 stuck", "step B g7-f6", "step W b3-c4"));
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 b3 o
3000 choose a2-b3
5000 g7 .
5500 f6 o
8000 b3 .
8500 c4 o
12000 end
)"),
              UnorderedElementsAre(StartsWith("illegal "), "resolved", "step W a2-b3", "fault a2 stuck", "step B g7-f6",
                                   "step W b3-c4"));
}

constexpr std::string_view kClassicPins = "a1 b1 d1 f1 g1 a2 d2 g2 a6 d6 g6 a7 b7 d7 f7 g7";

TEST(SickSensor, DeadCableIsSignalledAndPlayGoesOn) {
  const std::string trace =
      "game pinuid-classic\n---\n" +
      in_order({"1000 d1 .\n1500 e2 o\n", all_read(5000, "e2 g2 a1 b1 f1 g1 a2 d2 a6 d6 g6 a7 b7 d7 f7 g7", "."),
                all_read(20000, "e2 g2 a1 b1 f1 g1 a2 d2 a6 d6 g6 a7 b7 d7 f7 g7", "o"),
                "25000 g7 .\n25500 f6 o\n30000 end\n"});
  EXPECT_THAT(said(trace), ElementsAre("step W d1-e2", StartsWith("illegal board_empty "), "resolved", "step B g7-f6"));
}

struct Dead {
  std::string_view name;
  std::string_view begin;  ///< header and the events before
  std::string_view sites;  ///< that go dark
  std::string_view played;
};
void PrintTo(const Dead& dead, std::ostream* out) { *out << dead.name; }

class DeadCable : public ::testing::TestWithParam<Dead> {
 protected:
  [[nodiscard]] std::string trace(bool backwards, bool comes_back) const {
    std::vector<std::string> sites;
    std::istringstream in{std::string(GetParam().sites)};
    for (std::string site; in >> site;) sites.push_back(site);
    if (backwards) std::reverse(sites.begin(), sites.end());
    std::string all;
    for (const std::string& site : sites) all += site + " ";
    return std::string(GetParam().begin) + all_read(5000, all, ".") + (comes_back ? all_read(20000, all, "o") : "") +
           "40000 end\n";
  }
};

TEST_P(DeadCable, NeverPlaysEndsOrErasesAnything) {
  for (const bool backwards : {false, true}) {
    for (const bool comes_back : {false, true}) {
      const auto all = said(trace(backwards, comes_back));
      EXPECT_EQ(recorded(trace(backwards, comes_back)), GetParam().played);
      for (const char* never : {"over", "amend", "takeback", "out"}) EXPECT_EQ(times_said(never, all), 0) << never;
      EXPECT_EQ(times_said("step", all),
                std::count(GetParam().played.begin(), GetParam().played.end(), ' ') + !GetParam().played.empty());
      EXPECT_THAT(all, Contains(StartsWith("illegal ")));
      EXPECT_EQ(times_said("resolved", all), comes_back ? 1 : 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Behaviour, DeadCable,
    ::testing::Values(
        Dead{"AtTheStart", "game pinuid-classic\n---\n", kClassicPins, ""},
        Dead{"WhileAPinIsOwed", "game pinuid-classic\nposition BB4B/7/7/7/7/3W2W/WW5 W - -\n---\n1000 d2 .\n1500 c1 o\n",
             "a1 b1 c1 g2 a7 b7 g7", "d2-c1"},
        Dead{"WhileAPinThatWinsIsOwed",
             "game pinuid-classic\nposition BB4B/7/7/7/7/3W3/WW5 W - -\n---\n1000 d2 .\n1500 c1 o\n", "a1 b1 c1 a7 b7 g7",
             "d2-c1"},
        Dead{"WhileAManIsOwed", "game morris\nposition BB1/3/B2/5W/2B/W2/WW1 W 0 0 -\n---\n1000 g4 .\n1500 g1 o\n",
             "c5 e3 a7 d7 b2 a1 d1 g1", "g4-g1"},
        Dead{"WhileAManThatWinsIsOwed", "game morris\nposition BB1/3/B2/5W/3/W2/WW1 W 0 0 -\n---\n1000 g4 .\n1500 g1 o\n",
             "c5 a7 d7 b2 a1 d1 g1", "g4-g1"},
        Dead{"WhilePlacing", "game morris\n---\n1000 a1 o\n2000 d7 o\n3000 g4 o\n4000 e5 o\n", "a1 d7 g4 e5",
             "+a1 +d7 +g4 +e5"},
        Dead{"WhileASphereIsOwed", "game pylos-standard\nposition 4/4/WWB1/W1BB|3/3/3|2/2|1 W -\n---\n1000 1b1 o\n",
             "1a1 1a2 1b1 1b2 1c2 1c1 1d1", "+1b1"},
        Dead{"WithSpheresOnTop",
             "game pylos-standard\nposition 4/WBW1/BWB1/WBW1|3/WB1/BW1|2/2|1 B -\n---\n500 reserve B 9\n",
             "1a1 1a2 1a3 1b1 1b2 1b3 1c1 1c2 1c3 2a1 2a2 2b1 2b2", ""}),
    [](const auto& tested) { return std::string(tested.param.name); });

// ---- take-back -------------------------------------------------------------------------------------------------------------

TEST(TakeBack, BeforeTheRow) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 d1 .
1500 e2 o
3000 g7 .
3500 f6 o
5000 takeback
6000 f6 .
6500 g7 o
8000 d7 .
8500 e6 o
12000 end
)"),
              ElementsAre("step W d1-e2", "step B g7-f6", "takeback g7-f6", "step B d7-e6"));
}

TEST(TakeBack, BeforeTheRemoval) {
  EXPECT_THAT(said(R"(game pinuid-classic
position BB4B/7/7/7/7/3W2W/WW5 W - -
---
1000 d2 .
1500 c1 o
3000 takeback
4000 c1 .
4500 d2 o
6000 g2 .
6500 f3 o
9000 end
)"),
              ElementsAre("step W d2-c1", "takeback d2-c1", "step W g2-f3"));
}

TEST(TakeBack, BetweenTwoRemovals) {
  EXPECT_THAT(said(std::string(kTwoRows) +
                   "3000 b4 .\n4000 takeback\n5000 b4 o\n6000 d4 .\n6500 e5 o\n8000 g1 .\n8500 f2 o\n12000 end\n"),
              ElementsAre("step W e5-d4", "step W xb4", "takeback e5-d4 xb4", "step W g1-f2"));
}

TEST(TakeBack, AfterTheLastRemoval) {
  EXPECT_THAT(said(std::string(kTwoRows) + "3000 b4 .\n4000 d3 .\n5000 takeback\n6000 d3 o\n6200 b4 o\n6400 d4 .\n6800 e5 "
                                           "o\n8000 g1 .\n8500 f2 o\n12000 end\n"),
              ElementsAre("step W e5-d4", "step W xb4", "step W xd3", "takeback e5-d4 xb4 xd3", "step W g1-f2"));
}

TEST(TakeBack, OfATurnThatWasJustSetDown) {
  const auto all = said(R"(game pinuid-classic
---
1000 a2 .
1500 b3 o
3000 g7 .
3500 f6 o
3600 takeback
5000 f6 .
5500 g7 o
9000 d7 .
9500 e6 o
12000 end
)");
  EXPECT_THAT(all, ElementsAre("step W a2-b3", "step B g7-f6", "takeback g7-f6", "step B d7-e6"));
}

TEST(TakeBack, ToTheVeryFirstMoveAndOn) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
500 takeback
1000 a2 .
1500 b3 o
3000 g7 .
3500 f6 o
5000 takeback
6000 f6 .
6500 g7 o
8000 takeback
9000 b3 .
9500 a2 o
10000 takeback
11000 g2 .
11500 f3 o
14000 end
)"),
              ElementsAre("ignored takeback", "step W a2-b3", "step B g7-f6", "takeback g7-f6", "takeback a2-b3",
                          "ignored takeback", "step W g2-f3"));
}

TEST(TakeBack, TwiceBeforeThePiecesAreLedBack) {
  EXPECT_THAT(said(R"(game pinuid-classic
---
1000 a2 .
1500 b3 o
3000 g7 .
3500 f6 o
5000 takeback
5500 takeback
6000 b3 .
6500 a2 o
7000 f6 .
7500 g7 o
9000 g2 .
9500 f3 o
12000 end
)"),
              ElementsAre("step W a2-b3", "step B g7-f6", "takeback g7-f6", "takeback a2-b3", "step W g2-f3"));
}

TEST(TakeBack, AlsoTakesWhatTheBoardPlayedItself) {
  EXPECT_THAT(said(R"(game pinuid-classic
position BBB4/WW1W3/3W3/7/7/7/5WW W - -
---
1000 d5 .
1500 c6 o
5000 takeback
6000 c6 .
6500 d5 o
8000 f1 .
8500 e2 o
12000 end
)"),
              ElementsAre("step W d5-c6", "step B pass", "takeback d5-c6 pass", "step W f1-e2"));
}

TEST(TakeBack, LeadsThePiecesBackSiteBySiteAndPlayGoesOn) {
  const std::string trace = R"(game morris
position BB1/3/B2/5W/2B/W2/WW1 W 0 0 -
---
1000 g4 .
1500 g1 o
3000 a7 .
5000 takeback
6000 a7 o
7000 g1 .
7500 g4 o
9000 b2 .
9500 b4 o
12000 end
)";
  EXPECT_THAT(lights_at(5500, trace), UnorderedElementsAre(Pair("a7", "put B breathing"), Pair("g1", "take_off red solid")));
  EXPECT_THAT(lights_at(6500, trace), UnorderedElementsAre(Pair("g4", "put W breathing"), Pair("g1", "take_off red solid")));
  EXPECT_THAT(lights_at(7200, trace), UnorderedElementsAre(Pair("g4", "put W breathing")));
  EXPECT_THAT(said(trace), ElementsAre("step W g4-g1", "step W xa7", "takeback g4-g1 xa7", "step W b2-b4"));
}

TEST(TakeBack, OfSpheresWithTheirTrays) {
  const std::vector<std::string> expected{"step W +1b1", "step W x1a2", "takeback +1b1 x1a2", "step W +1d4"};
  const std::string on = "10000 reserve W 11\n10500 1d4 o\n13000 end\n";
  EXPECT_EQ(said(std::string(kSquare) + "6000 takeback\n6500 1b1 .\n7000 1a2 o\n" + on), expected)
      << "from the seat to the seat";
  EXPECT_EQ(
      said(std::string(kSquare) + "6000 takeback\n7000 reserve W 11\n7500 1a2 o\n8000 1b1 .\n8500 reserve W 12\n" + on),
      expected)
      << "the tray is filled last";
}

TEST(TakeBack, OfASphereThatNobodySaw) {
  EXPECT_THAT(
      said(pylos(
          kOneSeat,
          "1000 reserve B 8\n1700 choose +3a1\n5000 takeback\n6000 reserve B 9\n8000 reserve B 8\n8500 1a4 o\n12000 end\n")),
      ElementsAre("step B +3a1", "takeback +3a1", "step B +1a4"));
}

// ---- the lights ------------------------------------------------------------------------------------------------------------

struct Shown {
  std::string_view name;
  double at;
  std::string_view trace;
  Lights expected;
};
void PrintTo(const Shown& shown, std::ostream* out) { *out << shown.name; }

class Scenes : public ::testing::TestWithParam<Shown> {};

TEST_P(Scenes, OnlyWhatIsRequiredIsLit) { EXPECT_EQ(lights_at(GetParam().at, GetParam().trace), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Behaviour, Scenes,
    ::testing::Values(
        Shown{"LastAndTurn",
              4000,
              "game pinuid-classic\nposition BB4B/7/7/7/7/3W2W/WW5 W - -\n---\n1000 g2 .\n1500 f3 o\n9000 end\n",
              {{"g2", "last dim-white solid"},
               {"f3", "last dim-white solid"},
               {"a7", "turn faint-B solid"},
               {"b7", "turn faint-B solid"},
               {"g7", "turn faint-B solid"}}},
        Shown{"OriginAndTarget",
              2000,
              "game pinuid-classic\nposition BB4B/7/7/7/7/3W2W/WW5 W - -\n---\n1000 g2 .\n9000 end\n",
              {{"g2", "origin dim-blue solid"}, {"f1", "target green breathing"}, {"f3", "target green breathing"}}},
        Shown{"Remove",
              2500,
              "game morris\nposition BB1/3/3/5W/2B/W2/WW1 W 0 0 -\n---\n1000 g4 .\n1500 g1 o\n9000 end\n",
              {{"a7", "remove amber blink-2hz"}, {"d7", "remove amber blink-2hz"}, {"e3", "remove amber blink-2hz"}}},
        Shown{"PutReturningPin",
              500,
              "game pinuid-classic\nposition BB4B/7/7/7/7/W1W4/1W5 W - -\n---\n9000 end\n",
              {{"a1", "put W breathing"},
               {"c1", "put W breathing"},
               {"d1", "put W breathing"},
               {"e1", "put W breathing"},
               {"f1", "put W breathing"},
               {"g1", "put W breathing"}}},
        Shown{"IllegalAndBack",
              3000,
              "game pinuid-classic\n---\n1000 a2 .\n1500 a3 o\n9000 end\n",
              {{"a3", "illegal red blink-4hz"}, {"a2", "back white blink-4hz-antiphase"}}},
        Shown{"TakeOffAndPut",
              4000,
              "game pinuid-classic\n---\n1000 a2 .\n1500 b3 o\n3000 takeback\n9000 end\n",
              {{"b3", "take_off red solid"}, {"a2", "put W breathing"}}},
        Shown{"Choose",
              7000,
              "game pylos-standard\nposition 4/WBWB/BWBW/WBWB|3/WBW/BWB|2/2|1 W -\n---\n1000 reserve W 5\n9000 end\n",
              {{"3a1", "choose cyan taking-turns"}, {"3b1", "choose cyan taking-turns"}}},
        Shown{"Out",
              8000,
              "game pinuid-quatro\nposition GG1B1BB/7/G6/6Y/6Y/3R3/RR2R1Y R - -\n---\n1000 d2 .\n1500 c1 o\n3000 b1 .\n6000 "
              "a5 .\n9000 end\n",
              {{"a1", "out dim-violet wave-then-solid"},
               {"c1", "out dim-violet wave-then-solid"},
               {"e1", "out dim-violet wave-then-solid"},
               {"a5", "origin dim-blue solid"},
               {"b4", "target green breathing"},
               {"b6", "target green breathing"}}},
        Shown{"Win",
              8000,
              "game pinuid-classic\nposition BB4B/7/7/7/7/3W3/WW5 W - -\n---\n1000 d2 .\n1500 c1 o\n3000 b1 .\n9000 end\n",
              {{"a1", "win W running-wave"}, {"c1", "win W running-wave"}}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(SceneRoles, PassIsAWaveOfTheBlockedPins) {
  const Lights lights = lights_at(3000, kBlocks);
  for (const char* site : {"a7", "b7", "c7"}) EXPECT_EQ(lights.at(site), "pass white slow-wave");
}

TEST(SceneRoles, PlayersWhoAreOutStayLitWhileARemovalIsRequired) {
  const auto roles = roles_at(
      3000, "game pinuid-quatro\nposition GG1B1BB/3G3/7/6Y/6Y/7/R1R1R1Y G R -\n---\n1000 d6 .\n1500 c7 o\n9000 end\n");
  EXPECT_THAT(roles, ElementsAre(Pair("out", "a1 c1 e1"), Pair("remove", "a7 b7")));
}

TEST(SceneRoles, EveryRoleLooksDifferent) {
  std::map<std::string, std::string> roles;
  for (const std::string_view trace : std::initializer_list<std::string_view>{
           "game pinuid-classic\n---\n1000 a2 .\n1500 b3 o\n3000 takeback\n9000 end\n",
           "game pinuid-classic\n---\n1000 a2 .\n1500 a3 o\n9000 end\n",
           "game pinuid-classic\nposition BB4B/7/7/7/7/3W3/WW5 W - -\n---\n1000 d2 .\n1500 c1 o\n3000 b1 .\n9000 end\n",
           "game pinuid-quatro\nposition GG1B1BB/7/G6/6Y/6Y/3R3/RR2R1Y R - -\n---\n1000 d2 .\n1500 c1 o\n3000 b1 .\n9000 "
           "end\n",
           "game morris\n---\n1000 a1 o\n1010 d7 o\n9000 end\n", kBlocks}) {
    for (double at = 0; at < 9000; at += 100) {
      for (const auto& [site, look] : lights_at(at, trace)) {
        const std::size_t space = look.find(' ');
        std::string shape = look.substr(space + 1);
        for (const char* colour : {"W ", "B ", "R ", "G ", "Y "}) {  // a player's own colour
          if (const std::size_t letter = shape.find(colour); letter != std::string::npos) shape.replace(letter, 1, "own");
        }
        const auto [known, fresh] = roles.emplace(look.substr(0, space), shape);
        EXPECT_EQ(known->second, shape) << known->first;
      }
    }
  }
  EXPECT_EQ(roles.size(), 13U);
  for (const auto& [role, look] : roles) {
    for (const auto& [other, other_look] : roles) {
      EXPECT_TRUE(role == other || look != other_look) << role << " and " << other;
    }
  }
}

}  // namespace
}  // namespace merel
