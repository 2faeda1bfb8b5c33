// `merel` against a running `mereld`, both as built, from outside: what is printed and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "house.h"
#include "tests/places.h"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr auto kOneLine = "merel: [^\n]+\n";

/// The sub-commands that a help text lists.
std::vector<std::string> commands_of(const std::string& help) {
  std::vector<std::string> out;
  static const std::regex line(R"(^  ([a-z][a-z-]*)  +\S.*)");
  std::istringstream lines(help);
  bool listing = false;
  for (std::string text; std::getline(lines, text);) {
    // A list has a heading of its own; the examples' has one as well.
    if (!text.empty() && text[0] != ' ') listing = text.back() == ':' && text.find("xample") == std::string::npos;
    std::smatch match;
    if (listing && std::regex_match(text, match, line)) out.push_back(match[1]);
  }
  return out;
}

/// The options that a help text lists, `--yes` and so on.
std::set<std::string> options_of(const std::string& help) {
  std::set<std::string> out;
  static const std::regex option(R"(\n  (-\w,)?(--[a-z-]+))");
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) out.insert((*at)[2]);
  return out;
}

/// Every command with a daemon behind it, and what to call it with.
const std::vector<std::string> kAsking = {"status",
                                          "watch",
                                          "watch --lines",
                                          "new",
                                          "takeback",
                                          "choose +d2",
                                          "resign",
                                          "draw",
                                          "abort",
                                          "help-lights on",
                                          "games",
                                          "show",
                                          "export",
                                          "import etc/merel.toml",
                                          "delete x --yes",
                                          "sensors",
                                          "selftest --json",
                                          "record off",
                                          "support-bundle --json",
                                          "sim lift d2",
                                          "sim put d2 W",
                                          "sim button W",
                                          "sim tray W 3",
                                          "sim fault none",
                                          "sim arrange empty",
                                          "sim play " MEREL_TEST_DATA "/traces/morris-l1-occ-101-000.trace",
                                          "sim show"};

TEST(Story, AGameOnTheVirtualBoardFromBeginningToDeletion) {
  House house;
  house.start();
  EXPECT_THAT(house.merel("status").out, HasSubstr("No game"));
  EXPECT_EQ(house.merel("games").out, "no games\n");

  const Ran begun = house.merel("new morris --player Anna --player Ben --clock 10+5 --option flying=false");
  EXPECT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(begun.out,
              AllOf(HasSubstr("Nine Men's Morris"), HasSubstr("White Anna, Black Ben"), HasSubstr("White 10:00")));
  EXPECT_EQ(house.state()["game"]["options"]["flying"], "false");
  EXPECT_EQ(house.merel("sim arrange record").exit_code, 0);
  ASSERT_TRUE(soon([&] { return house.state()["phase"] == "play"; }));

  EXPECT_EQ(house.merel("sim put d2 W").out, "");
  ASSERT_TRUE(soon([&] { return house.state()["game"]["steps"].size() == 1; }));
  EXPECT_EQ(house.merel("sim put d6 B").exit_code, 0);
  ASSERT_TRUE(soon([&] { return house.state()["game"]["steps"].size() == 2; }));
  EXPECT_THAT(house.merel("status").out, HasSubstr("White to act, 2 steps, the last +d6"));
  EXPECT_THAT(house.merel("sim show").out, HasSubstr("d6 B"));

  EXPECT_EQ(house.merel("takeback").exit_code, 0);
  EXPECT_EQ(house.state()["phase"], "restore");
  EXPECT_THAT(house.merel("status").out, HasSubstr("d6"));
  EXPECT_EQ(house.merel("sim lift d6").exit_code, 0);
  ASSERT_TRUE(soon([&] { return house.state()["phase"] == "play"; }));
  EXPECT_EQ(house.state()["game"]["steps"], json({"+d2"}));

  EXPECT_THAT(house.merel("help-lights off").exit_code, 0);
  EXPECT_EQ(house.state()["help"], false);
  EXPECT_EQ(house.merel("record on").exit_code, 0);
  EXPECT_EQ(house.state()["recording"], true);

  const std::string id = house.state()["game"]["id"];
  EXPECT_THAT(house.merel("games").out, AllOf(HasSubstr("Anna, Ben"), HasSubstr("running"), HasSubstr(id)));
  EXPECT_THAT(house.merel("show running").out,
              AllOf(HasSubstr(" 2      .       W       ."), HasSubstr("1. +d2"), HasSubstr("The game goes on")));
  EXPECT_THAT(house.merel("export --format text").out, HasSubstr("[White \"Anna\"]"));
  EXPECT_EQ(house.merel("export " + id + " -o game.json").out, "");
  EXPECT_EQ(json::parse(content(house.file("game.json")))["steps"], json({"+d2"}));

  const Ran refused = house.merel("delete " + id + " --yes");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(MatchesRegex(kOneLine), HasSubstr("running")));
  EXPECT_EQ(house.merel("abort").exit_code, 0);
  EXPECT_EQ(house.merel("import game.json").exit_code, 1);  // it is there already
  EXPECT_EQ(house.merel("export latest -o aborted.json").exit_code, 0);
  EXPECT_EQ(house.merel("delete " + id).exit_code, 2);  // nobody to ask
  EXPECT_EQ(house.merel("delete " + id + " --yes").out, "1 game deleted\n");
  EXPECT_EQ(house.merel("delete " + id + " --yes").exit_code, 1);
  EXPECT_EQ(house.merel("games").out, "no games\n");
  EXPECT_EQ(house.merel("import aborted.json").out, id + ": 1 step\n");
  EXPECT_THAT(house.merel("show").out, HasSubstr("The game was aborted"));
}

