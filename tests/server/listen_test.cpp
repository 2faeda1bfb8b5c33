// Where the server listens, what it says when it cannot, and the token file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "tests/server/running_server.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

mode_t mode(const std::string& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
}

ServerSettings at_socket(const std::string& path) {
  ServerSettings settings;
  settings.socket = path;
  return settings;
}

/// What a daemon leaves behind when it dies.
void leave_socket(const std::string& path) {
  const Descriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(name.sun_path), sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(dead.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
}

TEST(Listen, TheSocketIsForItsGroupAndGoesWithTheServer) {
  Folder folder;
  const std::string path = folder.file("socket");
  {
    RunningServer server(at_socket(path));
    ASSERT_EQ(server.problem, "");
    EXPECT_EQ(mode(path), 0660U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Listen, TheSocketOfADeadDaemonIsReplaced) {
  Folder folder;
  const std::string path = folder.file("socket");
  leave_socket(path);
  RunningServer server(at_socket(path));
  EXPECT_EQ(server.problem, "");
  EXPECT_EQ(RawClient(path).ask("GET /api/echo").status, 200U);
}

TEST(Listen, TheSocketOfALivingOneIsNot) {
  Folder folder;
  const std::string path = folder.file("socket");
  RunningServer first(at_socket(path));
  {
    RunningServer second(at_socket(path));
    EXPECT_THAT(second.problem, AllOf(HasSubstr(path), HasSubstr("already served by another mereld")));
  }
  EXPECT_EQ(RawClient(path).ask("GET /api/echo").status, 200U);
}

TEST(Listen, SaysWhatToDoAboutAPath) {
  Folder folder;
  folder.write("file", "x");
  const std::string long_path = folder.file(std::string(120, 'x'));
  const struct {
    std::string path;
    std::string words;
  } cases[] = {
      {long_path, "is too long: at most 107 bytes"},
      {folder.file("missing/socket"), "make the folder " + folder.file("missing/") + " first"},
      {folder.file("file"), "is in the way of the socket"},
      {folder.file("file/socket"), "cannot make the socket"},
  };
  for (const auto& c : cases) {
    RunningServer server(at_socket(c.path));
    EXPECT_THAT(server.problem, AllOf(HasSubstr(c.path), HasSubstr(c.words), testing::Not(HasSubstr("\n"))));
  }
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.file("file")));
}

TEST(Listen, SaysWhatToDoAboutPermissions) {
  Folder folder;
  ::chmod((folder.file("")).c_str(), 0755);
  std::filesystem::create_directory(folder.file("locked"));
  ::chmod((folder.file("locked")).c_str(), 0555);
  const Unprivileged unprivileged;
  RunningServer server(at_socket(folder.file("locked/socket")));
  EXPECT_THAT(server.problem, HasSubstr("give the user of mereld the right to write to the folder"));
}

TEST(Listen, SaysWhatToDoAboutAnAddress) {
  RunningServer first;
  const struct {
    ServerSettings::Address address;
    std::string words;
  } cases[] = {
      {{"127.0.0.1", first.port},
       "cannot listen on 127.0.0.1:" + std::to_string(first.port) + ": another program does already; `ss -ltnp"},
      {{"localhost", 0}, "cannot listen on localhost:0: give a numeric address"},
      {{"::g", 0}, "cannot listen on [::g]:0: give a numeric address"},
      {{"198.51.100.1", 0}, "this machine has no such address"},
  };
  Folder folder;
  for (const auto& c : cases) {
    ServerSettings settings = at_socket(folder.file("socket"));
    settings.token = std::string(32, 't');
    settings.listen = {{"127.0.0.1", 0}, c.address};
    RunningServer server(settings);
    EXPECT_THAT(server.problem, HasSubstr(c.words));
    EXPECT_FALSE(std::filesystem::exists(settings.socket)) << "a server that could not start listens nowhere";
  }
}

TEST(Listen, NeverBeyondThisMachineWithoutAToken) {
  for (const std::string host : {"0.0.0.0", "::", "192.0.2.2"}) {
    ServerSettings settings;
    settings.listen = {{host, 0}};
    RunningServer server(settings);
    EXPECT_THAT(server.problem, HasSubstr("without a token")) << host;
  }
}

TEST(Listen, OnSeveralAddresses) {
  ServerSettings settings;
  settings.listen = {{"127.0.0.1", 0}, {"127.0.0.2", 0}};
  RunningServer server(settings);
  ASSERT_EQ(server.problem, "");
  const auto ports = server.on_loop([&] { return server.server().ports(); });
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(RawClient(ports[0]).ask("GET /api/echo").status, 200U);
  EXPECT_EQ(RawClient(ports[1], 0, "127.0.0.2").ask("GET /api/echo").status, 200U);
}

TEST(TokenFile, IsMadeOnceForItsOwnerAlone) {
  Folder folder;
  const std::string file = folder.file("token");
  const auto made = read_or_make_token(file);
  ASSERT_TRUE(made) << made.error();
  EXPECT_THAT(made->text, MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(made->text.size(), 64U);
  EXPECT_EQ(mode(file), 0600U);
  const auto again = read_or_make_token(file);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->text, made->text);
  const auto other = read_or_make_token(folder.file("other"));
  ASSERT_TRUE(other);
  EXPECT_NE(other->text, made->text);
}

TEST(TokenFile, MayBeWrittenByHand) {
  Folder folder;
  for (const std::string ending : {"", "\n", "\r\n"}) {
    const std::string file = folder.write("token", std::string(32, 'T') + ending);
    ::chmod(file.c_str(), 0400);
    const auto token = read_or_make_token(file);
    ASSERT_TRUE(token) << token.error();
    EXPECT_EQ(token->text, std::string(32, 'T'));
    ::unlink(file.c_str());
  }
}

TEST(TokenFile, IsRefusedWhenItKeepsNoSecret) {
  Folder folder;
  const std::string good(40, 't');
  const struct {
    std::string content;
    mode_t mode;
    std::string words;
  } cases[] = {
      {good, 0640, "others can read"},
      {good, 0604, "others can read"},
      {good, 0620, "others can read"},
      {"", 0600, "holds no token"},
      {"\n", 0600, "holds no token"},
      {std::string(31, 't'), 0600, "holds no token"},
      {good + ' ' + good, 0600, "holds no token"},
      {good + "\nmore", 0600, "holds no token"},
      {std::string(5000, 't'), 0600, "holds no token"},
  };
  int number = 0;
  for (const auto& c : cases) {
    const std::string file = folder.write(std::to_string(++number), c.content);
    ::chmod(file.c_str(), c.mode);
    const auto token = read_or_make_token(file);
    ASSERT_FALSE(token) << c.content;
    EXPECT_THAT(token.error(), AllOf(HasSubstr(file), HasSubstr(c.words)));
  }
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {pipe, folder.file("missing/token")}) {
    const auto token = read_or_make_token(file);
    ASSERT_FALSE(token);
    EXPECT_THAT(token.error(), HasSubstr(file));
  }
}

}  // namespace
}  // namespace merel
