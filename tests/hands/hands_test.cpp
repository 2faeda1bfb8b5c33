#include "tests/hands/scripted_hands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace merel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Line {
  double at = 0;
  std::string subject;
  std::string rest;
};

std::vector<Line> events_of(const std::string& trace) {
  std::istringstream in(trace.substr(trace.find("---\n") + 4));
  std::vector<Line> lines;
  Line line;
  while (in >> line.at >> line.subject && std::getline(in, line.rest)) {
    if (!line.rest.empty()) line.rest.erase(0, 1);
    lines.push_back(line);
  }
  return lines;
}

Position start_of(const GameInfo& game) { return *game.read(game.defaults(), game.start(game.defaults())); }

class EveryGameAndLevel : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  static constexpr std::uint64_t kSeeds = 4;

  const GameInfo& game_ = *find_game(std::get<0>(GetParam()));
  const int level_ = std::get<1>(GetParam());

  [[nodiscard]] GameRecord record(std::uint64_t seed) const {
    Dice dice(seed);
    return random_game(game_, dice, 420);
  }
};

TEST_P(EveryGameAndLevel, TheSameSeedGivesTheSameTraceAndAnotherSeedAnother) {
  const GameRecord played = record(1);
  const Handling handling{level_};
  const std::string trace = play_by_hand(played, handling, 7).trace;
  EXPECT_EQ(play_by_hand(played, handling, 7).trace, trace);
  EXPECT_NE(play_by_hand(played, handling, 8).trace, trace);
  EXPECT_EQ(record(1).steps(), played.steps());
  EXPECT_NE(record(2).steps(), played.steps());
}

TEST_P(EveryGameAndLevel, ThePictureTogglesInOrderAndEndsAsTheGameDid) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GameRecord played = record(seed);
    const std::string trace = play_by_hand(played, {level_, true}, seed).trace;
    const Geometry& board = geometry(played.start());
    Board reads = board_of(played.start());
    double now = 0;
    std::string last;
    for (const Line& line : events_of(trace)) {
      ASSERT_GE(line.at, now) << line.subject;
      now = line.at;
      last = line.subject;
      const Site site = board.find(line.subject);
      if (site == kNoSite) continue;
      ASSERT_TRUE(board.info(site).sensed) << line.subject;
      ASSERT_EQ(reads[site] == '.', line.rest != ".") << "seed " << seed << ", " << line.at << ' ' << line.subject;
      reads[site] = line.rest[0];
    }
    EXPECT_EQ(last, "end");
    const Board final = board_of(played.position());
    for (const SiteInfo& site : board.sites) {
      if (!site.sensed) continue;
      EXPECT_EQ(reads[site.site], final[site.site]) << "seed " << seed << ", " << site.name();
    }
  }
}

TEST_P(EveryGameAndLevel, TheSensorsChangeTheReadingsAndNothingElse) {
  const GameRecord played = record(3);
  const std::vector<Line> seen = events_of(play_by_hand(played, {level_, true}, 5).trace);
  const std::vector<Line> felt = events_of(play_by_hand(played, {level_, false}, 5).trace);
  ASSERT_EQ(seen.size(), felt.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].at, felt[i].at);
    EXPECT_EQ(seen[i].subject, felt[i].subject);
  }
  if (game_.tray == 0) return;
  const std::string without = play_by_hand(played, {level_, false, false}, 5).trace;
  EXPECT_THAT(without, Not(HasSubstr(" reserve ")));
  const std::vector<Line> blind = events_of(without);
  EXPECT_EQ(blind.size() + static_cast<std::size_t>(std::count_if(
                               felt.begin(), felt.end(), [](const Line& line) { return line.subject == "reserve"; })),
            felt.size());
}

