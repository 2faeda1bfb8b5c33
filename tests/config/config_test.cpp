// Configuration files and board profiles: what is read from them, and every way in which they can be wrong.
#include "daemon/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "rules/game.h"
#include "tests/folder.h"
#include "tests/places.h"

namespace merel {

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// Root of the sources; holds boards/ as the share folder does.
const std::string kShare = MEREL_SOURCE;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What is wrong, as it is shown; empty when nothing is.
template <class T>
std::vector<std::string> texts(const Result<T, ConfigProblems>& result) {
  std::vector<std::string> out;
  if (result) return out;
  for (const ConfigProblem& problem : result.error()) out.push_back(problem.text());
  return out;
}
std::vector<std::string> wrong_in(const std::string& text) { return texts(read_config_text(text, "m.toml", kShare)); }
std::vector<std::string> wrong_in_profile(const std::string& text) { return texts(read_profile_text(text, "b.toml")); }

Config config(const std::string& text) {
  const auto read = read_config_text(text, "m.toml", kShare);
  EXPECT_THAT(texts(read), IsEmpty());
  return read ? *read : Config{};
}
BoardProfile profile(const std::string& text) {
  const auto read = read_profile_text(text, "somewhere/small.toml");
  EXPECT_THAT(texts(read), IsEmpty());
  return read ? *read : BoardProfile{};
}
BoardProfile shipped(const std::string& name) {
  const auto read = read_profile(kShare + "/boards/" + name + ".toml");
  EXPECT_THAT(texts(read), IsEmpty());
  return read ? *read : BoardProfile{};
}

/// 3 x 3, every channel and light another, no symmetry, no sensor under b3 and no light at c1.
const std::string kSmall =
    "lattice = 3\n"             // line 1
    "[sensors]\n"               // 2
    "driver = 'sim'\n"          // 3
    "channels = [\n"            // 4
    " [10, -1, 12],\n"          // 5
    " [ 3,  4,  5],\n"          // 6
    " [ 0,  7,  2] ]\n"         // 7
    "[lights]\n"                // 8
    "driver = 'sim'\n"          // 9
    "order = [\n"               // 10
    " [8, 7, 6], [3, 4, 5],\n"  // 11
    " [2, 1, -1] ]\n";          // 12

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

const Geometry& board_of(const std::string& game_name) {
  const GameInfo& game = *find_game(game_name);
  const Options options = game.defaults();
  return geometry(*game.read(options, game.start(options)));
}

// ---- configuration ---------------------------------------------------------------------------------------------------------

void expect_defaults(const Config& c) {
  EXPECT_EQ(c.board.name, "virtual7");
  EXPECT_EQ(c.game, "morris");
  EXPECT_THAT(c.options, IsEmpty());
  EXPECT_FALSE(c.clock.has_value());
  EXPECT_THAT(c.players, IsEmpty());
  EXPECT_TRUE(c.help);
  EXPECT_TRUE(c.sound);
  EXPECT_EQ(c.tracker.settle, milliseconds(300));
  EXPECT_EQ(c.tracker.wrong_placing, milliseconds(700));
  EXPECT_EQ(c.tracker.wrong_lift, milliseconds(3000));
  EXPECT_EQ(c.tracker.ask, milliseconds(4000));
  EXPECT_FALSE(c.tracker.trays);
  EXPECT_EQ(c.debounce.hold, milliseconds(12));
  EXPECT_EQ(c.brightness, 1.0);
  EXPECT_EQ(c.palette, Palette::standard);
  EXPECT_EQ(c.socket, "/run/merel/merel.sock");
  EXPECT_THAT(c.listen, ElementsAre(ListenAddress{"127.0.0.1", 7357}));
  EXPECT_EQ(c.web, "/usr/share/merel/web");
  EXPECT_THAT(c.origins, IsEmpty());
  EXPECT_EQ(c.token_file, "/var/lib/merel/token");
  EXPECT_EQ(c.journal, "/var/lib/merel/games.sqlite");
  EXPECT_EQ(c.journal_max_mib, 0U);
  EXPECT_FALSE(c.record_traces);
  EXPECT_EQ(c.traces, "/var/lib/merel/traces");
  EXPECT_EQ(c.log_level, "info");
}

TEST(Config, WhatIsNotSetHasItsDefault) {
  expect_defaults(config(""));
  const auto without_file = default_config(kShare);
  ASSERT_THAT(texts(without_file), IsEmpty());
  expect_defaults(*without_file);
}

TEST(Config, TheInstalledFileHasNoProblemAndShowsTheDefaults) {
  const std::string installed = kShare + "/daemon/config/merel.toml";
  const auto read = read_config(installed, kShare);
  ASSERT_THAT(texts(read), IsEmpty());
  expect_defaults(*read);

  std::string shown = content(installed);
  std::size_t keys = 0;
  for (std::size_t at = shown.find("\n#"); at != std::string::npos; at = shown.find("\n#", at + 1)) {
    if (shown[at + 2] == ' ' || shown[at + 2] == '\n') continue;
    shown.erase(at + 1, 1);
    ++keys;
  }
  EXPECT_EQ(keys, 23U);  // all but the clock, which has no default
  expect_defaults(config(shown));
}

TEST(Config, EveryKeyIsRead) {
  const Config c = config(R"(
    board = "virtual7-colour"
    [game]
    game = "pinuid-quatro"
    options = { forgotten_removal = "enforce", repetition = 3, departure_rows = false }
    players = ["Ada", "", "Grace"]
    clock = { initial_s = 300, increment_s = 2.5 }
    [play]
    help = false
    sound = false
    settle_ms = 250
    wrong_placing_ms = 800
    wrong_lift_ms = 2000
    ask_ms = 5000
    debounce_ms = 20
    [lights]
    brightness = 0.25
    palette = "colour-blind"
    [server]
    socket = "/tmp/m.sock"
    listen = ["0.0.0.0:80", "[::1]:0", "[fd00::7]:65535"]
    web = "/srv/web"
    origins = ["https://board.example", "http://127.0.0.1:8000"]
    token_file = "/srv/token"
    [journal]
    file = "/srv/games"
    max_mib = 64
    record_traces = true
    traces = "/srv/traces"
    [log]
    level = "debug"
  )");
  EXPECT_EQ(c.board.name, "virtual7-colour");
  EXPECT_EQ(c.game, "pinuid-quatro");
  EXPECT_EQ(c.options, (std::map<std::string, std::string>{
                           {"forgotten_removal", "enforce"}, {"repetition", "3"}, {"departure_rows", "false"}}));
  EXPECT_THAT(c.players, ElementsAre("Ada", "", "Grace"));
  ASSERT_TRUE(c.clock.has_value());
  EXPECT_EQ(c.clock->initial, std::chrono::minutes(5));
  EXPECT_EQ(c.clock->increment, milliseconds(2500));
  EXPECT_FALSE(c.help);
  EXPECT_FALSE(c.sound);
  EXPECT_EQ(c.tracker.settle, milliseconds(250));
  EXPECT_EQ(c.tracker.wrong_placing, milliseconds(800));
  EXPECT_EQ(c.tracker.wrong_lift, milliseconds(2000));
  EXPECT_EQ(c.tracker.ask, milliseconds(5000));
  EXPECT_TRUE(c.tracker.trays);
  EXPECT_EQ(c.debounce.hold, milliseconds(20));
  EXPECT_EQ(c.brightness, 0.25);
  EXPECT_EQ(c.palette, Palette::colour_blind);
  EXPECT_EQ(c.socket, "/tmp/m.sock");
  EXPECT_THAT(c.listen, ElementsAre(ListenAddress{"0.0.0.0", 80}, ListenAddress{"::1", 0}, ListenAddress{"fd00::7", 65535}));
  EXPECT_EQ(c.web, "/srv/web");
  EXPECT_THAT(c.origins, ElementsAre("https://board.example", "http://127.0.0.1:8000"));
  EXPECT_EQ(c.token_file, "/srv/token");
  EXPECT_EQ(c.journal, "/srv/games");
  EXPECT_EQ(c.journal_max_mib, 64U);
  EXPECT_TRUE(c.record_traces);
  EXPECT_EQ(c.traces, "/srv/traces");
  EXPECT_EQ(c.log_level, "debug");
}

TEST(Config, DebouncingMayBeOff) { EXPECT_EQ(config("[play]\ndebounce_ms = 0").debounce.hold, milliseconds(0)); }

TEST(Config, ListenMayBeEmptySoThatOnlyTheSocketIsServed) { EXPECT_THAT(config("[server]\nlisten = []").listen, IsEmpty()); }

TEST(Config, EachProblemNamesFileLineAndWhatWouldBeRight) {
  const struct {
    std::string text;
    std::string problem;
  } cases[] = {
      // keys
      {"bord = 'virtual7'", "m.toml:1: 'bord' is no known key; did you mean 'board'?"},
      {"\n[play]\nsetle_ms = 300", "m.toml:3: 'setle_ms' in [play] is no known key; did you mean 'settle_ms'?"},
      {"[play]\n\nloudness = 300",
       "m.toml:3: 'loudness' in [play] is no known key; it can be: help, sound, settle_ms, wrong_placing_ms, "
       "wrong_lift_ms, ask_ms, debounce_ms"},
      {"[plays]\nhelp = true", "m.toml:1: 'plays' is no known key; did you mean 'play'?"},
      {"[game]\nclock = { initial_s = 60, increment = 2 }",
       "m.toml:2: 'increment' in [game.clock] is no known key; did you mean 'increment_s'?"},
      // types
      {"board = 7", "m.toml:1: 'board' must be a string, not a whole number"},
      {"play = true", "m.toml:1: 'play' must be a table, not true or false"},
      {"[[log]]\nlevel = 'info'", "m.toml:1: 'log' must be a table, not a list"},
      {"[play]\nhelp = 'yes'", "m.toml:2: 'help' in [play] must be true or false, not a string"},
      {"[play]\nsettle_ms = 300.5",
       "m.toml:2: 'settle_ms' in [play] must be a whole number from 20 to 60000, not a number with decimals"},
      {"[lights]\nbrightness = '50 %'", "m.toml:2: 'brightness' in [lights] must be a number from 0 to 1, not a string"},
      {"[server]\norigins = 'https://board.example'", "m.toml:2: 'origins' in [server] must be a list, not a string"},
      {"[game]\nplayers = [\n'Ada',\n2]",
       "m.toml:4: 'players' in [game] must be a list of strings, but has a whole number in it"},
      {"[game]\noptions = { flying = 1979-05-27 }",
       "m.toml:2: 'flying' in [game.options] must be a string, a whole number, true or false, not a date or time"},
      {"[game]\nclock = 300", "m.toml:2: 'clock' in [game] must be a table, not a whole number"},
      // ranges
      {"[play]\nsettle_ms = 19", "m.toml:2: 'settle_ms' in [play] is 19; it must be a whole number from 20 to 60000"},
      {"[play]\nwrong_placing_ms = 60001",
       "m.toml:2: 'wrong_placing_ms' in [play] is 60001; it must be a whole number from 20 to 60000"},
      {"[play]\nwrong_lift_ms = -1",
       "m.toml:2: 'wrong_lift_ms' in [play] is -1; it must be a whole number from 20 to 60000"},
      {"[play]\ndebounce_ms = 201", "m.toml:2: 'debounce_ms' in [play] is 201; it must be a whole number from 0 to 200"},
      {"[lights]\nbrightness = 1.01", "m.toml:2: 'brightness' in [lights] is 1.01; it must be a number from 0 to 1"},
      {"[lights]\nbrightness = nan", "m.toml:2: 'brightness' in [lights] is nan; it must be a number from 0 to 1"},
      {"[lights]\nbrightness = -1", "m.toml:2: 'brightness' in [lights] is -1; it must be a number from 0 to 1"},
      {"[journal]\nmax_mib = -5", "m.toml:2: 'max_mib' in [journal] is -5; it must be a whole number from 0 to 1048576"},
      {"[game]\nclock = { initial_s = 0 }",
       "m.toml:2: 'initial_s' in [game.clock] is 0; it must be a number from 1 to 86400"},
      {"[game]\nclock = { increment_s = 2 }",
       "m.toml:2: 'initial_s' in [game.clock] is missing; it is the time of each player in seconds"},
      {"[play]\nsettle_ms = 5000",
       "m.toml:2: 'settle_ms' in [play] is 5000; it must not be longer than ask_ms, which is 4000"},
      {"[play]\nask_ms = 200", "m.toml:2: 'ask_ms' in [play] is 200; it must not be shorter than settle_ms, which is 300"},
      {"[play]\nask_ms = 200\nsettle_ms = 250",
       "m.toml:3: 'settle_ms' in [play] is 250; it must not be longer than ask_ms, which is 200"},
      // words
      {"[lights]\npalette = 'color-blind'",
       "m.toml:2: 'palette' in [lights] is 'color-blind'; it can be: standard, colour-blind"},
      {"[log]\nlevel = 'warn'", "m.toml:2: 'level' in [log] is 'warn'; it can be: trace, debug, info, warning, error"},
      {"[game]\ngame = 'chess'",
       "m.toml:2: 'game' in [game] is 'chess'; it can be: pinuid-classic, pinuid-quatro, pinuid-quatro3, pylos-children, "
       "pylos-standard, pylos-expert, morris"},
      {"[game]\noptions = { fly = 'true' }", "m.toml:2: option 'fly' is unknown to this game; it has: flying, repetition"},
      {"[game]\n[game.options]\nflying = 'maybe'", "m.toml:3: option 'flying' cannot be 'maybe'; it can be: true, false"},
      {"[game]\nplayers = ['A', 'B', 'C']", "m.toml:2: 'players' in [game] has 3 names; morris has at most 2 players"},
      {"[game]\nplayers = ['A', \"B\\nC\"]",
       "m.toml:2: 'players' in [game] must be a list of strings of one line without control characters"},
      {"[journal]\nfile = \"/srv/\\u0000\"", "m.toml:2: 'file' in [journal] must be one line without control characters"},
      // addresses
      {"[server]\nlisten = ['localhost:7357']",
       "m.toml:2: 'listen' in [server] has 'localhost:7357'; it must be a numeric address and a port, like 127.0.0.1:7357 "
       "or [::1]:7357"},
      {"[server]\nlisten = ['127.0.0.1']",
       "m.toml:2: 'listen' in [server] has '127.0.0.1'; it must be a numeric address and a port, like 127.0.0.1:7357 or "
       "[::1]:7357"},
      {"[server]\nlisten = ['::1:7357']",
       "m.toml:2: 'listen' in [server] has '::1:7357'; it must be a numeric address and a port, like 127.0.0.1:7357 or "
       "[::1]:7357"},
      {"[server]\nlisten = ['[127.0.0.1]:7357']",
       "m.toml:2: 'listen' in [server] has '[127.0.0.1]:7357'; it must be a numeric address and a port, like 127.0.0.1:7357 "
       "or [::1]:7357"},
      {"[server]\nlisten = ['127.0.0.1:']",
       "m.toml:2: 'listen' in [server] has '127.0.0.1:'; its port must be a whole number from 0 to 65535"},
      {"[server]\nlisten = ['127.0.0.1:65536']",
       "m.toml:2: 'listen' in [server] has '127.0.0.1:65536'; its port must be a whole number from 0 to 65535"},
      {"[server]\nlisten = ['127.0.0.1:http']",
       "m.toml:2: 'listen' in [server] has '127.0.0.1:http'; its port must be a whole number from 0 to 65535"},
      {"[server]\nlisten = [\n'127.0.0.1:1',\n'127.0.0.1:1']",
       "m.toml:4: 'listen' in [server] has '127.0.0.1:1'; that is there already, so leave it out"},
      {"[server]\norigins = ['board.example']",
       "m.toml:2: 'origins' in [server] has 'board.example'; it must be like https://board.example"},
      {"[server]\norigins = ['https://board.example/']",
       "m.toml:2: 'origins' in [server] has 'https://board.example/'; it must be like https://board.example"},
      // paths
      {"[server]\nsocket = 'merel.sock'",
       "m.toml:2: 'socket' in [server] is 'merel.sock'; it must be an absolute path, one that begins with '/'"},
      {"[server]\nweb = ''", "m.toml:2: 'web' in [server] is ''; it must be an absolute path, one that begins with '/'"},
      {"board = 'boards/virtual7.toml'",
       "m.toml:1: 'board' is 'boards/virtual7.toml'; it must be an absolute path, one that begins with '/'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(wrong_in(c.text), ElementsAre(c.problem));
  }
}

TEST(Config, SyntaxErrorIsToldInTheWordsOfTheParserWithItsLine) {
  const struct {
    std::string text;
    std::string line;
  } cases[] = {
      {"[play]\nhelp = yes\n", "m.toml:2: "},
      {"[play]\n\nhelp = true\nhelp = true\n", "m.toml:4: "},
      {"\n\n[play\n", "m.toml:3: "},
      {"board = 'virtual7", "m.toml:1: "},
      {"\n\n[=", "m.toml:3: "},
      {"\n= 3", "m.toml:2: "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(wrong_in(c.text), ElementsAre(AllOf(StartsWith(c.line), HasSubstr("arsing"), Not(HasSubstr("\n")))));
  }
}

TEST(Config, LettersBeyondAsciiStandInStringsAndCommentsOnly) {
  EXPECT_THAT(config("\xEF\xBB\xBF# größer\n[game]\nplayers = ['Zoë', \"J\\\"ürgen\"]  # für zwei").players,
              ElementsAre("Zoë", "J\"ürgen"));
  for (const char* text : {"[play]\ngröße = 3", "\nboard = 'virtual7' ö", "\nboard = virtual§"}) {
    EXPECT_THAT(wrong_in(text), ElementsAre(StartsWith("m.toml:2: "))) << text;
  }
  EXPECT_THAT(config("board = \"\"\"\\\n  virtual7\"\"\"").board.name, "virtual7");
}

TEST(Config, AllProblemsOfAFileAreToldAtOnceByLine) {
  EXPECT_THAT(
      wrong_in("board = 8\n"
               "[log]\n"
               "level = 3\n"
               "[game]\n"
               "game = 'morris'\n"
               "options = { flying = 'maybe', repetition = 1 }\n"
               "players = ['A', 'B', 'C']\n"
               "[server]\n"
               "listen = ['here:1', '127.0.0.1:99999']\n"
               "web = 'web'\n"
               "port = 7357\n"
               "[lights]\n"
               "brightness = 2\n"
               "pallete = 'standard'\n"),
      ElementsAre("m.toml:1: 'board' must be a string, not a whole number",
                  "m.toml:3: 'level' in [log] is a whole number; it can be: trace, debug, info, warning, error",
                  "m.toml:6: option 'flying' cannot be 'maybe'; it can be: true, false",
                  "m.toml:6: option 'repetition' cannot be '1'; it can be: off or a number from 2 to 99",
                  "m.toml:7: 'players' in [game] has 3 names; morris has at most 2 players",
                  "m.toml:9: 'listen' in [server] has 'here:1'; it must be a numeric address and a port, like "
                  "127.0.0.1:7357 or [::1]:7357",
                  "m.toml:9: 'listen' in [server] has '127.0.0.1:99999'; its port must be a whole number from 0 to 65535",
                  "m.toml:10: 'web' in [server] is 'web'; it must be an absolute path, one that begins with '/'",
                  "m.toml:11: 'port' in [server] is no known key; it can be: socket, listen, web, origins, token_file",
                  "m.toml:13: 'brightness' in [lights] is 2; it must be a number from 0 to 1",
                  "m.toml:14: 'pallete' in [lights] is no known key; did you mean 'palette'?"));
}

TEST(Config, ProblemsOfTheProfileFollowThoseOfTheFileThatNamesIt) {
  const Folder folder;
  const std::string bad = folder.write("boards/mine.toml", "turned = 45\n");
  EXPECT_THAT(texts(read_config_text("board = 'mine'\n[play]\nhelp = 1\n", "m.toml", folder.path())),
              ElementsAre("m.toml:3: 'help' in [play] must be true or false, not a whole number",
                          bad + ": 'driver' in [sensors] is missing; it can be: sim, gpio, mux, link",
                          bad + ": 'channels' in [sensors] is missing; it says the channel of every cell",
                          bad + ": 'driver' in [lights] is missing; it can be: sim, spi, link, none",
                          bad + ": 'order' in [lights] is missing; it says the light of every cell",
                          bad + ":1: 'turned' is 45; it can be: 0, 90, 180, 270"));
}

TEST(Config, ProfileIsFoundByNameOrByPath) {
  const Folder folder;
  const std::string file = folder.write("boards/mine.toml", content(kShare + "/boards/virtual7.toml"));
  for (const std::string& board : {std::string("mine"), file}) {
    const auto read = read_config_text("board = '" + board + "'", "m.toml", folder.path());
    ASSERT_THAT(texts(read), IsEmpty());
    EXPECT_EQ(read->board.name, "mine");
    EXPECT_EQ(read->board.title, "Virtual board, 7 x 7");
  }
}

TEST(Config, MissingProfileIsToldTogetherWithThoseThatThereAre) {
  const Folder folder;
  const std::string boards = folder.file("boards");
  EXPECT_THAT(texts(default_config(folder.path())),
              ElementsAre("default configuration: 'board' is 'virtual7', which does not exist; " + boards + " has: none"));
  EXPECT_THAT(texts(read_config_text("board = '/nowhere/at/all.toml'", "m.toml", folder.path())),
              ElementsAre("m.toml:1: 'board' is '/nowhere/at/all.toml', which does not exist; " + boards + " has: none"));
  folder.write("boards/two.toml", "");
  folder.write("boards/one.toml", "");
  folder.write("boards/readme.txt", "");
  EXPECT_THAT(texts(read_config_text("\nboard = 'three'", "m.toml", folder.path())),
              ElementsAre("m.toml:2: 'board' is 'three', which does not exist; " + boards + " has: one, two"));
}

TEST(Config, GameThatTheBoardCannotPlayIsAProblem) {
  const Folder folder;
  const std::string virtual7 = content(kShare + "/boards/virtual7.toml");
  const auto wrong_on = [&](const std::string& board, const std::string& text) {
    folder.write("boards/mine.toml", board);
    return texts(read_config_text("board = 'mine'\n" + text, "m.toml", folder.path()));
  };
  // b7 is no point of Morris, but a hole of Pinuid.
  const std::string without_b7 = replaced(virtual7, "[42, 43,", "[42, -1,");
  EXPECT_THAT(wrong_on(without_b7, ""), IsEmpty());
  EXPECT_THAT(wrong_on(without_b7, "[game]\ngame = 'pinuid-classic'"),
              ElementsAre("m.toml:3: pinuid-classic cannot be played on board 'mine', which has no sensor under b7; choose "
                          "another game or board"));
  EXPECT_THAT(wrong_on(kSmall, "[game]\ngame = 'morris'"),
              ElementsAre("m.toml:3: morris cannot be played on board 'mine', which has no sensor "
                          "under a7, d7, g7, b6, d6 and 16 more sites; choose another game or board"));
  // Turned, another hole lies over the cell without a sensor.
  EXPECT_THAT(wrong_on(replaced(without_b7, "turned = 0 ", "turned = 90"), "[game]\ngame = 'pinuid-classic'"),
              ElementsAre(HasSubstr("no sensor under g6;")));
  // Nobody has asked for Morris, but the board is large enough for it.
  EXPECT_THAT(
      wrong_on(replaced(virtual7, "[42, 43,", "[-1, 43,"), ""),
      ElementsAre("m.toml:1: morris cannot be played on board 'mine', which has no sensor under a7; choose another game or "
                  "board"));
}

TEST(Config, BoardTooSmallForAnyGameIsThereToBeTriedOut) {
  EXPECT_EQ(config("board = 'direct9'").board.name, "direct9");
  EXPECT_THAT(wrong_in("board = 'direct9'\n[game]\ngame = 'morris'"),
              ElementsAre(HasSubstr("m.toml:3: morris cannot be played on board 'direct9'")));
}

TEST(Config, FileThatCannotBeReadIsAProblem) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("boards"));
  const std::string large = folder.write("large.toml", std::string((1U << 20U) + 1, '#'));
  EXPECT_THAT(texts(read_config(large, kShare)),
              ElementsAre(large + ": the file is larger than 1 MiB; that cannot be a configuration"));
  EXPECT_THAT(texts(read_config(folder.file("none.toml"), kShare)),
              ElementsAre(folder.file("none.toml") + ": the file cannot be read: No such file or directory"));
  EXPECT_THAT(texts(read_profile(folder.file("boards"))),
              ElementsAre(folder.file("boards") + ": this is a folder or a device; name a file"));
  const std::string most = folder.write("most.toml", std::string(1U << 20U, '#'));
  EXPECT_THAT(texts(read_config(most, kShare)), IsEmpty());
}

TEST(Config, MessagesStayOneLineWhateverTheFileSays) {
  const std::string long_word(5000, 'x');
  EXPECT_THAT(wrong_in("\"new\\nline\" = 1\n[game]\ngame = '" + long_word + "'\noptions = { \"a\\u0007b\" = \"c\\nd\" }"),
              AllOf(SizeIs(2), Each(Not(HasSubstr("\n"))), Each(Not(HasSubstr(long_word)))));
}

TEST(Config, ExamplesOfTheDocumentationHaveNoProblem) {
  const std::string text = content(kShare + "/docs/configuration.md");
  const std::string fence = "```toml\n";
  std::size_t examples = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::string example = text.substr(at + fence.size(), text.find("```", at + 3) - at - fence.size());
    EXPECT_THAT(example.find("[sensors]") == std::string::npos ? wrong_in(example) : wrong_in_profile(example), IsEmpty());
    ++examples;
  }
  EXPECT_GE(examples, 2U);
}

