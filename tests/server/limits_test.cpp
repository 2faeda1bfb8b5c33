// Clients that are slow, many or stuck.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <list>

#include "tests/server/running_server.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Limits, ARequestThatTricklesInIsCut) {
  ServerSettings settings;
  settings.request_time = milliseconds(50);
  RunningServer server(settings);
  const struct {
    std::string bytes;
    unsigned status;  ///< 0: cut without a word
  } cases[] = {
      {"", 0},
      {"G", 408},
      {"GET /api/echo HTTP/1.1\r\nHost: localhost\r\nX: ", 408},
      {"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc", 408},
      {"POST /api/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n", 408},
  };
  std::uint64_t timeouts = 0;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes);
    RawClient client(server.port);
    client.send(c.bytes);
    const auto answer = client.response();
    EXPECT_EQ(answer.status, c.status);
    EXPECT_TRUE(client.ended());
    EXPECT_EQ(server.statistics().timeouts, ++timeouts);
  }
}

TEST(Limits, BytesNowAndThenDoNotBuyTime) {
  ServerSettings settings;
  settings.request_time = milliseconds(50);
  RunningServer server(settings);
  RawClient client(server.port);
  client.send("GET /api/echo HTTP/1.1\r\nX: ");
  while (server.statistics().timeouts == 0) {
    client.send("x");
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(client.response().status, 408U);
}

TEST(Limits, AnIdleConnectionIsClosedAndIsNoFault) {
  ServerSettings settings;
  settings.idle_time = milliseconds(20);
  RunningServer server(settings);
  RawClient client(server.port);
  EXPECT_EQ(client.ask("GET /api/echo").status, 200U);
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(server.statistics().timeouts, 0U);
}

TEST(Limits, AClientThatDoesNotTakeItsAnswerIsCut) {
  ServerSettings settings;
  settings.request_time = milliseconds(50);
  RunningServer server(settings);
  RawClient client(server.port, 4096);
  client.send("GET /api/big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(server.reaches([](const auto& now) { return now.timeouts == 1 && now.connections == 0; }));
  EXPECT_EQ(client.response().status, 0U);
}

TEST(Limits, WaitingForTheApplicationIsNotTheClientsFault) {
  ServerSettings settings;
  settings.request_time = milliseconds(20);
  settings.idle_time = milliseconds(20);
  RunningServer server(settings);
  RawClient client(server.port);
  client.send("GET /api/late HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (server.on_loop([&] { return server.application.late.empty(); })) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(100));
  server.on_loop([&] { server.application.late.at(0)({200, "late", "text/plain", {}}); });
  EXPECT_EQ(client.response().body, "late");
}

TEST(Limits, ConnectionsBeyondTheLimitAreTurnedAway) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  settings.listen = {{"127.0.0.1", 0}, {"127.0.0.1", 0}};
  settings.connections = 50;
  RunningServer server(settings);
  std::list<RawClient> first;
  for (int i = 0; i < 50; ++i) {
    first.emplace_back(server.port);
    ASSERT_EQ(first.back().ask("GET /api/echo").status, 200U);
  }
  for (int i = 0; i < 250; ++i) {
    RawClient client(server.port);
    const auto answer = client.response();
    ASSERT_EQ(answer.status, 503U) << i;
    ASSERT_THAT(answer.head, HasSubstr("Retry-After: 1\r\n"));
    ASSERT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
    ASSERT_TRUE(client.ended());
  }
  EXPECT_EQ(server.statistics().turned_away, 250U);
  EXPECT_EQ(server.statistics().connections, 50U);
  // The places of the Unix socket are its own.
  EXPECT_EQ(RawClient(settings.socket).ask("GET /api/echo").status, 200U);
  for (auto& client : first) EXPECT_EQ(client.ask("GET /api/echo").status, 200U);
  first.clear();
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  EXPECT_EQ(RawClient(server.port).ask("GET /api/echo").status, 200U);
}

TEST(Limits, TwoHundredConnectionsLeaveNoDescriptorBehind) {
  Folder folder;
  folder.write("web/index.html", "<p>");
  ServerSettings settings;
  settings.web = folder.file("web");
  RunningServer server(settings);
  EXPECT_EQ(RawClient(server.port).ask("GET /").status, 200U);
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(RawClient(server.port).ask("GET /").status, 200U);
    EXPECT_EQ(RawClient(server.port).ask("GET /", "If-None-Match: *\r\n").status, 304U);
    RawClient(server.port).send("nonsense\r\n\r\n");
    EXPECT_EQ(StreamClient(server.port).status(), 101U);
  }
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Limits, ManyLargeBodiesAtOnceHaveToWait) {
  ServerSettings settings;
  settings.body_bytes = 1000;
  RunningServer server(settings);
  const std::string head = "POST /api/echo HTTP/1.1\r\nHost: localhost\r\n";
  const std::string large = head + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n";
  const std::string chunks = head + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
  std::list<RawClient> senders;
  for (const std::string& bytes : {large, chunks, large, large}) {
    senders.emplace_back(server.port);
    senders.back().send(bytes);
    EXPECT_EQ(senders.back().response().status, 100U);
  }
  {
    RawClient fifth(server.port);
    fifth.send(large);
    const auto refused = fifth.response();
    EXPECT_EQ(refused.status, 503U);
    EXPECT_THAT(refused.head, HasSubstr("Retry-After: 1\r\n"));
  }
  EXPECT_EQ(RawClient(server.port).ask("GET /api/echo").status, 200U);
  senders.pop_back();  // gives up
  senders.front().send(std::string(1000, 'x'));
  EXPECT_EQ(senders.front().response().status, 200U);
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 3; }));
  for (int i = 0; i < 2; ++i) {
    senders.emplace_back(server.port);
    senders.back().send(large + std::string(1000, 'x'));
    EXPECT_EQ(senders.back().response().status, 100U);
    EXPECT_EQ(senders.back().response().status, 200U);
  }
}

TEST(Limits, RunningOutOfDescriptorsIsWaitedOut) {
  RunningServer server;
  EXPECT_EQ(RawClient(server.port).ask("GET /api/echo").status, 200U);
  ASSERT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit scarce = usual;
  {
    const Descriptor next(::dup(STDIN_FILENO));
    ASSERT_TRUE(next.open());
    scarce.rlim_cur = static_cast<rlim_t>(next.number()) + 1;  // room for the client alone
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &scarce), 0);
  RawClient client(server.port);
  client.send("GET /api/echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(server.statistics().connections, 0U);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(client.response().status, 200U);
}

}  // namespace
}  // namespace merel
