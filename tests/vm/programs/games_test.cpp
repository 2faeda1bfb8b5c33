// Whole games of every kind, at their own pace and with the daemon's own delays, through lines of a real kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/vm/programs/table.h"

namespace merel {
namespace {

/// One game of each kind from tidy hands, and one from hands that straighten, slide and fumble.
constexpr const char* kGames[] = {
    "pinuid-classic-l1-occ-101-002",
    "pinuid-classic-l2-occ-102-002",
    "pinuid-quatro-l1-occ-101-002",
    "pinuid-quatro-l2-occ-102-002",
    "pinuid-quatro3-l1-occ-101-002",
    "pinuid-quatro3-l2-occ-102-000",
    "pylos-children-l1-occ-notray-191-002",
    "pylos-children-l2-occ-notray-192-001",
    "pylos-standard-l1-occ-notray-191-001",
    "pylos-standard-l2-occ-notray-192-002",
    "pylos-expert-l1-occ-notray-191-002",
    "pylos-expert-l2-occ-notray-192-001",
    "morris-l1-occ-101-002",
    "morris-l2-occ-102-000",
};

/// One daemon for all of them, game after game.
template <typename Wires>
class Games : public ::testing::TestWithParam<const char*> {
 protected:
  static void begin(const Board& board) {
    header = new Header;
    wires = new Wires;
    lights = new SpiStub;
    table = new Table(board);
  }
  static void TearDownTestSuite() {
    delete table;
    delete lights;
    delete wires;
    delete header;
  }
  static void expect_exact(const std::string& name) {
    const PlayedGame truth = truth_of(name);
    const PlayedGame played = play(*table, *wires, *header, trace_of(name));
    EXPECT_EQ(played.steps, truth.steps);
    EXPECT_EQ(played.result, truth.result);
    EXPECT_EQ(played.illegal, truth.illegal);
    if (HasFailure()) std::cout << table->log();
  }

  static inline Header* header = nullptr;
  static inline Wires* wires = nullptr;
  static inline SpiStub* lights = nullptr;
  static inline Table* table = nullptr;
};

std::string test_name(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EdgeGames : public Games<SwitchLines> {
 protected:
  static void SetUpTestSuite() { begin({"lattice7-expander", {}}); }
};
TEST_P(EdgeGames, AreKeptAsTheyWerePlayed) { expect_exact(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Traces, EdgeGames, ::testing::ValuesIn(kGames), test_name);

class MuxGames : public Games<Multiplexers> {
 protected:
  static void SetUpTestSuite() { begin({"lattice7-mux", {}}); }
};
TEST_P(MuxGames, AreKeptAsTheyWerePlayed) {
  expect_exact(GetParam());
  EXPECT_EQ(wires->early(), 0U);
}
INSTANTIATE_TEST_SUITE_P(Traces, MuxGames, ::testing::ValuesIn(kGames), test_name);

/// Without an interrupt line the expanders are read a hundred times a second.
class PolledGames : public Games<Expanders> {
 protected:
  static void SetUpTestSuite() { begin(polled_expanders()); }
};
TEST_P(PolledGames, AreKeptAsTheyWerePlayed) { expect_exact(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Traces, PolledGames, ::testing::ValuesIn(kGames), test_name);

}  // namespace
}  // namespace merel
