#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/// Waits, generously, until it is so.
[[nodiscard]] bool soon(const std::function<bool()>& so);

/// A program with both ends of its terminal in our hands.
class Terminal {
 public:
  /// Runs `merel` with these arguments and environment variables (`NAME=value`) in a terminal of 40 lines and 100 columns.
  Terminal(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Whether this text appears, soon, in what the program writes.
  [[nodiscard]] bool shows(const std::string& text);
  void type(const std::string& keys) const;
  /// Waits for the program's end; -1 when it does not come.
  [[nodiscard]] int exit_code();
  /// Everything written so far.
  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  bool read_some();

  pid_t child_ = -1;
  int master_ = -1;
  std::string written_;
};

/// The content of a file, empty when there is none.
[[nodiscard]] std::string content(const std::string& path);
