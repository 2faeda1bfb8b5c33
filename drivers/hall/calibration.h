#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "drivers/hall/field.h"
#include "drivers/hall/piece_class.h"
#include "drivers/link/messages.h"

/// From recorded levels to a calibration, or to the sentences that say why there is none. Pure arithmetic; who leads people through it is
/// elsewhere.
namespace merel {

/// Scans of one and the same picture, kept as sums.
class LevelRecord {
 public:
  static constexpr std::size_t kMaxChannels = link::kMaxChannels;

  /// One scan in ADC counts, from channel 0.
  void add(std::span<const std::uint16_t> counts);
  [[nodiscard]] std::size_t scans() const { return scans_; }
  /// The mean level in counts; 0 without a scan.
  [[nodiscard]] double mean(std::size_t channel) const;
  /// The standard deviation of a single scan in counts; 0 with fewer than two.
  [[nodiscard]] double noise(std::size_t channel) const;

 private:
  struct Sums {
    std::uint64_t counts = 0;
    std::uint64_t squares = 0;
  };
  std::size_t scans_ = 0;
  std::array<Sums, kMaxChannels> sums_{};
};

/// The board with pieces of one kind and pole on a few sites, and nothing else on it.
struct PieceRecord {
  MagnetKind kind = MagnetKind::strong;
  bool north_up = true;
  std::vector<std::size_t>
      channels;  ///< where they stand; best three sites apart, so that neighbours show what one of them does
  LevelRecord levels;
};

/// Everything that has been recorded.
struct CalibrationRecords {
  std::uint16_t revision = 0;  ///< of the board
  std::size_t lattice = 7;     ///< channel = rank * lattice + file; channels from lattice * lattice on are not calibrated
  LevelRecord dark;            ///< nothing on the board, lights off
  LevelRecord lit;             ///< nothing on the board, all lights on; without scans: not looked at
  std::vector<PieceRecord> pieces;
};

/// What a site does without a piece.
struct SiteFigures {
  double baseline = 0;     ///< counts
  double noise = 0;        ///< counts, standard deviation of a scan
  double light_shift = 0;  ///< counts, what the lights add
};

/// How a piece was seen, or would be.
struct PieceMargin {
  std::size_t channel = 0;
  MagnetKind kind = MagnetKind::strong;
  bool north_up = true;
  double deviation = 0;  ///< counts, neighbours taken out
  double margin = 0;     ///< counts to the nearest border of its class; negative when it is beyond
};

/// Why a board is refused.
enum class CalibrationFault : std::uint8_t {
  too_few_scans,
  stuck,    ///< at a rail: 0 or 4095
  far_off,  ///< far from the middle with nothing on it
  noisy,
  light,   ///< the lights shift the level
  silent,  ///< does not react to the piece on it
  wrong_pole,
  weak,        ///< reacts less than such a piece should make it
  too_strong,  ///< a weak piece that reads as a strong one
  neighbour,   ///< reacts though nothing stands on it
};
struct CalibrationFinding {
  CalibrationFault fault = CalibrationFault::too_few_scans;
  std::size_t channel = 0;  ///< the site; 0 for too_few_scans
  std::string sentence;     ///< what is wrong, where, and what to do
};

/// The outcome. With findings the board is refused; figures and margins are there all the same, as far as they could be had.
struct CalibrationResult {
  link::CalibrationData data;
  std::vector<SiteFigures> sites;    ///< by channel
  std::vector<PieceMargin> margins;  ///< in the order of the records
  std::vector<CalibrationFinding> findings;

  [[nodiscard]] bool good() const { return findings.empty(); }
};

/// What a board must reach, in counts (0.027 mT each) where nothing else is said.
struct CalibrationLimits {
  std::size_t scans = 16;  ///< at least so many of each picture
  double rail = 16;        ///< a baseline so near to 0 or 4095 is stuck there
  double offset =
      120;  ///< farther from the middle something lies there, or the part is a wrong one (DRV5055: 1.65 V ± 3 % is 61)
  double noise = 8;  ///< standard deviation of a scan
  double light_shift = 20;
  double silent = 0.15;  ///< of what the kind should do: below, the sensor does not react at all
  double part_of_kind =
      0.6;  ///< of what the kind does on this board: with everything else at its worst, a millimetre too high leaves 0.63
  double part_of_nominal = 0.45;  ///< of what the kind should do
  double stray = 60;              ///< what a site without a piece may deviate, neighbours taken out
  double margin = 10;             ///< from every border
};

/// What a piece of that kind that stands exactly on its site does to an ideal sensor, in counts.
[[nodiscard]] double nominal_deviation(MagnetKind kind);
/// What it does next door according to the model; spheres on the first level.
[[nodiscard]] Crosstalk nominal_crosstalk(MagnetKind kind);

/// The class that a piece of that kind should have; of spheres that is what their strength, `deviation`, makes them.
[[nodiscard]] PieceClass expected_class(const PieceThresholds& thresholds, MagnetKind kind, bool north_up, double deviation);
/// How far inside a class a deviation is, in counts: to the border that a piece must pass when it is put down, for nothing to the border at
/// which a piece is gone. Negative outside.
[[nodiscard]] double margin_of(const PieceThresholds& thresholds, PieceClass piece, double deviation);

/// Calibrates. `site_names` by channel; a channel beyond them is called by its number.
[[nodiscard]] CalibrationResult calibrate(const CalibrationRecords& records, std::span<const std::string> site_names,
                                          const CalibrationLimits& limits = {});

}  // namespace merel
