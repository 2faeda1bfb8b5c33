#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/hall/piece_class.h"

/// From what the linear hall sensors read to what stands on the sites. The very same code runs on the board, a thousand times a second on
/// a Cortex-M0+, and in the daemon: integers only, no heap, no exceptions, no divisions.
namespace merel {

/// Tells nothing and four kinds of magnet apart on every channel, scan by scan.
///
/// The deviation of a channel is its level less its baseline, less what the magnets on the eight sites around it do there (HARDWARE.md: a
/// strong peg next door is 0.8 mT, and eight of them are half a weak one). Of the neighbours too only the levels are known and not what
/// their own magnets do; so what the neighbours' neighbours do to them is taken out of them first.
///
/// A class is left only when the deviation has passed its border by the hysteresis: a piece that is put down is one from piece + hysteresis
/// on, and a strong one from strong + hysteresis on.
class Classifier {
 public:
  static constexpr std::size_t kMaxChannels = 64;
  static constexpr std::size_t kMaxLattice = 8;  ///< files and ranks; more would not find channels
  static constexpr std::uint16_t kMiddle =
      2048;  ///< half of the supply (DRV5055, quiescent output): the baseline before a calibration
  /// Before a calibration, for 30 mV/mT and 0.8 mV a count (HARDWARE.md): a little less than half of a weak peg, and the geometric mean of a
  /// weak and a strong one, each less the hysteresis.
  static constexpr PieceThresholds kDefaultThresholds{140, 555, 20};
  /// A baseline follows what is left of the level with a time constant of 2^15 scans: 33 s at 1,000 scans a second.
  static constexpr unsigned kDriftShift = 15;
  /// But never faster than if it were so many counts off, 0.24 counts a second: warmth takes minutes, a hand with a magnet seconds.
  static constexpr std::int32_t kDriftStep = 8;
  /// No baseline goes farther from its calibrated value than this, about 1.1 mT (DRV5055: the quiescent output drifts by 1 % of the supply
  /// over the whole range of temperature), nor farther than a quarter of the threshold.
  static constexpr std::int32_t kMaxDrift = 40;
  /// Larger parts of a neighbour's magnet are taken for a quarter.
  static constexpr std::int16_t kMaxCrosstalk = 0x4000;

  /// Before a calibration: all baselines in the middle, the default thresholds, no neighbours.
  constexpr Classifier() { calibrate({}, kDefaultThresholds); }

  /// Uses another calibration from the next scan on: the level of each channel without a piece in ADC counts (12 bit), from channel 0;
  /// channels beyond its end get the middle. Every channel begins anew, with nothing on it and no drift.
  constexpr void calibrate(std::span<const std::uint16_t> baselines, PieceThresholds thresholds);

  /// Which channels are neighbours, and what their magnets do: channel = rank * lattice + file. Channels from lattice * lattice on have no
  /// neighbours; with a lattice of 0 or of more than kMaxLattice none has.
  constexpr void neighbours(std::uint8_t lattice, Crosstalk crosstalk);

  /// Takes one scan: the level of every channel in ADC counts (12 bit), from channel 0; what is beyond kMaxChannels is not looked at.
  /// Where the bit of `empty` is set and the class is none, the baseline follows. Channels that are not in the scan keep their class.
  constexpr void scan(std::span<const std::uint16_t> counts, std::uint64_t empty);

  /// What the last scan says of that channel, which must be less than kMaxChannels.
  [[nodiscard]] constexpr PieceClass at(std::size_t channel) const { return classes_[channel]; }
  /// The deviation of the last scan in ADC counts, positive for north, the neighbours' part taken out.
  [[nodiscard]] constexpr std::int16_t deviation(std::size_t channel) const { return deviations_[channel]; }
  /// The baseline of that channel now, in ADC counts.
  [[nodiscard]] constexpr std::uint16_t baseline(std::size_t channel) const {
    return static_cast<std::uint16_t>((baselines_[channel] + (1 << (kBaselineBits - 1))) >> kBaselineBits);
  }

 private:
  static constexpr unsigned kBaselineBits = 16;  ///< behind the point of a baseline
  static constexpr unsigned kDeviationBits = 4;  ///< behind the point of a deviation within a scan
  /// The lattice with a rim of nothing around it.
  static constexpr std::size_t kCells = (kMaxLattice + 2) * (kMaxLattice + 2);
  using Cells = std::array<std::int32_t, kCells>;

  [[nodiscard]] constexpr PieceClass class_of(std::int32_t deviation, PieceClass before) const;
  constexpr void judge(std::size_t channel, std::int32_t fine, bool may_drift);
  /// into = levels_ less what `magnets` do to their neighbours, for so many channels.
  constexpr void take_out(const Cells& magnets, Cells& into, std::size_t ranks) const;