TEST(Game, EndsByResignationAndByAgreement) {
  House house;
  house.start();
  house.begin_morris();
  EXPECT_THAT(house.merel("resign B").out, HasSubstr("White wins: Black resigned"));
  house.begin_morris();
  EXPECT_THAT(house.merel("draw W").out, HasSubstr("White offers a draw"));
  EXPECT_THAT(house.merel("draw B").out, HasSubstr("Draw"));
  EXPECT_THAT(house.merel("games").out, AllOf(HasSubstr("White won"), HasSubstr("draw")));
}

TEST(Games, AreListedPageByPage) {
  House house;
  house.start();
  for (int i = 0; i < 3; ++i) {
    house.begin_morris();
    EXPECT_EQ(house.merel("abort").exit_code, 0);
  }
  const json all = json::parse(house.merel("games --json").out)["games"];
  ASSERT_EQ(all.size(), 3U);
  const json page =
      json::parse(house.merel("games --limit 1 --before " + all[0]["id"].get<std::string>() + " --json").out)["games"];
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0]["id"], all[1]["id"]);
}

TEST(WithoutADaemon, EveryCommandThatAsksItIsOneLineAndExitTwo) {
  const House house;
  for (const std::string& command : kAsking) {
    const Ran ran = house.merel(command);
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.out, IsEmpty()) << command;
    EXPECT_THAT(ran.err, MatchesRegex(kOneLine)) << command;
    EXPECT_THAT(ran.err, HasSubstr(house.socket())) << command;
  }
}

