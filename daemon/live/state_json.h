#pragma once
#include <optional>
#include <string>

#include "daemon/journal/game_archive.h"
#include "daemon/session/session.h"

namespace merel {

// The parts of the API's state and events that come from the session (docs/openapi.yaml).

[[nodiscard]] Json view_json(const Session& session);
[[nodiscard]] Json lights_json(const Session& session, const Scene& scene);
[[nodiscard]] Json picture_json(const Session& session);
/// Null without a clock.
[[nodiscard]] Json clock_json(const Session& session, Time now);
[[nodiscard]] Json draw_offers_json(const Session& session);
/// Null without a game; `event` and `durable` are the numbers of its last event and of its last durable one.
[[nodiscard]] Json game_json(const Session& session, const GameHeader& header, std::uint64_t event, std::uint64_t durable);
[[nodiscard]] Json rules_json(const BoardProfile& board);

/// An event of the game's story without its number, or null for one that is not told.
[[nodiscard]] Json story_json(const SessionEvent& event, const GameInfo& game, const Position& board);
/// The same as one sentence for people and the log; empty when there is none.
[[nodiscard]] std::string story_sentence(const SessionEvent& event, const GameInfo& game, const Position& board);

/// `.`, `o` or a colour letter.
[[nodiscard]] std::string contents_text(Contents contents, std::string_view colours);
/// `a1`: a cell of the board itself, whatever game lies on it.
[[nodiscard]] std::string cell_name(std::uint8_t file, std::uint8_t rank);

}  // namespace merel
