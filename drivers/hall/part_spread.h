#pragma once
#include <cstdint>

#include "drivers/hall/field.h"

/// How much real parts differ from each other, and parts drawn from that. Pure; the same for a seed on every machine but for the last digits.
namespace merel {

/// Every bound is the edge of an even spread around the nominal value; the noise alone is normal.
struct PartSpread {
  double sensitivity = 0.05;  ///< of a sensor, part of the nominal
  double offset_counts = 10;  ///< of a sensor's quiescent level
  double strength = 0.05;     ///< of a magnet, part of the nominal
  double position_mm = 1;     ///< of a magnet's centre along files and along ranks
  double height_mm = 0.5;     ///< and upwards: seats are solid and holes have a bottom, only the glue has no measure
  double tilt_degrees = 10;   ///< of a magnet's axis from the vertical, in any direction
  double noise_counts = 2;    ///< standard deviation of a level (median of three samples)
  double beside = 1;  ///< factor on what a magnet does at other sensors than its own; above 1 for tests with more of it
};

/// Parts without any spread, on a quiet board.
inline constexpr PartSpread kIdealParts{0, 0, 0, 0, 0, 0, 0, 1};

/// Draws that are the same for a seed on every machine (splitmix64).
class PartDice {
 public:
  explicit PartDice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// 0 … n - 1; n at least 1.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  /// Even in -bound … bound.
  double within(double bound);
  /// Normal, with this standard deviation.
  double normal(double deviation);

  [[nodiscard]] HallSensor sensor(const PartSpread& spread, std::size_t channel);
  /// A magnet of that kind on that spot, north or south up.
  [[nodiscard]] Magnet magnet(const PartSpread& spread, MagnetKind kind, bool north_up, lattice7::Spot spot);

 private:
  std::uint64_t state_;
};

}  // namespace merel
