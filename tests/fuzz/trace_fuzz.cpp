// Trace files: any bytes. What is refused gets one line with a line number; what is accepted is replayed to its end, and the game
// that comes out must be legal, whatever the sensors said.
#include <algorithm>
#include <string_view>

#include "daemon/playback.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/told_game.h"

namespace {

/// Longer traces only take longer.
constexpr std::size_t kMostEvents = 2000;
/// Moments that one event can lead to: its own, its debouncing, and what the tracker decides in the silence after it.
constexpr std::size_t kMostMoments = 8;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto trace = read_trace(text);
  if (!trace) {
    const std::string line = trace.error().text("F");
    DEMAND(!trace.error().message.empty() && line.find('\n') == std::string::npos);
    DEMAND(trace.error().line >= 1);
    DEMAND(trace.error().line <= 2U + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    return 0;
  }
  DEMAND(!trace->events.empty() && std::holds_alternative<TraceEnd>(trace->events.back().what));
  if (trace->events.size() > kMostEvents) return 0;

  Playback playback(*trace);
  ToldGame told(playback.tracker().record());
  std::size_t moments = 0;
  while (const auto next = playback.next()) {
    DEMAND(++moments <= kMostMoments * trace->events.size());
    told.hear(playback.advance());
    DEMAND(playback.now() == *next);
    DEMAND(playback.tracker().effort() <= Explainer::kMostNodes);
    (void)playback.scene();
  }
  DEMAND(playback.now() == trace->events.back().time);
  told.compare(playback.tracker().record());
  return 0;
}
