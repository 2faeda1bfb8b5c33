#include "daemon/client/daemon_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/server/running_server.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string http(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

TEST(DaemonClient, AsksOverBothKindsOfSockets) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  RunningServer server(settings);
  for (const std::string& where : {settings.socket, http(server.port), http(server.port) + '/'}) {
    SCOPED_TRACE(where);
    const DaemonClient client(where);
    const auto got = client.call("GET", "/api/x?a=b%20c");
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->status, 200U);
    EXPECT_EQ(got->content_type, "application/json");
    EXPECT_EQ(got->body, R"({"body":"","method":"GET","path":"/api/x","query":{"a":"b c"}})");
    const auto posted = client.call("POST", "/api/x", R"({"on":true})");
    ASSERT_TRUE(posted) << posted.error();
    EXPECT_EQ(nlohmann::json::parse(posted->body)["body"], R"({"on":true})");
    EXPECT_EQ(client.call("POST", "/api/x")->status, 200U);
    EXPECT_EQ(client.call("DELETE", "/api/x")->status, 200U);
    EXPECT_EQ(client.call("GET", "/api/big")->body.size(), std::size_t{16} * 1024 * 1024);
    EXPECT_EQ(client.call("GET", "/api/throw")->status, 500U);
    EXPECT_EQ(client.call("PUT", "/api/x")->status, 405U);
  }
}

TEST(DaemonClient, SendsItsToken) {
  RunningServer server;
  ASSERT_TRUE(DaemonClient(http(server.port), "secret").call("GET", "/api/x"));
  ServerSettings settings;
  settings.body_bytes = 100'000;
  RunningServer small(settings);
  const auto refused = DaemonClient(http(small.port)).call("POST", "/api/x", std::string(3'000'000, ' '));
  ASSERT_TRUE(refused) << refused.error();
  EXPECT_EQ(refused->status, 413U);
}

TEST(DaemonClient, SaysWhatToDoWhenNobodyAnswers) {
  Folder folder;
  std::uint16_t free_port = 0;
  { free_port = RunningServer().port; }
  const struct {
    std::string where;
    std::string words;
  } cases[] = {
      {folder.file("socket"), "is it running? (systemctl status mereld)"},
      {http(free_port), "is it running? (systemctl status mereld)"},
      {"", "cannot be one"},
      {"/" + std::string(200, 'x'), "cannot be one"},
      {"https://localhost", "give the path of its socket or http://HOST:PORT"},
      {"http://", "it looks like http://HOST:PORT"},
      {"http://:80", "it looks like http://HOST:PORT"},
      {"http://a/b", "it looks like http://HOST:PORT"},
      {"http://127.0.0.1:seven", "check the address"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    const DaemonClient client(c.where);
    const auto answer = client.call("GET", "/api/x");
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error(), AllOf(HasSubstr(c.where), HasSubstr(c.words), testing::Not(HasSubstr("\n"))));
    const auto followed = client.follow([](const std::string&) { return true; });
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error(), answer.error());
  }
}

TEST(DaemonClient, SaysWhichGroupIsMissing) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  RunningServer server(settings);
  ::chmod(settings.socket.c_str(), 0);
  const Unprivileged unprivileged;
  const auto answer = DaemonClient(settings.socket).call("GET", "/api/x");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr("sudo adduser $USER merel"));
}

TEST(DaemonClient, AsksNothingThatIsNoRequest) {
  RunningServer server;
  const DaemonClient client(http(server.port));
  for (const std::string target : {"", "api", "/a b", "/a\r\nX: y", "/\xc3\xa9"}) {
    EXPECT_FALSE(client.call("GET", target)) << target;
  }
  EXPECT_FALSE(client.call("GET /", "/"));
  EXPECT_EQ(server.statistics().requests + server.statistics().refused, 0U);
}

TEST(DaemonClient, SaysThatTheDaemonWentAway) {
  RunningServer server;
  std::thread killer([&] {
    while (server.on_loop([&] { return server.application.late.empty(); })) std::this_thread::yield();
    server.stop();
  });
  const auto answer = DaemonClient(http(server.port)).call("GET", "/api/late");
  killer.join();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), AllOf(HasSubstr("the connection to mereld"), HasSubstr("was lost")));
}

TEST(DaemonClient, FollowsUntilItHasEnough) {
  Folder folder;
  ServerSettings settings;
  settings.socket = folder.file("socket");
  RunningServer server(settings);
  for (const std::string& where : {settings.socket, http(server.port)}) {
    std::vector<std::string> heard;
    const auto followed = DaemonClient(where).follow([&](const std::string& message) {
      heard.push_back(message);
      if (heard.size() == 1) {
        EXPECT_TRUE(server.reaches([](const auto& now) { return now.streams == 1; }));
        server.publish("one");
        server.publish(std::string(100'000, 'x'));
      }
      return heard.size() < 3;
    });
    EXPECT_TRUE(followed) << followed.error();
    EXPECT_THAT(heard, ElementsAre("state", "one", std::string(100'000, 'x')));
    EXPECT_TRUE(server.reaches([](const auto& now) { return now.connections == 0; }));
  }
}

TEST(DaemonClient, SaysWhyTheStreamEnded) {
  {
    RunningServer server;
    const auto followed = DaemonClient(http(server.port)).follow([&](const std::string&) {
      server.stop();
      return true;
    });
    ASSERT_FALSE(followed);
    EXPECT_THAT(followed.error(), HasSubstr("was lost"));
  }
  {
    RunningServer server;
    server.on_loop([&] { server.application.tell_state = []() -> std::string { throw std::runtime_error("no state"); }; });
    const auto followed = DaemonClient(http(server.port)).follow([](const std::string&) { return true; });
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error(), "mereld has ended the event stream: the daemon could not tell its state");
  }
  {
    ServerSettings settings;
    settings.connections = 0;
    RunningServer server(settings);
    const auto followed = DaemonClient(http(server.port)).follow([](const std::string&) { return true; });
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error(), "mereld refuses its event stream: too many are connected: try again in a moment");
  }
}

}  // namespace
}  // namespace merel
