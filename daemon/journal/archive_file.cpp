#include "daemon/journal/archive_file.h"

#include <array>
#include <chrono>
#include <filesystem>

#include "daemon/journal/game_store.h"

namespace merel {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x4D65726C;  // "Merl": marks the file as ours
constexpr int kPageBytes = 1024;                   // docs/archive.md says why
constexpr int kWaitForOthers = 2000;               // ms; a backup may hold the file for a moment

/// migrations[v] makes version v + 1 out of version v. None is ever changed: archives of every version are out there.
constexpr std::array<const char*, kSchema> kMigrations = {
    // 1
    "CREATE TABLE games("
    "  number INTEGER PRIMARY KEY,"
    "  id TEXT NOT NULL UNIQUE,"
    "  game TEXT NOT NULL,"
    "  options TEXT NOT NULL,"
    "  start TEXT NOT NULL,"
    "  players TEXT NOT NULL,"
    "  board TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  result TEXT NOT NULL,"
    "  ending TEXT NOT NULL,"
    "  steps INTEGER,"
    "  started INTEGER NOT NULL,"
    "  ended INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE events("
    "  game INTEGER NOT NULL REFERENCES games(number) ON DELETE CASCADE,"
    "  n INTEGER NOT NULL,"
    "  data TEXT NOT NULL,"
    "  PRIMARY KEY(game, n)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX games_running ON games(number) WHERE state = 'running';",
    // 2: clocks, and how a game was closed apart from the sentence
    "ALTER TABLE games ADD COLUMN clock TEXT;"
    "ALTER TABLE games ADD COLUMN closing TEXT NOT NULL DEFAULT 'open';"
    "ALTER TABLE games ADD COLUMN loser TEXT NOT NULL DEFAULT '';"
    "UPDATE games SET closing = 'aborted' WHERE state = 'aborted';"
    "UPDATE games SET closing = 'rules' WHERE state = 'over';"
    "UPDATE games SET closing = 'agreed_draw' WHERE state = 'over' AND ending = 'Draw: the players agreed';"
    "UPDATE games SET closing = 'resigned', loser = substr(ending, instr(ending, ': ') + 2, 1)"
    "  WHERE state = 'over' AND ending LIKE '%: % resigned';",
};

/// Brings the tables up to date; what is wrong with the file, or empty. The database may have failed as well.
std::string prepare(Database& database, const JournalSettings& settings) {
  database.wait_for_others(kWaitForOthers);
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  const std::int64_t tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (database.failed()) return "";
  if ((application != kApplication && application != 0) || (version == 0 && tables > 0)) {
    return "the archive " + settings.file + " is the database of another program: name another file";
  }
  if (version > kSchema) {
    return "the archive " + settings.file + " was written by a newer version of Merel (tables " + std::to_string(version) +
           ", this one knows " + std::to_string(kSchema) + "): install that version, or name another file";
  }
  if (tables == 0) database.run(("PRAGMA page_size = " + std::to_string(kPageBytes)).c_str());
  database.script(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -512;");
  if (version < kSchema) {
    database.transaction([&] {
      for (auto v = static_cast<std::size_t>(version); v < kSchema; ++v) database.script(kMigrations[v]);
      database.script("PRAGMA application_id = " + std::to_string(kApplication) +
                      "; PRAGMA user_version = " + std::to_string(kSchema));
    });
  }
  const std::int64_t page_bytes = database.number("PRAGMA page_size");
  if (settings.max_mib > 0 && page_bytes > 0) {
    const std::int64_t pages = (std::int64_t{settings.max_mib} << 20) / page_bytes;
    database.run(("PRAGMA max_page_count = " + std::to_string(pages)).c_str());
  }
  return "";
}

/// True when the file is certainly no sound database; reads all of it unless the error is of another kind.
bool damaged(Database& database) {
  const int code = database.code();
  if (code == SQLITE_NOTADB) return true;
  if (database.failed() && code != SQLITE_CORRUPT) return false;
  database.clear();
  bool sound = false;
  database.query("PRAGMA quick_check(1)", [&](const Database::Row& row) { sound = row.text(0) == "ok"; });
  return !sound && (!database.failed() || database.code() == SQLITE_NOTADB || database.code() == SQLITE_CORRUPT);
}

std::optional<ArchivedGame> rescued(Database& database) {
  database.clear();
  auto game = GameStore(database).load("running");
  if (database.failed() || !game) return std::nullopt;
  return std::move(*game);
}

/// Moves file and log out of the way; the new name, or empty when that cannot be done.
std::string set_aside(const std::string& file) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string aside =
      file + ".damaged-" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  std::error_code error;
  // The log goes first: a new archive must never find it.
  if (fs::exists(file + "-wal", error)) fs::rename(file + "-wal", aside + "-wal", error);
  if (!error) fs::rename(file, aside, error);
  std::error_code ignored;
  fs::remove(file + "-shm", ignored);
  return error ? "" : aside;
}

}  // namespace

Result<OpenArchive, std::string> open_archive(const JournalSettings& settings, bool suspect) {
  OpenArchive out;
  std::optional<ArchivedGame> carried;
  for (bool again = true;; again = false) {
    out.database = std::make_unique<Database>(settings.file);
    Database& database = *out.database;
    const std::string why = prepare(database, settings);
    if (!why.empty()) return why;
    const bool failed = database.failed();
    const std::string what = failed ? trouble(database, settings) : "";
    if (!again || !(failed || suspect) || !damaged(database)) {
      if (failed) return what;
      break;
    }
    carried = rescued(database);
    out.database.reset();
    const std::string aside = set_aside(settings.file);
    if (aside.empty()) return "the archive " + settings.file + " is damaged and cannot be renamed: move it away by hand";
    out.notice = "the archive was damaged: it is kept as " + aside + ", and a new one was begun";
  }
  if (carried) {
    GameStore store(*out.database);
    out.database->transaction([&] { store.insert(*carried); });
    if (out.database->failed()) return trouble(*out.database, settings);
  }
  return out;
}

std::string trouble(const Database& database, const JournalSettings& settings) {
  const std::string archive = "the archive " + settings.file;
  std::error_code error;
  const fs::path folder = fs::absolute(settings.file, error).parent_path();
  switch (database.code()) {
    case SQLITE_CANTOPEN:
      if (!fs::is_directory(folder, error)) {
        return archive + " cannot be opened: there is no folder " + folder.string() + "; make it for the user of the daemon";
      }
      return archive + " cannot be opened: let the daemon's user write in " + folder.string();
    case SQLITE_READONLY:
    case SQLITE_PERM: return archive + " cannot be written: let the daemon's user write it and its folder";
    case SQLITE_FULL:
      if (settings.max_mib > 0) {
        return archive + " is full: delete games, free room on the disk, or raise its limit of " +
               std::to_string(settings.max_mib) + " MiB";
      }
      return "the disk of " + archive + " is full: free some room";
    case SQLITE_IOERR: return "the disk of " + archive + " reports errors (" + database.message() + "): replace it soon";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return archive + " is damaged (" + database.message() + "): it is being checked";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another program holds " + archive + ": end it";
    default: return archive + " cannot be used: " + database.message();
  }
}

}  // namespace merel
