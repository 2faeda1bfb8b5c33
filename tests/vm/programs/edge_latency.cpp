// Measures how soon mereld answers an edge with lights beside how soon a bare program answers it with a line: `edge_latency [ROUNDS]`.
//
// Both are asked in turn, in one run. The clock starts just before the magnet moves, and the simulated hardware itself notes when the
// answer arrives: the multiplexers' address line that bare_mirror drives, the SPI message that mereld sends. In mereld a game runs, help
// is on and debouncing off: a lifted piece lights its origin and where it may go, a piece put back darkens them. Prints median and 99th
// percentile of both; ends with 1 when a bar is missed.
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/stress/figures.h"
#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using Nanoseconds = std::uint64_t;

Nanoseconds now() {
  return static_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

/// What the hardware notes: how many answers, and when the last one came.
struct Witness {
  std::string count;
  std::string time;

  /// Does that and waits for an answer to it; how long it took, in microseconds.
  template <typename Act>
  double answer(const Act& act) const {
    const std::uint64_t before = file_number(count);
    const Nanoseconds began = now();
    act();
    for (int tries = 0; file_number(count) == before; ++tries) {
      if (tries == 1000) throw std::runtime_error("no answer at " + count);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return static_cast<double>(file_number(time) - began) / 1000.0;
  }
};

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

int measure(int rounds) {
  Header header;
  SwitchLines wires;
  SimChip plain("plain", 1);
  Multiplexers outputs;
  SpiStub spi;
  FILE* mirror = popen("exec /test/bare_mirror plain 0 pinctrl-mux 0", "r");
  if (mirror == nullptr || fgetc(mirror) != 'r') throw std::runtime_error("bare_mirror does not start");

  const std::string settings = "[play]\ndebounce_ms = 0\nsettle_ms = 50\n";
  Table table({"lattice7-expander", {}}, settings);
  const GameInfo& game = *find_game("pinuid-classic");
  arrange(table, wires, game, start_of(game));
  table.post("/api/game", {{"game", "pinuid-classic"}});
  table.wait_for("/api/state", [](const Json& state) { return state.at("phase") == "play"; });
  // White's pin on d2: it may go somewhere.
  const std::uint16_t channel = table.board().channel_at(3, 1);

  const Witness line{"/sys/kernel/debug/mux_stub/changes", "/sys/kernel/debug/mux_stub/changed_ns"};
  const Witness message{"/sys/kernel/debug/spi_stub/count", "/sys/kernel/debug/spi_stub/came_ns"};
  const auto told = [&](const char* what) { return table.metric(std::string("merel_reading_to_lights_seconds_") + what); };
  const double told_before = told("sum");
  const double counted_before = told("count");
  std::vector<double> bare;
  std::vector<double> mereld;
  // Both are woken after the same pause. Two of them between two touches: faster would be taken for a flapping sensor.
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  // What is measured gets the processor at once, as if the hand that moves the magnets needed none.
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_IDLE, &none) != 0) throw std::runtime_error("the hand cannot step behind");
  for (int round = -20; round < rounds; ++round) {
    for (const bool lifted : {true, false}) {
      const double a = line.answer([&] { plain.pull(0, !lifted); });
      rest();
      const double b = message.answer([&] { wires.magnet(channel, !lifted); });
      rest();
      if (round < 0) continue;  // the first ones are for the caches
      bare.push_back(a);
      mereld.push_back(b);
    }
  }
  Figures figures;
  figures.tell("bare program, median", at(bare, 0.5), "us");
  figures.tell("bare program, 99th percentile", at(bare, 0.99), "us");
  figures.tell("mereld, median", at(mereld, 0.5), "us");
  figures.tell("mereld, 99th percentile", at(mereld, 0.99), "us");
  figures.tell("of which from reading to lights, mean", (told("sum") - told_before) / (told("count") - counted_before) * 1e6,
               "us");
  figures.at_most("edge to lights, median", at(mereld, 0.5) / at(bare, 0.5), 1.3, "times");
  figures.at_most("edge to lights, 99th percentile", at(mereld, 0.99) / at(bare, 0.99), 2.0, "times");
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) {
  try {
    return merel::measure(argc > 1 ? std::atoi(argv[1]) : 500);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "edge_latency: %s\n", error.what());
    return 2;
  }
}