// ---- board profiles --------------------------------------------------------------------------------------------------------

TEST(BoardProfile, EveryKeyIsRead) {
  const BoardProfile board =
      profile("title = 'Small'\nrevision = 'B2'\nturned = 180\ncolour = true\ntrays = true\nbuttons = 4\n" + kSmall);
  EXPECT_EQ(board.name, "small");
  EXPECT_EQ(board.title, "Small");
  EXPECT_EQ(board.revision, "B2");
  EXPECT_EQ(board.lattice, 3);
  EXPECT_EQ(board.turned, Turned::half);
  EXPECT_TRUE(board.colour);
  EXPECT_TRUE(board.trays);
  EXPECT_EQ(board.buttons, 4);
  EXPECT_EQ(board.sensor_driver, "sim");
  EXPECT_EQ(board.light_driver, "sim");
  constexpr std::uint16_t none = BoardProfile::kNone;
  EXPECT_THAT(board.channel, ElementsAre(0, 3, 10, 7, 4, none, 2, 5, 12));
  EXPECT_THAT(board.light, ElementsAre(2, 3, 8, 1, 4, 7, none, 5, 6));
  EXPECT_EQ(board.channels(), 13U);
  EXPECT_EQ(board.lights(), 9U);
}

TEST(BoardProfile, WhatIsNotSetHasItsDefault) {
  const BoardProfile board = profile(kSmall);
  EXPECT_EQ(board.title, "small");
  EXPECT_EQ(board.revision, "");
  EXPECT_EQ(board.turned, Turned::none);
  EXPECT_FALSE(board.colour);
  EXPECT_FALSE(board.trays);
  EXPECT_EQ(board.buttons, 2);
}

