#pragma once
#include <string>
#include <string_view>

#include "daemon/config/config.h"
#include "rules/result.h"

namespace merel {

/// Larger files are refused unread.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20U;

/// What is wrong in one file, gathered while it is read.
class FileProblems {
 public:
  explicit FileProblems(std::string file) : file_(std::move(file)) {}

  /// `line` from 1, 0 for the file as a whole. Control characters in the message become spaces, so that it stays one line.
  void add(std::size_t line, std::string message);
  [[nodiscard]] bool none() const { return found_.empty(); }
  /// All of them by line, those of one line in the order in which they were found.
  [[nodiscard]] ConfigProblems take();

 private:
  std::string file_;
  ConfigProblems found_;
};

/// The content of a regular file of at most kMostConfigBytes, or what is wrong with the file, without its name.
[[nodiscard]] Result<std::string, ConfigProblem> read_file(const std::string& file);

/// The text in single quotes, shortened when it is long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace merel
