#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/client/terminal.h"
#include "tests/folder.h"
#include "tests/live/daemon_process.h"

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

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] std::string socket() const { return folder_.file("merel.sock"); }

 private:
  merel::Folder folder_;
  std::unique_ptr<merel::DaemonProcess> daemon_;
};
