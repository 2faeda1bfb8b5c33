// The built tool from outside: what it prints and how it ends (standard output, standard error, exit code).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "tests/folder.h"
#include "tests/places.h"

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

struct Ran {
  int exit_code;
  std::string out;
  std::string err;
};

const merel::Folder& folder() {
  static const merel::Folder only;
  return only;
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `merel` with arguments as a shell reads them.
Ran merel(const std::string& arguments) {
  const std::string out = folder().file("out");
  const std::string err = folder().file("err");
  const int status = std::system((MEREL_TOOL " " + arguments + " >" + out + " 2>" + err + " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

constexpr auto kOneLine = "merel: [^\n]+\n";
const std::string kMorrisStart = "'3/3/3/6/3/3/3 W 9 9 -'";

TEST(Perft, PrintsALineForEachDepthAndTheSpeedOnStandardError) {
  const Ran ran = merel("perft morris 3");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "1 24\n2 552\n3 12144\n");
  EXPECT_THAT(ran.err, MatchesRegex("[0-9]+ nodes/s\n"));
}

TEST(Perft, TakesAPositionAndOptions) {
  const std::string position = " --position 'BB5/2B4/7/7/3WWW1/3W3/3W3 W - W:e3:d1v,d3h'";
  EXPECT_EQ(merel("perft pinuid-classic 1" + position).out, "1 4\n");
  EXPECT_EQ(merel("perft pinuid-classic 1 --option forgotten_removal=enforce --option shared_pin=allow" + position).out,
            "1 4\n");
  EXPECT_EQ(merel("perft pinuid-classic 1 --option forgotten_removal=enforce" + position).out, "1 3\n");
}

TEST(Steps, ListsStepsSortedBytewise) {
  const Ran ran = merel("steps pinuid-classic");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "a1-b2 a2-b3 b1-c2 d1-c2 d1-e2 d2-c1 d2-c3 d2-e1 d2-e3 f1-e2 g1-f2 g2-f3\n");
}

TEST(Steps, SaysHowAGameEnded) {
  EXPECT_EQ(merel("steps pinuid-classic --position 'BB5/2B4/7/7/7/7/1WW4 B - -'").out, "over: W\n");
}

TEST(Apply, PrintsThePositionAfterTheSteps) {
  const Ran ran = merel("apply morris +d2 +d6");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "3/1B1/3/6/3/1W1/3 W 8 8 -\n");
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Apply, StepsMayStandBeforeAndAfterOptions) {
  const Ran ran = merel("apply pylos-standard --option repetition=3 +1a1 --position '4/4/4/4|3/3/3|2/2|1 W -' +1b1");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "4/4/4/WB2|3/3/3|2/2|1 W -\n");
}

TEST(Apply, IllegalStepIsNamedWithTheReason) {
  const struct {
    std::string steps;
    std::string named;
  } cases[] = {
      {"+d2 +d2", "STEP 2, '+d2': that site is not empty"},
      {"d1-d2", "STEP 1, 'd1-d2': no man moves"},
      {"+d2 hello", "STEP 2, 'hello': "},
      {"+z9", "STEP 1, '+z9': "},
      {"''", "STEP 1, '': "},
  };
  for (const auto& c : cases) {
    const Ran ran = merel("apply morris " + c.steps);
    EXPECT_EQ(ran.exit_code, 1) << c.steps;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, MatchesRegex(kOneLine));
    EXPECT_THAT(ran.err, HasSubstr(c.named));
  }
}

TEST(Position, PrintsTheNormalForm) {
  const Ran ran = merel("position pinuid-classic '2BBB2/4B2/7/7/7/W1WWW2/2W4 W - B!c7:c7h;W:c2:c2h'");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "2BBB2/4B2/7/7/7/W1WWW2/2W4 W - W:c2:c2h;B!c7:c7h\n");
}

TEST(Position, RefusedTextIsNamedWithFieldAndColumn) {
  for (const std::string text :
       {"'3/3/3/6/3/3/4 W 9 9 -'", "'3/3/3/6/3/3/3 X 9 9 -'", "''", "nothing", "'3/3/3/6/3/3/3 W 9 9'"}) {
    const Ran ran = merel("position morris " + text);
    EXPECT_EQ(ran.exit_code, 1) << text;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, MatchesRegex("merel: [^\n]+, column [0-9]+: [^\n]+\n"));
  }
}

