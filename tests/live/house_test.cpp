// The whole house in virtual time: sensors, tracker, session, lights, journal, recorder. Numbers are those of reports by owners of
// electronic boards (15, 30, 31, 32).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <new>

#include "daemon/playback.h"
#include "tests/hands/scripted_hands.h"
#include "tests/live/houses.h"

namespace merel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BoardProfile full_board() {
  BoardProfile board = plain_board(7, true);
  board.trays = true;
  return board;
}

/// A trace of a game that fits the board, made by scripted hands.
Trace scripted(const GameInfo& game, std::uint64_t seed, int level) {
  for (;; seed += 1000) {
    Dice dice(seed);
    const GameRecord record = random_game(game, dice, 120);
    if (geometry(record.position()).lattice > 7) continue;
    auto trace = read_trace(play_by_hand(record, {level, true, true}, dice.next()).trace);
    if (trace) return std::move(*trace);
    ADD_FAILURE() << trace.error().text("trace");
  }
}

std::vector<Step> steps_of(const Trace& trace) {
  Playback playback(trace);
  while (playback.next()) playback.advance();
  return playback.tracker().record().steps();
}

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class EveryGame : public testing::TestWithParam<std::string> {};

// 32. Every mode of play records its games; reading a game back gives what was played.
TEST_P(EveryGame, IsRecordedAndReadBack) {
  const Folder folder;
  Config config = config_in(folder, full_board());
  config.record_traces = true;
  VirtualHouse house(config);
  const Trace trace = scripted(*find_game(GetParam()), 7, 3);
  const auto played = house.play(trace);
  ASSERT_TRUE(played) << played.error();
  const std::vector<Step> steps = house.daemon.session().tracker()->record().steps();
  EXPECT_EQ(steps, steps_of(trace)) << "live play and replay differ";
  const std::string id = house.daemon.game_id();
  if (!house.daemon.session().verdict().over()) {
    ASSERT_TRUE(house.daemon.abort());
  }

  const ArchivedGame kept = house.load(id);
  const auto record = kept.record();
  ASSERT_TRUE(record) << record.error();
  EXPECT_EQ(record->steps(), steps);
  EXPECT_EQ(kept.verdict, house.daemon.session().verdict());

  // Its exports give an equal game again.
  const auto again = read_game(to_json(kept).dump());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(to_json(*again), to_json(kept));
  const auto from_text = read_game(to_text(kept));
  ASSERT_TRUE(from_text) << from_text.error();
  EXPECT_EQ(from_text->record()->steps(), steps);

  // And so does its raw trace.
  house.loop.run_for(std::chrono::milliseconds(1));
  ASSERT_EQ(house.daemon.recorder().files(id).size(), 1U);
  const auto raw = read_trace(text_of(house.daemon.recorder().files(id).front()));
  ASSERT_TRUE(raw) << raw.error().text("raw");
  EXPECT_EQ(steps_of(*raw), steps);
}

INSTANTIATE_TEST_SUITE_P(Games, EveryGame,
                         testing::Values("pinuid-classic", "pinuid-quatro", "pinuid-quatro3", "pylos-children",
                                         "pylos-standard", "pylos-expert", "morris"),
                         [](const auto& game) {
                           std::string name = game.param;
                           std::erase(name, '-');
                           return name;
                         });

// A daemon that begins in memory that held something else debounces like any other.
TEST(Beginning, DebouncesAsTheOwnerSaysWhateverTheMemoryHeld) {
  const Folder folder;
  alignas(VirtualHouse) static std::array<std::byte, sizeof(VirtualHouse)> memory;
  memory.fill(std::byte{0x7F});
  auto* house = new (memory.data()) VirtualHouse(config_in(folder, full_board()));
  NewGame wanted;
  wanted.game = "morris";
  ASSERT_TRUE(house->daemon.begin(wanted));
  house->arrange();
  const Site site = geometry(house->daemon.session().tracker()->record().position()).find("a1");
  const std::uint16_t channel = *house->daemon.channel("a1");
  const Time began = house->now;
  house->daemon.sim()->board().set(channel, Contents::piece(0), house->now);
  house->advance(began + house->daemon.config().debounce.hold / 2);
  EXPECT_TRUE(house->daemon.session().contents(site).is_empty()) << "a contact counts once it has held";
  house->advance(began + 2 * house->daemon.config().debounce.hold);
  EXPECT_FALSE(house->daemon.session().contents(site).is_empty());
  house->~VirtualHouse();
}

