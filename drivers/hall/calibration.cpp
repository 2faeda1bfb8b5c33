#include "drivers/hall/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "drivers/hall/classifier.h"

namespace merel {
namespace {

constexpr std::array<MagnetKind, kMagnetKinds> kKinds{MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere};

/// A share of a neighbour's magnet as Crosstalk has it.
std::int16_t in_65536ths(double parts) {
  constexpr double kMost = Classifier::kMaxCrosstalk;
  return static_cast<std::int16_t>(std::lround(std::clamp(parts, -kMost, kMost)));
}

std::string text_of(double counts) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f", counts);
  return text.data();
}

/// `the strong piece, north up,`
std::string piece_text(MagnetKind kind, bool north_up) {
  return "the " + std::string(name(kind)) + (kind == MagnetKind::sphere ? " (" : " piece (") +
         (north_up ? "north" : "south") + " up)";
}

/// What pieces of that kind do on this board, in counts, from what a few of them did; 0 when there were none.
///
/// A handful of pieces that stand a little higher or lower says less about where a border belongs than the table of HARDWARE.md does:
/// theirs is taken only when it contradicts the table by more than three times what such a handful is off by chance.
double usual(MagnetKind kind, const std::vector<double>& seen) {
  if (seen.empty()) return 0;
  constexpr double kTiltsAndPlaces = 0.98;  // a piece that does not stand exactly does a little less on the average
  const double table = kTiltsAndPlaces * nominal_deviation(kind);
  const auto pieces = static_cast<double>(seen.size());
  double sum = 0;
  double squares = 0;
  for (const double value : seen) {
    const double off = std::log(value / table);
    sum += off;
    squares += off * off;
  }
  const double mean = sum / pieces;
  constexpr double kLeastSpread = 0.1;
  const double spread = std::max(kLeastSpread, std::sqrt(std::max(0.0, squares / pieces - mean * mean)));
  return std::abs(mean) <= 3 * spread / std::sqrt(pieces) ? table : table * std::exp(mean);
}

/// Does the arithmetic step by step; what a step finds out the later ones use.
class Calibrator {
 public:
  Calibrator(const CalibrationRecords& records, std::span<const std::string> names, const CalibrationLimits& limits)
      : records_(records),
        names_(names),
        limits_(limits),
        channels_(std::min(records.lattice * records.lattice, LevelRecord::kMaxChannels)) {}

  CalibrationResult run() {
    result_.data.revision = records_.revision;
    result_.data.channels = static_cast<std::uint8_t>(channels_);
    count_scans();
    judge_empty_board();
    result_.data.pegs = measured_crosstalk(MagnetKind::strong);
    result_.data.spheres = measured_crosstalk(MagnetKind::sphere);
    take_out_neighbours();
    choose_thresholds();
    judge_pieces();
    judge_the_rest();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string site(std::size_t channel) const {
    return channel < names_.size() ? names_[channel] : "channel " + std::to_string(channel);
  }
  void find(CalibrationFault fault, std::size_t channel, std::string sentence) {
    result_.findings.push_back({fault, channel, std::move(sentence)});
  }
  [[nodiscard]] bool stands_on(const PieceRecord& piece, std::size_t channel) const {
    return std::find(piece.channels.begin(), piece.channels.end(), channel) != piece.channels.end();
  }
  /// What the level of an empty-handed site is off its baseline in that record.
  [[nodiscard]] double raw(const PieceRecord& piece, std::size_t channel) const {
    return piece.levels.mean(channel) - records_.dark.mean(channel);
  }

  void count_scans() {
    const auto count = [&](const LevelRecord& record, std::string_view what) {
      if (record.scans() >= limits_.scans) return;
      find(CalibrationFault::too_few_scans, 0,
           "Only " + std::to_string(record.scans()) + " scans of " + std::string(what) + " were heard, " +
               std::to_string(limits_.scans) + " are needed: look at the cable to the board and try again");
    };
    count(records_.dark, "the empty board");
    if (records_.lit.scans() != 0) count(records_.lit, "the empty board with lights on");
    for (const PieceRecord& piece : records_.pieces) count(piece.levels, piece_text(piece.kind, piece.north_up));
  }

  void judge_empty_board() {
    result_.sites.resize(channels_);
    dead_.resize(channels_);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      SiteFigures& figures = result_.sites[channel];
      figures.baseline = records_.dark.mean(channel);
      figures.noise = records_.dark.noise(channel);
      if (records_.lit.scans() != 0) figures.light_shift = records_.lit.mean(channel) - figures.baseline;
      result_.data.baselines[channel] = static_cast<std::uint16_t>(std::lround(figures.baseline));
      if (records_.dark.scans() == 0) continue;

      const std::string where = "Site " + site(channel);
      const double off = figures.baseline - Classifier::kMiddle;
      if (figures.baseline < limits_.rail || figures.baseline > 4095 - limits_.rail) {
        dead_[channel] = true;
        find(CalibrationFault::stuck, channel,
             where + " is stuck at " + text_of(figures.baseline) +
                 " counts: its sensor is dead or not connected; look at its three pins and at the multiplexer's input");
      } else if (std::abs(off) > limits_.offset) {
        find(CalibrationFault::far_off, channel,
             where + " reads " + text_of(figures.baseline) + " counts with nothing on it, where about 2048 are right: " +
                 "take off what lies on or near it, or replace the sensor");
      }
      if (figures.noise > limits_.noise) {
        find(CalibrationFault::noisy, channel,
             where + " is noisy, by " + text_of(figures.noise) + " counts where " + text_of(limits_.noise) +
                 " are bearable: look at its solder joints, its ground and its blocking capacitor");
      }
      if (std::abs(figures.light_shift) > limits_.light_shift && !dead_[channel]) {
        find(CalibrationFault::light, channel,
             where + " shifts by " + text_of(figures.light_shift) + " counts when the lights go on, where " +
                 text_of(limits_.light_shift) +
                 " are bearable: give the lights their own supply wires, and the sensors theirs");
      }
    }
  }

