// Requests. The first byte picks the way: `r` sends the rest as it is to a server that runs, anything else reads it as lines (method,
// target, Host, Origin, Authorization, Content-Type; an absent line is an absent field) and asks for the decision on it.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/server/request_checks.h"
#include "daemon/server/server.h"
#include "daemon/server/static_files.h"
#include "tests/folder.h"
#include "tests/fuzz/demand.h"

namespace {

using namespace merel;

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

class Echo final : public Application {
 public:
  void handle(const Request& request, Reply reply) override {
    DEMAND(request.path.starts_with("/api") || request.path == "/metrics");
    reply({200, request.path + request.body, "text/plain", request.path});
  }
  std::string state() override { return "{}"; }
};

/// A web folder with a secret beside it, and a server for both; made once.
class Scene {
 public:
  Scene() {
    folder_.write("secret", "secret");
    for (const char* file : {"web/index.html", "web/sub/a b.txt"}) folder_.write(file, "page");
    folder_.write("web/.hidden", "secret");
    std::filesystem::create_symlink("../secret", folder_.file("web/link"));
    ServerSettings settings = this->settings();
    settings.socket = folder_.file("socket");
    settings.header_bytes = 512;
    settings.body_bytes = 512;
    server_.emplace(loop_, settings, application_);
    DEMAND(server_->start().ok());
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() { server_.reset(); }

  [[nodiscard]] ServerSettings settings() const {
    ServerSettings result;
    result.web = folder_.file("web");
    result.listen = {{"127.0.0.1", 0}};
    result.origins = {"https://board.example"};
    result.token = kToken;
    return result;
  }

  /// Sends those bytes and an end, and returns all that comes back.
  std::string talk(std::string_view bytes) {
    const Descriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    folder_.file("socket").copy(static_cast<char*>(name.sun_path), sizeof name.sun_path - 1);
    DEMAND(::connect(client.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
    std::string answer;
    std::array<char, 4096> chunk{};
    bool sending = true;
    for (;;) {
      if (sending) {
        const auto sent = ::send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
        sending = !bytes.empty() && (sent >= 0 || errno == EAGAIN);
        if (!sending) ::shutdown(client.number(), SHUT_WR);
      }
      const auto count = ::recv(client.number(), chunk.data(), chunk.size(), 0);
      if (count > 0) answer.append(chunk.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EAGAIN)) break;
      if (count < 0) DEMAND(loop_.run_one_for(std::chrono::seconds(5)) > 0);
    }
    while (server_->statistics().connections > 0) DEMAND(loop_.run_one_for(std::chrono::seconds(5)) > 0);
    loop_.poll();
    return answer;
  }

 private:
  Folder folder_;
  Echo application_;
  boost::asio::io_context loop_{1};
  std::optional<Server> server_;
};

std::string encoded(std::string_view path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/') {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

void decide(const Scene& scene, std::string_view lines) {
  std::array<std::optional<std::string_view>, 6> parts;
  for (auto& part : parts) {
    if (lines.empty()) break;
    part = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), part->size() + 1));
  }
  const auto target = read_target(parts[1].value_or(""));
  if (!target) {
    DEMAND(!target.error().empty());
    return;
  }
  DEMAND(target->path.starts_with('/'));
  DEMAND(
      std::none_of(target->path.begin(), target->path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  const auto again = read_target(encoded(target->path));
  DEMAND(again && again->path == target->path);

  const ServerSettings settings = scene.settings();
  if (auto file = open_static_file(settings.web, target->path)) {
    std::array<char, 16> content{};
    const auto count = ::read(file->descriptor.number(), content.data(), content.size());
    DEMAND(std::string_view(content.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count))) == "page");
  }

  const RequestHead head{.method = parts[0].value_or(""),
                         .host = parts[2],
                         .origin = parts[3],
                         .authorization = parts[4],
                         .content_type = parts[5]};
  const bool local = !refusal(head, *target, {true, false, {}}, settings);
  const bool loopback = !refusal(head, *target, {false, true, "127.0.0.1"}, settings);
  const bool network = !refusal(head, *target, {false, false, "192.0.2.1"}, settings);
  DEMAND(local || (!loopback && !network));
  if (local) DEMAND(head.host && host_name(*head.host));
  if (loopback) DEMAND(*host_name(*head.host) == "localhost" || !numeric_address(*host_name(*head.host)).empty());
  if (network) {
    const auto in_query = target->query.find("token");
    DEMAND((head.authorization && head.authorization->find(kToken) != std::string_view::npos) ||
           (in_query != target->query.end() && in_query->second == kToken && target->path == kEventsPath));
  }
  if (local && head.origin) {
    DEMAND(head.origin->size() >= std::string_view("http://").size() && head.origin->find('\r') == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Scene scene;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with('r')) {
    const std::string answer = scene.talk(input.substr(1));
    DEMAND(answer.empty() || answer.starts_with("HTTP/1.1 "));
    // A secret that was sent would have to have come from a file that is not served.
    DEMAND(answer.find("secret") == std::string::npos || input.find("secret") != std::string_view::npos ||
           input.find('%') != std::string_view::npos);
  } else if (!input.empty()) {
    decide(scene, input.substr(1));
  }
  return 0;
}
