#include "drivers/hall/level2_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace merel {
namespace {

using namespace pylos_seats;  // NOLINT(google-build-using-namespace): the file is about them

constexpr std::size_t kSensors = lattice7::kChannels;
using Row = std::array<double, kSensors>;

constexpr std::array<lattice7::Spot, kSeats> kSpots = [] {
  std::array<lattice7::Spot, kSeats> spots;
  for (std::size_t seat = 0; seat < kSeats; ++seat) spots[seat] = spot(seat);
  return spots;
}();

/// The four seats that carry each upper seat, by seat - kLevel1.
constexpr std::array<std::array<std::size_t, 4>, kUpper> kCarriers = [] {
  std::array<std::array<std::size_t, 4>, kUpper> carriers{};
  for (std::size_t upper = 0; upper < kUpper; ++upper) {
    const lattice7::Spot above = kSpots[kLevel1 + upper];
    std::size_t found = 0;
    for (std::size_t seat = 0; seat < kSeats; ++seat) {
      const lattice7::Spot below = kSpots[seat];
      const bool touches = below.level + 1 == above.level &&
                           (below.file + 1 == above.file || below.file == above.file + 1) &&
                           (below.rank + 1 == above.rank || below.rank == above.rank + 1);
      if (touches) carriers[upper][found++] = seat;
    }
  }
  return carriers;
}();

/// A covariance of all sensors as its lower triangle, and its Cholesky factor in the same place.
class Covariance {
 public:
  double& at(std::size_t row, std::size_t column) { return rows_[row][column]; }
  void add(const Row& direction, double weight) {
    for (std::size_t row = 0; row < kSensors; ++row) {
      const double factor = weight * direction[row];
      for (std::size_t column = 0; column <= row; ++column) rows_[row][column] += factor * direction[column];
    }
  }
  /// Turns into the factor. A positive diagonal has been added before, so there is one.
  void factorise() {
    for (std::size_t row = 0; row < kSensors; ++row) {
      for (std::size_t column = 0; column <= row; ++column) {
        double sum = rows_[row][column];
        for (std::size_t k = 0; k < column; ++k) sum -= rows_[row][k] * rows_[column][k];
        rows_[row][column] = row == column ? std::sqrt(sum) : sum / rows_[column][column];
      }
    }
  }
  /// In place: the vector in units in which what this covariance describes is independent, each with deviation 1.
  void whiten(Row& vector) const {
    for (std::size_t row = 0; row < kSensors; ++row) {
      double sum = vector[row];
      for (std::size_t k = 0; k < row; ++k) sum -= rows_[row][k] * vector[k];
      vector[row] = sum / rows_[row][row];
    }
  }

 private:
  std::array<Row, kSensors> rows_{};
};

double product(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSensors; ++i) sum += a[i] * b[i];
  return sum;
}

constexpr double square(double value) { return value * value; }
/// South, none, north.
constexpr std::size_t index_of(Pole pole) { return pole == Pole::south ? 0 : pole == Pole::none ? 1 : 2; }
constexpr double sign(Pole pole) { return static_cast<double>(pole); }

}  // namespace

/// Weighs every stack that can lie on the known first level.
///
/// With x the poles on the upper seats, h their signatures and r what the first level leaves unexplained (all whitened), a stack is the likelier
/// the smaller |r - h x|² is. h = q m with orthonormal columns in q and a triangular m, so that is |qᵀr - m x|² and a constant, a sum of one
/// square a seat, of which each needs only the seats up to it. Seat by seat the sum grows; what is hopelessly worse than the best stack so far
/// is left at once, and of hundreds of thousands of stacks some dozens are looked at.
class Level2Reader::Weighing {
 public:
  /// The next seat at which a sphere can lie, in ascending order, with its whitened signature.
  void add(std::size_t upper, const Row& signature) {
    seats_.push_back(upper);
    signatures_.push_back(signature);
  }
  /// By seat and pole (south, none, north): the logarithm, at most 0, of what its past says of it.
  std::array<std::array<double, 3>, kUpper> prior{};

