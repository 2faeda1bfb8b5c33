#include "daemon/server/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "daemon/server/connection.h"
#include "daemon/server/response_head.h"

namespace merel {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr int kQueue = 128;
constexpr std::chrono::milliseconds kPause{100};

/// `what the system says` in the words of strerror.
std::string reason(int number) { return std::generic_category().message(number); }

std::string text(const ServerSettings::Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? '[' + address.host + ']' : address.host) + ':' + std::to_string(address.port);
}

std::string cannot_bind(const ServerSettings::Address& address, int number) {
  const std::string where = text(address);
  switch (number) {
    case EADDRINUSE:
      return "cannot listen on " + where +
             ": another program does already; `ss -ltnp sport = :" + std::to_string(address.port) + "` says which";
    case EADDRNOTAVAIL:
      return "cannot listen on " + where + ": this machine has no such address; `ip address` lists its own";
    case EACCES: return "cannot listen on " + where + ": not permitted; choose a port from 1024 on";
    default: return "cannot listen on " + where + ": " + reason(number);
  }
}

std::string cannot_make(const std::string& path, int number) {
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  switch (number) {
    case ENOENT: return "cannot make the socket " + path + ": make the folder " + folder + " first";
    case EACCES:
    case EPERM:
      return "cannot make the socket " + path + ": give the user of mereld the right to write to the folder " + folder;
    case EADDRINUSE: return "cannot make the socket " + path + ": another program has just made a file there; start again";
    default: return "cannot make the socket " + path + ": " + reason(number);
  }
}

/// Port 0 for what is not TCP.
asio::ip::tcp::endpoint tcp_endpoint(const asio::generic::stream_protocol::endpoint& generic) {
  asio::ip::tcp::endpoint result;
  const int family = generic.protocol().family();
  if ((family == AF_INET || family == AF_INET6) && generic.size() <= result.capacity()) {
    std::memcpy(result.data(), generic.data(), generic.size());
  }
  return result;
}

}  // namespace

Result<Descriptor, std::string> listen_tcp(const ServerSettings::Address& address) {
  error_code bad;
  const auto numeric = asio::ip::make_address(address.host, bad);
  if (bad) return "cannot listen on " + text(address) + ": give a numeric address like 127.0.0.1 or ::1";
  const asio::ip::tcp::endpoint endpoint(numeric, address.port);
  Descriptor listening(::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!listening.open() || ::setsockopt(listening.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      (numeric.is_v6() && ::setsockopt(listening.number(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) ||
      ::bind(listening.number(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 ||
      ::listen(listening.number(), kQueue) != 0) {
    return cannot_bind(address, errno);
  }
  return listening;
}

Result<Descriptor, std::string> listen_unix(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) {
    return "the socket path " + path + " is too long: at most " + std::to_string(sizeof name.sun_path - 1) + " bytes";
  }
  path.copy(static_cast<char*>(name.sun_path), path.size());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&name);

  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode)) return path + " is in the way of the socket: move it away or choose another path";
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!probe.open()) return cannot_make(path, errno);
    // EAGAIN: somebody listens there who has too much to do.
    if (::connect(probe.number(), generic, sizeof name) == 0 || errno == EAGAIN) {
      return path + " is already served by another mereld: stop that one first (systemctl stop mereld)";
    }
    if (errno != ECONNREFUSED) return cannot_make(path, errno);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_make(path, errno);
  }
  Descriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listening.open() || ::bind(listening.number(), generic, sizeof name) != 0) return cannot_make(path, errno);
  // Nobody gets in between: before listen() every connection is refused.
  if (::chmod(path.c_str(), 0660) != 0 || ::listen(listening.number(), kQueue) != 0) {
    const int number = errno;
    ::unlink(path.c_str());
    return cannot_make(path, number);
  }
  return listening;
}

Listener::Listener(std::shared_ptr<Hub> hub, Descriptor listening, std::string path)
    : hub_(std::move(hub)), acceptor_(hub_->loop), pause_(hub_->loop), path_(std::move(path)) {
  int family = AF_UNSPEC;
  socklen_t size = sizeof family;
  ::getsockopt(listening.number(), SOL_SOCKET, SO_DOMAIN, &family, &size);
  error_code failed;
  acceptor_.assign({family, 0}, listening.number(), failed);
  if (!failed) listening.release();
}

bool Listener::open() const { return acceptor_.is_open(); }

std::uint16_t Listener::port() const {
  error_code failed;
  return tcp_endpoint(acceptor_.local_endpoint(failed)).port();
}

void Listener::start() { accept(); }

void Listener::close() {
  if (!acceptor_.is_open()) return;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  if (!path_.empty()) ::unlink(path_.c_str());
}

void Listener::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code ec, Socket socket) {
    if (!self->acceptor_.is_open()) return;
    if (ec) return self->pause();
    self->take(std::move(socket));
    self->accept();
  });
}

/// Out of descriptors or memory: the next try would fail as well, at full speed.
void Listener::pause() {
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->acceptor_.is_open()) self->accept();
  });
}

void Listener::take(Socket socket) {
  Entrance entrance;
  entrance.unix_socket = !path_.empty();
  if (!entrance.unix_socket) {
    error_code failed;
    const auto endpoint = socket.local_endpoint(failed);
    if (failed) return;  // already gone again
    const auto local = tcp_endpoint(endpoint);
    entrance.loopback = local.address().is_loopback();
    entrance.address = local.address().to_string();
    // Events are small and must not wait for the acknowledgement of the one before.
    socket.set_option(asio::ip::tcp::no_delay(true), failed);
  }
  if (hub_->peers_of(entrance).size() >= hub_->settings.connections) return turn_away(socket);
  serve_connection(hub_, std::move(socket), std::move(entrance));
}

void Listener::turn_away(Socket& socket) {
  ++hub_->statistics.turned_away;
  const Response response = error_response(503, "too many are connected: try again in a moment");
  const std::string all =
      response_head(response, response.body.size(), {false, false, "Retry-After: 1\r\n"}) + response.body;
  const int number = socket.native_handle();
  // At once or not at all. What was received is taken, or closing would send a reset that overtakes the answer.
  static_cast<void>(::send(number, all.data(), all.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  ::shutdown(number, SHUT_WR);
  std::array<char, 4096> received{};
  static_cast<void>(::recv(number, received.data(), received.size(), MSG_DONTWAIT));
  error_code ignored;
  socket.close(ignored);
}

}  // namespace merel