TEST_P(EveryGameAndLevel, OnlyClumsyHandsErr) {
  std::size_t extra = 0;
  int illegal = 0;
  int amends = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GameRecord played = record(seed);
    const ScriptedGame script = play_by_hand(played, {level_}, seed);
    const Geometry& board = geometry(played.start());
    std::size_t needed = 0;
    for (const Step step : played.steps()) {
      for (const Site site : {step.from, step.to}) needed += site != kNoSite && board.info(site).sensed ? 1U : 0U;
    }
    for (const Line& line : events_of(script.trace)) extra += board.find(line.subject) != kNoSite ? 1U : 0U;
    ASSERT_GE(extra, needed);
    extra -= needed;
    illegal += script.illegal;
    amends += script.amends;
  }
  EXPECT_EQ(extra > 0, level_ > 1);
  EXPECT_EQ(illegal + amends > 0, level_ > 2);
}

INSTANTIATE_TEST_SUITE_P(Hands, EveryGameAndLevel,
                         ::testing::Combine(::testing::Values("pinuid-classic", "pinuid-quatro", "pinuid-quatro3",
                                                              "pylos-children", "pylos-standard", "pylos-expert", "morris"),
                                            ::testing::Range(1, 5)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + "_level" + std::to_string(std::get<1>(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Hands, UnseenTurnsAreChosenWithAllTheirStepsButStop) {
  const GameInfo& game = *find_game("pylos-expert");
  int chosen = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Dice dice(seed);
    const GameRecord played = random_game(game, dice, 420);
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < played.steps().size();) {
      std::string turn;
      bool unseen = false;
      const Player player = to_act(played.position(i));
      for (; i < played.steps().size() && to_act(played.position(i)) == player; ++i) {
        const Step step = played.steps()[i];
        if (step.kind != StepKind::stop) turn += (turn.empty() ? "" : " ") + text(played.start(), step);
        for (const Site site : {step.from, step.to}) {
          unseen = unseen || (site != kNoSite && !geometry(played.start()).info(site).sensed);
        }
      }
      if (unseen) expected.push_back(turn);
    }
    std::vector<std::string> said;
    for (const Line& line : events_of(play_by_hand(played, {4}, seed).trace)) {
      if (line.subject == "choose") said.push_back(line.rest);
    }
    EXPECT_EQ(said, expected);
    chosen += static_cast<int>(said.size());
  }
  EXPECT_GT(chosen, 0);
}

TEST(Hands, TurnsOfLevelFourRunIntoEachOther) {
  Dice dice(4);
  const GameRecord played = random_game(*find_game("pinuid-classic"), dice, 420);
  const auto lasts = [&](int level) { return events_of(play_by_hand(played, {level}, 1).trace).back().at; };
  EXPECT_LT(lasts(4), 0.8 * lasts(1));
}

TEST(Hands, AWrittenSceneKeepsThePieceInHandAndTheTime) {
  const GameInfo& game = *find_game("pinuid-classic");
  const std::string trace = Hands(game, game.defaults(), start_of(game), true)
                                .lift("a2", 300)
                                .put("b3")
                                .put("d4", 100, 'B')
                                .wait(1000)
                                .say("button W", 0)
                                .text();
  EXPECT_EQ(trace,
            "merel-trace 1\ngame pinuid-classic\nsensing colour\n"
            "position BB1B1BB/B2B2B/7/7/7/W2W2W/WW1W1WW W - -\n---\n"
            "300.0 a2 .\n800.0 b3 W\n900.0 d4 B\n1900.0 button W\n6900.0 end\n");
}

TEST(Dice, SpreadsIncludeBothEndsAndPausesAreLikePeoples) {
  Dice dice(1);
  std::set<Tenths> seen;
  for (int i = 0; i < 500; ++i) seen.insert(dice.between(-1, 1));
  EXPECT_EQ(seen.size(), 21U);
  EXPECT_EQ(*seen.begin(), -10);
  EXPECT_EQ(*seen.rbegin(), 10);
  std::vector<Tenths> pauses;
  for (int i = 0; i < 10001; ++i) pauses.push_back(dice.pause());
  std::sort(pauses.begin(), pauses.end());
  EXPECT_GE(pauses.front(), 4500);
  EXPECT_NEAR(static_cast<double>(pauses[5000]), 14800, 500);
}

}  // namespace
}  // namespace merel
