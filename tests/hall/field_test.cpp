// The field of the magnets against the formulas and the table of HARDWARE.md, and where pieces stand.
#include "drivers/hall/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <numbers>

#include "drivers/hall/level2_reader.h"
#include "drivers/hall/part_spread.h"
#include "rules/pylos.h"

namespace merel {
namespace {

Magnet standing(MagnetKind kind, lattice7::Spot spot, double strength = 1) {
  return {disc_of(kind), lattice7::magnet_place(kind, spot), {0, 0, 1}, strength};
}
double at_sensor(const Magnet& magnet, std::uint8_t file, std::uint8_t rank) {
  return field_of(magnet, lattice7::sensor_place(lattice7::channel({file, rank, 1}))).z;
}

/// The table of HARDWARE.md, a line a figure. Its neighbours of pegs are those of a dipole at the sensor's own height, which is the most that
/// it can be; at the height at which the disc stands over the board it is half of that. Trials are made with both.
TEST(Field, AgreesWithTheTableOfTheBoards) {
  struct Line {
    const char* what;
    double table;
    double model;
    double bearable;  ///< the table says `about`
  };
  const Magnet strong = standing(MagnetKind::strong, {0, 0, 1});
  const Magnet weak = standing(MagnetKind::weak, {0, 0, 1});
  const Magnet sphere = standing(MagnetKind::sphere, {2, 2, 1});
  const Magnet upper = standing(MagnetKind::sphere, {3, 3, 2});
  double below = 0;
  for (const auto& [file, rank] : {std::pair{2, 2}, {2, 4}, {4, 2}, {4, 4}}) {
    below +=
        at_sensor(standing(MagnetKind::sphere, {static_cast<std::uint8_t>(file), static_cast<std::uint8_t>(rank), 1}), 3, 3);
  }
  const std::array lines{
      Line{"peg, own sensor", 25, at_sensor(strong, 0, 0), 0.5},
      Line{"peg, neighbour, at the sensor's height", -0.8, dipole_field(strong.disc, 22, 0), 0.05},
      Line{"peg, neighbour, at its own height", -0.4, at_sensor(strong, 1, 0), 0.05},
      Line{"weak peg, own sensor", 10, at_sensor(weak, 0, 0), 0.5},
      Line{"weak peg, neighbour, at the sensor's height", -0.25, dipole_field(weak.disc, 22, 0), 0.05},
      Line{"weak peg, neighbour, at its own height", -0.13, at_sensor(weak, 1, 0), 0.02},
      Line{"sphere, level 1, own sensor, as a dipole", 12, dipole_field(sphere.disc, 0, 25), 0.5},
      Line{"sphere, level 1, own sensor, as a disc", 10.5, at_sensor(sphere, 2, 2), 0.1},
      Line{"sphere, level 1, level-2 sensor", 0.3, at_sensor(sphere, 3, 3), 0.05},
      Line{"sphere, level 2", 1, at_sensor(upper, 3, 3), 0.05},
      Line{"the four below it", 1.2, below, 0.1},
  };
  for (const Line& line : lines) {
    std::cout << std::setw(46) << std::left << line.what << std::right << std::fixed << std::setprecision(2) << std::setw(7)
              << line.table << std::setw(8) << line.model << " mT\n";
    EXPECT_NEAR(line.model, line.table, line.bearable) << line.what;
  }
}

TEST(Field, IsTheAxialFormulaOverEverySensor) {
  for (const MagnetKind kind : {MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere}) {
    const std::uint8_t levels = kind == MagnetKind::sphere ? 4 : 1;
    for (std::uint8_t level = 1; level <= levels; ++level) {
      const lattice7::Spot spot{3, 3, level};
      const Magnet magnet = standing(kind, spot);
      const double exact = axial_field(magnet.disc, magnet.centre.z - magnet.disc.thickness_mm / 2);
      EXPECT_NEAR(at_sensor(magnet, 3, 3) / exact, 1, 0.002) << static_cast<int>(kind) << " level " << int{level};
    }
  }
}

TEST(Field, IsTheDipoleFarAway) {
  const Magnet magnet{disc_of(MagnetKind::sphere), {0, 0, 0}, {0, 0, 1}, 1};
  for (const auto& [across, along] : {std::pair{100.0, 0.0}, {60.0, 80.0}, {0.0, 100.0}}) {
    EXPECT_NEAR(field_of(magnet, {across, 0, -along}).z / dipole_field(magnet.disc, across, along), 1, 0.01);
  }
}

TEST(Field, GoesWithItsMagnetHoweverThatIsTurned) {
  // The same magnet and point, turned together about an oblique axis by a third of a turn: x to y, y to z, z to x.
  const auto turned = [](Vector3 v) { return Vector3{v.z, v.x, v.y}; };
  const Magnet upright{disc_of(MagnetKind::strong), {1, 2, 3}, {0, 0, 1}, 1.1};
  Magnet lying = upright;
  lying.centre = turned(upright.centre);
  lying.up = turned(upright.up);
  const Vector3 point{6, -3, -5};
  const Vector3 expected = turned(field_of(upright, point));
  const Vector3 field = field_of(lying, turned(point));
  EXPECT_NEAR(field.x, expected.x, 0.01);
  EXPECT_NEAR(field.y, expected.y, 0.01);
  EXPECT_NEAR(field.z, expected.z, 0.01);
}

TEST(Field, TiltTakesFromOneSideWhatItGivesToTheOther) {
  Magnet magnet = standing(MagnetKind::sphere, {2, 2, 1});
  const double upright = at_sensor(magnet, 3, 2);
  const double tilt = 10 * std::numbers::pi / 180;
  magnet.up = {std::sin(tilt), 0, std::cos(tilt)};  // the north pole leans to the east
  const double east = at_sensor(magnet, 3, 2);
  const double west = at_sensor(magnet, 1, 2);
  EXPECT_LT(east, upright - 0.5);  // below and east of it the field runs back
  EXPECT_GT(west, upright + 0.5);
  EXPECT_NEAR((east + west) / 2, upright * std::cos(tilt), 0.03);
}

TEST(HallSensor, ReadsNorthAboveAndSouthBelowItsMiddle) {
  struct Case {
    double mt;
    std::uint16_t counts;
  };
  for (const auto& [mt, counts] : {Case{0, 2048}, {10, 2420}, {-10, 1676}, {54, 4059}, {60, 4095}, {-60, 0}}) {
    EXPECT_EQ(counts_in(HallSensor{}, {0, 0, mt}, 0), counts) << mt;
  }
  EXPECT_EQ(counts_in(HallSensor{}, {10, 10, 0}, 0), 2048) << "what is across it does not count";
  HallSensor other;
  other.axis = {0, 0, -1};
  other.quiescent = 2000;
  other.counts_per_mt = 30;
  EXPECT_EQ(counts_in(other, {0, 0, 10}, 1.4), 1701);
}

TEST(Seats, AreWhereTheRulesHaveThem) {
  const Geometry& board = Pylos{}.geometry();
  std::size_t seats = 0;
  for (const SiteInfo& info : board.sites) {
    const lattice7::Spot spot = pylos_seats::spot(info.site);
    EXPECT_EQ(spot, (lattice7::Spot{info.file, info.rank, info.level})) << info.name();
    EXPECT_TRUE(lattice7::is_seat(spot)) << info.name();
    ++seats;
  }
  EXPECT_EQ(seats, pylos_seats::kSeats);
  std::size_t all = 0;
  for (std::uint8_t level = 0; level <= 5; ++level) {
    for (std::uint8_t at = 0; at < lattice7::kChannels; ++at) {
      all += lattice7::is_seat({static_cast<std::uint8_t>(at % 7), static_cast<std::uint8_t>(at / 7), level}) ? 1U : 0U;
    }
  }
  EXPECT_EQ(all, pylos_seats::kSeats);
}

TEST(Seats, SpheresOfFourLevelsTouch) {
  const Vector3 lower = lattice7::magnet_place(MagnetKind::sphere, {2, 2, 1});
  const Vector3 upper = lattice7::magnet_place(MagnetKind::sphere, {3, 3, 2});
  const Vector3 apart = upper - lower;
  EXPECT_NEAR(std::sqrt(dot(apart, apart)), 44, 0.01);
  EXPECT_NEAR(upper.z, 56, 0.2);
}

TEST(PartDice, SpreadsPartsEvenlyUpToItsBounds) {
  const PartSpread spread;
  PartDice dice(7);
  double most_off = 0;
  double most_tilt = 0;
  double sum = 0;
  constexpr int kParts = 4000;
  for (int i = 0; i < kParts; ++i) {
    const Magnet magnet = dice.magnet(spread, MagnetKind::strong, false, {1, 0, 1});
    const Vector3 off = magnet.centre - lattice7::magnet_place(MagnetKind::strong, {1, 0, 1});
    most_off = std::max({most_off, std::abs(off.x), std::abs(off.y)});
    EXPECT_LE(std::abs(off.z), spread.height_mm);
    most_tilt = std::max(most_tilt, std::acos(magnet.up.z) * 180 / std::numbers::pi);
    EXPECT_THAT(magnet.strength, testing::AllOf(testing::Ge(-1.05), testing::Le(-0.95)));
    sum += off.x;
  }
  EXPECT_THAT(most_off, testing::AllOf(testing::Gt(0.99), testing::Le(1.0)));
  EXPECT_THAT(most_tilt, testing::AllOf(testing::Gt(9.9), testing::Le(10.0001)));
  EXPECT_NEAR(sum / kParts, 0, 0.03);
}

TEST(PartDice, NoiseHasTheDeviationAskedFor) {
  PartDice dice(3);
  double squares = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) squares += std::pow(dice.normal(2), 2);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 2, 0.05);
}

}  // namespace
}  // namespace merel
