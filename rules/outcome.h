#pragma once
#include <string_view>

#include "rules/step.h"

namespace merel {

/// Why a game ended.
enum class Ending : std::uint8_t {
  none,              ///< the game goes on
  two_left,          ///< Pinuid: the winner has exactly two pins left
  last_player,       ///< Quatro: everybody else is out
  blocked,           ///< Pinuid: every player in the game passed in succession (draw)
  apex,              ///< Pylos: the winner set the top sphere
  empty_reserve,     ///< Pylos: the loser has no sphere to play
  fewer_than_three,  ///< Morris: the loser has two men
  cannot_move,       ///< Morris: the loser has no move
  repetition,        ///< a position occurred as often as the option `repetition` says (draw)
};

/// How a game ended, as one plain sentence for players that reads after "White wins:" or "Draw:", without a full stop.
[[nodiscard]] std::string_view sentence(Ending ending);

/// The state of a game: going on, won by one player, or drawn; and who has left it early.
struct Outcome {
  Ending ending = Ending::none;
  Player winner = kNoPlayer;  ///< kNoPlayer while the game goes on and for a draw
  std::uint8_t out = 0;       ///< Quatro: players who are out, one bit each (1 << player)

  [[nodiscard]] constexpr bool over() const { return ending != Ending::none; }
  [[nodiscard]] constexpr bool draw() const { return over() && winner == kNoPlayer; }
  friend constexpr bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace merel
