// Whole games through mereld and the firmware's core: levels, classes, link, serial port, tracker, record.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/pico/pico_table.h"

namespace merel {
namespace {

// The shortest game of each kind from tidy hands.
const auto kGames = ::testing::Values("pinuid-classic-l1-col-101-002", "pinuid-quatro3-l1-col-101-002",
                                      "pylos-children-l1-col-101-000", "morris-l1-col-101-002");

std::string test_name(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// mereld calibrates that board of ordinary parts and keeps a game on it, with the cable pulled twenty times.
void expect_exact(LinkedBoard& board, const Folder& folder, const std::string& name) {
  PicoTable table(board, folder);
  table.wait_joined();
  const Json calibrated = table.calibrate({MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere});
  ASSERT_EQ(calibrated.at("good"), true) << calibrated.dump(1);
  const KeptGame truth = truth_about(name);
  const KeptGame kept = table.play(trace_named(name), 20);
  EXPECT_EQ(kept.steps, truth.steps);
  EXPECT_EQ(kept.result, truth.result);
  EXPECT_EQ(kept.illegal, truth.illegal);
  if (::testing::Test::HasFailure()) std::cout << table.log();
}

class PicoGames : public ::testing::TestWithParam<const char*> {};
TEST_P(PicoGames, AreKeptAsTheyWerePlayedThroughTwentyUnplugs) {
  const Folder folder;
  CoreBoard board(folder.file(""), PartSpread{}, 7);
  expect_exact(board, folder, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Traces, PicoGames, kGames, test_name);

/// Quatro for four, with weak magnets. It takes eight minutes, too long for every day: `check pico_tests FourPlayers`.
class FourPlayers : public ::testing::TestWithParam<const char*> {};
TEST_P(FourPlayers, AreKeptAsTheyPlayedThroughTwentyUnplugs) {
  const Folder folder;
  CoreBoard board(folder.file(""), PartSpread{}, 7);
  expect_exact(board, folder, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Traces, FourPlayers, ::testing::Values("pinuid-quatro-l4-col-104-001"), test_name);

/// The short games again, with the firmware that an owner flashes. `check` runs them all at once.
class EmulatedGames : public ::testing::TestWithParam<const char*> {};
TEST_P(EmulatedGames, AreKeptAsTheyWerePlayedThroughTwentyUnplugs) {
  const Folder folder;
  EmulatedBoard board(folder.file(""), PartSpread{}, 7);
  if (!board.missing().empty()) GTEST_SKIP() << board.missing();
  expect_exact(board, folder, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Traces, EmulatedGames, kGames, test_name);

}  // namespace
}  // namespace merel
