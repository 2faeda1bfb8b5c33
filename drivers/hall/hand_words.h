#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "drivers/hall/analogue_board.h"

/// Hands at an AnalogueBoard in words, one command a line. Pure.
namespace merel {

/// What obey() understands, a line each.
inline constexpr std::string_view kHandWords =
    "put a1 strong north    puts a piece on a cell: strong, weak or sphere; north or south up\n"
    "put 2a1 sphere south   on a seat of Pylos: level, file and rank of that level\n"
    "lift a1                takes it away\n"
    "clear                  takes everything away\n"
    "jog 0.1                every piece comes to lie a little otherwise: 0 is not at all, 1 as if put anew\n";

/// The cell `a1`, or the seat `2a1` (RULES: Pylos, sites); nothing for what is neither.
[[nodiscard]] std::optional<lattice7::Spot> read_spot(std::string_view text);

/// Carries a line out. Nothing when that is done, else one sentence that says what was wrong, and nothing has changed.
[[nodiscard]] std::optional<std::string> obey(AnalogueBoard& board, const std::string& line);

}  // namespace merel
