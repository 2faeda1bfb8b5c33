#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "rules/geometry.h"
#include "rules/morris.h"
#include "rules/outcome.h"
#include "rules/pinuid.h"
#include "rules/pylos.h"
#include "rules/refusal.h"
#include "rules/result.h"
#include "rules/step.h"
#include "rules/text_error.h"

namespace merel {

/// Everything the rules need to go on: pieces, player to act, what is owed, who is out, and the rule options. One value type
/// over all games; copyable with memcpy, comparable, hashable, no pointers. Each alternative answers the same seven questions,
/// which the functions below pass on.
using Position = std::variant<Pinuid64, Pinuid256, Pylos, Morris>;

/// 1. The player to act; after the end of the game the one who would have been next.
[[nodiscard]] Player to_act(const Position& position);
/// 2. The legal steps, sorted and unique; empty when the game is over. Never allocates.
[[nodiscard]] StepList legal_steps(const Position& position);
/// 3. The position after a step, or why the rules refuse it. Never allocates.
[[nodiscard]] Result<Position, Refusal> apply(const Position& position, Step step);
/// 4. Whether the game is over, who won and why. Repetition is not seen here but by GameRecord.
[[nodiscard]] Outcome outcome(const Position& position);
/// 5. The text of a step (RULES.md, "Steps, as text"), and a step from its text. Reading checks the form and the sites' names,
/// not legality.
[[nodiscard]] std::string text(const Position& position, Step step);
[[nodiscard]] Result<Step, TextError> read_step(const Position& position, std::string_view text);
/// 6. The text of the position (RULES.md); GameInfo::read reads it.
[[nodiscard]] std::string text(const Position& position);
/// 7. Equal positions (operator== of the variant) hash equal.
[[nodiscard]] std::uint64_t hash(const Position& position);

/// The board on which the position is played.
[[nodiscard]] const Geometry& geometry(const Position& position);

/// Number of step sequences of exactly `depth` steps (RULES.md, "Words"); the last ply is counted without being applied.
[[nodiscard]] std::uint64_t perft(const Position& position, int depth);

}  // namespace merel
