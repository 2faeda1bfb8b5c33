#pragma once
#include <string>

#include "daemon/tracker.h"

namespace merel {

/// What the tracker says, as one sentence for people. `board` is any position of the game, for the names of the sites.
[[nodiscard]] std::string sentence(const TrackerEvent& event, const GameInfo& game, const Position& board);
/// How a game ended: `White wins: only two of the winner's pins are left`.
[[nodiscard]] std::string sentence(const Outcome& outcome, const GameInfo& game);

/// The game for people and archives: what was played and how it ended as `[Key "value"]` lines, an empty line, then the numbered
/// turns in lines of at most `width` columns, the result last.
[[nodiscard]] std::string movetext(const GameRecord& record, std::size_t width = 80);

}  // namespace merel