TEST(WrongUse, IsOneLineOnStandardErrorAndExitTwo) {
  const House house;  // nothing is asked of a daemon
  const struct {
    std::string arguments;
    std::string named;
  } cases[] = {
      {"new morris --option flying", "KEY=VALUE"},
      {"new morris --clock ten", "MINUTES+SECONDS"},
      {"new morris --clock 10+", "MINUTES+SECONDS"},
      {"new morris --clock -1", "MINUTES+SECONDS"},
      {"new morris --clock 10 --no-clock", "--no-clock"},
      {"new morris chess", "chess"},
      {"choose", "STEP"},
      {"help-lights", "on|off"},
      {"help-lights maybe", "maybe"},
      {"record", "on|off"},
      {"games --limit 0", "0"},
      {"games --limit many", "many"},
      {"export --format pdf", "pdf"},
      {"export --format text --json", "--json"},
      {"import", "FILE"},
      {"import absent", "absent: cannot be read"},
      {"import /", "/: cannot be read"},
      {"delete", "ID"},
      {"delete some", "--yes"},
      {"sim", "subcommand"},
      {"sim dance", "sim"},
      {"sim put", "SITE"},
      {"sim fault broken d2", "broken"},
      {"sim tray W many", "many"},
      {"sim button W --hold 100", "100"},
      {"sim play absent", "absent: cannot be read"},
      {"status --sokcet x", "--sokcet"},
      {"status --socket", "--socket"},
  };
  for (const auto& c : cases) {
    const Ran ran = house.merel(c.arguments);
    EXPECT_EQ(ran.exit_code, 2) << c.arguments;
    EXPECT_THAT(ran.out, IsEmpty()) << c.arguments;
    EXPECT_THAT(ran.err, MatchesRegex(kOneLine)) << c.arguments;
    EXPECT_THAT(ran.err, HasSubstr(c.named)) << c.arguments;
  }
}

TEST(Refusal, IsTheDaemonsSentenceAndExitOne) {
  House house;
  house.start();
  house.begin_morris();
  const struct {
    std::string arguments;
    std::string named;
  } cases[] = {
      {"new morris", ""},  // one is running
      {"takeback", ""},    // nothing was played
      {"choose +z9", "+z9"},
      {"resign X", "X"},
      {"show nobody", "nobody"},
      {"export latest --format trace", "record"},
      {"import etc/merel.toml", "etc/merel.toml: "},
      {"sim lift d2", ""},
      {"sim put z9 W", "z9"},
      {"sim fault stuck", "site"},
  };
  for (const auto& c : cases) {
    for (const std::string form : {"", " --json"}) {
      if (!form.empty() && c.arguments.find("--format") != std::string::npos) continue;
      const Ran ran = house.merel(c.arguments + form);
      EXPECT_EQ(ran.exit_code, 1) << c.arguments;
      EXPECT_THAT(ran.out, IsEmpty()) << c.arguments;
      EXPECT_THAT(ran.err, MatchesRegex(kOneLine)) << c.arguments;
      EXPECT_THAT(ran.err, HasSubstr(c.named)) << c.arguments;
    }
  }
}

TEST(Json, IsWhatTheDaemonAnswers) {
  House house;
  house.start();
  house.begin_morris();
  const struct {
    std::string arguments;
    std::string key;
  } cases[] = {
      {"status", "phase"},   {"help-lights on", "help"},     {"games", "games"},      {"show", "steps"},
      {"export", "events"},  {"sensors", "sensors"},         {"selftest", "sensors"}, {"record off", "game"},
      {"sim show", "lamps"}, {"support-bundle", "versions"}, {"abort", "phase"},
  };
  for (const auto& c : cases) {
    const Ran ran = house.merel(c.arguments + " --json");
    EXPECT_EQ(ran.exit_code, 0) << c.arguments << ran.err;
    const json answer = json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(answer.is_object() && answer.contains(c.key)) << c.arguments << ": " << ran.out;
  }
}

TEST(Sensors, TheOddOnesAreMarkedAndNamed) {
  House house;
  house.start();
  house.begin_morris();
  EXPECT_THAT(house.merel("sensors").out, HasSubstr("no sensor is odd"));
  EXPECT_EQ(house.merel("selftest --once").exit_code, 0);
  EXPECT_EQ(house.merel("sim put d2 W").exit_code, 0);
  EXPECT_EQ(house.merel("sim fault flapping d6").exit_code, 0);
  ASSERT_TRUE(soon([&] { return std::regex_search(house.merel("sensors").out, std::regex("\nd6 .* flaps")); }));
  const std::string seen = house.merel("sensors").out;
  EXPECT_THAT(seen, HasSubstr("cell  channel  changes  what"));
  EXPECT_THAT(seen, HasSubstr("\nd6    38 "));
  EXPECT_THAT(seen, MatchesRegex("(.|\n)* 6 .*~[.o]~(.|\n)*"));
  EXPECT_THAT(seen, MatchesRegex("(.|\n)* 2  .   .   .   o (.|\n)*"));
  const Ran test = house.merel("selftest --once");
  EXPECT_EQ(test.exit_code, 1);
  EXPECT_THAT(test.out, AllOf(HasSubstr("Changed only once: d2"), HasSubstr("Flapping: d6")));
  EXPECT_EQ(house.merel("sim fault unplugged").exit_code, 0);
  EXPECT_THAT(house.merel("sim show").out, HasSubstr("unplugged"));
}

