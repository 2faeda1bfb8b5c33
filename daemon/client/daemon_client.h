#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "rules/result.h"

namespace merel {

/// What a call to the daemon came to.
struct Answer {
  unsigned status = 0;
  std::string body;
  std::string content_type;
};

/// Talks to a running daemon over its Unix socket (or, for tests and other machines, `http://HOST:PORT` with a token). Blocking: the
/// tool does one thing at a time.
class DaemonClient {
 public:
  /// `where`: path of the socket, or an `http://` address.
  explicit DaemonClient(std::string where, std::string token = {});

  /// One request. An error is one line that says what to do (`… is mereld running?`).
  [[nodiscard]] Result<Answer, std::string> call(const std::string& method, const std::string& target,
                                                 const std::string& body = {}) const;
  /// The event stream: `message` is called for each until it returns false or the daemon ends it. `error` holds the reason of an end
  /// that nobody asked for.
  [[nodiscard]] Result<std::monostate, std::string> follow(const std::function<bool(const std::string&)>& message) const;

 private:
  std::string where_;
  std::string token_;
};

}  // namespace merel