TEST(BoardProfile, ShippedProfilesHaveNoProblem) {
  std::size_t profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kShare + "/boards")) {
    const auto read = read_profile(entry.path());
    ASSERT_THAT(texts(read), IsEmpty());
    EXPECT_EQ(read->name, entry.path().stem());
    ++profiles;
    if (read->name == "direct9") continue;  // too small for any
    for (const GameInfo& game : games()) {
      EXPECT_THAT(read->blind(board_of(std::string(game.name))), IsEmpty()) << entry.path() << " " << game.name;
    }
  }
  EXPECT_GE(profiles, 6U);

  const BoardProfile plain = shipped("virtual7");
  EXPECT_TRUE(plain.lattice == 7 && !plain.colour && !plain.trays && plain.buttons == 2 && plain.channels() == 49);
  const BoardProfile colour = shipped("virtual7-colour");
  EXPECT_TRUE(colour.lattice == 7 && colour.colour && colour.trays && colour.buttons == 4 && colour.lights() == 49);
  const BoardProfile large = shipped("virtual15");
  EXPECT_TRUE(large.lattice == 15 && large.colour && large.buttons == 4 && large.channels() == 225);
}

TEST(BoardProfile, EachProblemNamesFileLineAndWhatWouldBeRight) {
  const struct {
    std::string what;  ///< of kSmall
    std::string by;
    std::string problem;
  } cases[] = {
      {"lattice = 3\n", "lattice = 16\n", "b.toml:1: 'lattice' is 16; it must be a whole number from 3 to 15"},
      {"lattice = 3\n", "lattice = '3'\n", "b.toml:1: 'lattice' must be a whole number from 3 to 15, not a string"},
      {"lattice = 3\n", "latice = 3\nlattice = 3\n", "b.toml:1: 'latice' is no known key; did you mean 'lattice'?"},
      {"lattice = 3\n", "lattice = 3\nturned = 45\n", "b.toml:2: 'turned' is 45; it can be: 0, 90, 180, 270"},
      {"lattice = 3\n", "lattice = 3\nturned = -90\n", "b.toml:2: 'turned' is -90; it can be: 0, 90, 180, 270"},
      {"lattice = 3\n", "lattice = 3\nturned = 360\n", "b.toml:2: 'turned' is 360; it can be: 0, 90, 180, 270"},
      {"lattice = 3\n", "lattice = 3\ncolour = 'yes'\n", "b.toml:2: 'colour' must be true or false, not a string"},
      {"lattice = 3\n", "lattice = 3\nbuttons = 5\n", "b.toml:2: 'buttons' is 5; it must be a whole number from 0 to 4"},
      {"driver = 'sim'\n", "driver = 'gpoi'\n",
       "b.toml:3: 'driver' in [sensors] is 'gpoi'; it can be: sim, gpio, mux, link"},
      {"driver = 'sim'\n", "\n", "b.toml:2: 'driver' in [sensors] is missing; it can be: sim, gpio, mux, link"},
      {"driver = 'sim'\n", "driver = 'sim'\nspeed = 1\n",
       "b.toml:4: 'speed' in [sensors] is no known key; it can be: driver, channels, gpio, mux, link"},
      {"channels", "driver.x",
       "b.toml:4: Error while parsing key-value pair: cannot redefine existing string as dotted key-value pair"},
      {"[ 0,  7,  2]", "[ 0,  7, 10]",
       "b.toml:7: channel 10 is used twice in 'channels' in [sensors]: for a3 (line 5) and c1 (line 7); each cell needs its "
       "own"},
      {"[2, 1, -1]", "[2, 1,\n 8]",
       "b.toml:13: light 8 is used twice in 'order' in [lights]: for a3 (line 11) and c1 (line 13); each cell needs its "
       "own"},
      {"[ 3,  4,  5]", "[ 3,  4,  1024]",
       "b.toml:6: cell c2 of 'channels' in [sensors] is 1024; it must be a whole number from 0 to 1023, or -1 for no "
       "sensor"},
      {"[ 3,  4,  5]", "[ 3,  -2,  5]",
       "b.toml:6: cell b2 of 'channels' in [sensors] is -2; it must be a whole number from 0 to 1023, or -1 for no sensor"},
      {"[ 3,  4,  5]", "[ 3,  '4',  5]",
       "b.toml:6: cell b2 of 'channels' in [sensors] is a string; it must be a whole number from 0 to 1023, or -1 for no "
       "sensor"},
      {"[ 3,  4,  5]", "[ 3,  4]", "b.toml:6: rank 2 of 'channels' in [sensors] needs 3 cells and has 2, so c2 is missing"},
      {"[ 3,  4,  5]", "[ ]",
       "b.toml:6: rank 2 of 'channels' in [sensors] needs 3 cells and has 0, so a2 to c2 are missing"},
      {"[ 3,  4,  5]", "[ 3,  4, 5, 6]", "b.toml:6: rank 2 of 'channels' in [sensors] needs 3 cells and has 4"},
      {"[ 3,  4,  5]", "6",
       "b.toml:6: rank 2 of 'channels' in [sensors] must be a list of 3 whole numbers, not a whole number"},
      {" [ 3,  4,  5],\n", "",
       "b.toml:4: 'channels' in [sensors] needs 3 rows, one for each rank, and has 2, so a1 to c1 are missing"},
      {" [ 3,  4,  5],\n [ 0,  7,  2]", "",
       "b.toml:4: 'channels' in [sensors] needs 3 rows, one for each rank, and has 1, so a1 to c2 are missing"},
      {" [ 3,  4,  5],\n", " [ 3,  4,  5], [20, 21, 22],\n",
       "b.toml:4: 'channels' in [sensors] needs 3 rows, one for each rank, and has 4"},
      {"[2, 1, -1] ]", "[2, 1, -1]", "b.toml:12: Error while parsing array: encountered end-of-file"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.by);
    EXPECT_THAT(wrong_in_profile(replaced(kSmall, c.what, c.by)), ElementsAre(c.problem));
  }
}

