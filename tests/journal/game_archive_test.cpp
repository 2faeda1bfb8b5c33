// Games as text and as JSON: what goes out comes in again, and nothing else does.
#include "daemon/journal/game_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/journal/sample_game.h"
#include "tests/places.h"

namespace merel {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string data_file(const std::string& name) {
  std::ifstream file(std::string(MEREL_TEST_DATA) + "/journal/data/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A short game of morris in which everything happens that changes a record.
ArchivedGame short_game() {
  const GameInfo& info = *find_game("morris");
  const Options options = info.defaults();
  const Position start = *info.read(options, info.start(options));
  Story story(info, options, start);
  const auto step = [&](std::string_view word) { return *read_step(start, word); };
  story.step(step("+a1"));
  story.illegal();
  story.amended_step(step("+g7"), step("+d7"));
  story.step(step("+d1"));
  story.take_back();
  story.step(step("+a4"));
  story.step(step("+g4"));
  ArchivedGame game;
  game.header = {"0d9f6a3c-52a1-4c57-9d0e-3b1f2a6c7e81",
                 &info,
                 options,
                 start,
                 {"Ann", "Bo \"the mill\""},
                 "virtual7",
                 ClockSettings{std::chrono::seconds(300), std::chrono::seconds(2)},
                 1796047380123};
  game.state = GameState::over;
  game.verdict = lost(Closing::resigned, 1, story.record());
  game.ended_ms = 1796047999000;
  game.events = story.events();
  return game;
}

TEST(GameArchive, RecordHoldsOnlyWhatIsLeftAfterAmendmentsAndTakebacks) {
  const auto record = short_game().record();
  ASSERT_TRUE(record.ok()) << record.error();
  std::string steps;
  for (const Step step : record->steps()) steps += text(record->start(), step) + " ";
  EXPECT_EQ(steps, "+a1 +g7 +a4 +g4 ");
}

TEST(GameArchive, EventThatDoesNotFitIsNamed) {
  const struct {
    const char* event;
    const char* why;
  } cases[] = {
      {R"({"type":"step","player":"W","step":"+a1"})", "event 10: step +a1: that site is not empty"},
      {R"({"type":"step","player":"B","step":"+d1"})", "event 10: player is not W, who is to act"},
      {R"({"type":"step","player":"W"})", "event 10: step must be a text"},
      {R"({"type":"step","player":"W","step":"+z9"})", "event 10: step: "},
      {R"({"type":"amend","removed":["+a4"],"added":[]})", "event 10: removed are not the last steps of the record"},
      {R"({"type":"amend","removed":["+g4"],"added":["+g7"]})", "event 10: step +g7: that site is not empty"},
      {R"({"type":"amend","removed":["+g4"]})", "event 10: added must be a list of steps"},
      {R"({"type":"takeback","steps":["+a1","+g7","+a4","+g4","+g4"]})", "event 10: steps are not the last steps"},
      {R"({"type":"takeback","steps":[7]})", "event 10: steps must be a list of steps"},
      {R"({"n":10})", "event 10: type must be a text"},
      {R"([])", "event 10: it must be an object"},
  };
  for (const auto& [event, why] : cases) {
    ArchivedGame game = short_game();
    game.events.push_back(Json::parse(event));
    const auto record = game.record();
    ASSERT_FALSE(record.ok()) << event;
    EXPECT_THAT(record.error(), HasSubstr(why));
  }
}

TEST(GameArchive, EqualGameComesBackFromItsJson) {
  for (const GameInfo& info : games()) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Json out = to_json(sample_game(info, seed));
      const auto back = read_game(out.dump());
      ASSERT_TRUE(back.ok()) << info.name << " " << seed << ": " << back.error();
      EXPECT_EQ(to_json(*back), out) << info.name << " " << seed;
    }
  }
}

TEST(GameArchive, SameStepsAndVerdictComeBackFromItsText) {
  for (const GameInfo& info : games()) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const ArchivedGame game = sample_game(info, seed);
      const std::string out = to_text(game);
      const auto back = read_game(out);
      ASSERT_TRUE(back.ok()) << info.name << " " << seed << ": " << back.error() << "\n" << out;
      EXPECT_EQ(to_text(*back), out);
      EXPECT_EQ(back->record()->steps(), game.record()->steps());
      EXPECT_EQ(back->verdict, game.verdict);
      EXPECT_EQ(back->state, game.state);
      EXPECT_EQ(back->header.options, game.header.options);
      EXPECT_EQ(back->header.players, game.header.players);
      EXPECT_EQ(back->header.clock, game.header.clock);
    }
  }
}