  std::array<std::int32_t, kMaxChannels> baselines_{};  ///< now, with kBaselineBits
  std::array<std::uint16_t, kMaxChannels> calibrated_{};
  std::array<std::int16_t, kMaxChannels> deviations_{};
  std::array<PieceClass, kMaxChannels> classes_{};
  PieceThresholds thresholds_;
  std::int32_t max_drift_ = 0;  ///< with kBaselineBits
  Crosstalk crosstalk_;
  std::size_t lattice_ = 0;
  // Members, because a scan runs on a stack of 2 KiB. With kDeviationBits.
  Cells levels_{};   ///< less the baselines
  Cells magnets_{};  ///< what of that is the site's own
};

constexpr void Classifier::calibrate(std::span<const std::uint16_t> baselines, PieceThresholds thresholds) {
  for (std::size_t i = 0; i < kMaxChannels; ++i) {
    calibrated_[i] = i < baselines.size() ? baselines[i] : kMiddle;
    baselines_[i] = calibrated_[i] << kBaselineBits;
  }
  deviations_.fill(0);
  classes_.fill(PieceClass::none);
  thresholds_ = thresholds;
  max_drift_ = std::min<std::int32_t>(kMaxDrift, thresholds.piece / 4) << kBaselineBits;
}

constexpr void Classifier::neighbours(std::uint8_t lattice, Crosstalk crosstalk) {
  const auto bounded = [](std::int16_t part) {
    return std::clamp<std::int16_t>(part, static_cast<std::int16_t>(-kMaxCrosstalk), kMaxCrosstalk);
  };
  lattice_ = lattice <= kMaxLattice ? lattice : 0;
  crosstalk_ = {bounded(crosstalk.beside), bounded(crosstalk.diagonal)};
  levels_.fill(0);
  magnets_.fill(0);
}

constexpr void Classifier::take_out(const Cells& magnets, Cells& into, std::size_t ranks) const {
  const std::size_t width = lattice_ + 2;
  for (std::size_t row = width; row <= ranks * width; row += width) {
    // What is above and below a cell is beside it, and diagonal to the cells left and right of it: each sum serves three times.
    std::int32_t left = magnets[row - width] + magnets[row + width];
    std::int32_t here = magnets[row - width + 1] + magnets[row + width + 1];
    for (std::size_t cell = row + 1; cell <= row + lattice_; ++cell) {
      const std::int32_t right = magnets[cell - width + 1] + magnets[cell + width + 1];
      const std::int32_t beside = here + magnets[cell - 1] + magnets[cell + 1];
      // Each sum is below 2^20 and loses the four bits behind its point; a factor has at most 14 bits.
      const std::int32_t part =
          (beside >> kDeviationBits) * crosstalk_.beside + ((left + right) >> kDeviationBits) * crosstalk_.diagonal;
      into[cell] = levels_[cell] - (part >> (16 - kDeviationBits));
      left = here;
      here = right;
    }
  }
}

constexpr PieceClass Classifier::class_of(std::int32_t deviation, PieceClass before) const {
  const bool north = deviation > 0;
  const std::int32_t size = north ? deviation : -deviation;
  // A border is nearer on the way out of a class; a magnet turned over comes to its new class from nothing.
  const PieceClass strong = north ? PieceClass::north : PieceClass::south;
  const PieceClass weak = north ? PieceClass::weak_north : PieceClass::weak_south;
  const bool was_strong = before == strong;
  const bool was_piece = was_strong || before == weak;
  const std::int32_t hysteresis = thresholds_.hysteresis;
  if (size < thresholds_.piece + (was_piece ? -hysteresis : hysteresis)) return PieceClass::none;
  if (size < thresholds_.strong + (was_strong ? -hysteresis : hysteresis) && thresholds_.strong != 0) return weak;
  return strong;
}

constexpr void Classifier::judge(std::size_t channel, std::int32_t fine, bool may_drift) {
  const std::int32_t deviation = (fine + (1 << (kDeviationBits - 1))) >> kDeviationBits;
  deviations_[channel] = static_cast<std::int16_t>(deviation);
  const PieceClass now = class_of(deviation, classes_[channel]);
  classes_[channel] = now;
  if (!may_drift || now != PieceClass::none) return;
  constexpr std::int32_t kStep = kDriftStep << kDeviationBits;
  constexpr unsigned kScale = kBaselineBits - kDeviationBits;
  // (off << kScale) >> kDriftShift, in one shift and rounded, so that it neither creeps down nor stops short by more than half a count.
  constexpr unsigned kShift = kDriftShift - kScale;
  const std::int32_t off = std::clamp(fine, -kStep, kStep);
  const std::int32_t middle = calibrated_[channel] << kBaselineBits;
  baselines_[channel] =
      std::clamp(baselines_[channel] + ((off + (1 << (kShift - 1))) >> kShift), middle - max_drift_, middle + max_drift_);
}

constexpr void Classifier::scan(std::span<const std::uint16_t> counts, std::uint64_t empty) {
  const std::size_t channels = std::min(counts.size(), kMaxChannels);
  const auto level = [&](std::size_t channel) {
    return (counts[channel] << kDeviationBits) - (baselines_[channel] >> (kBaselineBits - kDeviationBits));
  };
  std::size_t channel = 0;
  std::size_t ranks = 0;
  for (; ranks < lattice_ && channel < channels; ++ranks) {
    const std::size_t row = (ranks + 1) * (lattice_ + 2);
    for (std::size_t file = 1; file <= lattice_; ++file, ++channel) {
      levels_[row + file] = channel < channels ? level(channel) : 0;
    }
  }
  take_out(levels_, magnets_, ranks);
  take_out(magnets_, levels_, ranks);

  channel = 0;
  const auto next = [&](std::int32_t fine) {
    judge(channel, fine, (empty & 1U) != 0);
    empty >>= 1U;
    ++channel;
  };
  for (std::size_t row = lattice_ + 2; channel < channels && row <= ranks * (lattice_ + 2); row += lattice_ + 2) {
    for (std::size_t file = 1; file <= lattice_ && channel < channels; ++file) next(levels_[row + file]);
  }
  while (channel < channels) next(level(channel));
}

}  // namespace merel
