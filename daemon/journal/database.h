#pragma once
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace merel {

/// One SQLite database on one thread. The first error stays: until clear() every further call does nothing, so that a caller asks
/// once, at the end.
class Database {
 public:
  /// Opens the file for writing and makes it when it is not there; failed() when that cannot be done.
  explicit Database(const std::string& file);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] bool failed() const { return code_ != SQLITE_OK; }
  /// SQLite's primary code of the first error.
  [[nodiscard]] int code() const { return code_ & 0xFF; }
  /// SQLite's words for it.
  [[nodiscard]] const std::string& message() const { return message_; }
  void clear() { code_ = SQLITE_OK; }

  /// A row of an answer.
  class Row {
   public:
    explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
    [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] bool null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

   private:
    sqlite3_stmt* statement_;
  };

  /// Runs one statement, its `?` in order bound to the values (numbers and texts), and calls `each` for every row.
  template <class Each, class... Values>
  void query(const char* sql, Each&& each, const Values&... values) {
    sqlite3_stmt* const statement = prepare(sql);
    int place = 0;
    (bind(statement, ++place, values), ...);
    while (step(statement)) each(Row(statement));
    finish(statement);
  }
  template <class... Values>
  void run(const char* sql, const Values&... values) {
    query(
        sql, [](const Row&) {}, values...);
  }
  /// The number in the first column of the first row, or 0.
  template <class... Values>
  std::int64_t number(const char* sql, const Values&... values) {
    std::int64_t out = 0;
    query(
        sql, [&](const Row& row) { out = row.number(0); }, values...);
    return out;
  }
  /// Several statements without values.
  void script(const std::string& sql);
  /// Rows that the last statement changed.
  [[nodiscard]] std::int64_t changed() const { return sqlite3_changes64(db_); }

  /// Runs `work` in a transaction of its own: all of it is on the disk when this answers true, nothing otherwise.
  template <class Work>
  bool transaction(Work&& work) {
    run("BEGIN IMMEDIATE");
    work();
    run("COMMIT");
    count_writes();
    if (failed()) roll_back();
    return !failed();
  }

  void wait_for_others(int milliseconds) { sqlite3_busy_timeout(db_, milliseconds); }
  /// Copies the write-ahead log into the database when it has grown to `pages`. An error does no harm: the log keeps everything.
  void checkpoint(int pages);
  /// Bytes given to the operating system for database and log since the last call.
  [[nodiscard]] std::uint64_t take_bytes();

 private:
  void fail(int code);
  sqlite3_stmt* prepare(const char* sql);
  void bind(sqlite3_stmt* statement, int place, std::int64_t value);
  void bind(sqlite3_stmt* statement, int place, std::string_view value);
  /// True while there is a row.
  bool step(sqlite3_stmt* statement);
  static void finish(sqlite3_stmt* statement) { sqlite3_finalize(statement); }
  void roll_back();
  void count_writes();

  std::string file_;
  sqlite3* db_ = nullptr;
  int code_ = SQLITE_OK;
  std::string message_;
  int log_pages_ = 0;     ///< in the write-ahead log
  int copied_pages_ = 0;  ///< of those, already in the database
  std::uint64_t bytes_ = 0;
  std::uint64_t page_bytes_ = 0;
};

}  // namespace merel
