// What the linear hall sensors are read as, on boards made of parts that spread as real ones do: how often it is right, and what it costs.
#include <benchmark/benchmark.h>

#include "tests/hall/trials.h"

namespace merel {
namespace {

using hall_trials::ClassTrial;
using hall_trials::Level2Trial;

constexpr std::size_t kBoards = 1000;
constexpr std::size_t kStacks = 10'000;

/// Four piece classes on `kBoards` boards, twenty occupancies each. The second argument is how many times as much a magnet does next door as
/// the model says: twice is what HARDWARE.md has.
void piece_classes(benchmark::State& state) {
  PartSpread spread;
  spread.beside = static_cast<double>(state.range(1));
  ClassTrial trial;
  for (auto _ : state) trial = hall_trials::try_classes(spread, static_cast<std::uint64_t>(state.range(0)), kBoards);
  state.SetLabel("piece classes");
  state.counters["class_sensors"] = static_cast<double>(trial.all.sensors);
  state.counters["class_wrong"] = static_cast<double>(trial.all.wrong);
  state.counters["class_right_percent"] = trial.all.percent();
  state.counters["class_mixed_right_percent"] = trial.mixed.percent();
  state.counters["class_crowded_right_percent"] = trial.crowded.percent();
  state.counters["boards_refused"] = static_cast<double>(trial.refused);
}
BENCHMARK(piece_classes)
    ->ArgsProduct({{1, 2, 3}, {1, 2}})
    ->ArgNames({"seed", "beside"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// The same when magnets also stand up to a millimetre too high or too low: then the weakest of the strong are no stronger than the strongest
/// of the weak, and what their neighbours do no longer goes with what they do themselves. No bar; it says what a depth stop is worth.
void piece_classes_without_a_depth_stop(benchmark::State& state) {
  PartSpread spread;
  spread.height_mm = 1;
  ClassTrial trial;
  for (auto _ : state) trial = hall_trials::try_classes(spread, static_cast<std::uint64_t>(state.range(0)), kBoards);
  state.SetLabel("piece classes, height +-1 mm");
  state.counters["mixed_right_percent"] = trial.mixed.percent();
  state.counters["crowded_right_percent"] = trial.crowded.percent();
  state.counters["boards_refused"] = static_cast<double>(trial.refused);
}
BENCHMARK(piece_classes_without_a_depth_stop)
    ->DenseRange(1, 3)
    ->ArgName("seed")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// The second level of Pylos at the end of 10,000 random legal games broken off anywhere, each on a board of its own and followed from the
/// empty board; every step leaves all spheres lying a little otherwise. `single` is the last picture without its past.
void second_level(benchmark::State& state) {
  Level2Trial trial;
  for (auto _ : state) {
    trial = hall_trials::try_level2(PartSpread{}, static_cast<std::uint64_t>(state.range(0)), kStacks,
                                    {static_cast<unsigned>(state.range(1)), static_cast<double>(state.range(2)) / 100});
  }
  state.SetLabel("second level");
  state.counters["level2_sensors"] = static_cast<double>(trial.followed.sensors);
  state.counters["level2_wrong"] = static_cast<double>(trial.followed.wrong);
  state.counters["level2_right_percent"] = trial.followed.percent();
  state.counters["level2_open_right_percent"] = trial.followed_open.percent();
  state.counters["level2_on_the_way_right_percent"] = trial.on_the_way.percent();
  state.counters["single_right_percent"] = trial.single.percent();
  state.counters["single_open_right_percent"] = trial.single_open.percent();
  state.counters["single_sure_right_percent"] = trial.single_sure.percent();
  state.counters["single_sure_share_percent"] =
      100 * static_cast<double>(trial.single_sure.sensors) / static_cast<double>(trial.single_open.sensors);
}
BENCHMARK(second_level)
    ->Args({1, 4, 10})
    ->Args({2, 4, 10})
    ->Args({3, 4, 10})
    ->Args({1, 1, 20})
    ->ArgNames({"seed", "scans", "jog_percent"})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

/// The same after a restart: the record says what should lie there, and no picture has a past.
void second_level_after_a_restart(benchmark::State& state) {
  hall_trials::RestartTrial trial;
  for (auto _ : state) {
    trial = hall_trials::try_restarts(PartSpread{}, static_cast<std::uint64_t>(state.range(0)), kStacks);
  }
  state.SetLabel("second level after a restart");
  state.counters["stacks"] = static_cast<double>(trial.stacks.sensors);
  state.counters["stacks_right_percent"] = trial.stacks.percent();
  state.counters["next_change_seen_percent"] = trial.next.percent();
  state.counters["change_meanwhile_seen_percent"] = trial.meanwhile.percent();
  state.counters["spheres_invented"] = static_cast<double>(trial.invented);
}
BENCHMARK(second_level_after_a_restart)->Arg(1)->ArgName("seed")->Iterations(1)->Unit(benchmark::kSecond);

/// One scan of 49 channels with neighbours, on this machine.
void classifier_scan(benchmark::State& state) {
  AnalogueBoard board(PartSpread{}, 1);
  for (std::size_t channel = 0; channel < AnalogueBoard::kChannels; channel += 2) {
    board.put(MagnetKind::strong, true, hall_trials::spot_of(channel));
  }
  const AnalogueBoard::Levels levels = board.levels();
  Classifier classifier;
  classifier.neighbours(lattice7::kFiles, nominal_crosstalk(MagnetKind::strong));
  for (auto _ : state) {
    classifier.scan(levels, ~std::uint64_t{0});
    benchmark::DoNotOptimize(classifier.at(0));
  }
}
BENCHMARK(classifier_scan);

/// One reading of a whole stack.
void second_level_reading(benchmark::State& state) {
  using namespace pylos_seats;  // NOLINT(google-build-using-namespace)
  AnalogueBoard board(PartSpread{}, 1);
  LevelRecord dark;
  hall_trials::record(board, dark, 64);
  SphereStack stack{};
  for (std::size_t seat = 0; seat < kSeats - 1; ++seat) stack[seat] = seat % 2 == 0 ? Pole::north : Pole::south;
  hall_trials::show(board, {}, stack);
  const auto deviations = hall_trials::mean_deviations(board, dark, 4);
  const Level2Reader reader({}, 4);
  for (auto _ : state) benchmark::DoNotOptimize(reader.read(deviations, stack));
}
BENCHMARK(second_level_reading)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace merel