TEST(GameArchive, TextIsAsItWas) { EXPECT_EQ(to_text(short_game()), data_file("game.txt")); }

// Recorded payloads of older versions are replayed: these files are never changed.
TEST(GameArchive, JsonOfVersion1IsRead) {
  const auto game = read_game(data_file("game-v1.json"));
  ASSERT_TRUE(game.ok()) << game.error();
  EXPECT_EQ(to_json(*game), Json::parse(data_file("game-v1.json")));
  EXPECT_EQ(to_json(*game), to_json(short_game()));
}

TEST(GameArchive, JsonOfVersion0IsReadWithItsClosingFromTheSentence) {
  const auto game = read_game(data_file("game-v0.json"));
  ASSERT_TRUE(game.ok()) << game.error();
  EXPECT_EQ(game->verdict, (Verdict{Closing::resigned, {}, 1, 0}));
  EXPECT_EQ(game->state, GameState::over);
  EXPECT_EQ(game->header.clock, std::nullopt);
  EXPECT_EQ(game->record()->steps().size(), 4U);
  EXPECT_EQ(to_json(*game)["version"], 1);
}

TEST(GameArchive, LineOfTheListNamesEverything) {
  const GameSummary line{"an-id", "morris", {"Ann"}, GameState::over, "W", "White wins: Black resigned", 5, 6, 7};
  EXPECT_EQ(to_json(line).dump(), R"({"id":"an-id","game":"morris","players":["Ann"],"state":"over","result":"W",)"
                                  R"("ending":"White wins: Black resigned","started_ms":5,"ended_ms":6,"steps":7})");
}

std::string nested(std::size_t depth) { return R"({"format":)" + std::string(depth, '[') + std::string(depth, ']') + "}"; }

