#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rules/game.h"

namespace merel {

/// One game from its start position on: the steps, every position they led to, and the outcome with the option `repetition`,
/// which needs the history that a Position does not carry.
class GameRecord {
 public:
  GameRecord(const GameInfo& game, const Options& options, const Position& start);

  /// Plays a step, or says why not and changes nothing; a game drawn by repetition refuses every step.
  Result<std::monostate, Refusal> play(Step step);
  /// Takes the last step back; does nothing at the start.
  void undo();

  [[nodiscard]] const GameInfo& game() const { return *game_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Position& start() const { return positions_.front(); }
  [[nodiscard]] const Position& position() const { return positions_.back(); }
  /// The position before step `i`; `i` may be steps().size() for the present one.
  [[nodiscard]] const Position& position(std::size_t i) const { return positions_[i]; }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// Index of the first step of the turn that the last step belongs to; 0 when nothing has been played.
  [[nodiscard]] std::size_t last_turn() const;
  [[nodiscard]] Outcome outcome() const;

 private:
  const GameInfo* game_;
  Options options_;
  int repetition_;
  std::vector<Step> steps_;
  std::vector<Position> positions_;  ///< one more than steps
};

/// `W`, `draw` or `unfinished`, as in TRACE.md.
[[nodiscard]] std::string result_text(const GameInfo& game, const Outcome& outcome);

}  // namespace merel
