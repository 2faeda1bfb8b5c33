// What goes over the wire between a client and the server: answers, refusals, order.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/server/running_server.h"

namespace merel {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSecurity =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'self'\r\n"
    "X-Frame-Options: DENY\r\n"
    "\r\n";

TEST(Http, TheWholeAnswerOfTheApplication) {
  RunningServer server;
  RawClient client(server.port);
  const auto answer = client.ask("POST /api/echo?a=b%20c", "Content-Type: application/json\r\n", "{}");
  EXPECT_EQ(answer.head,
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 68\r\n" +
                kSecurity);
  EXPECT_EQ(answer.body, R"({"body":"{}","method":"POST","path":"/api/echo","query":{"a":"b c"}})");
}

TEST(Http, TheWholeAnswersOfAFile) {
  Folder folder;
  const std::string file = folder.write("web/index.html", "<p>");
  const std::array<timespec, 2> times{{{1000, 5}, {1000, 5}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
  ServerSettings settings;
  settings.web = folder.file("web");
  RunningServer server(settings);
  RawClient client(server.port);
  const std::string fields = "Cache-Control: no-cache\r\nETag: \"3-1000000000005\"\r\n";
  const std::string found =
      "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 3\r\n" + fields + kSecurity;

  const auto get = client.ask("GET /");
  EXPECT_EQ(get.head, found);
  EXPECT_EQ(get.body, "<p>");
  EXPECT_EQ(client.ask("HEAD /").head, found);
  EXPECT_EQ(client.ask("GET /index.html", "If-None-Match: \"1-1\", \"3-1000000000005\"\r\n").head,
            "HTTP/1.1 304 Not Modified\r\n" + fields + kSecurity);
  EXPECT_EQ(client.ask("GET /", "If-None-Match: \"1-1\"\r\n").head, found);
  const auto missing = client.ask("GET /missing");
  EXPECT_EQ(missing.head, "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 33\r\n" + kSecurity);
  EXPECT_EQ(missing.body, R"({"error":"there is no such page"})");
}

TEST(Http, TheWholeRefusal) {
  RunningServer server;
  RawClient client(server.port);
  const auto answer = client.ask("POST /api/game", "Content-Type: text/html\r\n", "<p>");
  EXPECT_EQ(answer.head,
            "HTTP/1.1 415 Unsupported Media Type\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 59\r\n"
            "Connection: close\r\n" +
                kSecurity);
  EXPECT_EQ(answer.body, R"({"error":"send the body as application/json or text/plain"})");
  EXPECT_TRUE(client.ended());
}

TEST(Http, ALargeFileArrivesWhole) {
  Folder folder;
  std::string content;
  for (std::size_t i = 0; content.size() < 1'000'000; ++i) content += std::to_string(i) + '\n';
  folder.write("web/large.txt", content);
  ServerSettings settings;
  settings.web = folder.file("web");
  RunningServer server(settings);
  RawClient client(server.port);
  EXPECT_EQ(client.ask("GET /large.txt").body, content);
  EXPECT_EQ(client.ask("GET /api/echo").status, 200U);
}

TEST(Http, StatusByRequest) {
  ServerSettings settings;
  settings.header_bytes = 1024;
  settings.body_bytes = 2048;
  settings.origins = {"https://board.example"};
  RunningServer server(settings);
  const std::string host = "Host: localhost\r\n";
  const std::string upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
  const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const struct {
    std::string name;
    std::string bytes;
    unsigned status;
    bool refused;
    bool goes_on;  ///< the connection serves another request
  } cases[] = {
      {"read", "GET /api/echo HTTP/1.1\r\n" + host + "\r\n", 200, false, true},
      {"metrics", "GET /metrics HTTP/1.1\r\n" + host + "\r\n", 200, false, true},
      {"delete", "DELETE /api/games/1 HTTP/1.1\r\n" + host + "\r\n", 200, false, true},
      {"asked to close", "GET /api/echo HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", 200, false, false},
      {"1.0", "GET /api/echo HTTP/1.0\r\n\r\n", 200, false, false},
      {"1.0 kept alive", "GET /api/echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, false, true},
      {"largest body", "POST /api/echo HTTP/1.1\r\n" + host + "Content-Length: 2048\r\n\r\n" + std::string(2048, 'x'), 200,
       false, true},
      {"chunks", "POST /api/echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200,
       false, true},
      {"no page", "GET /nothing HTTP/1.1\r\n" + host + "\r\n", 404, false, true},
      {"throws", "GET /api/throw HTTP/1.1\r\n" + host + "\r\n", 500, false, true},
      {"throws something odd", "GET /api/throw-odd HTTP/1.1\r\n" + host + "\r\n", 500, false, true},
      {"reply dropped", "GET /api/drop HTTP/1.1\r\n" + host + "\r\n", 500, false, true},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400, true, true},
      {"two hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", 400, true, true},
      {"not HTTP", "hello\r\n\r\n", 400, true, false},
      {"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, true, false},
      {"wrong version", "GET / HTTP/3.0\r\n" + host + "\r\n", 400, true, false},
      {"field without colon", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400, true, false},
      {"two lengths", "POST /api/echo HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, true,
       false},
      {"length and chunks",
       "POST /api/echo HTTP/1.1\r\n" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, true,
       false},
      {"bad chunk", "POST /api/echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, true, false},
      {"bad percent", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400, true, true},
      {"NUL in the path", "GET /%00 HTTP/1.1\r\n" + host + "\r\n", 400, true, true},
      {"absolute form", "GET http://localhost/ HTTP/1.1\r\n" + host + "\r\n", 400, true, true},
      {"foreign host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, true, true},
      {"foreign origin", "POST /api/echo HTTP/1.1\r\n" + host + "Origin: https://evil.example\r\n\r\n", 403, true, true},
      {"allowed origin", "POST /api/echo HTTP/1.1\r\n" + host + "Origin: https://board.example\r\n\r\n", 200, false, true},
      {"own origin", "POST /api/echo HTTP/1.1\r\n" + host + "Origin: http://localhost\r\n\r\n", 200, false, true},
      {"foreign origin of a stream",
       "GET /api/events HTTP/1.1\r\n" + host + upgrade + key + "Origin: https://evil.example\r\n\r\n", 403, true, true},
      {"unknown method", "PUT / HTTP/1.1\r\n" + host + "\r\n", 405, true, true},
      {"post to a page", "POST / HTTP/1.1\r\n" + host + "\r\n", 405, true, true},
      {"form", "POST /api/echo HTTP/1.1\r\n" + host + "Content-Type: application/x-www-form-urlencoded\r\n\r\n", 415, true,
       true},
      {"body too large", "POST /api/echo HTTP/1.1\r\n" + host + "Content-Length: 2049\r\n\r\n", 413, true, false},
      {"huge length", "POST /api/echo HTTP/1.1\r\n" + host + "Content-Length: 18446744073709551615\r\n\r\n", 413, true,
       false},
      {"chunks too large",
       "POST /api/echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n900\r\n" + std::string(0x900, 'x'), 413,
       true, false},
      {"head too large", "GET / HTTP/1.1\r\n" + host + "X: " + std::string(1024, 'x') + "\r\n\r\n", 431, true, false},
      {"target too large", "GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n" + host + "\r\n", 431, true, false},
      {"endless head", "GET / HTTP/1.1\r\n" + std::string(6000, 'x'), 431, true, false},
      {"stream without upgrade", "GET /api/events HTTP/1.1\r\n" + host + "\r\n", 426, true, true},
      {"upgrade elsewhere", "GET /api/echo HTTP/1.1\r\n" + host + upgrade + key + "\r\n", 200, false, true},
      {"upgrade without a key", "GET /api/events HTTP/1.1\r\n" + host + upgrade + "\r\n", 400, true, false},
      {"frames before the upgrade", "GET /api/events HTTP/1.1\r\n" + host + upgrade + key + "\r\n\x81\x80", 400, true,
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto before = server.statistics();
    RawClient client(server.port);
    client.send(c.bytes);
    const auto answer = client.response();
    EXPECT_EQ(answer.status, c.status) << answer.head << answer.body;
    EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
    if (c.status >= 400 && c.name != "upgrade without a key") {
      EXPECT_THAT(answer.head, HasSubstr(kSecurity));
      const auto body = nlohmann::json::parse(answer.body, nullptr, false);
      EXPECT_TRUE(body.is_object() && body["error"].is_string()) << answer.body;
    }
    EXPECT_EQ(answer.head.find("\r\nAllow: GET, HEAD") != std::string::npos, c.status == 405);
    if (c.goes_on) {
      EXPECT_EQ(client.ask("GET /api/echo").status, 200U);
    } else {
      EXPECT_TRUE(client.ended());
    }
    EXPECT_TRUE(server.reaches([&](const auto& now) { return now.refused - before.refused == (c.refused ? 1U : 0U); }));
    EXPECT_EQ(server.statistics().requests - before.requests, (c.refused ? 0U : 1U) + (c.goes_on ? 1U : 0U));
  }
}

TEST(Http, AClientThatLeavesInTheMiddleIsForgotten) {
  RunningServer server;
  for (const std::string bytes :
       {"", "GET", "GET / HTTP/1.1\r\nHost: x", "POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc",
        "GET /api/big HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    RawClient(server.port).send(bytes);
  }
  EXPECT_EQ(RawClient(server.port).ask("GET /api/echo").status, 200U);
  EXPECT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
}

TEST(Http, PipelinedRequestsAreAnsweredInOrderAndOneAtATime) {
  RunningServer server;
  RawClient client(server.port);
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
  client.send("GET /api/late" + host + "\r\nPOST /api/echo" + host + "Content-Length: 3\r\n\r\ntwoGET /api/three" + host +
              "\r\nGET /%zz" + host + "\r\nGET /api/five" + host + "Connection: close\r\n\r\nGET /api/never" + host +
              "\r\n");
  while (server.on_loop([&] { return server.application.late.empty(); })) std::this_thread::yield();
  EXPECT_EQ(server.on_loop([&] { return server.application.requests.size(); }), 1U);
  server.on_loop([&] { server.application.late.at(0)({200, "one", "text/plain", {}}); });
  EXPECT_EQ(client.response().body, "one");
  EXPECT_THAT(client.response().body, HasSubstr("\"two\""));
  EXPECT_THAT(client.response().body, HasSubstr("/api/three"));
  EXPECT_EQ(client.response().status, 400U);
  EXPECT_THAT(client.response().body, HasSubstr("/api/five"));
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.on_loop([&] { return server.application.requests.size(); }), 4U);
}

TEST(Http, HeadIsAGetWithoutItsBody) {
  RunningServer server;
  RawClient client(server.port);
  const auto get = client.ask("GET /api/echo");
  const auto head = client.ask("HEAD /api/echo");
  EXPECT_EQ(head.head, get.head);
  EXPECT_EQ(server.on_loop([&] { return server.application.requests.at(1).method; }), "GET");
  EXPECT_EQ(client.ask("GET /api/echo").body, get.body);
}

TEST(Http, AnExpectingClientIsToldToGoOn) {
  RunningServer server;
  RawClient client(server.port);
  client.send("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.response().head, "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_THAT(client.response().body, HasSubstr("\"abc\""));
  // Refused, it is told so before it sends.
  client.send("POST /api/echo HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.response().status, 403U);
}

TEST(Http, AnAnswerToSaveAndAnAnswerWithoutABody) {
  RunningServer server;
  RawClient client(server.port);
  const auto file = client.ask("GET /api/csv");
  EXPECT_THAT(file.head, HasSubstr("Content-Type: text/csv\r\n"));
  EXPECT_THAT(file.head, HasSubstr("Content-Disposition: attachment; filename=\"two _words___.csv\"\r\n"));
  EXPECT_EQ(client.ask("GET /api/none").head, "HTTP/1.1 204 No Content\r\n" + kSecurity);
  EXPECT_EQ(client.ask("GET /api/twice").body, "first");
  EXPECT_THAT(client.ask("GET /api/throw").body, HasSubstr(R"(no \"board\")"));
}

TEST(Http, ARefusedUploadStillGetsItsAnswer) {
  RunningServer server;
  RawClient client(server.port);
  client.send("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n");
  client.send(std::string(500'000, 'x'));
  EXPECT_EQ(client.response().status, 413U);
}

TEST(Http, TheUnixSocketServesTheSame) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  RunningServer server(settings);
  RawClient client(settings.socket);
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.ask("GET /api/echo").status, 200U);
  EXPECT_EQ(client.ask("GET /api/echo", "Origin: https://evil.example\r\n").status, 403U);
}

/// An IPv4 address of this machine that others could reach.
std::string own_address() {
  ifaddrs* all = nullptr;
  std::string result;
  if (::getifaddrs(&all) != 0) return result;
  for (const ifaddrs* one = all; one != nullptr && result.empty(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const auto bytes = ntohl(reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
    if (bytes >> 24 == 127) continue;
    result = std::to_string(bytes >> 24) + '.' + std::to_string(bytes >> 16 & 255U) + '.' +
             std::to_string(bytes >> 8 & 255U) + '.' + std::to_string(bytes & 255U);
  }
  ::freeifaddrs(all);
  return result;
}

TEST(Http, BeyondThisMachineTheTokenIsNeeded) {
  const std::string address = own_address();
  if (address.empty()) GTEST_SKIP() << "this machine has no address but loopback; Access.* covers the decision";
  ServerSettings settings;
  settings.listen = {{address, 0}};
  settings.token = std::string(32, 't');
  RunningServer server(settings);
  ASSERT_EQ(server.problem, "");
  RawClient client(server.port, 0, address);
  const auto refused = client.ask("GET /api/echo");
  EXPECT_EQ(refused.status, 401U);
  EXPECT_THAT(refused.head, HasSubstr("WWW-Authenticate: Bearer realm=\"mereld\"\r\n"));
  EXPECT_EQ(client.ask("GET /").status, 401U);
  EXPECT_EQ(client.ask("GET /api/echo", "Authorization: Bearer " + settings.token + "\r\n").status, 200U);
  EXPECT_EQ(client.ask("GET /api/echo?token=" + settings.token).status, 401U);
  EXPECT_EQ(client.ask("GET /api/events?token=" + settings.token).status, 426U);
  EXPECT_EQ(server.statistics().refused, 4U);
}

TEST(Http, StopsInEveryPhaseAndForgetsLateReplies) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  RunningServer server(settings);
  RawClient silent(server.port);
  RawClient reading(server.port);
  reading.send("GET / HT");
  RawClient waiting(server.port);
  waiting.send("GET /api/late HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient writing(server.port, 4096);
  writing.send("GET /api/big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient idle(settings.socket);
  EXPECT_EQ(idle.ask("GET /api/echo").status, 200U);
  StreamClient stream(server.port);
  EXPECT_EQ(stream.frame().payload, "state");
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 6 && now.requests == 2; }));
  while (server.on_loop([&] { return server.application.late.empty(); })) std::this_thread::yield();

  server.stop();
  server.on_loop([&] { server.application.late.at(0)({}); });
  server.on_loop([&] { server.application.late.clear(); });
  for (RawClient* client : {&silent, &reading, &waiting, &idle, &stream.raw}) EXPECT_TRUE(client->ended());
  EXPECT_LT(writing.rest().size(), std::size_t{16} * 1024 * 1024);
  EXPECT_FALSE(RawClient(server.port).connected());
  EXPECT_FALSE(RawClient(settings.socket).connected());
  EXPECT_FALSE(std::filesystem::exists(settings.socket));
}

}  // namespace
}  // namespace merel
