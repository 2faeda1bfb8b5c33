#include "tests/server/running_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

namespace merel {

void FakeApplication::handle(const Request& request, Reply reply) {
  requests.push_back(request);
  if (request.path == "/api/throw") throw std::runtime_error("no \"board\"");
  if (request.path == "/api/throw-odd") throw 1;
  if (request.path == "/api/drop") return;
  if (request.path == "/api/late") {
    late.push_back(std::move(reply));
  } else if (request.path == "/api/big") {
    reply({200, std::string(std::size_t{16} * 1024 * 1024, 'x'), "text/plain", {}});
  } else if (request.path == "/api/csv") {
    reply({200, "a,b\n", "text/csv", "two \"words\"\r\n.csv"});
  } else if (request.path == "/api/none") {
    reply({204, {}, "application/json", {}});
  } else if (request.path == "/api/twice") {
    reply({200, "first", "text/plain", {}});
    reply({200, "second", "text/plain", {}});
  } else {
    const nlohmann::json echo{
        {"method", request.method}, {"path", request.path}, {"query", request.query}, {"body", request.body}};
    reply({200, echo.dump(), "application/json", {}});
  }
}

std::string FakeApplication::state() { return tell_state(); }

RunningServer::RunningServer(ServerSettings settings) {
  if (settings.listen.empty()) settings.listen.push_back({"127.0.0.1", 0});
  server_ = std::make_unique<Server>(loop_, std::move(settings), application);
  thread_ = std::thread([this] { loop_.run(); });
  on_loop([&] {
    const auto started = server_->start();
    if (!started) problem = started.error();
    if (started) port = server_->ports().front();
  });
}

RunningServer::~RunningServer() {
  stop();
  work_.reset();
  thread_.join();  // comes to its end only when no handler waits for anything any more
}

void RunningServer::post(std::function<void()> function) { boost::asio::post(loop_, std::move(function)); }

ServerStatistics RunningServer::statistics() {
  return on_loop([&] { return server_->statistics(); });
}

void RunningServer::publish(const std::string& message) {
  on_loop([&] { server_->publish(std::make_shared<const std::string>(message)); });
}

bool RunningServer::reaches(const std::function<bool(const ServerStatistics&)>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition(statistics())) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void RunningServer::stop() {
  on_loop([&] {
    if (server_) server_->stop();
    server_.reset();
  });
}

RawClient::RawClient(std::uint16_t port, int receive_buffer, const std::string& address) {
  prepare(AF_INET);
  if (receive_buffer > 0) ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
  connected_ = ::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

RawClient::RawClient(const std::string& path) {
  prepare(AF_UNIX);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(name.sun_path), sizeof name.sun_path - 1);
  connected_ = ::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

void RawClient::prepare(int family) {
  socket_ = Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{30, 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool RawClient::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto count = ::send(socket_.number(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool RawClient::fill(std::size_t at_a_time) {
  std::string received(at_a_time, '\0');
  const auto count = ::recv(socket_.number(), received.data(), received.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    ADD_FAILURE() << "the server has been silent for half a minute";
  if (count <= 0) return false;
  buffer_.append(received, 0, static_cast<std::size_t>(count));
  return true;
}

Received RawClient::ask(const std::string& method_and_target, const std::string& fields, const std::string& body) {
  const std::string length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(method_and_target + " HTTP/1.1\r\nHost: localhost\r\n" + fields + length + "\r\n" + body);
  return response(!method_and_target.starts_with("HEAD"));
}

Received RawClient::response(bool has_body) {
  Received result;
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return result;
  }
  result.head = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  const std::string name = "Content-Length: ";
  const std::size_t length = result.head.find(name);
  if (has_body && length != std::string::npos) {
    const std::size_t count = std::stoul(result.head.substr(length + name.size()));
    result.body = bytes(count);
    if (result.body.size() < count) return result;
  }
  result.status = static_cast<unsigned>(std::stoul(result.head.substr(result.head.find(' ') + 1)));
  return result;
}

std::string RawClient::rest() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

std::string RawClient::bytes(std::size_t count, std::size_t at_a_time) {
  while (buffer_.size() < count && fill(at_a_time)) {
  }
  const std::string result = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return result;
}

unsigned Frame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return 0;
  return static_cast<unsigned>(static_cast<unsigned char>(payload[0])) << 8 | static_cast<unsigned char>(payload[1]);
}

StreamClient::StreamClient(std::uint16_t port, int receive_buffer, const std::string& fields) : raw(port, receive_buffer) {
  // The key is the sample of RFC 6455, section 1.3.
  status_ = raw.ask("GET /api/events",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                        fields)
                .status;
}

Frame StreamClient::frame(std::size_t at_a_time) {
  const std::string head = raw.bytes(2, at_a_time);
  if (head.size() < 2) return {};
  std::size_t length = static_cast<unsigned char>(head[1]);  // a server never masks
  if (length > 125) {
    const std::string extended = raw.bytes(length == 126 ? 2 : 8, at_a_time);
    length = 0;
    for (const char byte : extended) length = length << 8 | static_cast<unsigned char>(byte);
  }
  Frame frame{static_cast<unsigned char>(head[0]) & 15U, raw.bytes(length, at_a_time)};
  if (frame.payload.size() < length) return {};
  return frame;
}

void StreamClient::send_frame(unsigned opcode, const std::string& payload) {
  std::string frame{static_cast<char>(0x80U | opcode)};
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80U | payload.size());
  } else {
    frame += static_cast<char>(0x80U | 126U);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 255U);
  }
  raw.send(frame + std::string(4, '\0') + payload);  // a mask of zeros changes nothing
}

Unprivileged::Unprivileged() : before_(::geteuid()) { EXPECT_TRUE(before_ != 0 || ::seteuid(65534) == 0); }

Unprivileged::~Unprivileged() { EXPECT_TRUE(before_ != 0 || ::seteuid(0) == 0); }

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace merel
