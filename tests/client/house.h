#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// How a run of `merel` ended.
struct Ran {
  int exit_code;
  std::string out;
  std::string err;
};

/// A folder of its own with a `mereld` on the virtual board in it; nothing listens but its socket.
class House {
 public:
  House();
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  /// Starts the daemon and waits until it answers.
  void start();
  /// Ends it as systemd would.
  void stop();

  /// Runs `merel` with arguments as a shell reads them, at this daemon's socket.
  [[nodiscard]] Ran merel(const std::string& arguments) const;
  /// The State, as `merel status --json` has it.
  [[nodiscard]] nlohmann::json state() const;
  /// A new game of Morris with its pieces arranged, ready for play.
  void begin_morris() const;

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string socket() const { return folder_ / "merel.sock"; }

 private:
  std::filesystem::path folder_;
  pid_t daemon_ = -1;
};

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
