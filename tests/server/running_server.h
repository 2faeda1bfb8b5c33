#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/server/descriptor.h"
#include "daemon/server/server.h"
#include "tests/folder.h"

namespace merel {

/// Answers `/api/echo` with the request, `/api/big` with 16 MiB, `/api/csv` with a file to save, `/api/none` with 204; throws at
/// `/api/throw` and `/api/throw-odd`; drops the reply at `/api/drop`, gives two at `/api/twice`; at `/api/late` it keeps the reply.
class FakeApplication final : public Application {
 public:
  void handle(const Request& request, Reply reply) override;
  std::string state() override;

  std::vector<Request> requests;
  std::vector<Reply> late;
  std::function<std::string()> tell_state = [] { return std::string("state"); };
};

/// A server on a loop of its own in a thread of its own. Everything it owns is touched on that thread only: see `on_loop`.
class RunningServer {
 public:
  /// Listens on a free port of 127.0.0.1 when the settings name no address.
  explicit RunningServer(ServerSettings settings = {});
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  /// What start() said; empty when all is well.
  std::string problem;
  std::uint16_t port = 0;  ///< of the first address
  FakeApplication application;

  /// Runs that on the loop and waits for its result.
  template <class Function>
  auto on_loop(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    post([&task] { task(); });
    return result.get();
  }
  [[nodiscard]] Server& server() { return *server_; }  ///< for the loop
  ServerStatistics statistics();
  void publish(const std::string& message);
  /// Waits until that holds for the statistics; false after half a minute.
  bool reaches(const std::function<bool(const ServerStatistics&)>& condition);
  /// Stops and destroys the server; the loop goes on.
  void stop();

 private:
  void post(std::function<void()> function);

  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.get_executor()};
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

/// A response as it came over the wire.
struct Received {
  unsigned status = 0;  ///< 0: the connection ended before a whole response
  std::string head;     ///< with the empty line
  std::string body;
};

/// A blocking client that sends what it is told, however wrong. Gives up after half a minute without a byte.
class RawClient {
 public:
  /// To 127.0.0.1 or another IPv4 address. `receive_buffer` in bytes, 0: the system's choice.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0, const std::string& address = "127.0.0.1");
  /// To a Unix socket.
  explicit RawClient(const std::string& path);

  /// False when the server has closed.
  bool send(const std::string& bytes);
  /// Sends `METHOD TARGET HTTP/1.1`, a Host and those lines, each with its CR LF, and reads the response.
  Received ask(const std::string& method_and_target, const std::string& fields = {}, const std::string& body = {});
  Received response(bool has_body = true);
  /// Everything up to the end of the connection.
  std::string rest();
  /// Whether the server ends the connection without sending anything more.
  bool ended() { return rest().empty(); }
  /// Up to so many bytes; fewer at the end of the connection.
  std::string bytes(std::size_t count, std::size_t at_a_time = 65536);

  [[nodiscard]] bool connected() const { return connected_; }

 private:
  void prepare(int family);
  bool fill(std::size_t at_a_time = 65536);

  Descriptor socket_;
  bool connected_ = false;
  std::string buffer_;
};

/// One frame of the server: opcode 1 text, 8 close, 9 ping, 10 pong; 0: the connection ended.
struct Frame {
  unsigned opcode = 0;
  std::string payload;
  [[nodiscard]] unsigned close_code() const;
  [[nodiscard]] std::string close_reason() const { return payload.size() > 2 ? payload.substr(2) : std::string(); }
};

/// A client of the event stream that reads when it is told to.
class StreamClient {
 public:
  explicit StreamClient(std::uint16_t port, int receive_buffer = 0, const std::string& fields = {});
  [[nodiscard]] unsigned status() const { return status_; }  ///< 101 when the stream is open
  Frame frame(std::size_t at_a_time = 65536);
  void send_frame(unsigned opcode, const std::string& payload);
  RawClient raw;

 private:
  unsigned status_ = 0;
};

/// The superuser may do everything: as long as this lives, the process is nobody instead.
class Unprivileged {
 public:
  Unprivileged();
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  unsigned before_;
};

std::size_t open_descriptors();

}  // namespace merel
