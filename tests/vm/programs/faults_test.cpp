// What goes away, is taken, or fails: named with its place, the rest goes on, and it comes back by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <thread>

#include "tests/vm/programs/other_program.h"
#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool well(const Json& state) { return state.at("board").at("well"); }
bool ill(const Json& state) { return !well(state); }

class Faults : public ::testing::Test {
 protected:
  /// What the board's health says, once it says something and has had time to find out.
  std::string trouble(const Table& table) {
    table.wait_for("/api/state", ill);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return table.get("/api/state").at("board").at("what");
  }
  bool heals(const Table& table) { return well(table.wait_for("/api/state", well)); }
  /// Channels that /api/sensors calls lost.
  static std::vector<int> lost(const Table& table) {
    std::vector<int> out;
    const Json answer = table.get("/api/sensors");
    for (const Json& sensor : answer.at("sensors")) {
      if (sensor.at("lost")) out.push_back(sensor.at("channel"));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  Header header_;
  SpiStub lights_;
};

std::vector<int> range(int first, int last) {
  std::vector<int> out;
  for (int i = first; i <= last; ++i) out.push_back(i);
  return out;
}

TEST_F(Faults, AChipThatIsPulledOutInTheMiddleOfAGameIsNamedAndTheGameEndsExact) {
  SwitchLines wires;
  Table table{{"lattice7-expander", {}}};
  constexpr std::uint16_t kElsewhere = 0;  // a1, which is on another chip
  const std::string name = "morris-l1-occ-101-002";
  const auto accident = [&] {
    wires.chip(1).unplug();
    EXPECT_THAT(trouble(table), AllOf(HasSubstr("bus 1"), HasSubstr("0x21")));
    EXPECT_EQ(lost(table), range(16, 31));
    // The others go on.
    const bool there = table.occupied()[kElsewhere];
    wires.magnet(kElsewhere, !there);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(table.occupied()[kElsewhere], !there);
    wires.magnet(kElsewhere, there);
    std::this_thread::sleep_for(std::chrono::seconds(5));
    wires.chip(1).plug_in();
    EXPECT_TRUE(heals(table));
    EXPECT_EQ(lost(table), std::vector<int>());
    std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  const PlayedGame truth = truth_of(name);
  const PlayedGame played =
      play(table, wires, header_, trace_of(name), {{std::chrono::seconds(40), HandAct::Word(accident)}});
  EXPECT_EQ(played.steps, truth.steps);
  EXPECT_EQ(played.result, truth.result);
  EXPECT_EQ(played.illegal, truth.illegal);
  EXPECT_THAT(table.log(), HasSubstr("0x21"));
  if (HasFailure()) std::cout << table.log();
}

TEST_F(Faults, AnExpanderOnTheBusIsMissedAndTakenBack) {
  Expanders wires;
  Table table{polled_expanders()};
  wires.remove(2);
  EXPECT_THAT(trouble(table), AllOf(HasSubstr("bus 0"), HasSubstr("0x22")));
  EXPECT_EQ(lost(table), range(32, 47));
  wires.magnet(0, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_TRUE(table.occupied()[0]);
  wires.magnet(40, true);
  wires.add(2);
  EXPECT_TRUE(heals(table));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_TRUE(table.occupied()[40]);
  if (HasFailure()) std::cout << table.log();
}

TEST_F(Faults, ExpandersThatCannotTellEdgesAreNamedWithWhatToDo) {
  const Expanders wires;
  const Table table{{"lattice7-expander", {{"\"1-00", "\"0-00"}}}};
  EXPECT_THAT(trouble(table), AllOf(HasSubstr("0x20"), HasSubstr("cannot tell edges"), HasSubstr("gpiopin=")));
}

TEST_F(Faults, ADaemonWithoutOneOfItsChipsStartsAndWaitsForIt) {
  SwitchLines wires;
  wires.chip(3).unplug();
  const Table table{{"lattice7-expander", {}}};
  EXPECT_THAT(trouble(table), HasSubstr("0x23"));
  EXPECT_EQ(lost(table), range(48, 48));
  wires.chip(3).plug_in();
  EXPECT_TRUE(heals(table));
}

TEST_F(Faults, ALineHeldByAnotherProgramIsNamedWithItAndTakenWhenItIsFree) {
  SwitchLines wires;
  std::optional<OtherProgram> other;
  other.emplace("1-0020", 3, "weather-station");
  EXPECT_THAT(check({"lattice7-expander", {}}).text, HasSubstr("'weather-station'"));
  const Table table{{"lattice7-expander", {}}};
  EXPECT_THAT(trouble(table), HasSubstr("'weather-station'"));
  EXPECT_EQ(lost(table), range(3, 3));
  wires.magnet(4, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(table.occupied()[4]);
  wires.magnet(3, true);
  other.reset();
  EXPECT_TRUE(heals(table));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(table.occupied()[3]);
  if (HasFailure()) std::cout << table.log();
}

TEST_F(Faults, LightsThatFailAreToldOfAndLitWhenTheyAnswer) {
  SwitchLines wires;
  Table table{{"lattice7-expander", {}}};
  table.post("/api/game", {{"game", "pinuid-classic"}});  // the lights lead the pieces to their start
  std::this_thread::sleep_for(std::chrono::seconds(1));
  lights_.fail(200);
  table.post("/api/help", {{"on", false}});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_THAT(table.log(), AllOf(HasSubstr("/dev/spidev0.0"), HasSubstr("fails")));
  lights_.fail(0);
  const std::uint64_t before = lights_.messages();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_GT(lights_.messages(), before);
  if (HasFailure()) std::cout << table.log();
}

TEST_F(Faults, AShortWriteToTheLightsIsSentOn) {
  SwitchLines wires;
  Table table{{"lattice7-expander", {}}};
  std::this_thread::sleep_for(std::chrono::seconds(1));
  lights_.shorten(2);
  table.post("/api/game", {{"game", "pinuid-classic"}});
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const std::size_t whole = lights_.last().size();
  EXPECT_EQ(whole, 4U + 4U * 49U + 8U);
}

// ---- mereld --check --------------------------------------------------------------------------------------------------------------

TEST_F(Faults, TheCheckFindsNothingWhereAllIsThere) {
  SwitchLines wires;
  const Output said = check({"lattice7-expander", {}});
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_THAT(said.text, HasSubstr("no problem found"));
}

TEST_F(Faults, TheCheckOfARunningBoardFindsNothing) {
  SwitchLines wires;
  const Table table{{"lattice7-expander", {}}};
  const Output said = check({"lattice7-expander", {}});
  EXPECT_EQ(said.status, 0) << said.text;
}

TEST_F(Faults, TheCheckNamesAMissingChipWithItsOverlay) {
  SwitchLines wires;
  wires.chip(2).unplug();
  const Output said = check({"lattice7-expander", {}});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.text,
              AllOf(HasSubstr("0x22"), HasSubstr("dtoverlay=mcp23017,addr=0x22,gpiopin=24"), Not(HasSubstr("0x21"))));
}

TEST_F(Faults, TheCheckNamesAMissingLine) {
  SwitchLines wires;
  const Output said = check({"lattice7-expander", {{"GPIO27", "GPIO99"}}});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.text, HasSubstr("GPIO99"));
}

TEST_F(Faults, TheCheckNamesAMissingSpiDevice) {
  SwitchLines wires;
  const Output said = check({"lattice7-expander", {{"spidev0.0", "spidev0.9"}}});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.text, AllOf(HasSubstr("/dev/spidev0.9"), HasSubstr("dtparam=spi=on")));
}

}  // namespace
}  // namespace merel
