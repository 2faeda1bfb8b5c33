#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/file_problems.h"
#include "daemon/config/tomlplusplus.h"

namespace merel {

/// Reads TOML, or says in `problems` why it is none.
[[nodiscard]] std::optional<toml::table> parse_toml(std::string_view text, FileProblems& problems);

[[nodiscard]] std::size_t line_of(const toml::node& node);
/// What a value is, for people: `a string`, `a list`.
[[nodiscard]] std::string_view kind_of(const toml::node& node);
/// True when there is no control character in it.
[[nodiscard]] bool one_line(std::string_view text);
/// `a, b, c`
[[nodiscard]] std::string joined(std::span<const std::string_view> names);

/// One table of a file, read key by key. A key that is not there, or whose value cannot be, gives nothing; the latter becomes a
/// problem as well.
class TableReader {
 public:
  /// `name` is the table's name as people write it between brackets; empty for the file's top. A null table has no keys.
  TableReader(const toml::table* table, std::string name, FileProblems& problems)
      : table_(table), name_(std::move(name)), problems_(&problems) {}

  /// True when the table itself is there.
  [[nodiscard]] bool there() const { return table_ != nullptr; }
  /// True when the key is there, whatever its value.
  [[nodiscard]] bool has(std::string_view key) const;
  /// The key's line; the table's when the key is not there, 0 when the table is not there either.
  [[nodiscard]] std::size_t line(std::string_view key) const;
  /// `'settle_ms' in [play]`
  [[nodiscard]] std::string label(std::string_view key) const;
  /// Adds the problem `'settle_ms' in [play] MESSAGE` at the key's line.
  void wrong(std::string_view key, std::string_view message);

  [[nodiscard]] std::optional<bool> flag(std::string_view key);
  [[nodiscard]] std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most);
  [[nodiscard]] std::optional<double> number(std::string_view key, double least, double most);
  [[nodiscard]] std::optional<std::string> text(std::string_view key);
  /// An absolute path.
  [[nodiscard]] std::optional<std::string> path(std::string_view key);
  /// The index of one of these names, or of one of these numbers.
  [[nodiscard]] std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> names);
  [[nodiscard]] std::optional<std::size_t> choice(std::string_view key, std::span<const std::int64_t> numbers);

  struct Text {
    std::string text;
    std::size_t line;
  };
  /// A list of strings, without its wrong items.
  [[nodiscard]] std::optional<std::vector<Text>> texts(std::string_view key);
  /// The value whatever it is, null when there is none; the key counts as known from now on.
  [[nodiscard]] const toml::node* any(std::string_view key);
  /// A list of anything.
  [[nodiscard]] const toml::array* list(std::string_view key);
  [[nodiscard]] TableReader table(std::string_view key);

  struct Entry {
    std::string key;
    std::string value;
    std::size_t line;
  };
  /// For tables whose keys are not fixed: all keys with their values as text. Strings, whole numbers, true and false
  /// will do.
  [[nodiscard]] std::vector<Entry> entries();

  /// Reports every key that nobody has asked for.
  void finish();

 private:
  void wrong_kind(std::string_view key, std::string_view right, const toml::node& node);

  const toml::table* table_;
  std::string name_;
  FileProblems* problems_;
  std::vector<std::string_view> known_;
};

}  // namespace merel
