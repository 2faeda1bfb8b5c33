#include "daemon/client/daemon_client.h"

#include <sys/un.h>

#include <algorithm>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace merel {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;
using Socket = asio::basic_stream_socket<Protocol, asio::io_context::executor_type>;

constexpr std::chrono::seconds kConnectTime{3};
constexpr std::chrono::seconds kCallTime{30};
constexpr std::chrono::seconds kFarewellTime{2};
/// The daemon pings twice a minute; after so long without a sign it is gone.
constexpr std::chrono::seconds kSilence{100};
constexpr std::uint64_t kLargestAnswer = std::uint64_t{256} * 1024 * 1024;
constexpr std::size_t kLargestMessage = std::size_t{16} * 1024 * 1024;

constexpr std::string_view kHttp = "http://";

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

/// One connection to the daemon, and a loop of its own that runs as long as somebody waits for it.
class Line {
 public:
  explicit Line(const std::string& where) : where_(where) {}

  /// Empty, or why there is no connection.
  std::string connect() {
    const bool over_tcp = where_.starts_with(kHttp);
    if (!over_tcp && where_.find("://") != std::string::npos) {
      return where_ + " is no address of a mereld: give the path of its socket or http://HOST:PORT";
    }
    std::vector<Protocol::endpoint> endpoints;
    if (std::string problem = over_tcp ? find_tcp(endpoints) : find_socket(endpoints); !problem.empty()) return problem;
    error_code ec = asio::error::host_not_found;
    for (const auto& endpoint : endpoints) {
      error_code ignored;
      socket_.close(ignored);
      ec = wait(kConnectTime, [&](auto done) { socket_.async_connect(endpoint, done); });
      if (!ec) break;
    }
    if (!ec) return {};
    if (ec == asio::error::access_denied) {
      return "no permission to talk to mereld at " + where_ +
             ": add yourself to the group merel (sudo adduser $USER merel) and log in anew";
    }
    return "no mereld answers at " + where_ + " (" + ec.message() + "): is it running? (systemctl status mereld)";
  }

  /// Starts something asynchronous with a handler for it and waits for its end; after that time the socket is closed.
  template <class Start>
  error_code wait(std::chrono::seconds time, Start start) {
    std::optional<error_code> result;
    start([&](error_code ec, auto&&...) { result = ec; });
    loop_.restart();
    const auto end = std::chrono::steady_clock::now() + time;
    while (!result && loop_.run_one_until(end) > 0) {
    }
    if (result) return *result;
    error_code ignored;
    lowest().close(ignored);
    loop_.restart();
    while (!result && loop_.run_one() > 0) {
    }
    return asio::error::timed_out;
  }

  /// Hands the connection over to a WebSocket.
  websocket::stream<Socket, false>& upgrade() { return stream_.emplace(std::move(socket_)); }
  Socket& socket() { return socket_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] std::string lost(error_code ec) const {
    return "the connection to mereld at " + where_ + " was lost: " + ec.message();
  }

 private:
  Socket& lowest() { return stream_ ? stream_->next_layer() : socket_; }

  std::string find_socket(std::vector<Protocol::endpoint>& endpoints) {
    if (where_.empty() || where_.size() >= sizeof(sockaddr_un::sun_path)) {
      return "the socket path \"" + where_ + "\" cannot be one: it has 1 to " +
             std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes";
    }
    host_ = "localhost";
    endpoints.emplace_back(asio::local::stream_protocol::endpoint(where_));
    return {};
  }

