#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "daemon/journal/game_archive.h"

/// The JSON form of a game (docs/archive.md): what exports, imports and the database have in common.
namespace merel {

inline constexpr std::string_view kDocumentFormat = "merel-game";
inline constexpr int kDocumentVersion = 1;
/// The last millisecond of the year 9999: times beyond it have no date.
inline constexpr std::int64_t kLastTime = 253402300799999;

/// All options with their values, defaults too: a default may change one day.
[[nodiscard]] Json options_json(const Options& options);
/// `{initial_ms, increment_ms}`, or null.
[[nodiscard]] Json clock_json(const std::optional<ClockSettings>& clock);

/// Plays an event of the game's story: `step`, `amend` and `takeback` change the record, everything else leaves it alone. Gives why
/// the event does not fit, or nothing; after a refusal the record may hold a part of the event.
[[nodiscard]] std::string play_event(GameRecord& record, const Json& event);

// ---- reading a document, part by part; the answer is what is wrong, or empty ----

/// Everything but the verdict and the events.
[[nodiscard]] std::string read_header(const Json& document, GameHeader& header);
/// The events, played on the record, which must be at the game's start.
[[nodiscard]] std::string read_events(const Json& document, ArchivedGame& game, GameRecord& record);
/// State and verdict, compared with the record of the whole game.
[[nodiscard]] std::string read_verdict(const Json& document, ArchivedGame& game, const GameRecord& record);
/// All three.
[[nodiscard]] Result<ArchivedGame, std::string> read_document(const Json& document);

}  // namespace merel
