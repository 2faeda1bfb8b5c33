#include "daemon/server/server.h"

#include <algorithm>
#include <utility>

#include "daemon/server/hub.h"
#include "daemon/server/listener.h"

namespace merel {

class Server::Impl {
 public:
  Impl(boost::asio::io_context& loop, ServerSettings settings, Application& application)
      : hub_(std::make_shared<Hub>(loop, std::move(settings), application)) {}
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<std::monostate, std::string> start() {
    const auto& settings = hub_->settings;
    if (!settings.socket.empty()) {
      if (auto problem = add(listen_unix(settings.socket), settings.socket); !problem.empty()) return problem;
    }
    for (const auto& address : settings.listen) {
      if (settings.token.empty() && !loopback(address.host)) {
        close();
        return "cannot listen on " + address.host + " without a token: only loopback addresses may be open to everybody";
      }
      if (auto problem = add(listen_tcp(address), {}); !problem.empty()) return problem;
      ports_.push_back(listeners_.back()->port());
    }
    for (const auto& listener : listeners_) listener->start();
    return std::monostate{};
  }

  void stop() {
    close();
    hub_->application = nullptr;
    for (auto& peers : hub_->peers) {
      for (const auto& peer : std::exchange(peers, {})) peer->cut();
    }
  }

  void publish(const std::shared_ptr<const std::string>& message) {
    // A stream that is dropped leaves the list while we go through it.
    for (Stream* stream : std::vector(hub_->streams)) stream->send(message);
  }

  [[nodiscard]] ServerStatistics statistics() const {
    ServerStatistics result = hub_->statistics;
    result.connections = hub_->peers[0].size() + hub_->peers[1].size();
    result.streams = hub_->streams.size();
    return result;
  }

  [[nodiscard]] std::vector<std::uint16_t> ports() const { return ports_; }

 private:
  std::string add(Result<Descriptor, std::string> listening, const std::string& path) {
    if (!listening) {
      close();
      return listening.error();
    }
    listeners_.push_back(std::make_shared<Listener>(hub_, std::move(*listening), path));
    if (listeners_.back()->open()) return {};
    close();
    return "cannot watch a listening socket: the system has no room for more (see ulimit -n)";
  }

  void close() {
    for (const auto& listener : listeners_) listener->close();
    listeners_.clear();
    ports_.clear();
  }

  static bool loopback(const std::string& host) {
    const std::string address = numeric_address(host);
    return address == "::1" || address.starts_with("127.");
  }

  std::shared_ptr<Hub> hub_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  std::vector<std::uint16_t> ports_;
};

Server::Server(boost::asio::io_context& loop, ServerSettings settings, Application& application)
    : impl_(std::make_unique<Impl>(loop, std::move(settings), application)) {}
Server::~Server() = default;

Result<std::monostate, std::string> Server::start() { return impl_->start(); }
void Server::stop() { impl_->stop(); }
void Server::publish(const std::shared_ptr<const std::string>& message) { impl_->publish(message); }
ServerStatistics Server::statistics() const { return impl_->statistics(); }
std::vector<std::uint16_t> Server::ports() const { return impl_->ports(); }

}  // namespace merel