// What people choose is heard at any moment, also among pieces set down before their turn.
TEST(Choosing, AmongManyGamesOfPylosIsHeardAndDoesNoHarm) {
  const Folder folder;
  VirtualHouse house(config_in(folder, full_board()));
  for (std::uint64_t seed = 1030; seed < 1060; ++seed) {
    const GameInfo& game = *find_game(seed % 3 == 0 ? "pylos-children" : seed % 3 == 1 ? "pylos-standard" : "pylos-expert");
    Dice dice(seed);
    const GameRecord record = random_game(game, dice, 200);
    const auto trace = read_trace(play_by_hand(record, {3, true, true}, dice.next()).trace);
    ASSERT_TRUE(trace);
    const auto played = house.play(*trace);
    ASSERT_TRUE(played) << played.error();
    EXPECT_FALSE(house.daemon.session().tracker()->record().steps().empty());
    if (!house.daemon.session().verdict().over()) {
      ASSERT_TRUE(house.daemon.abort());
    }
    house.arrange();
  }
}

// 30. Power cut after each single step of a game: the pieces are compared with the record, and the next legal move is accepted.
TEST(PowerCut, AfterEachSingleStepLosesNothing) {
  const Folder folder;
  const Config config = config_in(folder, full_board());
  Dice dice(5);
  const GameRecord script = random_game(*find_game("morris"), dice, 24);
  std::string id;
  for (std::size_t i = 0; i < script.steps().size(); ++i) {
    VirtualHouse house(config);
    if (i == 0) {
      ASSERT_TRUE(house.daemon.begin({"morris", {}, text(script.start()), {}, {}, false}));
      id = house.daemon.game_id();
    }
    ASSERT_EQ(house.daemon.game_id(), id);
    house.arrange();
    ASSERT_EQ(house.daemon.session().phase(), Phase::play) << i;
    const auto& record = house.daemon.session().tracker()->record();
    ASSERT_EQ(record.steps().size(), i);
    const Step step = script.steps()[i];
    const Player mover = to_act(record.position());
    const auto channel = [&](Site site) {
      return *house.daemon.channel(std::string(geometry(script.start()).info(site).name()));
    };
    VirtualBoard& board = house.daemon.sim()->board();
    if (step.from != kNoSite) board.set(channel(step.from), Contents::empty(), house.now);
    house.advance(house.now + std::chrono::milliseconds(300));
    if (step.to != kNoSite) board.set(channel(step.to), Contents::piece(mover), house.now);
    house.advance(house.now + std::chrono::seconds(2));
    ASSERT_EQ(record.steps().size(), i + 1) << text(record.position(), step);
    EXPECT_EQ(record.steps().back(), step);
  }
}

// 31. An aborted game never comes back by itself.
TEST(Aborted, GameStaysAbortedThroughARestart) {
  const Folder folder;
  const Config config = config_in(folder);
  std::string id;
  {
    VirtualHouse house(config);
    ASSERT_TRUE(house.daemon.begin({"morris", {}, {}, {}, {}, false}));
    id = house.daemon.game_id();
    ASSERT_TRUE(house.daemon.abort());
  }
  VirtualHouse house(config);
  EXPECT_EQ(house.daemon.session().phase(), Phase::idle);
  EXPECT_EQ(house.load(id).state, GameState::aborted);
}

