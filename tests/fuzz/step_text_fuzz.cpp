// Step texts: the first byte picks the game (`1` is the first one), each further line is read as a step and played from the
// start on. Reading and playing must agree with the list of legal steps, and what is refused must change nothing.
#include <algorithm>
#include <string_view>

#include "rules/record.h"
#include "tests/fuzz/demand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  if (size == 0) return 0;
  const GameInfo& game = games()[(data[0] - std::size_t{'1'}) % games().size()];
  const Options options = game.defaults();
  std::string_view lines(reinterpret_cast<const char*>(data) + 1, size - 1);

  GameRecord record(game, options, *game.read(options, game.start(options)));
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const Position before = record.position();
    const auto step = read_step(before, line);
    if (!step) {
      DEMAND(step.error().column >= 1 && step.error().column <= line.size() + 1 && !step.error().message.empty());
      continue;
    }
    DEMAND(text(before, *step) == line);
    const StepList legal = legal_steps(before);
    const bool allowed = std::find(legal.begin(), legal.end(), *step) != legal.end();
    DEMAND(record.play(*step).ok() == allowed);
    DEMAND(allowed || record.position() == before);
    DEMAND(std::visit([](const auto& p) { return p.consistent(); }, record.position()));
  }
  return 0;
}