TEST(Selftest, WalkShowsWhatEachSensorHasSeen) {
  House house;
  house.start();
  house.begin_morris();
  const std::vector<std::string> variables{"MEREL_SOCKET=" + house.socket()};
  EXPECT_EQ(Terminal({"selftest"}, variables).exit_code(), 1);  // not in a game
  EXPECT_EQ(house.merel("abort").exit_code, 0);
  Terminal terminal({"selftest"}, variables);
  ASSERT_TRUE(terminal.shows("Put a piece on every cell"));
  EXPECT_EQ(house.merel("sim put a1 W").exit_code, 0);
  ASSERT_TRUE(terminal.shows("Changed only once: a1"));
  EXPECT_EQ(house.merel("sim lift a1").exit_code, 0);
  ASSERT_TRUE(terminal.shows("1 of 49 sensors seen"));
  EXPECT_EQ(house.merel("sim fault flapping d6").exit_code, 0);
  ASSERT_TRUE(terminal.shows("Flapping: d6"));
  terminal.type("q");
  EXPECT_EQ(terminal.exit_code(), 1);
}

TEST(Selftest, WithoutADaemonSaysSoAndShowsItsCheck) {
  const House house;
  for (const std::string command : {"selftest", "selftest --once"}) {
    const Ran ran = house.merel(command);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr(house.socket()), HasSubstr("mereld --check says:\n")));
    EXPECT_THAT(ran.err, IsEmpty());
  }
}

TEST(Watch, TellsWhatHappensLineByLineAndConnectsAgain) {
  House house;
  house.start();
  house.begin_morris();
  const std::string file = house.file("watched");
  const int started = std::system(
      ("MEREL_SOCKET=" + house.socket() + " " MEREL_TOOL " watch --lines >" + file + " 2>&1 & echo $! >" + house.file("pid"))
          .c_str());
  ASSERT_EQ(started, 0);
  const auto tells = [&](const std::string& what) {
    return soon([&] { return content(file).find(what) != std::string::npos; });
  };
  EXPECT_TRUE(tells("Nine Men's Morris, in play"));
  EXPECT_EQ(house.merel("sim put d2 W").exit_code, 0);
  EXPECT_TRUE(tells("White puts a man on d2"));
  house.stop();
  EXPECT_TRUE(tells("trying again"));
  house.start();
  EXPECT_TRUE(tells("Connected again"));
  EXPECT_TRUE(tells("the pieces are led back"));
  EXPECT_EQ(house.merel("abort").exit_code, 0);
  EXPECT_TRUE(tells("The game was aborted"));
  kill(std::stoi(content(house.file("pid"))), SIGTERM);
}

TEST(Watch, PrintsTheRawMessagesAsJson) {
  House house;
  house.start();
  house.begin_morris();
  const std::string file = house.file("watched");
  const int started = std::system(
      ("MEREL_SOCKET=" + house.socket() + " " MEREL_TOOL " watch --json >" + file + " 2>&1 & echo $! >" + house.file("pid"))
          .c_str());
  ASSERT_EQ(started, 0);
  ASSERT_TRUE(soon([&] { return content(file).find('\n') != std::string::npos; }));
  EXPECT_EQ(house.merel("sim put d2 W").exit_code, 0);
  ASSERT_TRUE(soon([&] { return content(file).find(R"("step":"+d2")") != std::string::npos; }));
  kill(std::stoi(content(house.file("pid"))), SIGTERM);
  std::istringstream lines(content(file));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(json::parse(line)["type"], "state");
}

