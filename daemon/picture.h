#pragma once
#include <array>

#include "drivers/reading.h"
#include "rules/game.h"

namespace merel {

/// What stands where, on the sites of one game's board: the sensors' view, or what a position would look like.
class Picture {
 public:
  Picture() = default;
  /// The picture that a position is expected to show, read from the position's own text (RULES.md: ranks from the highest to the
  /// lowest, numbers for empty sites, a letter a piece), so that any game's positions can be pictured alike.
  Picture(const GameInfo& game, const Position& position);

  [[nodiscard]] Contents operator[](Site site) const { return contents_[site]; }
  void set(Site site, Contents contents) { contents_[site] = contents; }
  /// What the step does to the board when this player makes it.
  void play(Step step, Player mover);

 private:
  std::array<Contents, 256> contents_{};
};

}  // namespace merel