TEST(BoardProfile, AllProblemsOfAFileAreToldAtOnceByLine) {
  EXPECT_THAT(wrong_in_profile("lattice = 99\n"
                               "[sensors]\n"
                               "driver = 'usb'\n"
                               "channels = [\n"
                               " [1, 2, 3],\n"
                               " [4, 5, 1],\n"
                               " [7, 8] ]\n"
                               "[light]\n"
                               "driver = 'sim'\n"),
              ElementsAre("b.toml: 'driver' in [lights] is missing; it can be: sim, spi, link, none",
                          "b.toml: 'order' in [lights] is missing; it says the light of every cell",
                          "b.toml:1: 'lattice' is 99; it must be a whole number from 3 to 15",
                          "b.toml:3: 'driver' in [sensors] is 'usb'; it can be: sim, gpio, mux, link",
                          "b.toml:6: channel 1 is used twice in 'channels' in [sensors]: for a3 (line 5) and c2 (line 6); "
                          "each cell needs its own",
                          "b.toml:7: rank 1 of 'channels' in [sensors] needs 3 cells and has 2, so c1 is missing",
                          "b.toml:8: 'light' is no known key; did you mean 'lights'?"));
}

TEST(BoardProfile, TurningSaysWhichBuiltCellThePlayersCallA1) {
  // The players' a1, c1 and b3 as channel and light of kSmall.
  const struct {
    int degrees;
    std::uint16_t a1, c1, b3, light_a1;
  } cases[] = {
      {0, 0, 2, BoardProfile::kNone, 2},    // built a1, c1, b3
      {90, 2, 12, 3, BoardProfile::kNone},  // built c1, c3, a2
      {180, 12, 10, 7, 6},                  // built c3, a3, b1
      {270, 10, 0, 5, 8},                   // built a3, a1, c2
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.degrees);
    const BoardProfile board = profile("turned = " + std::to_string(c.degrees) + "\n" + kSmall);
    EXPECT_EQ(board.channel_at(0, 0), c.a1);
    EXPECT_EQ(board.channel_at(2, 0), c.c1);
    EXPECT_EQ(board.channel_at(1, 2), c.b3);
    EXPECT_EQ(board.light_at(0, 0), c.light_a1);
    EXPECT_EQ(board.channel_at(1, 1), 4);

    std::set<std::uint16_t> channels;
    for (std::uint8_t file = 0; file < 3; ++file) {
      for (std::uint8_t rank = 0; rank < 3; ++rank) channels.insert(board.channel_at(file, rank));
    }
    EXPECT_THAT(channels, SizeIs(9));
  }
}

