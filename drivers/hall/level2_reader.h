#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/hall/field.h"
#include "drivers/hall/part_spread.h"

/// Which spheres of Pylos lie on the second level, from what all 49 sensors read. Pure.
///
/// A level-2 sphere is a change of 1 mT at the sensor under it. The four spheres that carry it do as much there when they stand exactly upright,
/// and a tilt of ten degrees changes the part of a single one by more than that part. So one sensor alone cannot tell. But the same tilts
/// show at the sensors between the spheres, five times as strong: the levels of all sensors together say how each sphere lies, and what
/// they then leave unexplained at the nine sensors is the second level. Everything that is not known (sensitivities, strengths,
/// places, tilts) is a normal disturbance with the covariance that its spread causes; every stack that can lie there is weighed by its likelihood.
namespace merel {

enum class Pole : std::int8_t {
  south = -1,  ///< south up: levels fall
  none = 0,
  north = 1,  ///< north up: levels rise
};

/// The seats of Pylos, numbered as the rules number its sites (rules/pylos.h): level by level, then file by file.
namespace pylos_seats {

inline constexpr std::size_t kSeats = 30;
inline constexpr std::size_t kLevel1 = 16;  ///< seats 0 … 15
inline constexpr std::size_t kLevel2 = 9;   ///< seats 16 … 24
inline constexpr std::size_t kUpper = kSeats - kLevel1;
inline constexpr std::size_t kSpheres = 15;  ///< of each player

/// Where the seat is; `seat` is less than kSeats.
[[nodiscard]] constexpr lattice7::Spot spot(std::size_t seat) {
  std::uint8_t level = 1;
  std::size_t side = 4;
  while (seat >= side * side) {
    seat -= side * side;
    --side;
    ++level;
  }
  const auto at = [&](std::size_t step) { return static_cast<std::uint8_t>(level - 1 + 2 * step); };
  return {at(seat / side), at(seat % side), level};
}

}  // namespace pylos_seats

/// A stack: the pole of the sphere on each seat.
using SphereStack = std::array<Pole, pylos_seats::kSeats>;

/// What is said of one seat above the first level.
struct SeatReading {
  Pole pole = Pole::none;
  /// The natural logarithm of how much likelier this is than all else together; infinite where nothing can lie, else
  /// at most Level2Reader::kMostOdds.
  double log_odds = 0;
  /// Whether that is enough to say so. If not, what was said before stands.
  bool sure = false;
  friend bool operator==(const SeatReading&, const SeatReading&) = default;
};

/// By seat - pylos_seats::kLevel1: the nine of the second level, then those of the third and the fourth. The latter do 0.1 to 0.3 mT at the
/// nearest sensors: they are weighed so that nobody takes them for something else, and are seldom sure by themselves.
using UpperSeats = std::array<SeatReading, pylos_seats::kUpper>;

/// Reads the second level. Making one takes some milliseconds, a reading less than one.
class Level2Reader {
 public:
  static constexpr std::size_t kChannels = lattice7::kChannels;
  using Deviations = std::array<double, kChannels>;
  /// Levels, and what lay there.
  struct Picture {
    Deviations deviations{};
    SphereStack stack{};
  };

  /// A reading is sure when it is this much likelier than all else together, as a logarithm: 1000 to 1.
  static constexpr double kSure = 6.9;

  /// A stack that is so much less likely than another, as a logarithm, is not looked at; no seat where a sphere can lie is surer than that.
  static constexpr double kMostOdds = 30;
  /// The part of the spread by which a sphere that stayed where it was lies otherwise after hands have been at the stack.
  static constexpr double kNudged = 0.15;
  /// From one picture to the next most seats stay as they are: one that does not costs this much, as a logarithm (50 to 1).
  static constexpr double kChange = 3.9;
  /// Where no picture has a past, what is otherwise than somebody expects costs this much (7 to 1).
  static constexpr double kUnexpected = 2;

  /// `expected` is the spread that the parts are believed to have; `scans` is how many scans a level is the mean of: each has the
  /// spread's noise, and a mean of several tells more.
  explicit Level2Reader(const PartSpread& expected = {}, unsigned scans = 1);

  /// One picture by itself: levels less baselines in counts, and the spheres of the first level that are known to lie there. The upper
  /// levels of `known` are not looked at: a sphere can lie only where all four below it lie. `expected`, when there is one, is what somebody
  /// believes to lie on them.
  [[nodiscard]] UpperSeats read(const Deviations& deviations, const SphereStack& known,
                                const SphereStack* expected = nullptr) const;

  /// The change since an earlier picture whose whole stack was known. What both have in common explains itself, but for what
  /// hands have nudged meanwhile; only spheres that came or went count with all their spread.
  [[nodiscard]] UpperSeats read_change(const Picture& earlier, const Deviations& deviations, const SphereStack& known) const;

 private:
  static constexpr std::size_t kUnknowns = 6;  ///< place (3), tilt (2), strength
  /// What a sphere on that seat, north up, does to every sensor, in counts.
  struct Signature {
    std::array<double, kChannels> mean{};
    /// What one standard deviation of each unknown adds.
    std::array<std::array<double, kChannels>, kUnknowns> spread{};
  };
  class Weighing;
  /// `likely`: what probably lies there, unless something has come or gone; each seat that is otherwise costs `otherwise`, as a logarithm.
  [[nodiscard]] UpperSeats weigh(const Picture* earlier, const SphereStack* likely, double otherwise,
                                 const Deviations& deviations, const SphereStack& known) const;

  PartSpread expected_;
  double level_variance_;              ///< of noise and rounding, counts squared
  std::vector<Signature> signatures_;  ///< by seat
};

/// Follows a game: a picture by itself first, then change after change. Pure; time is not needed.
class Level2Watch {
 public:
  using Deviations = Level2Reader::Deviations;

  explicit Level2Watch(const PartSpread& expected = {}, unsigned scans = 4) : reader_(expected, scans) {}

  /// Reads levels that have settled, with the first level that is known; where a reading is not sure, the seat keeps what was said of it,
  /// as far as it can still lie there. When all are sure the picture becomes the one that the next is held against.
  const SphereStack& read(const Deviations& deviations, const SphereStack& known);
  /// This stack should lie there: likelier than others as long as no picture has a past, and what stands where a reading is not sure.
  void expect(const SphereStack& stack) {
    stack_ = stack;
    expected_ = stack;
  }
  /// The game has the same on all seats with a sensor as was said last, and knows of the others: the picture that was read last becomes the
  /// one that the next is held against, and this stack what lies there. False, and nothing changes, when nothing was read yet, when the game
  /// has something else, or when the picture speaks against it on any seat, seven to one, though not surely: were it taken for what it does
  /// not show, a sphere lifted later would look like one of the other pole put there.
  bool agree(const SphereStack& stack);
  /// Somebody knows better: this is the whole stack in that picture.
  void set(const Deviations& deviations, const SphereStack& stack);
  /// Forgets everything: after a calibration, or when nobody has looked for a long time.
  void forget();

  /// What was said last.
  [[nodiscard]] const SphereStack& stack() const { return stack_; }
  /// Seat by seat, the last reading itself.
  [[nodiscard]] const UpperSeats& seats() const { return seats_; }

 private:
  static constexpr double kDoubt = 2;  ///< seven to one, as a logarithm

  Level2Reader reader_;
  SphereStack stack_{};
  UpperSeats seats_{};
  std::optional<Deviations> last_;  ///< what was read last
  std::optional<SphereStack> expected_;
  std::optional<Level2Reader::Picture> earlier_;
};

}  // namespace merel
