#include "rules/record.h"

#include <gtest/gtest.h>

#include <sstream>

namespace merel {
namespace {

GameRecord record_of(std::string_view game_name, std::string_view option, std::string_view position) {
  const GameInfo& game = *find_game(game_name);
  Options options = game.defaults();
  EXPECT_TRUE(option.empty() || options.set(option).ok());
  const auto start = game.read(options, position.empty() ? game.start(options) : std::string(position));
  EXPECT_TRUE(start.ok()) << start.error().line();
  return {game, options, *start};
}

/// Plays steps separated by a space; gives the first refusal.
std::optional<Refusal> play(GameRecord& record, const std::string& steps) {
  std::istringstream in(steps);
  for (std::string step; in >> step;) {
    const auto read = read_step(record.position(), step);
    EXPECT_TRUE(read.ok()) << step;
    if (const auto played = record.play(*read); !played) return played.error();
  }
  return std::nullopt;
}

constexpr std::string_view kMovingMen = "3/3/3/B2B1B/3/W1W/W1W W 0 0 -";

TEST(GameRecord, KeepsStepsAndEveryPosition) {
  GameRecord record = record_of("morris", "", "");
  ASSERT_EQ(play(record, "+a1 +g7"), std::nullopt);
  ASSERT_EQ(record.steps().size(), 2U);
  EXPECT_EQ(text(record.position(0)), "3/3/3/6/3/3/3 W 9 9 -");
  EXPECT_EQ(text(record.position(1)), "3/3/3/6/3/3/W2 B 8 9 -");
  EXPECT_EQ(text(record.position()), "2B/3/3/6/3/3/W2 W 8 8 -");
}

TEST(GameRecord, RefusedStepChangesNothing) {
  GameRecord record = record_of("morris", "", "");
  ASSERT_EQ(play(record, "+a1"), std::nullopt);
  EXPECT_EQ(play(record, "+a1"), Refusal::site_taken);
  EXPECT_EQ(record.steps().size(), 1U);
  EXPECT_EQ(text(record.position()), "3/3/3/6/3/3/W2 B 8 9 -");
}

TEST(GameRecord, UndoTakesBackOneStepAndNothingAtTheStart) {
  GameRecord record = record_of("morris", "", "");
  record.undo();
  ASSERT_EQ(play(record, "+a1"), std::nullopt);
  record.undo();
  record.undo();
  EXPECT_TRUE(record.steps().empty());
  EXPECT_TRUE(record.position() == record.start());
}

TEST(GameRecord, LastTurnBeginsWithItsFirstStep) {
  GameRecord record = record_of("morris", "", "");
  EXPECT_EQ(record.last_turn(), 0U);
  ASSERT_EQ(play(record, "+a1 +b2 +d1 +b6 +g1"), std::nullopt);
  EXPECT_EQ(record.last_turn(), 4U);
  ASSERT_EQ(play(record, "xb2"), std::nullopt);
  EXPECT_EQ(record.last_turn(), 4U);
  ASSERT_EQ(play(record, "+b2"), std::nullopt);
  EXPECT_EQ(record.last_turn(), 6U);
}

TEST(GameRecord, RepetitionCountsTheStartAndEndsInADraw) {
  GameRecord record = record_of("morris", "repetition=3", kMovingMen);
  const std::string round = "a1-d1 a4-a7 d1-a1 a7-a4";
  ASSERT_EQ(play(record, round), std::nullopt);
  EXPECT_FALSE(record.outcome().over());
  ASSERT_EQ(play(record, round), std::nullopt);
  EXPECT_EQ(record.outcome(), (Outcome{Ending::repetition, kNoPlayer}));
  EXPECT_EQ(result_text(record.game(), record.outcome()), "draw");
  EXPECT_EQ(play(record, "a1-d1"), Refusal::game_over);
  record.undo();
  EXPECT_FALSE(record.outcome().over());
}

TEST(GameRecord, RepetitionIsOffByDefault) {
  GameRecord record = record_of("morris", "", kMovingMen);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(play(record, "a1-d1 a4-a7 d1-a1 a7-a4"), std::nullopt);
  EXPECT_EQ(result_text(record.game(), record.outcome()), "unfinished");
}

TEST(GameRecord, AWinComesBeforeARepetition) {
  // W closes b2-d2-f2 with the last placed man; one of three black men goes.
  GameRecord record = record_of("morris", "repetition=2", "3/3/3/B2B1B/3/W1W/1W1 W 0 0 -");
  ASSERT_EQ(play(record, "d1-d2 xa4"), std::nullopt);
  EXPECT_EQ(record.outcome(), (Outcome{Ending::fewer_than_three, Player{0}}));
  EXPECT_EQ(result_text(record.game(), record.outcome()), "W");
}

}  // namespace
}  // namespace merel