TEST(Watch, DrawsTheLiveBoardUntilQ) {
  House house;
  house.start();
  house.begin_morris();
  Terminal terminal({"watch"}, {"MEREL_SOCKET=" + house.socket()});
  ASSERT_TRUE(terminal.shows("Nine Men's Morris, in play"));
  ASSERT_TRUE(terminal.shows("    a   b   c   d   e   f   g"));
  EXPECT_EQ(house.merel("sim put d2 W").exit_code, 0);
  EXPECT_TRUE(terminal.shows("White puts a man on d2"));
  EXPECT_TRUE(terminal.shows("Black puts a man on the board"));  // the advice
  house.stop();
  EXPECT_TRUE(terminal.shows("mereld does not answer"));
  house.start();
  EXPECT_TRUE(terminal.shows("Connected again"));
  terminal.type("q");
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_THAT(terminal.written(), HasSubstr("\x1b[?25h"));  // the cursor is back
}

TEST(Watch, HasColoursUnlessTheyAreRefused) {
  static const std::regex colour("\x1b\\[[1-9][0-9;]*m");
  House house;
  house.start();
  house.begin_morris();
  ASSERT_EQ(house.merel("sim put d2 W").exit_code, 0);
  for (const std::string value : {"", "1"}) {
    Terminal terminal({"watch"}, {"MEREL_SOCKET=" + house.socket(), "NO_COLOR=" + value});
    ASSERT_TRUE(terminal.shows("    a   b   c   d   e   f   g"));
    terminal.type("q");
    EXPECT_EQ(terminal.exit_code(), 0);
    EXPECT_EQ(std::regex_search(terminal.written(), colour), value.empty());
  }
}

/// Files of a bundle, by their name in it.
std::map<std::string, std::string> unpacked(const House& house, const std::string& bundle) {
  const std::string into = house.file("unpacked");
  std::filesystem::remove_all(into);
  std::filesystem::create_directory(into);
  EXPECT_EQ(std::system(("tar -xzf " + bundle + " --strip-components=1 -C " + into).c_str()), 0);
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(into)) {
    if (entry.is_regular_file()) out[std::filesystem::relative(entry.path(), into)] = content(entry.path());
  }
  return out;
}

TEST(SupportBundle, HoldsEverythingButTheToken) {
  const std::string token = "do-not-give-this-away-0123456789abcdef";
  House house;
  std::ofstream(house.file("token")) << token;
  std::ofstream(house.file("etc/own.toml")) << "# api_token = \"" + token + "\"\npage = \"http://x/?token=" + token + "\"\n";
  std::filesystem::create_symlink(house.file("token"), house.file("etc/link.toml"));
  house.start();
  house.begin_morris();
  for (const bool running : {true, false}) {
    if (!running) house.stop();
    const Ran ran = house.merel("support-bundle -o bundle.tar.gz --config " + house.file("etc"));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith("bundle.tar.gz\n"));
    struct stat info {};
    ASSERT_EQ(stat(house.file("bundle.tar.gz").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 077U, 0U);
    const auto files = unpacked(house, house.file("bundle.tar.gz"));
    std::vector<std::string> wanted{"README.txt", "check.txt", "config/merel.toml", "config/own.toml"};
    if (running) {
      wanted.insert(wanted.end(),
                    {"versions.json", "state.json", "sensors.json", "daemon.json", "metrics.txt", "trace.txt", "log.txt"});
    }
    for (const std::string& name : wanted) EXPECT_TRUE(files.count(name)) << name;
    EXPECT_FALSE(files.count("config/link.toml"));
    EXPECT_EQ(files.count("state.json"), running ? 1U : 0U);
    EXPECT_THAT(files.at("README.txt"), HasSubstr(running ? "mereld answered" : "mereld did not answer"));
    if (running) {
      EXPECT_EQ(json::parse(files.at("state.json"))["phase"], "play");
    }
    for (const auto& [name, text] : files) EXPECT_THAT(text, Not(HasSubstr(token))) << name;
  }
}

