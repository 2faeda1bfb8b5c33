// The built daemon as a process: signals, the check of its configuration, and the power cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/folder.h"
#include "tests/live/power_cut.h"
#include "tests/places.h"

namespace merel {
namespace {

using testing::HasSubstr;

std::string read_all(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Process : public testing::Test {
 protected:
  Process() { configure(""); }
  void configure(const std::string& more) const {
    std::ofstream(folder_.file("merel.toml")) << "board = \"virtual7-colour\"\n" << more << "[server]\nlisten = []\n";
  }
  [[nodiscard]] std::string home() const {
    std::filesystem::create_directories(folder_.file("home"));
    return folder_.file("home");
  }
  Json state(const DaemonProcess& daemon) {
    const auto answer = daemon.client().call("GET", "/api/state");
    return answer ? Json::parse(answer->body) : Json();
  }
  const Folder folder_;
};

TEST_F(Process, SigtermEndsItCleanlyAndTheGameGoesOnAfterwards) {
  {
    DaemonProcess daemon(MEREL_DAEMON, MEREL_SOURCE, home(), folder_.file("merel.toml"));
    ASSERT_TRUE(daemon.client().call("POST", "/api/game", R"({"game":"morris"})"));
    const int status = daemon.end(SIGTERM);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_FALSE(std::filesystem::exists(home() + "/merel.sock"));
  }
  const DaemonProcess daemon(MEREL_DAEMON, MEREL_SOURCE, home(), folder_.file("merel.toml"));
  EXPECT_EQ(state(daemon)["game"]["game"], "morris");
}

TEST_F(Process, SighupReadsTheConfigurationAnewAndKeepsTheGame) {
  const DaemonProcess daemon(MEREL_DAEMON, MEREL_SOURCE, home(), folder_.file("merel.toml"));
  ASSERT_TRUE(daemon.client().call("POST", "/api/game", R"({"game":"morris"})"));
  const auto help_is = [&](bool on) {
    for (int tries = 0; tries < 2000; ++tries) {
      if (state(daemon)["help"] == on) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  };
  configure("[play]\nhelp = false\n");
  kill(daemon.process(), SIGHUP);
  EXPECT_TRUE(help_is(false));
  EXPECT_EQ(state(daemon)["phase"], "play");
  configure("[play]\nhepl = true\n");
  kill(daemon.process(), SIGHUP);
  for (int tries = 0; tries < 2000 && read_all(home() + "/log").find("stays in force") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(read_all(home() + "/log"), HasSubstr("merel.toml:3: "));
  EXPECT_EQ(state(daemon)["help"], false);
}

TEST_F(Process, CheckTellsEverythingThatIsWrongAndStartsNothing) {
  configure("[play]\nhepl = true\nsettle_ms = -5\n");
  const std::string out = folder_.file("out");
  const std::string command = std::string(MEREL_DAEMON) + " --check --share " MEREL_SOURCE " --home " + home() +
                              " --config " + folder_.file("merel.toml") + " >" + out + " 2>&1";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(read_all(out), HasSubstr("merel.toml:3: "));
  EXPECT_THAT(read_all(out), HasSubstr("merel.toml:4: "));
  EXPECT_FALSE(std::filesystem::exists(home() + "/games.sqlite"));
}

TEST_F(Process, SecondDaemonOnTheSameBoardIsRefused) {
  const DaemonProcess daemon(MEREL_DAEMON, MEREL_SOURCE, home(), folder_.file("merel.toml"));
  const std::string out = folder_.file("out");
  const std::string command = std::string(MEREL_DAEMON) + " --share " MEREL_SOURCE " --home " + home() + " --config " +
                              folder_.file("merel.toml") + " >" + out + " 2>&1";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(read_all(out), HasSubstr("already"));
}

// 30. The power is cut at random moments: nothing that was announced is lost, and the next legal move is accepted.
TEST_F(Process, PowerCutAtRandomMomentsLosesNothing) {
  for (const char* game : {"pinuid-classic", "pinuid-quatro", "pylos-standard", "morris"}) {
    std::filesystem::create_directories(folder_.file(game));
    PowerCut house(MEREL_DAEMON, MEREL_SOURCE, folder_.file(game), 3);
    for (int cut = 0; cut < 3; ++cut) {
      const auto lived = house.live(*find_game(game));
      ASSERT_TRUE(lived) << game << ": " << lived.error();
    }
  }
}

}  // namespace
}  // namespace merel
