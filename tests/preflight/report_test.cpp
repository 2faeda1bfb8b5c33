// How findings are told: by `mereld --check`, by the API and by `merel selftest`.
#include "daemon/live/preflight_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>

#include "daemon/config/config.h"
#include "tests/folder.h"
#include "tests/live/daemon_process.h"
#include "tests/places.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// Two sensors and a button on a chip that no machine has, the other sensor of the board on another such; turned by half.
const std::string kProfile =
    "lattice = 3\n"
    "turned = 180\n"
    "buttons = 1\n"
    "[sensors]\n"
    "driver = 'gpio'\n"
    "channels = [ [-1, -1, 2], [-1, -1, -1], [0, 1, -1] ]\n"
    "[sensors.gpio]\n"
    "lines = [ { chip = 'no-such-chip', lines = '4-5', first = 0 }, { chip = 'no-other-chip', lines = ['X'], first = 2 } ]\n"
    "[button_lines]\n"
    "chip = 'no-such-chip'\n"
    "lines = [7]\n"
    "[lights]\n"
    "driver = 'none'\n";

BoardProfile board() {
  const auto read = read_profile_text(kProfile, "wired.toml");
  EXPECT_TRUE(read.ok());
  return read ? *read : BoardProfile{};
}

TEST(PreflightReport, NamesTheCellsAsThePlayersCallThem) {
  EXPECT_EQ(finding_text(board(), {"Something is wrong: mend it", false, {0, 1}}), "Something is wrong: mend it (b3, c3)");
  EXPECT_EQ(finding_text(board(), {"Too little voltage", true, {}}), "warning: Too little voltage");
  EXPECT_EQ(finding_text(board(), {"A channel that no cell has", false, {17}}), "A channel that no cell has");
  const Json told = findings_json(board(), {{"First", false, {0, 1, 17}}, {"Second", true, {}}});
  EXPECT_EQ(told, Json::parse(R"({"findings": [{"what": "First", "warning": false, "cells": ["b3", "c3"], "where": "b3, c3"},
                                               {"what": "Second", "warning": true, "cells": [], "where": ""}]})"));
}

TEST(PreflightReport, VirtualBoardHasNothingInItsWay) {
  const auto read = read_profile(std::string(MEREL_SOURCE) + "/boards/virtual7.toml");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(findings_of(*read), IsEmpty());
  EXPECT_EQ(findings_json(*read, {}), Json::parse(R"({"findings": []})"));
}

class Programs : public testing::Test {
 protected:
  struct Ran {
    int exit_code;
    std::string out;  ///< both outputs
  };
  Programs() {
    write("wired.toml", kProfile);
    write("merel.toml", "board = \"" + folder_.file("wired.toml") + "\"\n[server]\nlisten = []\n");
  }
  void write(const std::string& name, const std::string& content) const { std::ofstream(folder_.file(name)) << content; }
  Ran run(const std::string& command) const {
    const std::string out = folder_.file("out");
    const int status = std::system((command + " >" + out + " 2>&1").c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    std::ifstream in(out);
    return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(in), {}}};
  }
  Ran check(const std::string& option) const {
    return run(std::string(MEREL_DAEMON) + " " + option + " --share " MEREL_SOURCE " --home " + folder_.file("home") +
               " --config " + folder_.file("merel.toml"));
  }

  Folder folder_;
};

TEST_F(Programs, CheckTellsWhatIsWrongWithTheWiresOneLineEach) {
  const Ran wires = check("--check");
  EXPECT_EQ(wires.exit_code, 1) << wires.out;
  EXPECT_THAT(wires.out, AllOf(StartsWith("board wired: For the sensors and button 1: "), HasSubstr("'no-such-chip'"),
                               HasSubstr(" (b3, c3)\nboard wired: "), HasSubstr("'no-other-chip'"), HasSubstr(" (a1)\n"),
                               Not(HasSubstr("no problem found"))));
}

TEST_F(Programs, CheckOfTheFilesLeavesTheWiresAlone) {
  const Ran files = check("--check-config");
  EXPECT_EQ(files.exit_code, 0);
  EXPECT_EQ(files.out, "configuration and board wired: no problem found\n");
  write("wired.toml", kProfile + "driver = 'spi'\n");
  const Ran broken = check("--check-config");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.out, HasSubstr("wired.toml:"));
}

TEST_F(Programs, CheckOfABoardOnALinkTellsThatItIsNotThere) {
  write("merel.toml", "board = \"lattice7-pico\"\n");
  const Ran ran = check("--check");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out,
              StartsWith("board lattice7-pico: The board's port /dev/merel-board does not exist: plug the board in"));
}

TEST_F(Programs, CheckOfAVirtualBoardFindsNothing) {
  write("merel.toml", "board = \"virtual7\"\n");
  const Ran ran = check("--check");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "configuration and board virtual7: no problem found\n");
}

TEST_F(Programs, DaemonTellsItsFindingsAndSelftestShowsThemAboveTheBoard) {
  const std::string home = folder_.file("home");
  std::filesystem::create_directories(home);
  const DaemonProcess daemon(MEREL_DAEMON, MEREL_SOURCE, home, folder_.file("merel.toml"));
  const auto answer = daemon.client().call("GET", "/api/preflight");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200U);
  const Json told = Json::parse(answer->body, nullptr, false);
  ASSERT_TRUE(told.is_object() && told["findings"].is_array() && told["findings"].size() >= 2) << answer->body;
  EXPECT_EQ(told["findings"][0]["cells"], Json::parse(R"(["b3", "c3"])"));
  EXPECT_EQ(told["findings"][1]["cells"], Json::parse(R"(["a1"])"));
  EXPECT_EQ(told["findings"][1]["warning"], false);

  const std::string tool = "MEREL_SOCKET=" + home + "/merel.sock " MEREL_TOOL " selftest --once";
  const Ran shown = run(tool);
  EXPECT_EQ(shown.exit_code, 1);
  const std::size_t wires = shown.out.find("Wires: For the sensors and button 1: ");
  EXPECT_NE(wires, std::string::npos) << shown.out;
  EXPECT_LT(wires, shown.out.find("sensors seen"));
  EXPECT_THAT(shown.out, HasSubstr(" (a1)\n"));
  const Json all = Json::parse(run(tool + " --json").out, nullptr, false);
  EXPECT_TRUE(all.is_object() && all.contains("sensors") && all["findings"] == told["findings"]);
}

}  // namespace
}  // namespace merel
