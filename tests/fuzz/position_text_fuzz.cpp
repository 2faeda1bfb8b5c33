// Position texts: the first byte picks the game (`1` is the first one), the rest is read as a position. Whatever is accepted
// must be a position that can be written, read again and played on.
#include <algorithm>
#include <string_view>

#include "rules/game.h"
#include "tests/fuzz/demand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  if (size == 0) return 0;
  const GameInfo& game = games()[(data[0] - std::size_t{'1'}) % games().size()];
  const Options options = game.defaults();
  const std::string_view given(reinterpret_cast<const char*>(data) + 1, size - 1);

  const auto position = game.read(options, given);
  if (!position) {
    DEMAND(!position.error().field.empty() && !position.error().message.empty());
    DEMAND(position.error().column >= 1 && position.error().column <= given.size() + 1);
    return 0;
  }
  const auto again = game.read(options, text(*position));
  DEMAND(again.ok());
  DEMAND(*again == *position && hash(*again) == hash(*position) && text(*again) == text(*position));

  const StepList steps = legal_steps(*position);
  DEMAND(steps.empty() == outcome(*position).over());
  DEMAND(std::is_sorted(steps.begin(), steps.end()) && perft(*position, 1) == steps.size());
  for (const Step step : steps) {
    const auto next = merel::apply(*position, step);
    DEMAND(next.ok());
    DEMAND(std::visit([](const auto& p) { return p.consistent(); }, *next));
    DEMAND(game.read(options, text(*next)).ok());
  }
  return 0;
}
