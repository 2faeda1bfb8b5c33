// Nodes a second of perft from each game's start, the last ply counted without being applied.
#include <benchmark/benchmark.h>

#include <string>

#include "rules/game.h"

namespace merel {
namespace {

/// Deep enough that a run takes tens of milliseconds.
constexpr std::uint64_t kEnoughNodes = 5'000'000;

void perft_from_start(benchmark::State& state) {
  const GameInfo& game = games()[static_cast<std::size_t>(state.range(0))];
  const Options options = game.defaults();
  const auto start = game.read(options, game.start(options));
  if (!start) return state.SkipWithError(start.error().line().c_str());
  int depth = 1;
  while (perft(*start, depth) < kEnoughNodes) ++depth;
  std::uint64_t nodes = 0;
  for (auto _ : state) nodes += perft(*start, depth);
  state.SetLabel(std::string(game.name));
  state.counters["depth"] = depth;
  state.counters["nodes"] = benchmark::Counter(static_cast<double>(nodes), benchmark::Counter::kIsRate);
}
BENCHMARK(perft_from_start)->DenseRange(0, static_cast<int>(games().size()) - 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace merel
