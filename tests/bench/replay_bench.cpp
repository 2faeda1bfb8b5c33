// The tracker on the shipped traces: what one raw reading costs, and how many whole games a second replay reads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/playback.h"
#include "tests/places.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

/// The shipped traces of one game, all levels, as text; those of all games for an empty name.
std::vector<std::string> trace_texts(std::string_view game) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(MEREL_TEST_DATA "/traces")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".trace") || (!game.empty() && !name.starts_with(std::string(game) + "-l"))) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>{});
  }
  return out;
}

/// The game that the argument picks, or nothing (all games) after the last one.
std::string_view game_of(const benchmark::State& state) {
  const auto at = static_cast<std::size_t>(state.range(0));
  return at < games().size() ? games()[at].name : std::string_view{};
}
void label(benchmark::State& state) {
  const std::string_view game = game_of(state);
  state.SetLabel(game.empty() ? "all games" : std::string(game));
}

/// From the text of the trace to the game record.
void replay(benchmark::State& state) {
  const std::vector<std::string> texts = trace_texts(game_of(state));
  if (texts.empty()) return state.SkipWithError("there are no traces of this game");
  std::size_t done = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      const auto trace = read_trace(text);
      if (!trace) return state.SkipWithError(trace.error().text("trace").c_str());
      Playback playback(*trace);
      while (playback.next()) benchmark::DoNotOptimize(playback.advance());
      benchmark::DoNotOptimize(playback.tracker().record().steps().size());
      ++done;
    }
  }
  label(state);
  state.counters["games_per_second"] = benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
}
BENCHMARK(replay)->DenseRange(0, static_cast<int>(games().size()))->Unit(benchmark::kMillisecond);

/// The board image and the tracker alone, moment by moment: a moment is a raw reading, or a decision that falls due after some.
/// Everything is deterministic, so each moment counts with its best time over the runs: what other programs of the machine steal
/// is no figure of ours.
void reading(benchmark::State& state) {
  std::vector<Trace> traces;
  std::size_t readings = 0;
  for (const std::string& text : trace_texts(game_of(state))) {
    const auto trace = read_trace(text);
    if (!trace) return state.SkipWithError(trace.error().text("trace").c_str());
    readings +=
        static_cast<std::size_t>(std::count_if(trace->events.begin(), trace->events.end(), [](const TraceEvent& event) {
          return std::holds_alternative<SiteReading>(event.what) || std::holds_alternative<TrayReading>(event.what);
        }));
    traces.push_back(*trace);
  }
  if (readings == 0) return state.SkipWithError("there are no traces of this game");

  std::vector<Clock::duration> best;
  for (auto _ : state) {
    std::size_t moment = 0;
    for (const Trace& trace : traces) {
      Playback playback(trace);
      while (playback.next()) {
        const auto began = Clock::now();
        benchmark::DoNotOptimize(playback.advance());
        const auto took = Clock::now() - began;
        if (moment == best.size()) best.push_back(took);
        best[moment] = std::min(best[moment], took);
        ++moment;
      }
    }
  }
  Clock::duration sum{};
  for (const Clock::duration took : best) sum += took;
  const std::chrono::duration<double, std::nano> total = sum;
  const std::chrono::duration<double, std::nano> worst = *std::max_element(best.begin(), best.end());
  label(state);
  state.counters["readings"] = static_cast<double>(readings);
  state.counters["mean_ns_per_reading"] = total.count() / static_cast<double>(readings);
  state.counters["worst_ns_of_a_reading"] = worst.count();
}
BENCHMARK(reading)->DenseRange(0, static_cast<int>(games().size()))->Iterations(7)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace merel
