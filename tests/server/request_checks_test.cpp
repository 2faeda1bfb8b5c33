#include "daemon/server/request_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merel {
namespace {

TEST(Target, IsDecoded) {
  const struct {
    std::string text;
    std::string path;
    std::map<std::string, std::string> query;
  } cases[] = {
      {"/", "/", {}},
      {"/api/games", "/api/games", {}},
      {"/api/games?", "/api/games", {}},
      {"/a%20b", "/a b", {}},
      {"/a+b?c+d=e+f", "/a+b", {{"c d", "e f"}}},
      {"/%2e%2E/x", "/../x", {}},
      {"/x?a=1&b=2&&c", "/x", {{"a", "1"}, {"b", "2"}, {"c", ""}}},
      {"/x?a=b=c", "/x", {{"a", "b=c"}}},
      {"/x?q=%3D%26?", "/x", {{"q", "=&?"}}},
      {"/%C3%A9%E2%82%AC%F0%9F%98%80", "/é€😀", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto target = read_target(c.text);
    ASSERT_TRUE(target) << target.error();
    EXPECT_EQ(target->path, c.path);
    EXPECT_EQ(target->query, c.query);
  }
}

TEST(Target, IsRefusedWhenMalformed) {
  for (const std::string text : {"",
                                 "api",
                                 "*",
                                 "http://localhost/",
                                 "localhost:80",
                                 "/%",
                                 "/%2",
                                 "/%zz",
                                 "/%+1",
                                 "/a%00b",
                                 "/%0a",
                                 "/%7f",
                                 "/a#b",
                                 "/x?a=%",
                                 "/x?%=a",
                                 "/x?a=1&a=2",
                                 "/\x80",
                                 "/%80",
                                 "/%C0%80",
                                 "/%ED%A0%80",
                                 "/%F4%90%80%80",
                                 "/%E2%82",
                                 "/x?a=%FF",
                                 "/\x01"}) {
    SCOPED_TRACE(text);
    const auto target = read_target(text);
    ASSERT_FALSE(target);
    EXPECT_THAT(target.error(), testing::Not(testing::IsEmpty()));
  }
}

TEST(HostField, IsANameOrAnAddressWithAnOptionalPort) {
  const struct {
    std::string field;
    std::optional<std::string> name;
  } cases[] = {
      {"localhost", "localhost"},
      {"LocalHost:80", "localhost"},
      {"127.0.0.1:7357", "127.0.0.1"},
      {"[::1]", "::1"},
      {"[::1]:7357", "::1"},
      {"a-b_c.example", "a-b_c.example"},
      {"localhost:", "localhost"},
      {"", {}},
      {":80", {}},
      {"a b", {}},
      {"a/b", {}},
      {"user@host", {}},
      {"host:80a", {}},
      {"host:1234567", {}},
      {"::1", {}},
      {"[::1", {}},
      {"[::1]x", {}},
      {"[localhost]", {}},
      {"[127.0.0.1]", {}},
  };
  for (const auto& c : cases) EXPECT_EQ(host_name(c.field), c.name) << c.field;
}

TEST(NumericAddress, HasOneForm) {
  EXPECT_EQ(numeric_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(numeric_address("0:0:0:0:0:0:0:1"), "::1");
  EXPECT_EQ(numeric_address("FD00::000A"), "fd00::a");
  for (const std::string text : {"", "localhost", "127.1", "1.2.3.4.5", "[::1]", "::1::"})
    EXPECT_EQ(numeric_address(text), "") << text;
  EXPECT_EQ(numeric_address(std::string("127.0.0.1\0.example", 18)), "");
}

TEST(Secret, IsTheSameOnlyWhenEveryByteIs) {
  EXPECT_TRUE(same_secret("0123", "0123"));
  EXPECT_TRUE(same_secret("", ""));
  for (const std::string other : {"", "0", "012", "0124", "1123", "01230", "01230123"}) {
    EXPECT_FALSE(same_secret(other, "0123")) << other;
    EXPECT_FALSE(same_secret("0123", other)) << other;
  }
}

using Text = std::optional<std::string_view>;

const Entrance kUnix{true, false, {}};
const Entrance kLoopback{false, true, "127.0.0.1"};
const Entrance kNetwork{false, false, "192.0.2.7"};
constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

ServerSettings settings() {
  ServerSettings result;
  result.listen = {{"127.0.0.1", 7357}, {"::1", 7357}, {"127.0.0.5", 7357}, {"fd00::7", 7357}};
  result.origins = {"https://board.example", "http://tablet:80"};
  result.token = kToken;
  return result;
}

/// 0: let through.
unsigned status(const RequestHead& head, const std::string& target, const Entrance& entrance) {
  const auto reason = refusal(head, *read_target(target), entrance, settings());
  EXPECT_TRUE(!reason || !reason->sentence.empty());
  return reason ? reason->status : 0;
}

TEST(Access, DependsOnTheMethod) {
  for (const std::string_view method : {"GET", "HEAD", "POST", "DELETE"}) {
    EXPECT_EQ(status({.method = method, .host = "localhost"}, "/", kLoopback), 0U) << method;
  }
  for (const std::string_view method : {"PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", ""}) {
    EXPECT_EQ(status({.method = method, .host = "localhost"}, "/", kLoopback), 405U) << method;
  }
}

TEST(Access, DependsOnTheHost) {
  const struct {
    Text host;
    unsigned loopback;
    unsigned unix_socket;
  } cases[] = {
      {"localhost", 0, 0},
      {"LOCALHOST:7357", 0, 0},
      {"127.0.0.1:7357", 0, 0},
      {"127.0.0.1:9999", 0, 0},  // a forwarded port
      {"[::1]:7357", 0, 0},
      {"[0:0:0:0:0:0:0:1]", 0, 0},
      {"127.0.0.5", 0, 0},
      {"[fd00:0::7]", 0, 0},
      {"127.0.0.6", 403, 0},
      {"192.0.2.7", 403, 0},
      {"localhost.", 403, 0},
      {"localhost.evil.example", 403, 0},
      {"evil.example:7357", 403, 0},
      {"evil.example:x", 400, 400},
      {"", 400, 400},
      {{}, 400, 400},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.host.value_or("none"));
    EXPECT_EQ(status({.method = "GET", .host = c.host}, "/", kLoopback), c.loopback);
    EXPECT_EQ(status({.method = "GET", .host = c.host}, "/", kUnix), c.unix_socket);
  }
  EXPECT_EQ(status({.method = "GET", .http_1_0 = true}, "/", kLoopback), 0U);
  EXPECT_EQ(status({.method = "GET", .http_1_0 = true, .host = "evil.example"}, "/", kLoopback), 403U);
  EXPECT_EQ(status({.method = "GET", .host = "localhost", .doubled = true}, "/", kLoopback), 400U);
}

TEST(Access, DependsOnTheOrigin) {
  const struct {
    Text host;
    Text origin;
    unsigned status;
  } cases[] = {
      {"localhost:7357", {}, 0},
      {"localhost:7357", "http://localhost:7357", 0},
      {"localhost:7357", "HTTP://LocalHost:7357", 0},
      {"localhost", "http://localhost:80", 0},
      {"localhost:80", "http://localhost", 0},
      {"localhost:7357", "https://board.example", 0},
      {"localhost:7357", "http://tablet", 0},
      {"localhost:7357", "http://localhost", 403},
      {"localhost:7357", "http://localhost:7358", 403},
      {"localhost:7357", "https://localhost:7357", 403},
      {"localhost:7357", "http://127.0.0.1:7357", 403},
      {"localhost:7357", "http://localhost:7357.evil.example", 403},
      {"localhost:7357", "https://board.example.evil.example", 403},
      {"localhost:7357", "http://board.example", 403},
      {"localhost:7357", "null", 403},
      {"localhost:7357", "", 403},
  };
  for (const std::string_view method : {"GET", "POST", "DELETE"}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(std::string(method) + ' ' + std::string(c.origin.value_or("none")));
      EXPECT_EQ(status({.method = method, .host = c.host, .origin = c.origin}, "/api/events", kLoopback), c.status);
      EXPECT_EQ(status({.method = method, .host = c.host, .origin = c.origin}, "/api/events", kUnix), c.status);
    }
  }
  EXPECT_EQ(status({.method = "GET", .http_1_0 = true, .origin = "http://localhost"}, "/", kLoopback), 403U);
}

TEST(Access, NeedsTheTokenBeyondThisMachine) {
  const std::string token(kToken);
  const std::string bearer = "Bearer " + token;
  const std::string lower_case = "bearer  " + token;
  const std::string longer = bearer + '0';
  const std::string basic = "Basic " + token;
  const struct {
    std::string target;
    Text authorization;
    unsigned status;
  } cases[] = {
      {"/api/state", {}, 401},
      {"/", {}, 401},
      {"/metrics", {}, 401},
      {"/api/state", bearer, 0},
      {"/api/state", lower_case, 0},
      {"/api/state", longer, 401},
      {"/api/state", basic, 401},
      {"/api/state", "Bearer", 401},
      {"/api/state", "Bearer ", 401},
      {"/api/state", token, 401},
      {"/api/state?token=" + token, {}, 401},
      {"/api/events?token=" + token, {}, 0},
      {"/api/events?token=" + token + "0", {}, 401},
      {"/api/events?token=", {}, 401},
      {"/api/events", {}, 401},
      {"/api/events?token=" + token, "Bearer x", 401},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.target + ' ' + std::string(c.authorization.value_or("none")));
    const RequestHead head{.method = "GET", .host = "board.local", .authorization = c.authorization};
    EXPECT_EQ(status(head, c.target, kNetwork), c.status);
    RequestHead local = head;
    local.host = "localhost";
    EXPECT_EQ(status(local, c.target, kLoopback), 0U);
    EXPECT_EQ(status(local, c.target, kUnix), 0U);
  }
  ServerSettings none = settings();
  none.token.clear();
  const auto reason = refusal({.method = "GET", .host = "board", .authorization = "Bearer "}, {"/", {}}, kNetwork, none);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->status, 401U);
}

TEST(Access, TakesNoBodyThatAFormCanSend) {
  const struct {
    Text type;
    unsigned status;
  } cases[] = {
      {{}, 0},
      {"application/json", 0},
      {"Application/JSON; charset=utf-8", 0},
      {"text/plain ;charset=utf-8", 0},
      {"application/x-www-form-urlencoded", 415},
      {"multipart/form-data; boundary=x", 415},
      {"application/jsonx", 415},
      {"text/html", 415},
      {"", 415},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(status({.method = "POST", .host = "localhost", .content_type = c.type}, "/api/game", kLoopback), c.status)
        << c.type.value_or("none");
    EXPECT_EQ(status({.method = "GET", .host = "localhost", .content_type = c.type}, "/api/game", kLoopback), 0U);
  }
}

}  // namespace
}  // namespace merel
