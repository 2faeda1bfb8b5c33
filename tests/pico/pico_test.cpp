// Whole games through mereld and the firmware's core: levels, classes, link, serial port, tracker, record.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/pico/pico_table.h"

namespace merel {
namespace {

/// A board of ordinary parts, and mereld on it, calibrated.
class PicoGames : public ::testing::TestWithParam<const char*> {};

TEST_P(PicoGames, AreKeptAsTheyWerePlayedThroughTwentyUnplugs) {
  Folder folder;
  CoreBoard board(folder.file(""), PartSpread{}, 7);
  PicoTable table(board, folder);
  table.wait_well();
  const Json calibrated = table.calibrate({MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere});
  ASSERT_EQ(calibrated.at("good"), true) << calibrated.dump(1);
  const KeptGame truth = truth_about(GetParam());
  const KeptGame kept = table.play(trace_named(GetParam()), 20);
  EXPECT_EQ(kept.steps, truth.steps);
  EXPECT_EQ(kept.result, truth.result);
  EXPECT_EQ(kept.illegal, truth.illegal);
  if (HasFailure()) std::cout << table.log();
}

// The shortest game of each kind from tidy hands.
INSTANTIATE_TEST_SUITE_P(Traces, PicoGames,
                         ::testing::Values("pinuid-classic-l1-col-101-002", "pinuid-quatro3-l1-col-101-002",
                                           "pylos-children-l1-col-101-000", "morris-l1-col-101-002"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace merel