  UpperSeats weigh(const SphereStack& known, const Row& unexplained) {
    triangulate(unexplained);
    stack_ = known;
    std::fill(stack_.begin() + kLevel1, stack_.end(), Pole::none);
    for (std::size_t seat = 0; seat < kLevel1; ++seat) count(stack_[seat], 1);
    go_on(0, 0);

    UpperSeats readings;
    for (std::size_t i = 0; i < kUpper; ++i) {
      const auto& weights = weights_[i];
      const auto best = static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
      const double others = weights[(best + 1) % 3] + weights[(best + 2) % 3];
      SeatReading& reading = readings[i];
      reading.pole = static_cast<Pole>(static_cast<int>(best) - 1);
      const bool can_lie = std::find(seats_.begin(), seats_.end(), i) != seats_.end();
      // What was left at once is not in the sums: nothing is surer than that.
      reading.log_odds = can_lie ? std::min(kMostOdds, std::log(weights[best]) - std::log(others))
                                 : std::numeric_limits<double>::infinity();
      reading.sure = reading.log_odds >= kSure;
    }
    return readings;
  }

 private:
  /// Gram and Schmidt from the last seat to the first, so that each row of m needs only the seats up to its own.
  void triangulate(const Row& unexplained) {
    std::vector<Row> axes = signatures_;
    for (std::size_t i = axes.size(); i-- > 0;) {
      for (std::size_t j = axes.size(); --j > i;) {
        const double part = product(axes[j], axes[i]);
        for (std::size_t k = 0; k < kSensors; ++k) axes[i][k] -= part * axes[j][k];
      }
      const double length = std::sqrt(product(axes[i], axes[i]));
      for (double& value : axes[i]) value /= length;
      target_[i] = product(axes[i], unexplained);
      for (std::size_t j = 0; j <= i; ++j) m_[i][j] = product(axes[i], signatures_[j]);
    }
  }
  void count(Pole pole, int change) {
    if (pole != Pole::none) spheres_[pole == Pole::north ? 1 : 0] += change;
  }

  void go_on(std::size_t place, double score) {
    if (score < best_ - kMostOdds) return;
    if (place == seats_.size()) return take(score);
    const std::size_t upper = seats_[place];
    const auto& carriers = kCarriers[upper];
    const bool carried =
        std::all_of(carriers.begin(), carriers.end(), [&](std::size_t seat) { return stack_[seat] != Pole::none; });
    double off = target_[place];
    for (std::size_t i = 0; i < place; ++i) off -= m_[place][i] * sign(stack_[kLevel1 + seats_[i]]);

    // The likeliest first: the sooner a good stack is found, the more others are left at once.
    struct Choice {
      double score = 0;
      Pole pole = Pole::none;
    };
    std::array<Choice, 3> choices{};
    std::size_t size = 0;
    for (const Pole pole : {Pole::south, Pole::none, Pole::north}) {
      const bool allowed =
          pole == Pole::none || (carried && spheres_[pole == Pole::north ? 1 : 0] < static_cast<int>(kSpheres));
      if (!allowed) continue;
      const double left = off - m_[place][place] * sign(pole);
      const Choice choice{score - left * left / 2 + prior[upper][index_of(pole)], pole};
      std::size_t at = size++;
      for (; at > 0 && choices[at - 1].score < choice.score; --at) choices[at] = choices[at - 1];
      choices[at] = choice;
    }
    for (std::size_t i = 0; i < size; ++i) {
      stack_[kLevel1 + upper] = choices[i].pole;
      count(choices[i].pole, 1);
      go_on(place + 1, choices[i].score);
      count(choices[i].pole, -1);
    }
    stack_[kLevel1 + upper] = Pole::none;
  }

