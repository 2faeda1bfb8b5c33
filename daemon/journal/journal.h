#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/journal/game_archive.h"

namespace merel {

struct JournalSettings {
  std::string file;
  std::uint32_t max_mib = 0;              ///< the archive grows no further; 0: as large as the disk allows
  std::size_t backlog_bytes = 4U << 20U;  ///< most that is kept in memory while nothing can be written
  std::int64_t retry_ms = 1000;           ///< first delay before a failed write is tried again; doubles up to 30 s
};

struct JournalStatus {
  bool well = true;
  std::string what;         ///< one sentence: what is wrong and what to do; while all is well, what the owner should know
                            ///< of before (a damaged file was set aside, events were dropped), mostly empty
  std::size_t backlog = 0;  ///< events not yet durable
  std::size_t backlog_bytes = 0;
  std::uint64_t events = 0;   ///< durable since the start
  std::uint64_t dropped = 0;  ///< events that found no room in the backlog or did not fit what is there
  std::uint64_t bytes = 0;    ///< written to the disk since the start, write-ahead log included
  int schema = 0;             ///< version of the database
};

/// The archive of all games: SQLite behind a thread of its own. No call waits for the disk; answers come back through `post`.
/// Nothing that was written is ever overwritten; only remove() deletes.
class Journal {
 public:
  using Job = std::function<void()>;
  /// Runs a job on the loop's thread.
  using Post = std::function<void(Job)>;

  /// What the journal tells by itself, on the loop's thread.
  struct Listener {
    /// All events of that game with a number up to `seq`, but for dropped ones, are on the disk, whatever happens to the power now.
    std::function<void(const std::string& id, std::uint64_t seq)> durable;
    /// Writing has begun to fail, or works again.
    std::function<void(const JournalStatus&)> status;
  };

  Journal(JournalSettings settings, Post post, Listener listener);
  /// Writes what can be written (at most half a second), then ends.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // ---- writing: in order, each call one transaction (several may share one) ----

  void begin(const GameHeader& header);
  /// Events of the running game, numbered from 1 without gaps; `first` is the number of the first one, and each gets its own as `n`.
  /// All or none become durable. When memory runs out, events that do not change the record are dropped, and then whole batches: a
  /// game of which a batch was dropped is archived up to there, as aborted.
  void append(const std::string& id, std::uint64_t first, std::vector<Json> events);
  void close(const std::string& id, const Verdict& verdict, std::int64_t ended_ms);
  /// The same with the game's last events, all or nothing: a game that was told as ended never comes back.
  void close(const std::string& id, std::uint64_t first, std::vector<Json> events, const Verdict& verdict,
             std::int64_t ended_ms);

  // ---- reading and keeping house: the answer comes later, on the loop's thread ----

  using Listed = std::function<void(Result<std::vector<GameSummary>, std::string>)>;
  // While nothing can be written, these know only what is on the disk. What is not there is answered with `no game …`.

  /// Newest first; `before` is a game's id or empty.
  void list(std::size_t limit, const std::string& before, Listed answer);
  using Loaded = std::function<void(Result<ArchivedGame, std::string>)>;
  /// The game of that id; `latest` and `running` are understood too.
  void load(const std::string& id, Loaded answer);
  using Done = std::function<void(Result<std::size_t, std::string>)>;
  /// Deletes these games, all in one transaction; answers how many were there. A running game is refused.
  void remove(std::vector<std::string> ids, Done answer);
  /// Adds a game from elsewhere and answers the number of its steps; refuses an id that is there already. One that was still running
  /// is kept as aborted.
  void import(ArchivedGame game, Done answer);

  /// The running game, read at the start before anything else; waits for the disk, so only for before the loop runs.
  [[nodiscard]] Result<std::optional<ArchivedGame>, std::string> running();

  [[nodiscard]] JournalStatus status() const;
  /// True while a new game should not be begun: the backlog is half full.
  [[nodiscard]] bool crowded() const;

  /// Runs a job on the journal's thread: for other files that must not hold up the loop.
  void run(Job job);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace merel
