#include "daemon/journal/database.h"

#include <array>
#include <fstream>
#include <set>

namespace merel {
namespace {

// SQLite's file format, "The Write-Ahead Log": a header, then a frame for every page, which begins with the page's number.
constexpr std::uint64_t kLogHeader = 32;
constexpr std::uint64_t kFrameHeader = 24;

/// How many different pages the frames `from` to `to` of the log hold.
std::uint64_t different_pages(const std::string& log, int from, int to, std::uint64_t page_bytes) {
  std::ifstream file(log, std::ios::binary);
  std::set<std::array<char, 4>> pages;
  for (int frame = from; frame < to; ++frame) {
    std::array<char, 4> page{};
    file.seekg(static_cast<std::streamoff>(kLogHeader + static_cast<std::uint64_t>(frame) * (kFrameHeader + page_bytes)));
    file.read(page.data(), page.size());
    pages.insert(page);
  }
  return pages.size();
}

}  // namespace

Database::Database(const std::string& file) : file_(file) {
  const int rc = sqlite3_open_v2(
      file.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (rc != SQLITE_OK) fail(rc);
  const auto log_grew = [](void* self, sqlite3*, const char*, int pages) {
    auto& database = *static_cast<Database*>(self);
    if (pages < database.copied_pages_) database.copied_pages_ = 0;  // it was begun anew
    database.log_pages_ = pages;
    return SQLITE_OK;
  };
  // In place of SQLite's own checkpoints, which would make the commit wait for them.
  if (db_ != nullptr) sqlite3_wal_hook(db_, log_grew, this);
}

Database::~Database() { sqlite3_close(db_); }

std::string Database::Row::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

void Database::script(const std::string& sql) {
  if (failed()) return;
  const int rc = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) fail(rc);
}

void Database::checkpoint(int pages) {
  if (failed() || log_pages_ < pages) return;
  if (page_bytes_ == 0) page_bytes_ = static_cast<std::uint64_t>(number("PRAGMA page_size"));
  int in_log = 0;
  int copied = 0;
  if (sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied) != SQLITE_OK) return;
  if (copied > copied_pages_) {
    bytes_ += different_pages(file_ + "-wal", copied_pages_, copied, page_bytes_) * page_bytes_;
    copied_pages_ = copied;
  }
  if (copied == in_log) {  // the next write begins the log anew
    log_pages_ = 0;
    bytes_ += kLogHeader;
  }
}

std::uint64_t Database::take_bytes() {
  count_writes();
  const std::uint64_t bytes = bytes_;
  bytes_ = 0;
  return bytes;
}

void Database::fail(int code) {
  if (failed()) return;
  code_ = code;
  message_ = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_);
}

sqlite3_stmt* Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (failed()) return nullptr;
  const int rc = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  if (rc != SQLITE_OK) fail(rc);
  return statement;
}

void Database::bind(sqlite3_stmt* statement, int place, std::int64_t value) {
  if (failed()) return;
  if (const int rc = sqlite3_bind_int64(statement, place, value); rc != SQLITE_OK) fail(rc);
}

void Database::bind(sqlite3_stmt* statement, int place, std::string_view value) {
  if (failed()) return;
  const int rc = sqlite3_bind_text64(statement, place, value.data() == nullptr ? "" : value.data(), value.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8);
  if (rc != SQLITE_OK) fail(rc);
}

bool Database::step(sqlite3_stmt* statement) {
  if (failed()) return false;
  const int rc = sqlite3_step(statement);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE) fail(rc);
  return rc == SQLITE_ROW;
}

void Database::roll_back() {
  if (db_ != nullptr && sqlite3_get_autocommit(db_) == 0) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Database::count_writes() {
  if (db_ == nullptr) return;
  if (page_bytes_ == 0 && !failed()) page_bytes_ = static_cast<std::uint64_t>(number("PRAGMA page_size"));
  int pages = 0;
  int most = 0;
  sqlite3_db_status(db_, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 1);
  bytes_ += static_cast<std::uint64_t>(pages) * (page_bytes_ + kFrameHeader);
}

}  // namespace merel