TEST(BoardProfile, BeyondTheLatticeThereIsNothing) {
  const BoardProfile board = profile(kSmall);
  for (const auto& [file, rank] : {std::pair{3, 0}, {0, 3}, {255, 255}}) {
    EXPECT_EQ(board.channel_at(static_cast<std::uint8_t>(file), static_cast<std::uint8_t>(rank)), BoardProfile::kNone);
    EXPECT_EQ(board.light_at(static_cast<std::uint8_t>(file), static_cast<std::uint8_t>(rank)), BoardProfile::kNone);
  }
  EXPECT_EQ(BoardProfile{}.channel_at(0, 0), BoardProfile::kNone);
  EXPECT_EQ(BoardProfile{}.channels(), 0U);
}

TEST(BoardProfile, SitesAreTheSensedOnesOfEachGame) {
  const struct {
    std::string game;
    std::size_t sensed;
    std::map<std::string, std::uint16_t> channels;  ///< some sites, on virtual7
  } cases[] = {
      {"pinuid-classic", 49, {{"a1", 0}, {"b1", 1}, {"a2", 7}, {"g7", 48}}},
      {"pinuid-quatro", 49, {{"d4", 24}}},
      {"pinuid-quatro3", 49, {{"d4", 24}}},
      {"morris", 24, {{"a1", 0}, {"d1", 3}, {"g7", 48}, {"c4", 23}}},
      {"pylos-children", 25, {{"1a1", 0}, {"1b1", 2}, {"1a2", 14}, {"1d4", 48}, {"2a1", 8}, {"2c3", 40}}},
      {"pylos-standard", 25, {{"2b1", 10}}},
      {"pylos-expert", 25, {{"2a2", 22}}},
  };
  const BoardProfile board = shipped("virtual7");
  for (const auto& c : cases) {
    SCOPED_TRACE(c.game);
    const Geometry& geometry = board_of(c.game);
    const std::vector<Site> sites = board.sites(geometry);
    ASSERT_THAT(sites, SizeIs(49));
    std::set<Site> under;
    for (const Site site : sites) {
      if (site == kNoSite) continue;
      EXPECT_TRUE(geometry.info(site).sensed) << geometry.info(site).name();
      under.insert(site);
    }
    EXPECT_THAT(under, SizeIs(c.sensed));
    for (const auto& [name, channel] : c.channels) EXPECT_EQ(sites[channel], geometry.find(name)) << name;
  }
}

