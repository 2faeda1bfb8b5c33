#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/event_json.h"

// What the daemon tells (docs/openapi.yaml), in words for people. What is missing in it is left out.
namespace merel {

/// The State in a few lines: the board, the game, who is to act, the clocks, what to do now, and what is wrong.
[[nodiscard]] std::vector<std::string> status_lines(const Json& state);
/// One sentence about an event of the stream, without a full stop; empty where there is nothing to tell (`view`, `scene`, …). `game`
/// is the one on the board, null when there is none.
[[nodiscard]] std::string event_line(const Json& event, const GameInfo* game);

/// `Nine Men's Morris, setting up`.
[[nodiscard]] std::string headline(const Json& state);
/// `White 9:58, Black 10:00`, the running one `gone_ms` later than told; empty without a clock.
[[nodiscard]] std::string clock_words(const Json& state, std::int64_t gone_ms = 0);
/// One line for each fault of the board and of the archive.
[[nodiscard]] std::vector<std::string> fault_lines(const Json& state);

/// The game of a State; null without one.
[[nodiscard]] const GameInfo* game_of(const Json& state);
/// `White` for `W`.
[[nodiscard]] std::string player_word(const GameInfo* game, const std::string& letter);
/// `1 step`, `2 steps`
[[nodiscard]] std::string counted(std::int64_t count, const std::string& what);
/// `14:05:03` or `2026-11-30 14:05`, this machine's time.
[[nodiscard]] std::string time_of_day(std::int64_t unix_ms);
[[nodiscard]] std::string date_and_time(std::int64_t unix_ms);
/// Text from elsewhere, safe for a terminal: control characters become spaces, line breaks too unless `lines`.
[[nodiscard]] std::string harmless(std::string text, bool lines = false);

}  // namespace merel