TEST(Help, OfEachCommandShowsAnExample) {
  const House house;
  std::vector<std::string> commands = commands_of(house.merel("--help").out);
  EXPECT_EQ(commands.size(), 28U);
  for (const std::string& sim : commands_of(house.merel("sim --help").out)) commands.push_back("sim " + sim);
  EXPECT_EQ(commands.size(), 36U);
  for (const std::string& command : commands) {
    const Ran ran = house.merel(command + " --help");
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_THAT(ran.out, HasSubstr("Example")) << command;
    EXPECT_THAT(ran.err, IsEmpty()) << command;
  }
}

TEST(CompletionsAndManual, KnowEveryCommandAndOption) {
  const House house;
  std::string manual = content(MEREL_SOURCE "/docs/man/merel.1");
  manual = std::regex_replace(manual, std::regex(R"(\\-)"), "-");
  std::map<std::string, std::string> texts{{"merel.1", manual}};
  for (const std::string shell : {"merel.bash", "_merel", "merel.fish"}) {
    texts[shell] = content(MEREL_SOURCE "/completions/" + shell);
  }
  const auto known = [](const std::string& text, const std::string& word) {
    return std::regex_search(text, std::regex("(^|[^a-z-])" + word + "([^a-z-]|$)"));
  };
  std::vector<std::string> commands = commands_of(house.merel("--help").out);
  ASSERT_FALSE(commands.empty());
  for (const std::string& sim : commands_of(house.merel("sim --help").out)) commands.push_back("sim " + sim);
  for (const std::string& command : commands) {
    const std::string last = command.substr(command.rfind(' ') + 1);
    for (const auto& [name, text] : texts) EXPECT_TRUE(known(text, last)) << name << " does not know " << command;
    for (const std::string& option : options_of(house.merel(command + " --help").out)) {
      for (const auto& [name, text] : texts) {
        // fish has them without their dashes
        const bool there = known(text, option.substr(2)) || text.find(option) != std::string::npos;
        EXPECT_TRUE(there) << name << " does not know " << option << " of " << command;
      }
    }
  }
}

TEST(CompletionsAndManual, ManualOfTheDaemonKnowsEveryOption) {
  const House house;
  const std::string out = house.file("help");
  ASSERT_EQ(std::system((MEREL_DAEMON " --help >" + out).c_str()), 0);
  const std::string manual = std::regex_replace(content(MEREL_SOURCE "/docs/man/mereld.8"), std::regex(R"(\\-)"), "-");
  const auto options = options_of(content(out));
  EXPECT_FALSE(options.empty());
  for (const std::string& option : options) EXPECT_THAT(manual, HasSubstr(option));
}

TEST(CompletionsAndManual, ManualOfTheConfigurationKnowsEveryKey) {
  const std::string manual = content(MEREL_SOURCE "/docs/man/merel.toml.5");
  const std::string example = content(MEREL_SOURCE "/daemon/config/merel.toml");
  static const std::regex key(R"(\n#?([a-z_]+) = )");
  std::size_t keys = 0;
  for (std::sregex_iterator at(example.begin(), example.end(), key), end; at != end; ++at, ++keys) {
    EXPECT_THAT(manual, HasSubstr(".B " + (*at)[1].str() + "\n"));
  }
  EXPECT_GT(keys, 10U);
}

TEST(CompletionsAndManual, BashOffersWhatFits) {
  if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "no bash here";
  const House house;
  const struct {
    std::string words;
    std::string offered;
  } cases[] = {
      {"sup", "support-bundle"},       {"sim arr", "arrange"},  {"sim fault st", "stuck"}, {"new pylos-e", "pylos-expert"},
      {"export --format tr", "trace"}, {"delete --y", "--yes"}, {"record of", "off"},
  };
  for (const auto& c : cases) {
    const std::string file = house.file("offered");
    const std::string script = "source " MEREL_SOURCE "/completions/merel.bash; COMP_WORDS=(merel " + c.words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _merel; echo \"${COMPREPLY[@]}\"";
    ASSERT_EQ(std::system(("bash -c '" + script + "' >" + file).c_str()), 0) << c.words;
    EXPECT_EQ(content(file), c.offered + "\n") << c.words;
  }
}

}  // namespace
