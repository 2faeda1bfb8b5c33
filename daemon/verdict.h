#pragma once
#include <string>

#include "rules/record.h"

namespace merel {

/// How a game came to its end, beyond what the rules see.
enum class Closing : std::uint8_t {
  open,         ///< it goes on
  rules,        ///< the rules ended it: Verdict::outcome says how
  resigned,     ///< a player gave up
  agreed_draw,  ///< the players agreed on a draw
  out_of_time,  ///< a player's clock ran out
  aborted,      ///< stopped without a result
};

/// The end of a game, for the record (RULES.md, "Draws and agreements": agreements are recorded with the game and are no steps).
struct Verdict {
  Closing closing = Closing::open;
  Outcome outcome;           ///< for Closing::rules
  Player loser = kNoPlayer;  ///< who resigned or ran out of time
  Player winner =
      kNoPlayer;  ///< kNoPlayer for a draw, an aborted game, and when more than one opponent was still in the game

  [[nodiscard]] bool over() const { return closing != Closing::open; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// The verdict when `loser` gives up or runs out of time: the one opponent who is still in the game wins; with more of them the
/// game ends without a winner.
[[nodiscard]] Verdict lost(Closing closing, Player loser, const GameRecord& record);

/// `W`, `draw` or `unfinished`, as in TRACE.md.
[[nodiscard]] std::string result_text(const GameInfo& game, const Verdict& verdict);
/// How the game ended, as one sentence for players: `White wins: Black resigned`; `The game goes on` while it is open.
[[nodiscard]] std::string sentence(const Verdict& verdict, const GameInfo& game);
/// Short identifier of how it ended, for programs: `open`, `resigned`, or the rules' own ending, `fewer_than_three`.
[[nodiscard]] std::string_view name(Closing closing);

}  // namespace merel
