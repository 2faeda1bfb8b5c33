#pragma once
#include <optional>
#include <string>
#include <vector>

#include "daemon/journal/database.h"
#include "daemon/journal/game_archive.h"

namespace merel {

/// An event as it is stored.
struct StoredEvent {
  std::uint64_t n = 0;
  std::string data;    ///< JSON
  bool minor = false;  ///< it does not change the record
};

/// The games in a database. Writing calls belong inside a transaction; after every call ask the database whether it failed.
class GameStore {
 public:
  explicit GameStore(Database& database) : db_(database) {}

  // The three answer false, and change nothing, when what is there does not allow it. What is there already, to the letter, is
  // right: a transaction that was reported as failed may have reached the disk.

  /// A new running game; any other that runs is closed as aborted.
  bool begin(const GameHeader& header);
  /// Events of a running game.
  bool append(const std::string& id, const std::vector<StoredEvent>& events);
  /// Ends a running game.
  bool close(const std::string& id, const Verdict& verdict, std::int64_t ended_ms);

  /// A whole game.
  void insert(const ArchivedGame& game);
  [[nodiscard]] bool has(const std::string& id);
  [[nodiscard]] bool runs(const std::string& id);
  /// False when there is no such game.
  bool remove(const std::string& id);

  [[nodiscard]] Result<std::vector<GameSummary>, std::string> list(std::size_t limit, const std::string& before);
  /// `latest` and `running` are understood too.
  [[nodiscard]] Result<ArchivedGame, std::string> load(const std::string& id);
  /// Ids of the games that run, newest first.
  [[nodiscard]] std::vector<std::string> running();

 private:
  void insert_row(const GameHeader& header, GameState state);
  void end_row(const std::string& id, const Verdict& verdict, std::int64_t ended_ms);
  void insert_event(std::int64_t number, std::uint64_t n, const std::string& data);

  Database& db_;
};

/// JSON as one line; what is not UTF-8 is replaced.
[[nodiscard]] std::string stored_text(const Json& json);

}  // namespace merel
