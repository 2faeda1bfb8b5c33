#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "daemon/event_json.h"
#include "daemon/merel/commands.h"
#include "rules/result.h"

namespace merel {

/// The running daemon as a sub-command sees it: the options that all of them have, and requests that explain themselves on standard
/// error when they fail.
class DaemonLink {
 public:
  /// Declares --socket and --json. The object must outlive the command.
  void add_options(CLI::App& command);

  /// Path of the daemon's socket.
  [[nodiscard]] const std::string& socket() const { return socket_; }
  /// The answer is wanted as the daemon gives it.
  [[nodiscard]] bool json() const { return json_; }

  /// One request. Without a daemon, or when it refuses, one line has been written to standard error, `about` in front of it, and
  /// the exit code comes back.
  [[nodiscard]] Result<std::string, ExitCode> ask(const std::string& method, const std::string& target,
                                                  const std::string& body = {}, const std::string& about = {}) const;
  /// Asks for something to be done and says how things stand then: the State in a few lines, or as JSON.
  [[nodiscard]] int order(const std::string& target, const Json& body) const;
  /// The same where nothing is to be said when it is done.
  [[nodiscard]] int order_quietly(const std::string& target, const Json& body) const;

 private:
  std::string socket_ = "/run/merel/merel.sock";
  bool json_ = false;
};

/// A part of an address: everything but letters, digits and `-._~` percent-encoded.
[[nodiscard]] std::string encoded(const std::string& text);
/// JSON as the body of a request; what is not UTF-8 in it is replaced.
[[nodiscard]] std::string written(const Json& json);
/// Writes an answer as it came, with a line end.
void print_answer(const std::string& body);
/// The JSON of an answer; null when it is none.
[[nodiscard]] Json read_answer(const std::string& body);

}  // namespace merel
