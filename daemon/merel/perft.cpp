#include <chrono>
#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/game_choice.h"

namespace merel {
namespace {

constexpr int kDeepest = 100;

struct Perft {
  GameChoice choice;
  int depth = 0;

  int run() const {
    const auto record = choice.start();
    if (!record) return complain(record.error(), kBadInput);
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t all = 0;
    for (int d = 1; d <= depth; ++d) {
      const std::uint64_t nodes = perft(record->position(), d);
      all += nodes;
      std::cout << d << ' ' << nodes << std::endl;  // at once: the deep ones take long
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const double rate = took.count() > 0 ? static_cast<double>(all) / took.count() : 0;
    std::cerr << static_cast<std::uint64_t>(rate) << " nodes/s\n";
    return kDone;
  }
};

}  // namespace

void add_perft(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("perft", "Count the step sequences of each length up to DEPTH.");
  const auto perft = std::make_shared<Perft>();
  perft->choice.add_game(*command);
  command->add_option("DEPTH", perft->depth, "how many steps deep")->required()->check(CLI::Range(1, kDeepest));
  perft->choice.add_position(*command);
  command->footer("Example: the 24 first steps of Nine Men's Morris and the 552 pairs of steps\n  merel perft morris 2");
  command->callback([perft, &exit_code] { exit_code = perft->run(); });
}

}  // namespace merel
