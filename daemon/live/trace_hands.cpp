#include "daemon/live/trace_hands.h"

#include <algorithm>

namespace merel {
namespace {

constexpr Time kPress = std::chrono::milliseconds(80);

}  // namespace

NewGame game_of(const Trace& trace) {
  NewGame wanted;
  wanted.game = std::string(trace.game->name);
  for (const OptionSpec& spec : trace.options.specs()) wanted.options[std::string(spec.key)] = trace.options.get(spec.key);
  wanted.position = text(trace.start);
  return wanted;
}

std::vector<HandAct> hands_of(const Trace& trace, const BoardProfile& profile,
                              const std::function<void(const std::vector<Step>&)>& choose,
                              const std::function<void()>& take_back) {
  const Geometry& board = geometry(trace.start);
  std::vector<HandAct> acts;
  acts.reserve(trace.events.size());
  for (const TraceEvent& event : trace.events) {
    if (const auto* reading = std::get_if<SiteReading>(&event.what)) {
      const SiteInfo& info = board.info(reading->site);
      acts.push_back({event.time, HandAct::Piece{profile.channel_at(info.file, info.rank), reading->contents}});
    } else if (const auto* tray = std::get_if<TrayReading>(&event.what)) {
      acts.push_back({event.time, HandAct::Tray{tray->player, tray->count}});
    } else if (const auto* press = std::get_if<ButtonPress>(&event.what)) {
      acts.push_back({event.time, HandAct::Button{press->player, true}});
      acts.push_back({event.time + kPress, HandAct::Button{press->player, false}});
    } else if (const auto* choice = std::get_if<ChooseRequest>(&event.what)) {
      acts.push_back({event.time, HandAct::Word([choose, steps = choice->steps] { choose(steps); })});
    } else if (std::holds_alternative<TakebackRequest>(event.what)) {
      acts.push_back({event.time, HandAct::Word(take_back)});
    }
  }
  std::stable_sort(acts.begin(), acts.end(), [](const HandAct& a, const HandAct& b) { return a.time < b.time; });
  return acts;
}

}  // namespace merel
