#include "rules/record.h"

#include <algorithm>

namespace merel {

GameRecord::GameRecord(const GameInfo& game, const Options& options, const Position& start)
    : game_(&game), options_(options), repetition_(options.number("repetition")), positions_{start} {}

Result<std::monostate, Refusal> GameRecord::play(Step step) {
  if (outcome().over()) return Refusal::game_over;
  const auto next = apply(position(), step);
  if (!next) return next.error();
  steps_.push_back(step);
  positions_.push_back(*next);
  return std::monostate{};
}

void GameRecord::undo() {
  if (steps_.empty()) return;
  steps_.pop_back();
  positions_.pop_back();
}

std::size_t GameRecord::last_turn() const {
  std::size_t first = steps_.size();
  if (first == 0) return 0;
  --first;
  const Player mover = to_act(positions_[first]);
  while (first > 0 && to_act(positions_[first - 1]) == mover) --first;
  return first;
}

Outcome GameRecord::outcome() const {
  const Outcome own = merel::outcome(position());
  if (own.over() || repetition_ == 0) return own;
  const auto times = std::count(positions_.begin(), positions_.end(), position());
  return times >= repetition_ ? Outcome{Ending::repetition, kNoPlayer} : own;
}

std::string result_text(const GameInfo& game, const Outcome& outcome) {
  if (!outcome.over()) return "unfinished";
  if (outcome.draw()) return "draw";
  return std::string(1, game.colours[outcome.winner]);
}

}  // namespace merel
