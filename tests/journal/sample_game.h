#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "daemon/journal/game_archive.h"
#include "tests/hands/scripted_hands.h"

namespace merel {

/// Tells the story of a game: every step, and on the way what happens at a board.
class Story {
 public:
  explicit Story(const GameInfo& game, const Options& options, const Position& start) : record_(game, options, start) {}

  void tell(Json event) {
    event["n"] = events_.size() + 1;
    event["at"] = 1796040180000 + 1500 * static_cast<std::int64_t>(events_.size());
    events_.push_back(std::move(event));
  }
  void step(Step step) {
    tell({{"type", "step"}, {"player", letter()}, {"step", text(step)}, {"think_ms", 1480}});
    (void)record_.play(step);
  }
  /// Another legal step was read first, and corrected to this one.
  void amended_step(Step meant, Step read) {
    step(read);
    record_.undo();
    tell({{"type", "amend"}, {"removed", {text(read)}}, {"added", {text(meant)}}});
    (void)record_.play(meant);
  }
  void take_back() {
    tell({{"type", "takeback"}, {"steps", {text(record_.steps().back())}}});
    record_.undo();
  }
  void illegal() {
    tell({{"type", "illegal"}, {"player", letter()}, {"reason", "site_taken"}, {"sentence", "that site is not empty"}});
    tell({{"type", "resolved"}});
  }

  [[nodiscard]] const GameRecord& record() const { return record_; }
  [[nodiscard]] const std::vector<Json>& events() const { return events_; }

 private:
  [[nodiscard]] std::string letter() const { return std::string(1, record_.game().colours[to_act(record_.position())]); }
  [[nodiscard]] std::string text(Step step) const { return merel::text(record_.start(), step); }

  GameRecord record_;
  std::vector<Json> events_;
};

/// How a record that stands so may have ended, one of several by lot.
inline Verdict sample_verdict(const GameRecord& record, Dice& dice) {
  if (record.outcome().over()) return {Closing::rules, record.outcome(), kNoPlayer, record.outcome().winner};
  switch (dice.below(5)) {
    case 0: return lost(Closing::resigned, to_act(record.position()), record);
    case 1: return lost(Closing::out_of_time, to_act(record.position()), record);
    case 2: return {Closing::agreed_draw, {}, kNoPlayer, kNoPlayer};
    case 3: return {Closing::aborted, {}, kNoPlayer, kNoPlayer};
    default: return {};
  }
}

/// A random game with amendments, take-backs and illegal attempts.
inline ArchivedGame sample_game(const GameInfo& info, std::uint64_t seed, std::size_t most_steps = 120) {
  Dice dice(seed);
  const GameRecord played = random_game(info, dice, most_steps);
  Story story(info, played.options(), played.start());
  for (const Step step : played.steps()) {
    if (dice.chance(60)) story.illegal();
    const StepList legal = legal_steps(story.record().position());
    const Step other = legal[dice.below(legal.size())];
    if (other != step && dice.chance(100)) {
      story.amended_step(step, other);
    } else {
      story.step(step);
    }
    if (dice.chance(60)) {
      story.take_back();
      story.step(step);
    }
  }
  ArchivedGame game;
  game.header = {"5f0c6b1e-0000-4000-8000-" + std::to_string(100000000000 + seed),
                 &info,
                 played.options(),
                 played.start(),
                 {"Ann \"the mill\" O'Hara\\", "Bj\xC3\xB6rn\nK."},
                 "virtual7",
                 ClockSettings{std::chrono::milliseconds(300'500), std::chrono::seconds(2)},
                 1796040180000};
  if (dice.chance(300)) game.header.clock.reset();
  if (dice.chance(300)) game.header.players.clear();
  game.events = story.events();
  game.verdict = sample_verdict(story.record(), dice);
  if (game.verdict.over()) {
    game.state = game.verdict.closing == Closing::aborted ? GameState::aborted : GameState::over;
    game.ended_ms = game.header.started_ms + 600'000;
  }
  return game;
}

}  // namespace merel