  /// What all free sites next to a piece, and to no other one, deviate together, as a part of what the pieces do there: a piece that stands a
  /// little too high does as much next door and less at its own sensor, so the mean over the pieces is what counts. A tilt does as much
  /// more on one side as it does less on the other; and because the pieces are few, the model counts as four neighbours more.
  [[nodiscard]] Crosstalk measured_crosstalk(MagnetKind kind) const {
    const double nominal = nominal_deviation(kind);
    std::array<double, 2> own{4 * nominal, 4 * nominal};
    const Crosstalk model = nominal_crosstalk(kind);
    std::array<double, 2> there{4 * nominal * model.beside, 4 * nominal * model.diagonal};
    for (const PieceRecord& piece : records_.pieces) {
      if (piece.kind != kind) continue;
      for (const std::size_t at : piece.channels) {
        if (at >= channels_ || dead_[at] || std::abs(raw(piece, at)) < nominal / 2) continue;
        for (std::size_t next = 0; next < channels_; ++next) {
          if (!touch(at, next) || dead_[next]) continue;
          const auto near = std::count_if(piece.channels.begin(), piece.channels.end(),
                                          [&](std::size_t other) { return other == next || touch(other, next); });
          if (near != 1) continue;
          const auto which = static_cast<std::size_t>(diagonal(at, next));
          own[which] += std::abs(raw(piece, at));
          there[which] += std::copysign(65536.0, raw(piece, at)) * raw(piece, next);
        }
      }
    }
    return {in_65536ths(there[0] / own[0]), in_65536ths(there[1] / own[1])};
  }
  [[nodiscard]] bool touch(std::size_t a, std::size_t b) const {
    const std::size_t files =
        std::max(a % records_.lattice, b % records_.lattice) - std::min(a % records_.lattice, b % records_.lattice);
    const std::size_t ranks = std::max(a, b) / records_.lattice - std::min(a, b) / records_.lattice;
    return a != b && files <= 1 && ranks <= 1;
  }
  [[nodiscard]] bool diagonal(std::size_t a, std::size_t b) const {
    return a % records_.lattice != b % records_.lattice && a / records_.lattice != b / records_.lattice;
  }

  /// By the very code that the board runs.
  void take_out_neighbours() {
    Classifier classifier;
    classifier.calibrate(std::span(result_.data.baselines).first(channels_), Classifier::kDefaultThresholds);
    for (const PieceRecord& piece : records_.pieces) {
      classifier.neighbours(static_cast<std::uint8_t>(records_.lattice),
                            piece.kind == MagnetKind::sphere ? result_.data.spheres : result_.data.pegs);
      std::array<std::uint16_t, LevelRecord::kMaxChannels> levels{};
      for (std::size_t channel = 0; channel < channels_; ++channel) {
        levels[channel] = static_cast<std::uint16_t>(std::lround(piece.levels.mean(channel)));
      }
      classifier.scan(std::span(levels).first(channels_), 0);
      std::vector<double>& deviations = deviations_.emplace_back(channels_);
      for (std::size_t channel = 0; channel < channels_; ++channel) deviations[channel] = classifier.deviation(channel);
    }
  }

