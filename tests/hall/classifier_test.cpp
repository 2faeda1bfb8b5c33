// The classifier that board and daemon share.
#include "drivers/hall/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/hall/trials.h"

namespace merel {

void PrintTo(PieceClass piece, std::ostream* out) {
  constexpr std::array<const char*, kPieceClasses> kNames{"none", "north", "south", "weak_north", "weak_south"};
  *out << kNames.at(static_cast<std::size_t>(piece));
}

namespace {

constexpr std::size_t kChannels = 49;
using Scan = std::array<std::uint16_t, kChannels>;
constexpr PieceThresholds kThresholds{100, 500, 20};
constexpr auto kNone = PieceClass::none;
constexpr auto kNorth = PieceClass::north;
constexpr auto kSouth = PieceClass::south;
constexpr auto kWeakNorth = PieceClass::weak_north;
constexpr auto kWeakSouth = PieceClass::weak_south;
constexpr std::uint64_t kAllEmpty = ~std::uint64_t{0};

Scan flat(int level = 2048) {
  Scan scan;
  scan.fill(static_cast<std::uint16_t>(level));
  return scan;
}
Scan with(std::size_t channel, int level) {
  Scan scan = flat();
  scan[channel] = static_cast<std::uint16_t>(level);
  return scan;
}
void scan_often(Classifier& classifier, const Scan& scan, int times, std::uint64_t empty) {
  for (int i = 0; i < times; ++i) classifier.scan(scan, empty);
}

TEST(Classifier, TellsFiveClassesFromBaselineAndThresholds) {
  struct Case {
    int deviation;
    PieceClass expected;
  };
  constexpr std::array kCases{Case{0, kNone},         Case{119, kNone},      Case{-119, kNone},      Case{120, kWeakNorth},
                              Case{-120, kWeakSouth}, Case{519, kWeakNorth}, Case{-519, kWeakSouth}, Case{520, kNorth},
                              Case{-520, kSouth},     Case{1900, kNorth},    Case{-1900, kSouth}};
  constexpr int kBaseline = 2100;
  for (const auto& [deviation, expected] : kCases) {
    Classifier classifier;
    classifier.calibrate(flat(kBaseline), kThresholds);
    classifier.scan(flat(kBaseline + deviation), 0);
    EXPECT_EQ(classifier.at(0), expected) << deviation;
    EXPECT_EQ(classifier.at(kChannels - 1), expected) << deviation;
    EXPECT_EQ(classifier.deviation(17), deviation);
  }
}

TEST(Classifier, KnowsOnlyStrongPiecesWithoutASecondThreshold) {
  Classifier classifier;
  classifier.calibrate(flat(), {100, 0, 20});
  classifier.scan(with(4, 2048 + 130), 0);
  EXPECT_EQ(classifier.at(4), kNorth);
  classifier.scan(with(4, 2048 - 130), 0);
  EXPECT_EQ(classifier.at(4), kSouth);
}

TEST(Classifier, LeavesAClassOnlyBeyondTheHysteresis) {
  struct Step {
    int deviation;
    PieceClass expected;
  };
  constexpr std::array kSteps{
      Step{119, kNone},      Step{120, kWeakNorth}, Step{81, kWeakNorth}, Step{80, kWeakNorth},   Step{79, kNone},
      Step{110, kNone},      Step{519, kWeakNorth}, Step{520, kNorth},    Step{480, kNorth},      Step{479, kWeakNorth},
      Step{519, kWeakNorth}, Step{600, kNorth},     Step{90, kWeakNorth}, Step{-119, kNone},      Step{-121, kWeakSouth},
      Step{-81, kWeakSouth}, Step{-520, kSouth},    Step{-481, kSouth},   Step{-479, kWeakSouth}, Step{481, kWeakNorth},
      Step{521, kNorth},     Step{-521, kSouth},    Step{119, kNone},     Step{81, kNone},
  };
  Classifier classifier;
  classifier.calibrate(flat(), kThresholds);
  int number = 0;
  for (const auto& [deviation, expected] : kSteps) {
    classifier.scan(with(9, 2048 + deviation), 0);
    EXPECT_EQ(classifier.at(9), expected) << "step " << number << ", " << deviation;
    EXPECT_EQ(classifier.at(8), kNone);
    ++number;
  }
}

TEST(Classifier, BearsLevelsAtTheRails) {
  Classifier classifier;
  classifier.neighbours(7, {static_cast<std::int16_t>(-32768), 32767});
  for (const int level : {0, 4095}) {
    classifier.scan(flat(level), kAllEmpty);
    Classifier plain;
    plain.scan(flat(level), kAllEmpty);
    EXPECT_EQ(plain.at(24), level == 0 ? kSouth : kNorth);
    EXPECT_EQ(plain.deviation(24), level - 2048);
  }
}

TEST(Classifier, WorksBeforeACalibration) {
  Classifier classifier;
  Scan scan = flat();
  scan[0] = 2048 + 930;  // a peg, a weak one, a sphere of level 1: HARDWARE.md
  scan[1] = 2048 - 355;
  scan[2] = 2048 + 390;
  scan[3] = 2048 + 60;
  classifier.scan(scan, 0);
  EXPECT_EQ(classifier.at(0), kNorth);
  EXPECT_EQ(classifier.at(1), kWeakSouth);
  EXPECT_EQ(classifier.at(2), kWeakNorth);
  EXPECT_EQ(classifier.at(3), kNone);
}

TEST(Classifier, TakesOutWhatTheNeighboursDo) {
  constexpr Crosstalk kCrosstalk{-2097, -655};  // -3.2 % and -1 %
  // b2 (8), a1 (0) and g7 (48) are read with strong pieces on every other site of the board: with eight neighbours, in a corner, and twice over.
  for (const std::size_t empty : {std::size_t{8}, std::size_t{0}, std::size_t{48}, std::size_t{6}, std::size_t{21}}) {
    const auto signal = [&](int file, int rank) {
      if (file < 0 || rank < 0 || file > 6 || rank > 6) return 0.0;
      return static_cast<std::size_t>(rank) * 7 + static_cast<std::size_t>(file) == empty ? 0.0 : 930.0;
    };
    Scan scan{};
    for (int rank = 0; rank < 7; ++rank) {
      for (int file = 0; file < 7; ++file) {
        const double beside =
            signal(file - 1, rank) + signal(file + 1, rank) + signal(file, rank - 1) + signal(file, rank + 1);
        const double diagonal = signal(file - 1, rank - 1) + signal(file + 1, rank - 1) + signal(file - 1, rank + 1) +
                                signal(file + 1, rank + 1);
        scan[static_cast<std::size_t>(rank) * 7 + static_cast<std::size_t>(file)] = static_cast<std::uint16_t>(
            2048.5 + signal(file, rank) + beside * kCrosstalk.beside / 65536 + diagonal * kCrosstalk.diagonal / 65536);
      }
    }
    Classifier classifier;
    classifier.neighbours(7, kCrosstalk);
    classifier.scan(scan, 0);
    EXPECT_NEAR(classifier.deviation(empty), 0, 5) << empty;
    const std::size_t other = empty == 8 ? 9 : 8;
    EXPECT_NEAR(classifier.deviation(other), 930, 5);
    Classifier without;
    without.scan(scan, 0);
    EXPECT_GT(std::abs(without.deviation(empty)), 60) << "there was something to take out";
  }
}

TEST(Classifier, TakesABesideAndADiagonalNeighbourApart) {
  struct Case {
    std::size_t piece;
    std::size_t site;
    double part;  ///< of the piece that is taken out there
  };
  constexpr std::array kCases{Case{24, 23, 0.1},  Case{24, 25, 0.1},  Case{24, 17, 0.1},  Case{24, 31, 0.1},
                              Case{24, 16, 0.02}, Case{24, 18, 0.02}, Case{24, 30, 0.02}, Case{24, 32, 0.02},
                              Case{24, 26, 0},    Case{24, 10, 0},    Case{6, 7, 0},      Case{6, 13, 0.1},
                              Case{6, 12, 0.02},  Case{0, 6, 0},      Case{48, 41, 0.1}};
  for (const auto& [piece, site, part] : kCases) {
    Classifier classifier;
    classifier.neighbours(7, {6554, 1311});
    classifier.scan(with(piece, 3048), 0);
    // Twice over: where two neighbours of the piece are neighbours of each other, some of it comes back.
    EXPECT_NEAR(classifier.deviation(site), -1000 * part, 45) << piece << " seen from " << site;
    if (part == 0.1) {
      EXPECT_LT(classifier.deviation(site), -50);
    }
  }
}

TEST(Classifier, SpareChannelsAndLinesWithoutALatticeHaveNoNeighbours) {
  std::array<std::uint16_t, 64> scan{};
  scan.fill(2048);
  scan[48] = 3048;
  scan[50] = 3048;
  Classifier classifier;
  classifier.neighbours(7, {6554, 6554});
  classifier.scan(scan, 0);
  EXPECT_EQ(classifier.deviation(49), 0);
  EXPECT_EQ(classifier.deviation(51), 0);
  EXPECT_EQ(classifier.at(50), kNorth);
  EXPECT_LT(classifier.deviation(47), -50);
  classifier.neighbours(0, {6554, 6554});
  classifier.scan(scan, 0);
  EXPECT_EQ(classifier.deviation(47), 0);
  for (const std::uint8_t lattice : std::array<std::uint8_t, 8>{1, 2, 8, 33, 63, 64, 65, 255}) {  // whatever a host may say
    classifier.neighbours(lattice, {6554, 6554});
    classifier.scan(scan, kAllEmpty);
    EXPECT_EQ(classifier.at(50), kNorth) << int{lattice};
  }
}

TEST(Classifier, ShortScanLeavesTheOtherChannelsAlone) {
  Classifier classifier;
  classifier.neighbours(7, {-2097, -655});
  classifier.scan(with(20, 3048), 0);
  const Scan few = with(3, 1000);
  classifier.scan(std::span(few).first(10), 0);
  EXPECT_EQ(classifier.at(20), kNorth);
  EXPECT_EQ(classifier.at(3), kSouth);
  classifier.scan({}, 0);
  EXPECT_EQ(classifier.at(3), kSouth);
}

TEST(ClassifierDrift, FollowsWarmthOnEmptySitesInSomeMinutes) {
  Classifier classifier;
  classifier.calibrate(flat(), kThresholds);
  scan_often(classifier, flat(2054), 33'000, kAllEmpty);  // a time constant
  EXPECT_NEAR(classifier.deviation(5), 2, 1);
  scan_often(classifier, flat(2054), 200'000, kAllEmpty);
  EXPECT_EQ(classifier.deviation(5), 0);
  EXPECT_EQ(classifier.baseline(5), 2054);
  scan_often(classifier, flat(2040), 300'000, kAllEmpty);
  EXPECT_EQ(classifier.baseline(5), 2040);
}

TEST(ClassifierDrift, StandsStillWhereTheSiteIsNotSaidToBeEmpty) {
  Classifier classifier;
  classifier.calibrate(flat(), kThresholds);
  scan_often(classifier, flat(2060), 200'000, std::uint64_t{1} << 40U);
  EXPECT_EQ(classifier.baseline(39), 2048);
  EXPECT_EQ(classifier.deviation(39), 12);
  EXPECT_EQ(classifier.baseline(40), 2060);
  EXPECT_EQ(classifier.baseline(8), 2048) << "bit 40 is not bit 8";
}

TEST(ClassifierDrift, StandsStillUnderAPiece) {
  Classifier classifier;
  classifier.calibrate(flat(), kThresholds);
  scan_often(classifier, with(7, 2048 + 300), 300'000, kAllEmpty);
  EXPECT_EQ(classifier.at(7), kWeakNorth);
  EXPECT_EQ(classifier.baseline(7), 2048);
}

TEST(ClassifierDrift, NeverSwallowsAMagnetThatComesSlowly) {
  Classifier classifier;
  classifier.calibrate(flat(), kThresholds);
  for (int level = 2048; level < 2048 + 355; ++level) {  // six minutes from afar to the site: a weak piece
    scan_often(classifier, with(7, level), 1000, kAllEmpty);
  }
  EXPECT_EQ(classifier.at(7), kWeakNorth);
  EXPECT_LE(classifier.baseline(7), 2048 + 25) << "a quarter of the threshold";

  Classifier hovering;
  hovering.calibrate(flat(), {160, 500, 20});
  scan_often(hovering, with(7, 2048 + 110), 10'000, kAllEmpty);
  EXPECT_LE(hovering.baseline(7), 2048 + 3) << "ten seconds are not warmth";
  scan_often(hovering, with(7, 2048 + 110), 2'000'000, kAllEmpty);
  EXPECT_EQ(hovering.baseline(7), 2048 + 40);
  scan_often(hovering, with(7, 2048 - 110), 2'000'000, kAllEmpty);
  EXPECT_EQ(hovering.baseline(7), 2048 - 40);
}

TEST(ClassifierDrift, DoesNotTakeANeighboursMagnetForWarmth) {
  Classifier classifier;
  classifier.neighbours(7, {-2097, -655});
  Scan scan = with(24, 2048 + 930);
  scan[25] = static_cast<std::uint16_t>(2048 - 30);
  scan_often(classifier, scan, 200'000, kAllEmpty);
  EXPECT_NEAR(classifier.baseline(25), 2048, 1);
}

TEST(ClassifierDrift, IsForgottenWithANewCalibration) {
  Classifier classifier;
  scan_often(classifier, flat(2060), 200'000, kAllEmpty);
  classifier.calibrate(flat(2050), kThresholds);
  EXPECT_EQ(classifier.baseline(0), 2050);
  classifier.scan(flat(2060), 0);
  EXPECT_EQ(classifier.deviation(0), 10);
}

TEST(FourClasses, AreRightOnBoardsOfSpreadParts) {
  PartSpread spread;
  for (const double beside : {1.0, 2.0}) {  // the model, and the table of HARDWARE.md
    spread.beside = beside;
    const hall_trials::ClassTrial trial = hall_trials::try_classes(spread, 11, 15);
    ASSERT_EQ(trial.all.sensors, 15U * 20 * 49);
    EXPECT_GE(trial.all.percent(), 99.99) << trial.all.wrong << " wrong";
    EXPECT_EQ(trial.refused, 0U);
  }
}

TEST(FourClasses, AreRightInMixturesOfPiecesThatStandTooHighOrTooLow) {
  PartSpread spread;
  spread.height_mm = 1;
  EXPECT_GE(hall_trials::try_classes(spread, 11, 30).mixed.percent(), 99.99);
}

TEST(FourClasses, NeedTheNeighboursTakenOutOnACrowdedBoard) {
  PartSpread spread;
  spread.beside = 2;
  const hall_trials::ClassTrial trial = hall_trials::try_classes(spread, 11, 15, false);
  EXPECT_LT(trial.crowded.percent(), 99);
}

}  // namespace
}  // namespace merel