TEST(GameArchive, HostileImportIsRefusedInOneLineThatSaysWhere) {
  const Json good = to_json(short_game());
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = good;
    changed[Json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  const std::string text = to_text(short_game());
  const auto instead = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    const std::size_t at = changed.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return changed.replace(at, what.size(), by);
  };
  Json unended = good;
  unended["closing"] = "rules";
  unended["loser"] = "";
  Json events = Json::array();
  for (int n = 1; n <= 20'001; ++n) events.push_back({{"type", "resolved"}, {"n", n}});
  const struct {
    std::string exported;
    const char* why;
  } cases[] = {
      {"", "there is no game"},
      {"  \n\n", "there is no game"},
      {std::string(5U << 20U, ' '), "larger than 4 MiB"},
      {"{", "parse error at line 1"},
      {"{}", "format: must be 'merel-game'"},
      {"{\"format\":\"merel-game\",\n\"version\":\x01}", "line 2"},
      {nested(3'000'000 / 2), "nested too deeply"},
      {with("/version", 2), "version: must be 0 to 1"},
      {with("/version", "1"), "version: must be"},
      {with("/version", -1), "version: must be"},
      {with("/id", "../../etc/passwd"), "id: must be"},
      {with("/id", "latest"), "id: must be"},
      {with("/id", 7), "id: must be a text"},
      {with("/game", "chess"), "game: there is no such game; known are pinuid-classic"},
      {with("/game", "pylos-expert"), "options: "},
      {with("/options", {{"no\nsuch", "1"}}), "options: option 'no?such' is unknown"},
      {with("/options", {{"repetition", 3}}), "options.repetition: must be a text"},
      {with("/options", Json::array()), "options: must be an object"},
      {with("/start", "3/3/3"), "start: player to act, column 6: is missing"},
      {with("/players", {"a", "b", "c"}), "players: there are more"},
      {with("/players", {1}), "players: must be a list of names"},
      {with("/players", {std::string(2000, 'x')}), "players: a name must be of at most"},
      {with("/clock/initial_ms", 0), "clock.initial_ms: must be a whole number from 1"},
      {with("/clock/increment_ms", 1.5), "clock.increment_ms: must be a whole number"},
      {with("/clock", "300+2"), "clock: must be an object or null"},
      {with("/started_ms", -1), "started_ms: must be a whole number"},
      {with("/ended_ms", 18446744073709551615U), "ended_ms: must be a whole number"},
      {with("/state", "running"), "state: it is over"},
      {with("/closing", "rules"), "loser: must be a player who resigned or ran out of time, and empty otherwise"},
      {with("/loser", ""), "loser: must be a player"},
      {unended.dump(), "closing: the rules have not ended this game"},
      {with("/closing", "won"), "closing: must be open, rules"},
      {with("/loser", "R"), "loser: must be a player"},
      {with("/loser", "W"), "result: the loser cannot have won"},
      {with("/result", "B"), "result: the loser cannot have won"},
      {with("/result", "draw"), "result: it is unfinished"},
      {with("/steps/0", "+d1"), "steps: they are not what the events play"},
      {with("/events", 7), "events: must be a list"},
      {with("/events", events), "events: there are more than 20000"},
      {with("/events/3/n", 3), "events[3]: n: must be a whole number from 4"},
      {with("/events/3/at", "now"), "events[3]: at: must be a whole number"},
      {with("/events/0/step", "xa1"), "events[0]: step xa1: nothing is to be removed now"},
      {with("/events/0", Json(nullptr)), "events[0]: it must be an object"},
      {with("/events/4/removed", {"+a1"}), "events[4]: removed are not the last steps"},
      {"hello", "line 1: must be a tag"},
      {"[Game \"x]", "line 1: must be a tag"},
      {"[Game \"a\"b\"]", "line 1: must be a tag"},
      {"[Game \"\\x\"]", "line 1: must be a tag"},
      {"[Game \"]", "line 1: must be a tag"},
      {"[Game \"a\"]\n[Game \"b\"]", "line 2: tag Game is there twice"},
      {"[Game \"\xFF\"]", "line 1: this line is not UTF-8"},
      {"[Game \"a\"]", "the tag Id is missing"},
      {instead("[Board", "[Bored"), "there is no tag Bored in this game"},
      {instead("[White \"Ann\"]\n", ""), "the players before this one have no names"},
      {instead("300+2", "300"), "line 7: Clock must be seconds"},
      {instead("2026-11-30", "2026-11-31"), "line 8: Date must be as in"},
      {instead("morris", "chess"), "game: there is no such game"},
      {instead("resigned", "rules"), "loser: must be"},
      {instead("+a4", "+a1"), "line 15: step +a1: that site is not empty"},
      {instead("+a4", "\xFF\xFE"), "line 15: step: "},
      {instead("+g4 W", "+g4"), "the moves do not end with the result, W"},
      {instead("+g4 W", "+g4 W +a7"), "line 15: nothing may follow the result"},
      {instead("+g4 W", "+g4 B"), "line 15: step: "},
  };
  for (const auto& [exported, why] : cases) {
    const auto game = read_game(exported);
    ASSERT_FALSE(game.ok()) << why;
    EXPECT_THAT(game.error(), HasSubstr(why));
    EXPECT_THAT(game.error(), Not(HasSubstr("\n")));
    EXPECT_TRUE(nlohmann::json::accept(Json(game.error()).dump()));  // throws when it is not UTF-8
  }
}

}  // namespace
}  // namespace merel