TEST(BoardProfile, SmallerGameLiesInTheCornerAtA1) {
  const BoardProfile board = shipped("virtual15");
  const Geometry& morris = board_of("morris");
  const std::vector<Site> sites = board.sites(morris);
  ASSERT_THAT(sites, SizeIs(225));
  EXPECT_EQ(sites[0], morris.find("a1"));
  EXPECT_EQ(sites[6 * 15 + 6], morris.find("g7"));
  EXPECT_EQ(sites[224], kNoSite);
  EXPECT_EQ(sites.size() - static_cast<std::size_t>(std::count(sites.begin(), sites.end(), kNoSite)), 24U);
}

TEST(BoardProfile, FifteenByFifteenHolesArePlayedOnTheLargeBoard) {
  const GameInfo& quatro = *find_game("pinuid-quatro");
  const auto position = quatro.read(quatro.defaults(), pinuid_quatro_start_text(15, '\0', 'R'));
  ASSERT_TRUE(position.ok());
  const BoardProfile large = shipped("virtual15");
  EXPECT_THAT(large.blind(geometry(*position)), IsEmpty());
  EXPECT_EQ(large.sites(geometry(*position))[224], geometry(*position).find("o15"));
  EXPECT_THAT(shipped("virtual7").blind(geometry(*position)), SizeIs(225 - 49));
}

TEST(BoardProfile, BlindSitesAreTheSensedOnesWithoutASensor) {
  BoardProfile board = shipped("virtual7");
  const Geometry& pylos = board_of("pylos-standard");
  board.channel[1 * 7 + 1] = BoardProfile::kNone;  // under 2a1
  board.channel[0 * 7 + 1] = BoardProfile::kNone;  // under no seat
  board.channel[2 * 7 + 2] = BoardProfile::kNone;  // under 1b2 and, unsensed, 3a1
  EXPECT_THAT(board.blind(pylos), UnorderedElementsAre(pylos.find("2a1"), pylos.find("1b2")));
  const std::vector<Site> sites = board.sites(pylos);
  EXPECT_EQ(std::count(sites.begin(), sites.end(), pylos.find("2a1")), 0);
}

}  // namespace
}  // namespace merel
