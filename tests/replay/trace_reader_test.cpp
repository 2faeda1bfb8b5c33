// What is a trace, and which line of a bad one is told, with what reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "drivers/trace.h"
#include "tests/folder.h"

namespace merel {
namespace {

using ::testing::HasSubstr;

struct Bad {
  std::string name;
  std::string text;
  std::size_t line;
  std::string says;  ///< a part of the message
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadTrace : public ::testing::TestWithParam<Bad> {};

TEST_P(BadTrace, IsRefusedWithLineAndReason) {
  const auto trace = read_trace(GetParam().text);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().line, GetParam().line) << trace.error().message;
  EXPECT_THAT(trace.error().message, HasSubstr(GetParam().says));
  EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(trace.error().text("game.trace"),
            "game.trace:" + std::to_string(GetParam().line) + ": " + trace.error().message);
}

/// A Morris trace with these lines after the first, and one with these events.
std::string header(const std::string& lines) { return "merel-trace 1\n" + lines; }
std::string events(const std::string& lines, const std::string& game = "morris") {
  return "merel-trace 1\ngame " + game + "\n---\n" + lines;  // events begin in line 4
}

INSTANTIATE_TEST_SUITE_P(
    Header, BadTrace,
    ::testing::Values(
        Bad{"Empty", "", 1, "merel-trace 1"}, Bad{"NoFormat", "game morris\n---\n0 end\n", 1, "merel-trace 1"},
        Bad{"OtherVersion", "merel-trace 2\ngame morris\n---\n0 end\n", 1, "merel-trace 1"},
        Bad{"FormatAfterAnEmptyLine", "\nmerel-trace 1\ngame morris\n---\n0 end\n", 1, "merel-trace 1"},
        Bad{"FormatTwice", header("merel-trace 1\ngame morris\n---\n0 end\n"), 2, "merel-trace"},
        Bad{"NoGame", header("settle 300\n---\n0 end\n"), 3, "game"},
        Bad{"UnknownGame", header("game chess\n---\n0 end\n"), 2, "pinuid-classic"},
        Bad{"GameTwice", header("game morris\ngame morris\n---\n0 end\n"), 3, "second"},
        Bad{"GameWithoutName", header("game\n---\n0 end\n"), 2, "value"},
        Bad{"UnknownKey", header("game morris\ncolor yes\n---\n0 end\n"), 3, "color"},
        Bad{"UnknownOption", header("game morris\noption fast=yes\n---\n0 end\n"), 3, "fast"},
        Bad{"OptionOfAnotherGame", header("game morris\noption stagnation=line\n---\n0 end\n"), 3, "stagnation"},
        Bad{"UnknownValue", header("game morris\noption flying=maybe\n---\n0 end\n"), 3, "maybe"},
        Bad{"OptionWithoutValue", header("game morris\noption flying\n---\n0 end\n"), 3, "flying"},
        Bad{"UnknownSensing", header("game morris\nsensing smell\n---\n0 end\n"), 3, "smell"},
        Bad{"SensingTwice", header("game morris\nsensing colour\nsensing colour\n---\n0 end\n"), 4, "second"},
        Bad{"BadPosition", header("game morris\nposition 3/3/3/6/3/3 W 9 9 -\n---\n0 end\n"), 3, "position"},
        Bad{"PositionOfAnotherGame", header("position 3/3/3/6/3/3/3 W 9 9 -\ngame pylos-expert\n---\n0 end\n"), 2,
            "position"},
        Bad{"PositionTwice",
            header("game morris\nposition 3/3/3/6/3/3/3 W 9 9 -\nposition 3/3/3/6/3/3/3 W 9 9 -\n---\n0 end\n"), 4,
            "second"},
        Bad{"BadSettle", header("game morris\nsettle soon\n---\n0 end\n"), 3, "soon"},
        Bad{"NegativeSettle", header("game morris\nsettle -300\n---\n0 end\n"), 3, "-300"},
        Bad{"SettleOfADay", header("game morris\nsettle 86400000\n---\n0 end\n"), 3, "86400000"},
        Bad{"CutOffInTheHeader", header("game morris\n"), 3, "---"},
        Bad{"CutOffAfterTheHeader", header("game morris\n---\n"), 4, "cut off"},
        Bad{"EmptyHeaderLine", header("game morris\n\n---\n0 end\n"), 3, ""}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Events, BadTrace,
    ::testing::Values(
        Bad{"NoEnd", events("100 a1 o\n"), 5, "end"}, Bad{"CutOffInALine", events("100 a1 o\n200 d"), 5, ""},
        Bad{"CutOffInTheEnd", events("100 a1 o\n200 en"), 5, "en"},
        Bad{"JunkAfterEnd", events("100 end\n200 a1 o\n"), 5, "after 'end'"},
        Bad{"EndTwice", events("100 end\n100 end\n"), 5, "after 'end'"},
        Bad{"EmptyLineAfterEnd", events("100 end\n\n"), 5, "after 'end'"}, Bad{"EmptyLine", events("\n100 end\n"), 4, ""},
        Bad{"OutOfOrder", events("100 a1 o\n99.9 d1 o\n200 end\n"), 5, "99.9"},
        Bad{"EndOutOfOrder", events("100 a1 o\n50 end\n"), 5, "50"},
        Bad{"NegativeTime", events("-1 a1 o\n200 end\n"), 4, "-1"},
        Bad{"TimeWithAComma", events("1,5 a1 o\n200 end\n"), 4, "1,5"},
        Bad{"TimeInWords", events("soon a1 o\n200 end\n"), 4, "soon"},
        Bad{"TimeWithAnExponent", events("1e3 a1 o\n2000 end\n"), 4, "1e3"},
        Bad{"HexadecimalTime", events("0x10 a1 o\n2000 end\n"), 4, "0x10"},
        Bad{"TimeNotANumber", events("nan a1 o\n2000 end\n"), 4, "nan"},
        Bad{"TimeEndsInADot", events("10. a1 o\n2000 end\n"), 4, "10."},
        Bad{"TimeBeyondAllGames", events("99999999999999999999 a1 o\n2000 end\n"), 4, "time"},
        Bad{"OnlyATime", events("100\n200 end\n"), 4, "100"}, Bad{"UnknownSite", events("100 h1 o\n200 end\n"), 4, "h1"},
        Bad{"NoPointOfTheBoard", events("100 b1 o\n200 end\n"), 4, "b1"},
        Bad{"SiteInCapitals", events("100 A1 o\n200 end\n"), 4, "A1"},
        Bad{"UnsensedSite", events("100 3a1 o\n200 end\n", "pylos-standard"), 4, "3a1"},
        Bad{"Apex", events("100 4a1 .\n200 end\n", "pylos-standard"), 4, "4a1"},
        Bad{"SiteWithoutReading", events("100 a1\n200 end\n"), 4, "SITE"},
        Bad{"SiteWithTwoReadings", events("100 a1 o .\n200 end\n"), 4, "SITE"},
        Bad{"UnknownReading", events("100 a1 x\n200 end\n"), 4, "x"},
        Bad{"ColourWithoutColourSensing", events("100 a1 W\n200 end\n"), 4, "W"},
        Bad{"OccupiedWithColourSensing", header("game morris\nsensing colour\n---\n100 a1 o\n200 end\n"), 5, "o"},
        Bad{"ColourOfAnotherGame", header("game morris\nsensing colour\n---\n100 a1 R\n200 end\n"), 5, "R"},
        Bad{"ButtonWithoutPlayer", events("100 button\n200 end\n"), 4, "button C"},
        Bad{"ButtonOfNobody", events("100 button R\n200 end\n"), 4, "R"},
        Bad{"ButtonInSmallLetters", events("100 button w\n200 end\n"), 4, "w"},
        Bad{"TrayWithoutTrays", events("100 reserve W 8\n200 end\n"), 4, "tray"},
        Bad{"TrayOfNobody", events("100 reserve R 8\n200 end\n", "pylos-expert"), 4, "R"},
        Bad{"TrayWithoutCount", events("100 reserve W\n200 end\n", "pylos-expert"), 4, "reserve C N"},
        Bad{"TrayTooFull", events("100 reserve W 16\n200 end\n", "pylos-expert"), 4, "16"},
        Bad{"TrayOwes", events("100 reserve W -1\n200 end\n", "pylos-expert"), 4, "-1"},
        Bad{"ChooseNothing", events("100 choose\n200 end\n"), 4, "choose STEP"},
        Bad{"ChooseNoStep", events("100 choose +d9\n200 end\n"), 4, "+d9"},
        Bad{"ChooseAmongTooMany",
            events("100 choose" +
                   [] {
                     std::string out;
                     for (int i = 0; i < 500; ++i) out += " +a1";
                     return out;
                   }() +
                   "\n200 end\n"),
            4, "choose"},
        Bad{"TakebackOfSomething", events("100 takeback a1\n200 end\n"), 4, "takeback"},
        Bad{"EndOfSomething", events("100 end now\n"), 4, "end"},
        Bad{"UnknownEvent", events("100 resign W\n200 end\n"), 4, "resign"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(Bytes, BadTrace,
                         ::testing::Values(Bad{"Latin1", events("# K\xF6nig\n100 end\n"), 4, "UTF-8"},
                                           Bad{"CutOffCharacter", events("100 end\n# \xE2\x80"), 5, "UTF-8"},
                                           Bad{"OverlongForm", events("100 end\n# \xC0\xAF\n"), 5, "UTF-8"},
                                           Bad{"Surrogate", events("# \xED\xA0\x80\n100 end\n"), 4, "UTF-8"},
                                           Bad{"BeyondUnicode", events("# \xF4\x90\x80\x80\n100 end\n"), 4, "UTF-8"},
                                           Bad{"Binary",
                                               std::string("\x7F"
                                                           "ELF\0\1\2\xFF",
                                                           8),
                                               1, "UTF-8"},
                                           Bad{"NulInALine", events(std::string("100 a1\0 o\n200 end\n", 18)), 4, ""},
                                           Bad{"LongRubbish", std::string(100000, 'x'), 1, "merel-trace 1"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(GoodTrace, HasAllThatItSays) {
  const auto trace = read_trace(R"(merel-trace 1
# a comment, in UTF-8: König
game pylos-expert
option empty_reserve=raise
sensing colour
position 3W/4/WB2/BW2|3/3/3|2/2|1 W -
settle 250.5
---
# and another
0 1d4 .
1200.125 2a1 W
1200.125 reserve W 11
1300 button B
1400 choose 1d4-2a1 x1a2
1500 takeback
1600 end
)");
  ASSERT_TRUE(trace.ok()) << trace.error().text("trace");
  EXPECT_EQ(trace->game, find_game("pylos-expert"));
  EXPECT_TRUE(trace->options.is("empty_reserve", "raise"));
  EXPECT_TRUE(trace->colour);
  EXPECT_TRUE(trace->trays);
  EXPECT_EQ(text(trace->start), "3W/4/WB2/BW2|3/3/3|2/2|1 W -");
  EXPECT_EQ(trace->settle, std::chrono::microseconds(250500));
  ASSERT_EQ(trace->events.size(), 7U);
  const Geometry& board = geometry(trace->start);
  const auto& lift = std::get<SiteReading>(trace->events[0].what);
  EXPECT_EQ(lift.site, board.find("1d4"));
  EXPECT_TRUE(lift.contents.is_empty());
  EXPECT_EQ(trace->events[1].time, std::chrono::microseconds(1200125));
  EXPECT_EQ(std::get<SiteReading>(trace->events[1].what).contents, Contents::piece(0));
  EXPECT_EQ(std::get<TrayReading>(trace->events[2].what).count, 11);
  EXPECT_EQ(std::get<ButtonPress>(trace->events[3].what).player, 1);
  EXPECT_EQ(std::get<ChooseRequest>(trace->events[4].what).steps,
            (std::vector<Step>{Step::move(board.find("1d4"), board.find("2a1")), Step::take(board.find("1a2"))}));
  EXPECT_TRUE(std::holds_alternative<TakebackRequest>(trace->events[5].what));
  EXPECT_TRUE(std::holds_alternative<TraceEnd>(trace->events[6].what));
}

TEST(GoodTrace, HasDefaults) {
  const auto trace = read_trace("merel-trace 1\ngame morris\n---\n0 end\n");
  ASSERT_TRUE(trace.ok());
  EXPECT_FALSE(trace->colour);
  EXPECT_FALSE(trace->trays);
  EXPECT_EQ(trace->settle, std::chrono::milliseconds(300));
  EXPECT_EQ(text(trace->start), "3/3/3/6/3/3/3 W 9 9 -");
  EXPECT_EQ(trace->options, find_game("morris")->defaults());
}

struct Good {
  std::string name;
  std::string text;
};
void PrintTo(const Good& good, std::ostream* out) { *out << good.name; }

class GoodTraces : public ::testing::TestWithParam<Good> {};

TEST_P(GoodTraces, AreRead) {
  const auto trace = read_trace(GetParam().text);
  EXPECT_TRUE(trace.ok()) << trace.error().text("trace");
}

INSTANTIATE_TEST_SUITE_P(
    Reader, GoodTraces,
    ::testing::Values(
        Good{"LinesEndInCrLf", "merel-trace 1\r\ngame morris\r\n---\r\n100 a1 o\r\n200 end\r\n"},
        Good{"LastLineIsNotEnded", "merel-trace 1\ngame morris\n---\n200 end"},
        Good{"CommentsEverywhere", "merel-trace 1\n#\n# --- not the end\ngame morris\n---\n# 5 a1 o\n200 end\n# done\n"},
        Good{"EventsAtOneTime", events("100 a1 o\n100 d7 o\n100 end\n")},
        Good{"HeaderInAnyOrder",
             header("settle 0\nposition BB1/3/B2/5W/2B/W2/WW1 W 0 0 -\noption flying=false\ngame morris\n---\n0 end\n")},
        Good{"SeveralOptions",
             header("game pinuid-classic\noption stagnation=line\noption repetition=3\noption first=B\n---\n0 end\n")},
        Good{"FinerThanAMicrosecond", events("0.00012345 a1 o\n0.5 end\n")},
        Good{"LargeBoard", header("game pinuid-quatro\nposition "
                                  "YRG5BYR/BGB5GBG/GRY5RYB/11/11/11/11/11/RGB5GBY/YRY5RYR/BGR5YBG R - -\n---\n0 end\n")},
        Good{"ThirdPlayersButton", events("10 button B\n20 end\n", "pinuid-quatro3")}),
    [](const auto& tested) { return tested.param.name; });

TEST(TraceFile, IsRead) {
  const Folder folder;
  const std::string path = folder.file("good.trace");
  std::ofstream(path) << "merel-trace 1\ngame morris\n---\n100 a1 o\n200 end\n";
  const auto trace = read_trace_file(path);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->events.size(), 2U);
}

TEST(TraceFile, ThatIsMissingIsRefused) {
  const Folder folder;
  const std::string path = folder.file("none.trace");
  const auto trace = read_trace_file(path);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().line, 0U);
  EXPECT_EQ(trace.error().text(path), path + ": " + trace.error().message);
}

TEST(TraceFile, ThatIsAFolderIsRefused) {
  const Folder folder;
  const auto trace = read_trace_file(folder.path());
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, HasSubstr("folder"));
}

TEST(TraceFile, OverTheLimitIsRefused) {
  const Folder folder;
  const std::string path = folder.file("huge.trace");
  std::ofstream(path) << "merel-trace 1\ngame morris\n---\n";
  std::filesystem::resize_file(path, (64U << 20) + 1);  // a sparse file: no room is taken
  const auto trace = read_trace_file(path);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().line, 0U);
  EXPECT_THAT(trace.error().message, HasSubstr("64 MiB"));
}

}  // namespace
}  // namespace merel