  void take(double score) {
    if (score > best_) {  // the sums are in units of the best
      const double factor = std::exp(best_ - score);
      for (auto& weights : weights_) {
        for (double& weight : weights) weight *= factor;
      }
      best_ = score;
    }
    const double weight = std::exp(score - best_);
    for (std::size_t i = 0; i < kUpper; ++i) weights_[i][index_of(stack_[kLevel1 + i])] += weight;
  }

  std::vector<std::size_t> seats_;
  std::vector<Row> signatures_;
  std::array<std::array<double, kUpper>, kUpper> m_{};
  std::array<double, kUpper> target_{};
  SphereStack stack_{};
  std::array<int, 2> spheres_{};  ///< south, north
  std::array<std::array<double, 3>, kUpper> weights_{};
  double best_ = -std::numeric_limits<double>::infinity();
};

Level2Reader::Level2Reader(const PartSpread& expected, unsigned scans)
    : expected_(expected),
      level_variance_((square(expected.noise_counts) + 1.0 / 12) / std::max(scans, 1U)),
      signatures_(kSeats) {
  // The standard deviation of an even spread is its bound / sqrt(3); a tilt, even up to its bound and with any direction, goes half into each of
  // two directions. Every unknown is tried one deviation to either side: half the difference is its part of the spread, and what both
  // have in common is the curvature, which shifts the mean.
  const double place = expected.position_mm / std::numbers::sqrt3;
  const double height = expected.height_mm / std::numbers::sqrt3;
  const double tilt = expected.tilt_degrees * std::numbers::pi / 180 / std::sqrt(6.0);
  const double strength = expected.strength / std::numbers::sqrt3;
  const HallSensor nominal;
  for (std::size_t seat = 0; seat < kSeats; ++seat) {
    const Magnet upright{
        disc_of(MagnetKind::sphere), lattice7::magnet_place(MagnetKind::sphere, kSpots[seat]), {0, 0, 1}, 1};
    const auto moved = [&](std::size_t unknown, double way) {
      Magnet magnet = upright;
      switch (unknown) {
        case 0: magnet.centre.x += way * place; break;
        case 1: magnet.centre.y += way * place; break;
        case 2: magnet.centre.z += way * height; break;
        case 3: magnet.up = {std::sin(way * tilt), 0, std::cos(tilt)}; break;
        case 4: magnet.up = {0, std::sin(way * tilt), std::cos(tilt)}; break;
        default: magnet.strength += way * strength; break;
      }
      return magnet;
    };
    Signature& signature = signatures_[seat];
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      const Vector3 sensor = lattice7::sensor_place(channel);
      const double factor = nominal.counts_per_mt * (channel == lattice7::channel(kSpots[seat]) ? 1 : expected.beside);
      const double plain = factor * field_of(upright, sensor).z;
      signature.mean[channel] = plain;
      for (std::size_t unknown = 0; unknown < kUnknowns; ++unknown) {
        const double more = factor * field_of(moved(unknown, 1), sensor).z;
        const double less = factor * field_of(moved(unknown, -1), sensor).z;
        signature.spread[unknown][channel] = (more - less) / 2;
        signature.mean[channel] += (more + less) / 2 - plain;
      }
    }
  }
}

UpperSeats Level2Reader::read(const Deviations& deviations, const SphereStack& known, const SphereStack* expected) const {
  return weigh(nullptr, expected, kUnexpected, deviations, known);
}

UpperSeats Level2Reader::read_change(const Picture& earlier, const Deviations& deviations, const SphereStack& known) const {
  return weigh(&earlier, &earlier.stack, kChange, deviations, known);
}

