// The arithmetic of the calibration, and the sentences with which it refuses a board.
#include "drivers/hall/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "tests/hall/trials.h"

namespace merel {

void PrintTo(const CalibrationFinding& finding, std::ostream* out) { *out << finding.sentence; }

namespace {

using hall_trials::record;
using hall_trials::recorded;
using hall_trials::site_names;
using hall_trials::spot_of;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kPegs = {MagnetKind::strong, MagnetKind::weak};
constexpr auto kAllKinds = {MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere};
constexpr std::size_t kA1 = 0;
constexpr std::size_t kD4 = 24;

TEST(LevelRecord, KeepsMeanAndNoise) {
  LevelRecord record;
  EXPECT_EQ(record.mean(0), 0);
  for (const std::uint16_t level : std::array<std::uint16_t, 4>{2000, 2004, 2002, 2002}) {
    record.add(std::array<std::uint16_t, 2>{level, 4095});
  }
  EXPECT_EQ(record.scans(), 4U);
  EXPECT_EQ(record.mean(0), 2002);
  EXPECT_NEAR(record.noise(0), 1.633, 0.001);
  EXPECT_EQ(record.mean(1), 4095);
  EXPECT_EQ(record.noise(1), 0);
  EXPECT_EQ(record.mean(2), 0);
}

TEST(Calibration, AcceptsBoardsOfSpreadParts) {
  const auto names = site_names();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    AnalogueBoard board(PartSpread{}, seed);
    const CalibrationResult result = calibrate(recorded(board, kAllKinds), names);
    EXPECT_THAT(result.findings, IsEmpty()) << "board " << seed;
    EXPECT_EQ(result.margins.size(), 30U);
    EXPECT_EQ(result.data.channels, 49);
    EXPECT_EQ(result.data.revision, 1);
  }
}

TEST(Calibration, ItsResultGoesOverTheLink) {
  AnalogueBoard board(PartSpread{}, 4);
  const CalibrationResult result = calibrate(recorded(board, kPegs), site_names());
  std::array<std::uint8_t, link::kMaxPayload> bytes{};
  link::ByteWriter out{bytes};
  result.data.write(out);
  link::ByteReader in{std::span(bytes).first(out.written().size())};
  link::CalibrationData back;
  EXPECT_TRUE(back.read(in));
  EXPECT_EQ(back, result.data);
}

TEST(Calibration, TakesBaselinesFromTheEmptyBoardAndBordersFromThePieces) {
  AnalogueBoard board(PartSpread{}, 5);
  const CalibrationRecords records = recorded(board, kPegs);
  const CalibrationResult result = calibrate(records, site_names());
  for (std::size_t channel = 0; channel < 49; ++channel) {
    EXPECT_NEAR(result.data.baselines[channel], board.sensor(channel).quiescent, 1.5);
    EXPECT_NEAR(result.sites[channel].noise, 2, 1);
    EXPECT_NEAR(result.sites[channel].light_shift, 0, 2);
  }
  const PieceThresholds& thresholds = result.data.thresholds;
  // A weak peg is 355 counts, a strong one 936 (HARDWARE.md).
  EXPECT_NEAR(thresholds.piece + thresholds.hysteresis, 158, 6);
  EXPECT_NEAR(thresholds.strong + thresholds.hysteresis, 576, 20);
}

TEST(Calibration, BordersFollowOtherMagnetsThanThoseOfTheTable) {
  // A third weaker all of them: no handful of pieces is that by chance.
  CalibrationRecords records;
  AnalogueBoard board(PartSpread{}, 5);
  records = recorded(board, kPegs);
  for (PieceRecord& piece : records.pieces) {
    piece.levels = {};
    for (const std::size_t channel : piece.channels) {
      const double strength = piece.north_up ? 0.66 : -0.66;
      board.put(piece.kind, {disc_of(piece.kind), lattice7::magnet_place(piece.kind, spot_of(channel)), {0, 0, 1}, strength},
                spot_of(channel));
    }
    record(board, piece.levels, 32);
    board.clear();
  }
  const CalibrationResult result = calibrate(records, site_names());
  EXPECT_TRUE(result.good());
  EXPECT_NEAR(result.data.thresholds.piece + result.data.thresholds.hysteresis, 0.66 * 158, 6);
  EXPECT_NEAR(result.data.thresholds.strong + result.data.thresholds.hysteresis, 0.66 * 576, 20);
}

TEST(Calibration, BoardWithPiecesOfOneStrengthHasOneBorder) {
  AnalogueBoard board(PartSpread{}, 6);
  const CalibrationResult result = calibrate(recorded(board, {MagnetKind::strong}), site_names());
  EXPECT_TRUE(result.good());
  EXPECT_EQ(result.data.thresholds.strong, 0);
  EXPECT_GT(result.data.thresholds.piece, 300);
}

TEST(Calibration, MeasuresWhatPiecesDoNextDoor) {
  PartSpread spread;
  for (const double beside : {1.0, 2.0}) {
    spread.beside = beside;
    AnalogueBoard board(spread, 8);
    const CalibrationResult result = calibrate(recorded(board, kAllKinds), site_names());
    const Crosstalk pegs = nominal_crosstalk(MagnetKind::strong);
    const Crosstalk spheres = nominal_crosstalk(MagnetKind::sphere);
    EXPECT_NEAR(result.data.pegs.beside, beside * pegs.beside, 0.3 * std::abs(beside * pegs.beside));
    EXPECT_NEAR(result.data.pegs.diagonal, beside * pegs.diagonal, 0.35 * std::abs(beside * pegs.diagonal));
    if (beside == 1) {
      EXPECT_NEAR(result.data.spheres.beside, spheres.beside, 0.2 * spheres.beside);
    }
  }
  EXPECT_LT(nominal_crosstalk(MagnetKind::strong).beside, 0);
  EXPECT_GT(nominal_crosstalk(MagnetKind::sphere).beside, 0) << "a sphere stands so high that it does the same next door";
}

TEST(Calibration, DoesNotTakeWhatTwoPiecesDoBetweenThemForWhatOneDoes) {
  AnalogueBoard board(PartSpread{}, 8);
  CalibrationRecords records = recorded(board, {MagnetKind::strong});
  for (PieceRecord& piece : records.pieces) {
    piece.levels = {};
    piece.channels = {21, 23, 25, 27};
    for (const std::size_t channel : piece.channels) board.put(piece.kind, piece.north_up, spot_of(channel));
    record(board, piece.levels, 32);
    board.clear();
  }
  const Crosstalk nominal = nominal_crosstalk(MagnetKind::strong);
  const CalibrationResult result = calibrate(records, site_names());
  EXPECT_NEAR(result.data.pegs.beside, nominal.beside, 0.3 * std::abs(nominal.beside));
  EXPECT_NEAR(result.data.pegs.diagonal, nominal.diagonal, 0.3 * std::abs(nominal.diagonal));
}

TEST(Margins, AreToTheNearestBorderOfTheClass) {
  constexpr PieceThresholds kThresholds{140, 550, 20};
  struct Case {
    PieceClass piece;
    double deviation;
    double margin;
  };
  for (const auto& [piece, deviation, margin] :
       {Case{PieceClass::none, 10, 110}, Case{PieceClass::none, -10, 110}, Case{PieceClass::north, 900, 330},
        Case{PieceClass::south, -900, 330}, Case{PieceClass::south, 900, -1470}, Case{PieceClass::weak_north, 200, 40},
        Case{PieceClass::weak_north, 500, 70}, Case{PieceClass::weak_south, -200, 40},
        Case{PieceClass::weak_south, -500, 70}, Case{PieceClass::weak_north, 600, -30}}) {
    EXPECT_EQ(margin_of(kThresholds, piece, deviation), margin) << static_cast<int>(piece) << ' ' << deviation;
  }
  EXPECT_EQ(margin_of({140, 0, 20}, PieceClass::north, 200), 40);
}

/// One thing wrong with an otherwise good board, and what must be said of it.
struct Trouble {
  const char* what;
  std::function<void(AnalogueBoard&)> before;                      ///< the recording of the empty board
  std::function<void(AnalogueBoard&, CalibrationRecords&)> after;  ///< all recordings
  CalibrationFault fault;
  std::size_t channel;
  std::vector<std::string> words;
  std::size_t findings = 1;
};

/// Records the strong north pieces once more, with that magnet in place of the one on the site.
std::function<void(AnalogueBoard&, CalibrationRecords&)> with_magnet(std::size_t at, double strength) {
  return [=](AnalogueBoard& board, CalibrationRecords& records) {
    PieceRecord& piece = records.pieces.front();
    piece.levels = {};
    for (const std::size_t channel : piece.channels) {
      const Magnet magnet{disc_of(piece.kind),
                          lattice7::magnet_place(piece.kind, spot_of(channel)),
                          {0, 0, 1},
                          channel == at ? strength : 1};
      board.put(piece.kind, magnet, spot_of(channel));
    }
    record(board, piece.levels, 32);
    board.clear();
  };
}
void nothing(AnalogueBoard& /*board*/) {}
void nothing_more(AnalogueBoard& /*board*/, CalibrationRecords& /*records*/) {}

TEST(Calibration, RefusesABoardAndNamesTheSiteAndTheReason) {
  const std::vector<Trouble> troubles{
      {"light",
       [](AnalogueBoard& b) { b.interfere(9, 35); },
       nothing_more,
       CalibrationFault::light,
       9,
       {"Site c2 shifts by 3", " counts when the lights go on", "supply"}},
      {"light, downwards",
       [](AnalogueBoard& b) { b.interfere(9, -35); },
       nothing_more,
       CalibrationFault::light,
       9,
       {"Site c2 shifts by -3", " counts when the lights go on"}},
      {"noise",
       [](AnalogueBoard& b) { b.noise(10, 20); },
       nothing_more,
       CalibrationFault::noisy,
       10,
       {"Site d2 is noisy", "solder"}},
      {"low",
       [](AnalogueBoard& b) {
         b.sensor(11).quiescent = 0;
         b.sensor(11).counts_per_mt = 0;
       },
       nothing_more,
       CalibrationFault::stuck,
       11,
       {"Site e2 is stuck at ", "not connected"}},
      {"high, under a piece",
       [](AnalogueBoard& b) {
         b.sensor(kD4).quiescent = 4095;
         b.sensor(kD4).counts_per_mt = 0;
       },
       nothing_more,
       CalibrationFault::stuck,
       kD4,
       {"Site d4 is stuck at 409"}},
      {"something lies there",
       [](AnalogueBoard& b) { b.sensor(12).quiescent += 200; },
       nothing_more,
       CalibrationFault::far_off,
       12,
       {"Site f2 reads 22", "take off"}},
      {"deaf",
       [](AnalogueBoard& b) { b.sensor(kA1).counts_per_mt = 0; },
       nothing_more,
       CalibrationFault::silent,
       kA1,
       {"Site a1 does not react to the strong piece (north up) on it"},
       4},
      {"weak magnet",
       nothing,
       with_magnet(kD4, 0.5),
       CalibrationFault::weak,
       kD4,
       {"Site d4 sees the strong piece (north up) with only 4", "magnet is weak"}},
      {"wrong pole",
       nothing,
       with_magnet(kD4, -1),
       CalibrationFault::wrong_pole,
       kD4,
       {"Site d4 sees the south pole of the strong piece (north up)", "upside down"}},
      {"sensor face down",
       [](AnalogueBoard& b) {
         b.sensor(kA1).axis = {0, 0, -1};
       },
       nothing_more,
       CalibrationFault::wrong_pole,
       kA1,
       {"Site a1 sees the south pole", "face down"},
       4},
      {"strong for weak",
       nothing,
       [](AnalogueBoard& b, CalibrationRecords& r) {
         PieceRecord& piece = r.pieces[2];  // weak, north
         piece.levels = {};
         for (const std::size_t channel : piece.channels) {
           b.put(channel == kD4 ? MagnetKind::strong : MagnetKind::weak, true, spot_of(channel));
         }
         record(b, piece.levels, 32);
       },
       CalibrationFault::too_strong,
       kD4,
       {"Site d4 sees the weak piece (north up) with ", "strong one"}},
      {"a stray piece",
       nothing,
       [](AnalogueBoard& b, CalibrationRecords& r) {
         PieceRecord& piece = r.pieces[0];
         piece.levels = {};
         for (const std::size_t channel : piece.channels) b.put(piece.kind, true, spot_of(channel));
         b.put(MagnetKind::weak, false, spot_of(10));
         record(b, piece.levels, 32);
       },
       CalibrationFault::neighbour,
       10,
       {"Site d2 reacts by 3", "though the strong piece (north up) stands on a1, g1, d4, a7, g7", "take off"}},
      {"on the wrong site",
       nothing,
       [](AnalogueBoard& b, CalibrationRecords& r) {
         PieceRecord& piece = r.pieces[0];
         piece.levels = {};
         for (const std::size_t channel : piece.channels)
           b.put(piece.kind, true, spot_of(channel == kD4 ? kD4 + 1 : channel));
         record(b, piece.levels, 32);
       },
       CalibrationFault::silent,
       kD4,
       {"Site d4 does not react to the strong piece (north up), but e4 does", "wrong way round"},
       2},
  };
  for (const Trouble& trouble : troubles) {
    AnalogueBoard board(PartSpread{}, 12);
    trouble.before(board);
    CalibrationRecords records = recorded(board, kPegs);
    trouble.after(board, records);
    const CalibrationResult result = calibrate(records, site_names());
    EXPECT_FALSE(result.good()) << trouble.what;
    ASSERT_EQ(result.findings.size(), trouble.findings) << trouble.what << ": " << testing::PrintToString(result.findings);
    const CalibrationFinding& finding = result.findings.front();
    EXPECT_EQ(finding.fault, trouble.fault) << trouble.what << ": " << finding.sentence;
    EXPECT_EQ(finding.channel, trouble.channel) << finding.sentence;
    for (const std::string& words : trouble.words) EXPECT_THAT(finding.sentence, HasSubstr(words));
  }
}

TEST(Calibration, ABoardWhoseKindsAreTooAlikeIsRefused) {
  AnalogueBoard board(PartSpread{}, 12);
  CalibrationRecords records = recorded(board, {MagnetKind::strong});
  for (PieceRecord piece : std::vector(records.pieces)) {
    piece.kind = MagnetKind::weak;  // somebody has taken strong ones for weak ones
    records.pieces.push_back(piece);
  }
  const CalibrationResult result = calibrate(records, site_names());
  EXPECT_FALSE(result.good());
  for (const CalibrationFinding& finding : result.findings)
    EXPECT_THAT(finding.sentence, HasSubstr("strong")) << finding.sentence;
}

TEST(Calibration, WantsEnoughScans) {
  AnalogueBoard board(PartSpread{}, 3);
  CalibrationRecords records = recorded(board, kPegs);
  records.dark = {};
  record(board, records.dark, 3);
  const CalibrationResult result = calibrate(records, site_names());
  ASSERT_FALSE(result.good());
  EXPECT_THAT(result.findings.front().sentence, HasSubstr("Only 3 scans of the empty board"));
  EXPECT_FALSE(calibrate({}, site_names()).good()) << "nothing recorded at all";
}

TEST(Calibration, SitesWithoutANameAreCalledByTheirChannel) {
  AnalogueBoard board(PartSpread{}, 3);
  board.noise(40, 30);
  const CalibrationResult result = calibrate(recorded(board, kPegs), {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_THAT(result.findings.front().sentence, HasSubstr("Site channel 40 is noisy"));
}

TEST(Calibration, TakesChannelsThatDoNotExistForNothing) {
  AnalogueBoard board(PartSpread{}, 3);
  CalibrationRecords records = recorded(board, kPegs);
  records.pieces.front().channels.push_back(60);
  records.pieces.front().channels.push_back(6000);
  EXPECT_TRUE(calibrate(records, site_names()).good());
}

}  // namespace
}  // namespace merel