  std::string find_tcp(std::vector<Protocol::endpoint>& endpoints) {
    host_ = where_.substr(kHttp.size());
    while (host_.ends_with('/')) host_.pop_back();
    const std::size_t bracket = host_.find(']');
    const std::size_t colon = host_.find(':', bracket == std::string::npos ? 0 : bracket);
    std::string name = host_.substr(0, colon);
    const std::string port = colon == std::string::npos ? "80" : host_.substr(colon + 1);
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    if (name.empty() || port.empty() || !printable(host_) || host_.find('/') != std::string::npos) {
      return where_ + " is no address of a mereld: it looks like http://HOST:PORT";
    }
    error_code ec;
    for (const auto& found : asio::ip::tcp::resolver(loop_).resolve(name, port, ec))
      endpoints.emplace_back(found.endpoint());
    if (ec) return "there is no host " + host_ + " (" + ec.message() + "): check the address " + where_;
    return {};
  }

  const std::string& where_;
  std::string host_;
  asio::io_context loop_{1};
  Socket socket_{loop_};
  std::optional<websocket::stream<Socket, false>> stream_;
};

/// The sentence of an answer's `error`, or the answer itself when it has none.
std::string sentence(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) return json["error"].get<std::string>();
  return body.substr(0, body.find('\n'));
}

}  // namespace

DaemonClient::DaemonClient(std::string where, std::string token) : where_(std::move(where)), token_(std::move(token)) {}

Result<Answer, std::string> DaemonClient::call(const std::string& method, const std::string& target,
                                               const std::string& body) const {
  if (!printable(method) || !printable(target) || !target.starts_with('/') || !printable(token_)) {
    return "cannot ask mereld for \"" + target + "\": blanks and other special characters must be percent-encoded";
  }
  Line line(where_);
  if (std::string problem = line.connect(); !problem.empty()) return problem;

  std::string request = method + ' ' + target + " HTTP/1.1\r\nHost: " + line.host() + "\r\nConnection: close\r\n";
  if (!token_.empty()) request += "Authorization: Bearer " + token_ + "\r\n";
  if (!body.empty()) request += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST") request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  request += "\r\n" + body;

  // A daemon that refuses may answer and close before it has taken the whole request: what it says counts more than that.
  const error_code sent =
      line.wait(kCallTime, [&](auto done) { asio::async_write(line.socket(), asio::buffer(request), done); });
  if (sent == asio::error::timed_out) return line.lost(sent);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kLargestAnswer);
  if (method == "HEAD") parser.skip(true);
  const error_code received =
      line.wait(kCallTime, [&](auto done) { http::async_read(line.socket(), buffer, parser, done); });
  if (received) return line.lost(sent ? sent : received);
  auto& answer = parser.get();
  return Answer{answer.result_int(), std::move(answer.body()), std::string(answer[http::field::content_type])};
}

Result<std::monostate, std::string> DaemonClient::follow(const std::function<bool(const std::string&)>& message) const {
  Line line(where_);
  if (std::string problem = line.connect(); !problem.empty()) return problem;
  auto& stream = line.upgrade();
  websocket::stream_base::timeout times{};
  times.handshake_timeout = kCallTime;
  times.idle_timeout = kSilence;
  times.keep_alive_pings = false;
  stream.set_option(times);
  stream.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
  }));
  stream.read_message_max(kLargestMessage);
  websocket::response_type response;
  error_code ec =
      line.wait(kCallTime, [&](auto done) { stream.async_handshake(response, line.host(), "/api/events", done); });
  if (ec == websocket::error::upgrade_declined) return "mereld refuses its event stream: " + sentence(response.body());
  while (!ec) {
    boost::beast::flat_buffer buffer;
    ec = line.wait(std::chrono::hours{24 * 365}, [&](auto done) { stream.async_read(buffer, done); });
    if (ec) break;
    const auto data = buffer.cdata();
    if (!message({static_cast<const char*>(data.data()), data.size()})) {
      line.wait(kFarewellTime, [&](auto done) { stream.async_close(websocket::close_code::normal, done); });
      return std::monostate{};
    }
  }
  if (ec != websocket::error::closed) return line.lost(ec);
  const auto& reason = stream.reason();
  if (reason.code == websocket::close_code::normal) return std::monostate{};
  return "mereld has ended the event stream: " + std::string(reason.reason.data(), reason.reason.size());
}

}  // namespace merel