// 15. How a game ended is named on the board, in the archive and in the API.
TEST(Ending, IsNamedEverywhereInWordsThatAPlayerKnows) {
  const Folder folder;
  VirtualHouse house(config_in(folder));
  ASSERT_TRUE(house.daemon.begin({"morris", {}, "2W/1B1/3/3WW1/3/3/BB1 W 0 0 -", {}, {}, false}));
  house.arrange();
  const auto set = [&](const char* site, Contents contents) {
    house.daemon.sim()->board().set(*house.daemon.channel(site), contents, house.now);
    house.advance(house.now + std::chrono::seconds(1));
  };
  set("g7", Contents::empty());
  set("g4", Contents::piece(0));
  set("d6", Contents::empty());
  const std::string wanted = "White wins: the other player has only two men left";
  const Json state = house.daemon.state();
  EXPECT_EQ(state["phase"], "over");
  EXPECT_EQ(state["game"]["ending"], wanted);
  EXPECT_EQ(state["game"]["result"], "W");
  EXPECT_EQ(state["lights"]["g4"][0], "win");
  EXPECT_THAT(to_text(house.load("latest")), HasSubstr(wanted));
}

TEST(HeldButton, BeginsTheConfiguredGame) {
  const Folder folder;
  Config config = config_in(folder);
  config.game = "pylos-children";
  config.players = {"Ann", "Bo"};
  VirtualHouse house(config);
  house.daemon.sim()->board().button(0, true, house.now);
  house.advance(house.now + std::chrono::seconds(4));
  const Json state = house.daemon.state();
  EXPECT_EQ(state["game"]["game"], "pylos-children");
  EXPECT_EQ(state["game"]["players"], Json({"Ann", "Bo"}));
}

TEST(FullDisk, LetsPlayGoOnAndSaysSo) {
  const Folder folder;
  Config config = config_in(folder);
  config.journal = folder.file("nowhere/games.sqlite");
  VirtualHouse house(config);
  ASSERT_TRUE(house.daemon.begin({"morris", {}, {}, {}, {}, false}));
  house.daemon.sim()->board().set(*house.daemon.channel("a1"), Contents::piece(0), house.now);
  house.advance(house.now + std::chrono::seconds(1));
  for (int i = 0; i < 400 && house.daemon.journal().status().well; ++i) house.loop.run_for(std::chrono::milliseconds(10));
  Json state = house.daemon.state();
  EXPECT_EQ(state["game"]["steps"], Json({"+a1"}));
  EXPECT_EQ(state["journal"]["well"], false);
  EXPECT_THAT(std::string(state["journal"]["what"]), Not(IsEmpty()));
  EXPECT_EQ(state["game"]["durable"], 0);
  std::filesystem::create_directory(folder.file("nowhere"));
  for (int i = 0; i < 2000 && house.daemon.journal().status().backlog > 0; ++i)
    house.loop.run_for(std::chrono::milliseconds(10));
  house.loop.restart();
  house.loop.run_for(std::chrono::milliseconds(20));
  state = house.daemon.state();
  EXPECT_EQ(state["journal"]["well"], true);
  EXPECT_EQ(state["game"]["durable"], state["game"]["event"]);
  EXPECT_EQ(house.load("running").record()->steps().size(), 1U);
}

TEST(Reload, TakesOverWhatItCanAndNamesTheRest) {
  const Folder folder;
  Config config = config_in(folder);
  VirtualHouse house(config);
  ASSERT_TRUE(house.daemon.begin({"morris", {}, {}, {}, {}, false}));
  config.help = false;
  config.journal_max_mib = 100;
  config.brightness = 0.5;
  const auto later = house.daemon.reload(config);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_THAT(later[0], HasSubstr("[journal] max_mib"));
  EXPECT_EQ(house.daemon.session().phase(), Phase::play);
  EXPECT_FALSE(house.daemon.session().settings().help);
}

}  // namespace
}  // namespace merel
