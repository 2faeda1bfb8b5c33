#include "drivers/hall/part_spread.h"

#include <cmath>
#include <numbers>

namespace merel {

std::uint64_t PartDice::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ mixed >> 30U) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ mixed >> 27U) * 0x94D049BB133111EBU;
  return mixed ^ mixed >> 31U;
}

double PartDice::within(double bound) {
  const double from_0_to_1 = static_cast<double>(next() >> 11U) * 0x1p-53;
  return bound * (2 * from_0_to_1 - 1);
}

double PartDice::normal(double deviation) {
  // Box and Muller; 1 - u is never 0.
  const double u = static_cast<double>(next() >> 11U) * 0x1p-53;
  const double turn = within(std::numbers::pi);
  return deviation * std::sqrt(-2 * std::log(1 - u)) * std::cos(turn);
}

HallSensor PartDice::sensor(const PartSpread& spread, std::size_t channel) {
  HallSensor sensor;
  sensor.place = lattice7::sensor_place(channel);
  sensor.counts_per_mt *= 1 + within(spread.sensitivity);
  sensor.quiescent += within(spread.offset_counts);
  return sensor;
}

Magnet PartDice::magnet(const PartSpread& spread, MagnetKind kind, bool north_up, lattice7::Spot spot) {
  Magnet magnet;
  magnet.disc = disc_of(kind);
  magnet.centre = lattice7::magnet_place(kind, spot);
  magnet.centre.x += within(spread.position_mm);
  magnet.centre.y += within(spread.position_mm);
  magnet.centre.z += within(spread.height_mm);
  const double tilt = within(spread.tilt_degrees) * std::numbers::pi / 180;
  const double turn = within(std::numbers::pi);
  magnet.up = {std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn), std::cos(tilt)};
  magnet.strength = (1 + within(spread.strength)) * (north_up ? 1 : -1);
  return magnet;
}

}  // namespace merel