UpperSeats Level2Reader::weigh(const Picture* earlier, const SphereStack* likely, double otherwise,
                               const Deviations& deviations, const SphereStack& known) const {
  const Picture past = earlier != nullptr ? *earlier : Picture{};
  const SphereStack& before = past.stack;
  Row unexplained;
  Covariance covariance;
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    unexplained[channel] = deviations[channel] - past.deviations[channel];
    // Noise of both pictures, or of the one and the rounding of its baseline; and what the sensitivity makes of the change.
    covariance.at(channel, channel) = level_variance_ + (earlier != nullptr ? level_variance_ : 1.0 / 12) +
                                      square(expected_.sensitivity * unexplained[channel]) / 3;
  }
  const auto disturb = [&](std::size_t seat, double part) {
    for (const Row& direction : signatures_[seat].spread) covariance.add(direction, square(part));
  };
  const auto explain = [&](std::size_t seat, double poles) {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      unexplained[channel] -= poles * signatures_[seat].mean[channel];
    }
  };

  for (std::size_t seat = 0; seat < kLevel1; ++seat) {
    const bool same = known[seat] == before[seat];
    if (known[seat] != Pole::none) disturb(seat, same ? kNudged : 1);
    if (before[seat] != Pole::none && !same) disturb(seat, 1);
    explain(seat, sign(known[seat]) - sign(before[seat]));
  }
  Weighing weighing;
  std::vector<std::size_t> candidates;
  candidates.reserve(kUpper);
  for (std::size_t seat = kLevel1; seat < kSeats; ++seat) {
    const auto& carriers = kCarriers[seat - kLevel1];
    const bool can_lie = std::all_of(carriers.begin(), carriers.end(), [&](std::size_t carrier) {
      return carrier < kLevel1 ? known[carrier] != Pole::none
                               : std::find(candidates.begin(), candidates.end(), carrier) != candidates.end();
    });
    if (can_lie) candidates.push_back(seat);
    explain(seat, -sign(before[seat]));
    if (likely != nullptr) {
      weighing.prior[seat - kLevel1].fill(-otherwise);
      weighing.prior[seat - kLevel1][index_of((*likely)[seat])] = 0;
    }
    // Whether its spread counts depends on what lies there; it is small, and half of it is right for either on the average.
    if (can_lie || before[seat] != Pole::none) disturb(seat, std::numbers::sqrt2 / 2);
  }

  covariance.factorise();
  covariance.whiten(unexplained);
  for (const std::size_t seat : candidates) {
    Row signature = signatures_[seat].mean;
    covariance.whiten(signature);
    weighing.add(seat - kLevel1, signature);
  }
  return weighing.weigh(known, unexplained);
}

const SphereStack& Level2Watch::read(const Deviations& deviations, const SphereStack& known) {
  seats_ = earlier_ ? reader_.read_change(*earlier_, deviations, known)
                    : reader_.read(deviations, known, expected_ ? &*expected_ : nullptr);
  last_ = deviations;
  std::copy_n(known.begin(), kLevel1, stack_.begin());
  bool all_sure = true;
  for (std::size_t upper = 0; upper < kUpper; ++upper) {
    Pole& said = stack_[kLevel1 + upper];
    all_sure = all_sure && (seats_[upper].sure || upper >= kLevel2);
    if (seats_[upper].sure) said = seats_[upper].pole;
    const auto& carriers = kCarriers[upper];
    if (std::any_of(carriers.begin(), carriers.end(), [&](std::size_t seat) { return stack_[seat] == Pole::none; })) {
      said = Pole::none;
    }
  }
  if (all_sure) earlier_ = Level2Reader::Picture{deviations, stack_};
  return stack_;
}

bool Level2Watch::agree(const SphereStack& stack) {
  if (!last_ || !std::equal(stack.begin(), stack.begin() + kLevel1 + kLevel2, stack_.begin())) return false;
  for (std::size_t upper = 0; upper < kLevel2; ++upper) {
    if (seats_[upper].pole != stack[kLevel1 + upper] && seats_[upper].log_odds > kDoubt) return false;
  }
  set(*last_, stack);
  return true;
}

void Level2Watch::set(const Deviations& deviations, const SphereStack& stack) {
  stack_ = stack;
  earlier_ = Level2Reader::Picture{deviations, stack};
}

void Level2Watch::forget() {
  earlier_.reset();
  last_.reset();
  expected_.reset();
  stack_ = {};
  seats_ = {};
}

}  // namespace merel
