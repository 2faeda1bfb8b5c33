#pragma once
#include <boost/asio/basic_socket_acceptor.hpp>
#include <memory>
#include <string>
#include <variant>

#include "daemon/server/descriptor.h"
#include "daemon/server/hub.h"
#include "rules/result.h"

namespace merel {

/// A socket that listens on a numeric TCP address. The error is one line that says what to do.
[[nodiscard]] Result<Descriptor, std::string> listen_tcp(const ServerSettings::Address& address);

/// A socket that listens on that path, with mode 0660. Takes the place of the socket of a daemon that has died, but not of a living
/// one. The error is one line that says what to do.
[[nodiscard]] Result<Descriptor, std::string> listen_unix(const std::string& path);

/// Accepts connections on one listening socket until it is closed.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  /// `path` is that of a Unix socket, removed at the end; empty for TCP.
  Listener(std::shared_ptr<Hub> hub, Descriptor listening, std::string path);
  [[nodiscard]] bool open() const;  ///< false also when the loop could not take the socket
  void start();
  void close();
  [[nodiscard]] std::uint16_t port() const;  ///< 0 for a Unix socket

 private:
  void accept();
  void pause();
  void take(Socket socket);
  void turn_away(Socket& socket);

  std::shared_ptr<Hub> hub_;
  boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol, boost::asio::io_context::executor_type>
      acceptor_;
  Timer pause_;
  std::string path_;
};

}  // namespace merel
