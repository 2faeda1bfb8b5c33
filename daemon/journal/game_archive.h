#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/event_json.h"
#include "daemon/game_clock.h"
#include "daemon/verdict.h"
#include "rules/record.h"

namespace merel {

/// All that is settled before the first step of a game.
struct GameHeader {
  std::string id;  ///< UUID; read_game() takes any 1 to 64 of a-z, 0-9 and `-`, but not `latest` and `running`
  const GameInfo* game = nullptr;
  Options options;
  Position start;
  std::vector<std::string> players;  ///< names in seating order; empty when nobody was named
  std::string board;                 ///< name of the board's profile
  std::optional<ClockSettings> clock;
  std::int64_t started_ms = 0;  ///< Unix time, UTC, milliseconds
};

/// How a game stands in the archive.
enum class GameState : std::uint8_t {
  running,
  over,
  aborted
};
[[nodiscard]] std::string_view name(GameState state);

/// One game with everything that happened in it.
struct ArchivedGame {
  GameHeader header;
  GameState state = GameState::running;
  Verdict verdict;
  std::int64_t ended_ms = 0;  ///< 0 while it runs
  /// What happened, in order, as the API tells it: objects with `type` and further keys (docs/openapi.yaml, "Event"). `step`, `amend`
  /// and `takeback` change the record; the rest (`illegal`, `clock`, …) tells the story. `at` is Unix time in milliseconds.
  std::vector<Json> events;

  /// The record after the first events.size() events: steps, amendments and take-backs played through. An event that does not fit
  /// is answered with one line that says which.
  [[nodiscard]] Result<GameRecord, std::string> record() const;
};

/// One line of the list of games.
struct GameSummary {
  std::string id;
  std::string game;
  std::vector<std::string> players;
  GameState state = GameState::running;
  std::string result;  ///< `W`, `draw`, `unfinished`
  std::string ending;  ///< a sentence
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  std::int64_t steps = 0;
};

// ---- exports ---------------------------------------------------------------------------------------------------------------

/// The game for people: tags (docs/archive.md), then the numbered turns. An event that does not fit ends it.
[[nodiscard]] std::string to_text(const ArchivedGame& game);
/// The whole game, events included: `{"format":"merel-game","version":1,…}`.
[[nodiscard]] Json to_json(const ArchivedGame& game);
/// One line of the list.
[[nodiscard]] Json to_json(const GameSummary& summary);
/// Reads either export, of at most 4 MiB and 20,000 events; an equal game comes back (from text: without what was not a step, and
/// without times but for the second at which it began). Refuses what the rules refuse, in one line that says where. A long game
/// takes a while: not for the loop's thread.
[[nodiscard]] Result<ArchivedGame, std::string> read_game(std::string_view exported);

}  // namespace merel
