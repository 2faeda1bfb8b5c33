#pragma once
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rules/result.h"

namespace merel {

/// A request that has passed all limits and checks.
struct Request {
  std::string method;                        ///< `GET`, `POST`, `DELETE`
  std::string path;                          ///< `/api/games`, decoded, without query
  std::map<std::string, std::string> query;  ///< decoded
  std::string body;
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::string file_name;  ///< when set, browsers offer to save the body under this name
};

/// Answers a request; may be called later, once, on the loop's thread.
using Reply = std::function<void(Response)>;

/// What the server serves. All calls come on the loop's thread.
class Application {
 public:
  Application() = default;
  virtual ~Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  virtual void handle(const Request& request, Reply reply) = 0;
  /// What a new client of the event stream gets first: the whole state, one JSON object.
  virtual std::string state() = 0;
};

struct ServerSettings {
  struct Address {
    std::string host;
    std::uint16_t port = 0;  ///< 0: any free one
  };
  std::string socket;                ///< path of the Unix socket; empty: none
  std::vector<Address> listen;       ///< numeric addresses
  std::string web;                   ///< folder of static files; may be missing
  std::vector<std::string> origins;  ///< allowed beside the server's own
  std::string token;                 ///< asked for on every address beyond loopback; must not be empty when there is one
  std::size_t header_bytes = std::size_t{8} * 1024;
  std::size_t body_bytes = std::size_t{4} * 1024 * 1024;
  std::size_t connections = 128;  ///< at once over all TCP addresses; the Unix socket has as many of its own
  std::chrono::milliseconds request_time{10'000};  ///< from the first byte (or the accepted connection) to the whole request
  std::chrono::milliseconds idle_time{30'000};     ///< between requests
  std::size_t backlog_messages = 256;              ///< an event-stream client that is further behind is dropped
  std::size_t backlog_bytes = std::size_t{512} * 1024;  ///< likewise
};

struct ServerStatistics {
  std::size_t connections = 0;        ///< open now
  std::size_t streams = 0;            ///< of them event streams
  std::uint64_t requests = 0;         ///< answered
  std::uint64_t refused = 0;          ///< malformed, too large, without token, foreign origin
  std::uint64_t turned_away = 0;      ///< connections beyond the limit
  std::uint64_t dropped_streams = 0;  ///< clients that fell behind
  std::uint64_t timeouts = 0;
};

/// HTTP/1.1 and WebSocket on a Unix socket and on TCP. Never waits for a client.
class Server {
 public:
  Server(boost::asio::io_context& loop, ServerSettings settings, Application& application);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens everywhere, or says in one line where it cannot and why, and then listens nowhere.
  [[nodiscard]] Result<std::monostate, std::string> start();
  /// Closes everything at once.
  void stop();
  /// Sends one message to every client of the event stream `/api/events`.
  void publish(const std::shared_ptr<const std::string>& message);
  [[nodiscard]] ServerStatistics statistics() const;
  /// Ports really listened on, in the order of the settings.
  [[nodiscard]] std::vector<std::uint16_t> ports() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What is asked for on every address beyond loopback.
struct Token {
  std::string text;  ///< at least 32 visible ASCII characters
};

/// The bearer token in that file; made there (mode 0600, 256 bits of the kernel's randomness) when the file does not exist. A file
/// that others can read is refused.
[[nodiscard]] Result<Token, std::string> read_or_make_token(const std::string& file);

}  // namespace merel