TEST(WrongUse, IsOneLineOnStandardErrorAndExitTwo) {
  const struct {
    std::string arguments;
    std::string named;
  } cases[] = {
      {"", "a command is missing"},
      {"dance", "'dance' is not a command"},
      {"--dance", "'--dance' is not a command"},
      {"perft", "GAME"},
      {"perft morris", "DEPTH"},
      {"perft chess 2", "'chess' is not a game; it is one of pinuid-classic"},
      {"perft morris two", "two"},
      {"perft morris 0", "DEPTH"},
      {"perft morris -1", "-1"},
      {"perft morris 2 3", "3"},
      {"perft morris 2 --depth 3", "--depth"},
      {"perft morris 2 --option", "--option"},
      {"perft morris 2 --option flying", "key=value"},
      {"perft morris 2 --option flying=maybe", "true, false"},
      {"steps morris --option wings=true", "flying"},
      {"steps morris --position 'x W 9 9 -'", "--position: ranks, column "},
      {"steps morris --position ''", "--position: "},
      {"apply morris", "STEP"},
      {"apply morris --position nothing +d2", "--position: "},
      {"position morris", "TEXT"},
      {"position chess " + kMorrisStart, "chess"},
      {"position morris " + kMorrisStart + " --option flying=1", "--option: "},
      {"check", "FILE"},
      {"check " + folder().file("absent"), "absent: cannot be read"},
      {"check /", "/: cannot be read"},
  };
  for (const auto& c : cases) {
    const Ran ran = merel(c.arguments);
    EXPECT_EQ(ran.exit_code, 2) << c.arguments;
    EXPECT_THAT(ran.out, IsEmpty()) << c.arguments;
    EXPECT_THAT(ran.err, MatchesRegex(kOneLine)) << c.arguments;
    EXPECT_THAT(ran.err, HasSubstr(c.named)) << c.arguments;
  }
}

TEST(Help, OfEachCommandShowsAnExample) {
  for (const std::string command : {"", "perft", "steps", "apply", "position", "check", "replay", "demo"}) {
    const Ran ran = merel(command + " --help");
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_THAT(ran.out, HasSubstr("Example")) << command;
    EXPECT_THAT(ran.err, IsEmpty()) << command;
  }
}

TEST(StandardOutput, ThatCannotBeWrittenIsExitTwo) {
  const int status = std::system(MEREL_TOOL " steps morris >/dev/full 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

const std::string kGoodGame =
    R"({"game":"morris","options":{},"start":"3/3/3/B2B1B/3/W1W/1W1 W 0 0 -","steps":["d1-d2","xa4"],)"
    R"("final":"3/3/3/3B1B/3/WWW/3 B 0 0 -","result":"W"})";

std::string changed(const std::string& from, const std::string& to) {
  std::string game = kGoodGame;
  const std::size_t at = game.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return game.replace(at, from.size(), to);
}

TEST(Check, CountsGamesAndSteps) {
  const std::string file =
      folder().write("good.jsonl", kGoodGame + "\n\n" + changed(R"("options":{},)", "") + "\n" + kGoodGame);
  const Ran ran = merel("check " + file);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "3 games, 6 steps, 0 bad\n");
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Check, EmptyFileHoldsNoGames) {
  const Ran ran = merel("check " + folder().write("empty.jsonl", ""));
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "0 games, 0 steps, 0 bad\n");
}

TEST(Check, TheVectorsAreGood) {
  EXPECT_EQ(merel("check " MEREL_TEST_DATA "/vectors/games.jsonl").out, "280 games, 53791 steps, 0 bad\n");
}

TEST(Check, BadGameIsNamedWithLineAndField) {
  const struct {
    std::string line;
    std::string named;
  } cases[] = {
      {"{", "column 2: is not JSON"},
      {"\xff", "column 1: is not JSON"},
      {"[]", "game: the line is array"},
      {changed(R"("game":"morris",)", ""), "game: is missing"},
      {changed(R"("morris")", "7"), "game: is number; a string"},
      {changed("morris", "chess"), "'chess' is not a game"},
      {changed(R"("options":{})", R"("options":[])"), "options: is array; an object of strings"},
      {changed(R"("options":{})", R"("options":{"flying":true})"), "options.flying: is boolean; a string"},
      {changed(R"("options":{})", R"("options":{"wings":"true"})"), "options: option 'wings'"},
      {changed("B2B1B", "B2B2B"), "start: ranks, column"},
      {changed(R"(["d1-d2","xa4"])", R"("d1-d2")"), "steps: is string; an array"},
      {changed(R"("xa4")", "4"), "steps[1]: is number; a string"},
      {changed("xa4", "xa1"), "steps[1]: 'xa1' is illegal: "},
      {changed("d1-d2", "d1-d9"), "steps[0]: 'd1-d9' is illegal: "},
      {changed("3/3/3/3B1B/3/WWW/3 B", "3/3/3/3B1B/3/WWW/3 W"), "final: is '"},
      {changed(R"("result":"W")", R"("result":"B")"), "result: is 'B', but after the steps it is 'W'"},
      {changed(R"("result":"W")", R"("result":null)"), "result: is null; a string"},
  };
  for (const auto& c : cases) {
    const Ran ran = merel("check " + folder().write("bad.jsonl", kGoodGame + "\n" + c.line + "\n"));
    EXPECT_EQ(ran.exit_code, 1) << c.line;
    EXPECT_THAT(ran.out, StartsWith("2 games, ")) << c.line;
    EXPECT_THAT(ran.out, HasSubstr(" steps, 1 bad\n")) << c.line;
    EXPECT_THAT(ran.err, MatchesRegex(kOneLine)) << c.line;
    EXPECT_THAT(ran.err, HasSubstr("bad.jsonl, line 2, ")) << c.line;
    EXPECT_THAT(ran.err, HasSubstr(c.named)) << c.line;
  }
}

}  // namespace