  void choose_thresholds() {
    std::array<std::vector<double>, kMagnetKinds> seen;
    for (std::size_t i = 0; i < records_.pieces.size(); ++i) {
      const PieceRecord& piece = records_.pieces[i];
      for (const std::size_t at : piece.channels) {
        if (at >= channels_ || dead_[at]) continue;
        const double size = std::abs(deviations_[i][at]);
        if (size > limits_.silent * nominal_deviation(piece.kind))
          seen[static_cast<std::size_t>(piece.kind)].push_back(size);
      }
    }
    double weakest = 0;
    for (const MagnetKind kind : kKinds) {
      const double here = usual(kind, seen[static_cast<std::size_t>(kind)]);
      usual_[static_cast<std::size_t>(kind)] = here;
      if (here > 0 && (weakest == 0 || here < weakest)) weakest = here;
    }
    result_.data.thresholds = Classifier::kDefaultThresholds;
    if (weakest == 0) return;  // nothing has been recorded, or nothing reacts

    // Signals spread by a factor, so the border of weak and strong is near their geometric mean; a little above, because a millimetre of
    // height is more to the smaller disc. What a site without a piece shows does not grow
    // with the pieces, but for the tilts of its neighbours; a little below the half of the weakest is in the middle of the two. Whoever puts
    // a piece down passes border and hysteresis.
    double noise = 0;
    for (const SiteFigures& figures : result_.sites) noise = std::max(noise, std::min(figures.noise, limits_.noise));
    constexpr double kPieceShare = 0.45;
    constexpr double kStrongShare = 0.52;
    const double piece = kPieceShare * weakest;
    const double hysteresis = std::min(std::max(10.0, 5 * noise), piece / 4);
    const double weak = usual_[static_cast<std::size_t>(MagnetKind::weak)];
    const double strong = usual_[static_cast<std::size_t>(MagnetKind::strong)];
    PieceThresholds& thresholds = result_.data.thresholds;
    thresholds.hysteresis = static_cast<std::uint16_t>(std::lround(hysteresis));
    thresholds.piece = static_cast<std::uint16_t>(std::lround(piece - hysteresis));
    thresholds.strong = 0;
    if (weak == 0 || strong == 0) return;
    thresholds.strong = static_cast<std::uint16_t>(std::lround(weak * std::pow(strong / weak, kStrongShare) - hysteresis));
    thresholds.strong = std::max<std::uint16_t>(  // what cannot be told apart shows in the margins
        thresholds.strong, static_cast<std::uint16_t>(thresholds.piece + thresholds.hysteresis + 1));
  }

  void judge_pieces() {
    for (std::size_t i = 0; i < records_.pieces.size(); ++i) {
      const PieceRecord& piece = records_.pieces[i];
      for (const std::size_t at : piece.channels) {
        if (at < channels_ && !dead_[at]) judge_piece(piece, at, deviations_[i]);
      }
    }
  }

  void judge_piece(const PieceRecord& piece, std::size_t at, const std::vector<double>& deviations) {
    const double deviation = deviations[at];
    const double size = std::abs(deviation);
    const PieceThresholds& thresholds = result_.data.thresholds;
    const PieceClass expected = expected_class(thresholds, piece.kind, piece.north_up, deviation);
    const double margin = margin_of(thresholds, expected, deviation);
    result_.margins.push_back({at, piece.kind, piece.north_up, deviation, margin});

    const std::string where = "Site " + site(at);
    const std::string what = piece_text(piece.kind, piece.north_up);
    const double nominal = nominal_deviation(piece.kind);
    const double here = usual_[static_cast<std::size_t>(piece.kind)];
    if (size <= limits_.silent * nominal) {
      std::string sentence = where + " does not react to " + what;
      if (const std::optional<std::size_t> other = strayed(piece, deviations)) {
        sentence += ", but " + site(*other) +
                    " does: the piece stands on another site, or the two sensors are wired the wrong way round";
      } else {
        sentence += " on it: put it there, or look at the sensor and at the magnet";
      }
      find(CalibrationFault::silent, at, std::move(sentence));
    } else if ((deviation > 0) != piece.north_up) {
      find(CalibrationFault::wrong_pole, at,
           where + " sees the " + (deviation > 0 ? "north" : "south") + " pole of " + what +
               ": the magnet is glued in upside down, or the sensor is mounted face down when its other pieces do the same");
    } else if (size < limits_.part_of_kind * here || size < limits_.part_of_nominal * nominal) {
      find(CalibrationFault::weak, at,
           where + " sees " + what + " with only " + text_of(size) + " counts, where " + text_of(here) +
               " are usual: the magnet is weak or sits too high; try another piece, then look whether the sensor is flush");
    } else if (margin < limits_.margin) {
      const bool above = piece.kind == MagnetKind::weak && thresholds.strong - size < size - thresholds.piece;
      find(above ? CalibrationFault::too_strong : CalibrationFault::weak, at,
           where + " sees " + what + " with " + text_of(size) + " counts, only " + text_of(margin) +
               " inside its class where " + text_of(limits_.margin) + " are needed: " +
               (above ? "the piece is a strong one, or its magnet sits too low"
                      : "the magnet is weak or sits too high; try another piece"));
    }
  }

