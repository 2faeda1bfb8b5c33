// The multiplexers' scan: its order, its rate, its cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <optional>
#include <thread>

#include "tests/vm/programs/other_program.h"
#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
constexpr double kAddresses = 16;

class MuxInput : public ::testing::Test {
 protected:
  /// Scans a second, over so long.
  double rate(std::chrono::seconds time) {
    const std::uint64_t before = wires_.addresses();
    std::this_thread::sleep_for(time);
    return static_cast<double>(wires_.addresses() - before) / kAddresses / static_cast<double>(time.count());
  }
  /// Processor time of mereld in seconds.
  double used() {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(table_.daemon().process(), &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }
  void still_board() { std::this_thread::sleep_for(std::chrono::seconds(7)); }

  Header header_;
  Multiplexers wires_;
  SpiStub lights_;
  Table table_{{"lattice7-mux", {}}};
};

TEST_F(MuxInput, ReadsEveryChannel) {
  std::vector<bool> magnets(49, false);
  for (std::uint16_t channel = 0; channel < magnets.size(); channel += 5) {
    magnets[channel] = true;
    wires_.magnet(channel, true);
  }
  still_board();
  EXPECT_EQ(table_.occupied(), magnets);
}

TEST_F(MuxInput, OneAddressLineChangesAtATimeAndEachInputHasTimeToSettle) {
  still_board();
  EXPECT_GT(wires_.addresses(), 1000U);
  EXPECT_EQ(wires_.jumps(), 0U);
  EXPECT_EQ(wires_.early(), 0U);
}

TEST_F(MuxInput, ScansTwoHundredTimesASecondWhilePiecesMove) {
  wires_.magnet(0, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_NEAR(rate(std::chrono::seconds(3)), 200, 4);
}

TEST_F(MuxInput, ScansSlowlyAndCheaplyWhileTheBoardIsStill) {
  still_board();
  const double before = used();
  EXPECT_NEAR(rate(std::chrono::seconds(30)), 20, 1);
  const double share = (used() - before) / 30;
  std::printf("multiplexers at the slow rate: %.2f %% of one processor\n", share * 100);
  EXPECT_LT(share, 0.02);
  wires_.magnet(7, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_NEAR(rate(std::chrono::seconds(2)), 200, 6);
}

TEST_F(MuxInput, WhoseLineIsTakenIsNamedWithItAndTakenBack) {
  table_.daemon().end(SIGTERM);
  std::optional<OtherProgram> other;
  other.emplace("pinctrl-mux", 2, "fan-control");
  const Table table{{"lattice7-mux", {}}};
  const auto well = [](const Json& state) -> bool { return state.at("board").at("well"); };
  const Json ill = table.get("/api/state");
  EXPECT_FALSE(well(ill));
  EXPECT_THAT(ill.at("board").at("what").get<std::string>(), AllOf(HasSubstr("GPIO13"), HasSubstr("'fan-control'")));
  wires_.magnet(20, true);
  other.reset();
  EXPECT_TRUE(well(table.wait_for("/api/state", well)));
  EXPECT_TRUE(table.occupied()[20]);
}

TEST_F(MuxInput, TheFullRateIsMeasured) {
  wires_.magnet(0, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before = used();
  std::this_thread::sleep_for(std::chrono::seconds(4));
  std::printf("multiplexers at the full rate: %.2f %% of one processor\n", (used() - before) / 4 * 100);
  EXPECT_LT(used() - before, 4);
}

}  // namespace
}  // namespace merel
