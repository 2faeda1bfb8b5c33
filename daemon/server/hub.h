#pragma once
#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "daemon/server/request_checks.h"
#include "daemon/server/server.h"

namespace merel {

/// One type for TCP and Unix sockets: Beast is compiled once.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, boost::asio::io_context::executor_type>;
using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                      boost::asio::io_context::executor_type>;

/// Anything that is connected. The hub keeps it alive until it leaves.
class Peer : public std::enable_shared_from_this<Peer> {
 public:
  explicit Peer(Entrance entrance) : entrance_(std::move(entrance)) {}
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Closes at once and leaves the hub; handlers that still come do nothing.
  virtual void cut() = 0;
  [[nodiscard]] const Entrance& entrance() const { return entrance_; }

 private:
  Entrance entrance_;
};

/// A client of the event stream.
class Stream : public Peer {
 public:
  using Peer::Peer;
  /// Sends or queues the message, or drops the client when it is too far behind.
  virtual void send(const std::shared_ptr<const std::string>& message) = 0;
};

/// What all connections of one server share. It outlives the Server as long as a cancelled handler is still queued.
struct Hub {
  Hub(boost::asio::io_context& the_loop, ServerSettings the_settings, Application& the_application)
      : loop(the_loop), settings(std::move(the_settings)), application(&the_application) {}

  boost::asio::io_context& loop;
  const ServerSettings settings;
  Application* application;  ///< null once the server has stopped
  ServerStatistics statistics;
  std::uint64_t bodies = 0;  ///< bytes of bodies that clients have announced and that are not yet dealt with
  /// Over TCP, and over the Unix socket: the tool gets in even when the network has taken all places.
  std::array<std::unordered_set<std::shared_ptr<Peer>>, 2> peers;
  std::vector<Stream*> streams;  ///< those of the peers that get every message

  [[nodiscard]] std::unordered_set<std::shared_ptr<Peer>>& peers_of(const Entrance& entrance) {
    return peers[entrance.unix_socket ? 1 : 0];
  }
  void join(const std::shared_ptr<Peer>& peer) { peers_of(peer->entrance()).insert(peer); }
  void leave(const std::shared_ptr<Peer>& peer) { peers_of(peer->entrance()).erase(peer); }
};

}  // namespace merel
