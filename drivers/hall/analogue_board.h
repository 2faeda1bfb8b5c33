#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "drivers/hall/field.h"
#include "drivers/hall/part_spread.h"

namespace merel {

/// A board of 49 linear hall sensors without the board: pieces stand on it, and every sensor reads what they do there, with the spread of real
/// parts and noise. Pure and seeded: the same calls give the same levels, and pieces put in the same order are the same ones however often
/// levels were read in between.
class AnalogueBoard {
 public:
  static constexpr std::size_t kChannels = lattice7::kChannels;
  using Levels = std::array<std::uint16_t, kChannels>;

  AnalogueBoard(const PartSpread& spread, std::uint64_t seed);

  /// Puts another piece of that kind there; one that stands there already goes.
  void put(MagnetKind kind, bool north_up, lattice7::Spot spot) {
    put(kind, dice_.magnet(spread_, kind, north_up, spot), spot);
  }
  /// Puts exactly this magnet there, for a piece that is not as it should be.
  void put(MagnetKind kind, const Magnet& magnet, lattice7::Spot spot);
  void lift(lattice7::Spot spot);
  void clear() { pieces_.clear(); }
  /// Every piece comes to lie otherwise, as when hands have been at the stack: tilts and places become mixtures of what they were and, with the
  /// share `part` (0 to 1), of others, and keep their spread.
  void jog(double part);

  /// A sensor of the board, to be damaged; `channel` is less than kChannels.
  [[nodiscard]] HallSensor& sensor(std::size_t channel) { return sensors_[channel]; }
  /// What the lights do to a channel's level while they are on, in counts.
  void interfere(std::size_t channel, double counts) { interference_[channel] = counts; }
  void lights(bool on) { lights_on_ = on; }
  /// The noise of a channel from now on, in counts.
  void noise(std::size_t channel, double counts) { noise_[channel] = counts; }

  /// The vertical field at a sensor, in millitesla.
  [[nodiscard]] double field(std::size_t channel) const;
  /// What a scan reads now; other noise each time.
  [[nodiscard]] Levels levels();

 private:
  struct Piece {
    lattice7::Spot spot;
    MagnetKind kind = MagnetKind::strong;
    Magnet magnet;
    std::array<Vector3, kChannels> fields;  ///< mT, by channel
  };
  void spread_field(Piece& piece) const;

  PartSpread spread_;
  PartDice dice_;
  PartDice noise_dice_;  ///< so that parts do not depend on how often anybody has looked
  std::array<HallSensor, kChannels> sensors_;
  std::array<double, kChannels> interference_{};
  std::array<double, kChannels> noise_{};
  bool lights_on_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace merel
