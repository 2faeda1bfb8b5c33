#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/hall/analogue_board.h"
#include "drivers/hall/calibration.h"
#include "drivers/hall/classifier.h"
#include "drivers/hall/level2_reader.h"
#include "rules/game.h"

/// Boards made of spread parts, calibrated as an owner would, and what is then read right and wrong: for the tests, with few boards, and for
/// the benchmark, with as many as the figures need.
namespace merel::hall_trials {

inline lattice7::Spot spot_of(std::size_t channel) {
  return {static_cast<std::uint8_t>(channel % lattice7::kFiles), static_cast<std::uint8_t>(channel / lattice7::kFiles), 1};
}

inline std::vector<std::string> site_names() {
  std::vector<std::string> names;
  names.reserve(lattice7::kChannels);
  for (std::size_t channel = 0; channel < lattice7::kChannels; ++channel) {
    const lattice7::Spot spot = spot_of(channel);
    names.push_back({static_cast<char>('a' + spot.file), static_cast<char>('1' + spot.rank)});
  }
  return names;
}

inline void record(AnalogueBoard& board, LevelRecord& levels, int scans) {
  for (int i = 0; i < scans; ++i) levels.add(board.levels());
}

/// Leads an owner through the calibration: the empty board, dark and lit, then five pieces of each kind at a time, in the corners and in the
/// middle.
inline CalibrationRecords recorded(AnalogueBoard& board, std::initializer_list<MagnetKind> kinds) {
  CalibrationRecords records;
  records.revision = 1;
  board.clear();
  record(board, records.dark, 64);
  board.lights(true);
  record(board, records.lit, 64);
  board.lights(false);
  for (const MagnetKind kind : kinds) {
    for (const bool north_up : {true, false}) {
      PieceRecord& piece = records.pieces.emplace_back();
      piece.kind = kind;
      piece.north_up = north_up;
      piece.channels = kind == MagnetKind::sphere ? std::vector<std::size_t>{0, 6, 16, 42, 48}
                                                  : std::vector<std::size_t>{0, 6, 24, 42, 48};
      for (const std::size_t channel : piece.channels) board.put(kind, north_up, spot_of(channel));
      record(board, piece.levels, 32);
      board.clear();
    }
  }
  return records;
}

struct Score {
  std::size_t sensors = 0;
  std::size_t wrong = 0;
  [[nodiscard]] double percent() const {
    return sensors == 0 ? 0 : 100 * (1 - static_cast<double>(wrong) / static_cast<double>(sensors));
  }
};

/// Four classes: on each of `boards` boards, calibrated, twenty random occupancies of all 49 sites. Half of them are mixtures of all four kinds
/// of any density, half are crowded with strong pieces of one pole, a few sites empty or with a weak piece among them.
struct ClassTrial {
  Score all;
  Score mixed;
  Score crowded;
  std::size_t refused = 0;  ///< boards that the calibration would not have accepted; they count all the same
};
inline ClassTrial try_classes(const PartSpread& spread, std::uint64_t seed, std::size_t boards,
                              bool take_out_neighbours = true) {
  const std::vector<std::string> names = site_names();
  PartDice dice(seed);
  ClassTrial trial;
  for (std::size_t i = 0; i < boards; ++i) {
    AnalogueBoard board(spread, dice.next());
    const CalibrationResult calibration = calibrate(recorded(board, {MagnetKind::strong, MagnetKind::weak}), names);
    trial.refused += calibration.good() ? 0U : 1U;
    Classifier classifier;
    if (take_out_neighbours) classifier.neighbours(lattice7::kFiles, calibration.data.pegs);
    for (int picture = 0; picture < 20; ++picture) {
      const bool crowded = picture % 2 == 1;
      const std::uint64_t density = dice.below(101);
      const std::uint64_t north = dice.below(2);
      std::array<PieceClass, lattice7::kChannels> truth{};
      board.clear();
      for (std::size_t channel = 0; channel < truth.size(); ++channel) {
        std::uint64_t piece = 0;
        if (!crowded) {
          piece = dice.below(100) < density ? 1 + dice.below(4) : 0;
        } else if (const std::uint64_t draw = dice.below(10); draw != 0) {
          piece = draw > 2 ? 2 - north : 3 + dice.below(2);
        }
        truth[channel] = static_cast<PieceClass>(piece);
        if (piece != 0) board.put(piece > 2 ? MagnetKind::weak : MagnetKind::strong, piece % 2 == 1, spot_of(channel));
      }
      classifier.calibrate(std::span(calibration.data.baselines).first(truth.size()), calibration.data.thresholds);
      classifier.scan(board.levels(), 0);
      for (std::size_t channel = 0; channel < truth.size(); ++channel) {
        const std::size_t wrong = classifier.at(channel) != truth[channel] ? 1 : 0;
        ++trial.all.sensors;
        trial.all.wrong += wrong;
        Score& part = crowded ? trial.crowded : trial.mixed;
        ++part.sensors;
        part.wrong += wrong;
      }
    }
  }
  return trial;
}

/// The poles of a position of Pylos; W north up.
inline SphereStack stack_of(const Position& position) {
  SphereStack stack{};
  const Geometry& board = geometry(position);
  std::size_t at = 0;
  for (const char letter : text(position)) {
    if (letter == ' ') break;
    if (letter >= '1' && letter <= '9') at += static_cast<std::size_t>(letter - '0');
    if (letter == 'W' || letter == 'B') stack[board.sites[at++].site] = letter == 'W' ? Pole::north : Pole::south;
  }
  return stack;
}

inline void show(AnalogueBoard& board, const SphereStack& before, const SphereStack& now) {
  for (std::size_t seat = 0; seat < now.size(); ++seat) {
    if (now[seat] == before[seat]) continue;
    if (now[seat] == Pole::none) {
      board.lift(pylos_seats::spot(seat));
    } else {
      board.put(MagnetKind::sphere, now[seat] == Pole::north, pylos_seats::spot(seat));
    }
  }
}

inline Level2Reader::Deviations mean_deviations(AnalogueBoard& board, const LevelRecord& dark, unsigned scans) {
  LevelRecord record;
  for (unsigned i = 0; i < scans; ++i) record.add(board.levels());
  Level2Reader::Deviations deviations{};
  for (std::size_t channel = 0; channel < deviations.size(); ++channel) {
    deviations[channel] = record.mean(channel) - dark.mean(channel);
  }
  return deviations;
}

/// A random legal position of Pylos: a game broken off after 5 to 49 steps.
inline SphereStack random_stack(PartDice& dice) {
  const GameInfo& game = *find_game("pylos-standard");
  Position position = *game.read(game.defaults(), game.start(game.defaults()));
  const std::uint64_t length = 5 + dice.below(45);
  for (std::uint64_t step = 0; step < length; ++step) {
    const StepList steps = legal_steps(position);
    const auto next = merel::apply(position, steps[dice.below(steps.size())]);
    if (outcome(*next).over()) break;
    position = *next;
  }
  return stack_of(position);
}

/// The first level of Pylos as the board's own classifier reads it under whole stacks: the poles of the spheres on their sixteen sites, and
/// nothing on all the other sites, however many spheres lie around and above.
inline Score try_first_level(const PartSpread& spread, std::uint64_t seed, std::size_t boards,
                             std::initializer_list<MagnetKind> calibrated_with) {
  const std::vector<std::string> names = site_names();
  PartDice dice(seed);
  Score score;
  for (std::size_t i = 0; i < boards; ++i) {
    AnalogueBoard board(spread, dice.next());
    const CalibrationResult calibration = calibrate(recorded(board, calibrated_with), names);
    const SphereStack stack = random_stack(dice);
    board.clear();
    show(board, {}, stack);
    std::array<Pole, lattice7::kChannels> truth{};
    for (std::size_t seat = 0; seat < pylos_seats::kLevel1; ++seat) {
      truth[lattice7::channel(pylos_seats::spot(seat))] = stack[seat];
    }
    Classifier classifier;
    classifier.neighbours(lattice7::kFiles, calibration.data.spheres);
    classifier.calibrate(std::span(calibration.data.baselines).first(truth.size()), calibration.data.thresholds);
    classifier.scan(board.levels(), 0);
    for (std::size_t channel = 0; channel < truth.size(); ++channel) {
      const PieceClass seen = classifier.at(channel);
      const Pole pole = seen == PieceClass::none                                      ? Pole::none
                        : seen == PieceClass::north || seen == PieceClass::weak_north ? Pole::north
                                                                                      : Pole::south;
      ++score.sensors;
      score.wrong += pole != truth[channel] ? 1U : 0U;
    }
  }
  return score;
}

/// Second level of Pylos: `stacks` random legal games, each broken off after 5 to 49 steps; every game on a board of its own.
struct Level2Trial {
  Score followed;       ///< the last picture of each game, read by who has followed it from the empty board
  Score followed_open;  ///< of those the sensors over four spheres, where the rules leave it open
  Score on_the_way;     ///< every picture of every game
  Score single;         ///< the last picture by itself, the likeliest pole whether sure or not
  Score single_open;
  Score single_sure;  ///< of those only what is sure
};
struct Level2Trouble {
  unsigned scans = 4;  ///< of which a level is the mean
  double jog = 0.1;    ///< how much every sphere comes to lie otherwise at each step, as a part of the spread
};
inline Level2Trial try_level2(const PartSpread& spread, std::uint64_t seed, std::size_t stacks,
                              const Level2Trouble& trouble = {}) {
  using namespace pylos_seats;  // NOLINT(google-build-using-namespace)
  PartDice dice(seed);
  const Level2Reader reader(spread, trouble.scans);
  Level2Watch watch(spread, trouble.scans);
  const GameInfo& game = *find_game("pylos-standard");
  Level2Trial trial;
  const auto score = [](Score& into, bool wrong) {
    ++into.sensors;
    into.wrong += wrong ? 1 : 0;
  };
  for (std::size_t i = 0; i < stacks; ++i) {
    AnalogueBoard board(spread, dice.next());
    LevelRecord dark;
    record(board, dark, 64);
    watch.forget();
    Position position = *game.read(game.defaults(), game.start(game.defaults()));
    SphereStack truth{};
    Level2Reader::Deviations deviations{};
    const std::uint64_t length = 5 + dice.below(45);
    for (std::uint64_t step = 0; step < length; ++step) {
      const StepList steps = legal_steps(position);
      const auto next = merel::apply(position, steps[dice.below(steps.size())]);
      if (outcome(*next).over()) break;
      position = *next;
      const SphereStack now = stack_of(position);
      show(board, truth, now);
      truth = now;
      if (trouble.jog > 0) board.jog(trouble.jog);
      deviations = mean_deviations(board, dark, trouble.scans);
      watch.read(deviations, truth);
      for (std::size_t seat = kLevel1; seat < kLevel1 + kLevel2; ++seat) {
        score(trial.on_the_way, watch.stack()[seat] != truth[seat]);
      }
    }
    const UpperSeats single = reader.read(deviations, truth);
    for (std::size_t upper = 0; upper < kLevel2; ++upper) {
      const Pole right = truth[kLevel1 + upper];
      const bool open = single[upper].log_odds <= Level2Reader::kMostOdds;
      const bool wrong = watch.stack()[kLevel1 + upper] != right;
      score(trial.followed, wrong);
      score(trial.single, single[upper].pole != right);
      if (!open) continue;
      score(trial.followed_open, wrong);
      score(trial.single_open, single[upper].pole != right);
      if (single[upper].sure) score(trial.single_sure, single[upper].pole != right);
    }
  }
  return trial;
}

/// A restart in the middle of a game of Pylos: no picture has a past, and the game's record says what should lie there. Only stacks in which
/// a sphere of the second level may come or go count.
struct RestartTrial {
  Score stacks;     ///< whether what is said of the second level is what lies there, where that is what the record has
  Score next;       ///< whether the next sphere that comes or goes is then seen
  Score meanwhile;  ///< whether one that came or went while nobody looked is seen at once
  std::size_t invented = 0;  ///< spheres said of which neither the board nor the record knows anything
};
inline RestartTrial try_restarts(const PartSpread& spread, std::uint64_t seed, std::size_t stacks, unsigned scans = 8) {
  using namespace pylos_seats;  // NOLINT(google-build-using-namespace)
  const auto same = [](const SphereStack& a, const SphereStack& b) {
    return std::equal(a.begin(), a.begin() + kLevel1 + kLevel2, b.begin());
  };
  PartDice dice(seed);
  RestartTrial trial;
  Level2Watch watch(spread, scans);
  for (std::size_t i = 0; i < stacks; ++i) {
    AnalogueBoard board(spread, dice.next());
    LevelRecord dark;
    record(board, dark, 64);
    const SphereStack truth = random_stack(dice);
    show(board, {}, truth);
    const auto said = [&](const SphereStack& now, const SphereStack& in_record) {
      const SphereStack read = watch.read(mean_deviations(board, dark, scans), now);
      watch.agree(in_record);
      for (std::size_t seat = kLevel1; seat < kLevel1 + kLevel2; ++seat) {
        trial.invented += read[seat] != now[seat] && read[seat] != in_record[seat] ? 1U : 0U;
      }
      return read;
    };
    const auto restart = [&](const SphereStack& in_record) {
      watch.forget();
      watch.expect(in_record);
      return said(truth, in_record);
    };
    const SphereStack first = restart(truth);
    // A seat where a sphere may come, or one that may go.
    std::vector<std::size_t> free;
    for (std::size_t upper = 0; upper < kLevel2; ++upper) {
      if (watch.seats()[upper].log_odds <= Level2Reader::kMostOdds) free.push_back(kLevel1 + upper);
    }
    const bool higher =
        std::any_of(truth.begin() + kLevel1 + kLevel2, truth.end(), [](Pole pole) { return pole != Pole::none; });
    if (free.empty() || higher) continue;
    ++trial.stacks.sensors;
    trial.stacks.wrong += same(first, truth) ? 0U : 1U;

    SphereStack other = truth;
    Pole& seat = other[free[dice.below(free.size())]];
    seat = seat != Pole::none ? Pole::none : dice.below(2) == 0 ? Pole::north : Pole::south;
    ++trial.meanwhile.sensors;
    trial.meanwhile.wrong += same(restart(other), truth) ? 0U : 1U;

    restart(truth);
    show(board, truth, other);
    board.jog(0.1);
    ++trial.next.sensors;
    trial.next.wrong += same(said(other, truth), other) ? 0U : 1U;
  }
  return trial;
}

}  // namespace merel::hall_trials
