#pragma once
#include <memory>
#include <string>

#include "daemon/journal/database.h"
#include "daemon/journal/journal.h"

namespace merel {

/// Version of the tables that this program reads and writes.
inline constexpr int kSchema = 2;

/// An archive that is ready: its tables are of version kSchema.
struct OpenArchive {
  std::unique_ptr<Database> database;
  std::string notice;  ///< one sentence when something was done that the owner should know; else empty
};

/// Opens the archive, makes it when there is none, and brings older tables up to date, all in one transaction. A file that is
/// damaged is renamed to `FILE.damaged-UNIXTIME` and a new archive begun, with the running game when it can still be read. A file
/// of a newer version or of another program is left as it is. The error is a sentence that says what to do. With `suspect` the
/// whole file is checked, which takes a while.
[[nodiscard]] Result<OpenArchive, std::string> open_archive(const JournalSettings& settings, bool suspect);

/// The database's error as a sentence that says what to do.
[[nodiscard]] std::string trouble(const Database& database, const JournalSettings& settings);

}  // namespace merel