  /// The site without a piece that reacts most in that record, if one does.
  [[nodiscard]] std::optional<std::size_t> strayed(const PieceRecord& piece, const std::vector<double>& deviations) const {
    std::optional<std::size_t> most;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      if (stands_on(piece, channel) || dead_[channel] || std::abs(deviations[channel]) <= limits_.stray) continue;
      if (!most || std::abs(deviations[channel]) > std::abs(deviations[*most])) most = channel;
    }
    return most;
  }

  void judge_the_rest() {
    for (std::size_t i = 0; i < records_.pieces.size(); ++i) {
      const PieceRecord& piece = records_.pieces[i];
      for (std::size_t channel = 0; channel < channels_; ++channel) {
        const double size = std::abs(deviations_[i][channel]);
        if (stands_on(piece, channel) || dead_[channel] || size <= limits_.stray) continue;
        find(CalibrationFault::neighbour, channel,
             "Site " + site(channel) + " reacts by " + text_of(size) + " counts though " +
                 piece_text(piece.kind, piece.north_up) + " stands on " + sites_of(piece) +
                 ": take off what else lies there, or look whether its wire touches another");
      }
    }
  }
  [[nodiscard]] std::string sites_of(const PieceRecord& piece) const {
    std::string all;
    for (const std::size_t at : piece.channels) all += (all.empty() ? "" : ", ") + site(at);
    return all;
  }

  const CalibrationRecords& records_;
  std::span<const std::string> names_;
  const CalibrationLimits& limits_;
  std::size_t channels_;
  CalibrationResult result_;
  std::vector<bool> dead_;
  std::vector<std::vector<double>> deviations_;  ///< by record, then by channel
  std::array<double, kMagnetKinds> usual_{};
};

}  // namespace

void LevelRecord::add(std::span<const std::uint16_t> counts) {
  ++scans_;
  for (std::size_t channel = 0; channel < std::min(counts.size(), kMaxChannels); ++channel) {
    const std::uint64_t level = counts[channel];
    sums_[channel].counts += level;
    sums_[channel].squares += level * level;
  }
}

double LevelRecord::mean(std::size_t channel) const {
  return scans_ == 0 ? 0 : static_cast<double>(sums_[channel].counts) / static_cast<double>(scans_);
}

double LevelRecord::noise(std::size_t channel) const {
  if (scans_ < 2) return 0;
  const auto scans = static_cast<double>(scans_);
  const double square = static_cast<double>(sums_[channel].squares) - scans * mean(channel) * mean(channel);
  return std::sqrt(std::max(0.0, square) / (scans - 1));
}

double nominal_deviation(MagnetKind kind) {
  const Disc disc = disc_of(kind);
  const double centre = lattice7::magnet_place(kind, {}).z;
  return HallSensor{}.counts_per_mt * axial_field(disc, centre - disc.thickness_mm / 2);
}

Crosstalk nominal_crosstalk(MagnetKind kind) {
  const Magnet magnet{disc_of(kind), lattice7::magnet_place(kind, {}), {0, 0, 1}, 1};
  const auto part = [&](std::uint8_t file, std::uint8_t rank) {
    const Vector3 there = lattice7::sensor_place(lattice7::channel({file, rank, 1}));
    return in_65536ths(65536 * field_of(magnet, there).z / field_of(magnet, {}).z);
  };
  return {part(1, 0), part(1, 1)};
}

PieceClass expected_class(const PieceThresholds& thresholds, MagnetKind kind, bool north_up, double deviation) {
  const bool weak = kind == MagnetKind::weak || (kind == MagnetKind::sphere && std::abs(deviation) < thresholds.strong);
  if (weak && thresholds.strong != 0) return north_up ? PieceClass::weak_north : PieceClass::weak_south;
  return north_up ? PieceClass::north : PieceClass::south;
}

double margin_of(const PieceThresholds& thresholds, PieceClass piece, double deviation) {
  const double piece_border = thresholds.piece + thresholds.hysteresis;
  const double strong_border = thresholds.strong + thresholds.hysteresis;
  switch (piece) {
    case PieceClass::none: return thresholds.piece - thresholds.hysteresis - std::abs(deviation);
    case PieceClass::north: return deviation - (thresholds.strong == 0 ? piece_border : strong_border);
    case PieceClass::south: return -deviation - (thresholds.strong == 0 ? piece_border : strong_border);
    case PieceClass::weak_north: return std::min(deviation - piece_border, strong_border - deviation);
    case PieceClass::weak_south: return std::min(-deviation - piece_border, strong_border + deviation);
  }
  return 0;
}

CalibrationResult calibrate(const CalibrationRecords& records, std::span<const std::string> site_names,
                            const CalibrationLimits& limits) {
  return Calibrator(records, site_names, limits).run();
}

}  // namespace merel
