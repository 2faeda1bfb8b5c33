#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace merel {

/// By consequence: `error`, something does not work until somebody acts; `warning`, it was repaired or worked around, but somebody
/// should know; `info`, what an owner wants to find in the log a week later; `debug`, what a developer asks for; `trace`, every
/// reading.
enum class LogLevel : std::uint8_t {
  trace,
  debug,
  info,
  warning,
  error
};

/// A field beside the sentence: `MEREL_SITE=d3` in the system's journal, `site=d3` on a terminal. The key is lower case.
struct LogField {
  std::string_view key;
  std::string value;
};

/// Opens the log: the system's journal with fields under systemd, the terminal otherwise. Lines are written by a thread of their own
/// and the oldest are dropped when it falls behind, so that nobody ever waits for the log.
void open_log(LogLevel level);
void set_log_level(LogLevel level);
/// The level of that name (`trace` … `error`); info for others.
[[nodiscard]] LogLevel log_level(std::string_view name);
/// Whether that level is written at all, for lines that cost something to make.
[[nodiscard]] bool logs(LogLevel level);
/// Writes out what is waiting and closes the log.
void close_log();

/// One sentence and what it is about.
void log(LogLevel level, std::string_view sentence, std::initializer_list<LogField> fields = {});

/// The last lines, oldest first, for a report.
[[nodiscard]] std::vector<std::string> recent_log();

}  // namespace merel
