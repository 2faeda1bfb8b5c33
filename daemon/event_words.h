#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/tracker.h"
#include "daemon/verdict.h"

namespace merel {

/// What the tracker says, as one sentence for people. `board` is any position of the game, for the names of the sites.
[[nodiscard]] std::string sentence(const TrackerEvent& event, const GameInfo& game, const Position& board);
/// How a game ended: `White wins: only two of the winner's pins are left`.
[[nodiscard]] std::string sentence(const Outcome& outcome, const GameInfo& game);

/// Further `[Key "value"]` lines; a value may be any text.
using Tags = std::vector<std::pair<std::string, std::string>>;

/// The game for people and archives: what was played and how it ended as `[Key "value"]` lines, `more` of them behind the first, an
/// empty line, then the numbered turns in lines of at most `width` columns, the result last. In values `\"`, `\\` and `\n` stand
/// for a quote, a backslash and a new line.
[[nodiscard]] std::string movetext(const GameRecord& record, const Tags& more, const Verdict& verdict,
                                   std::size_t width = 80);
/// The same for a game of which only the steps are known.
[[nodiscard]] std::string movetext(const GameRecord& record, std::size_t width = 80);

/// The options that are not at their default, `key=value` with a space between them.
[[nodiscard]] std::string changed_options(const Options& options);

}  // namespace merel
