#include "daemon/playback.h"

#include <algorithm>

namespace merel {
namespace {

constexpr Time kForEver = std::chrono::hours(24 * 366 * 100);

TrackerSettings settings_for(const Trace& trace) {
  TrackerSettings settings;
  settings.settle = trace.settle;
  settings.trays = trace.trays;
  return settings;
}

}  // namespace

Playback::Playback(const Trace& trace, DebounceSettings debounce)
    : trace_(trace),
      channel_(256),
      image_(trace_channels(trace.start), debounce),
      tracker_(*trace.game, trace.options, trace.start, settings_for(trace)) {
  const std::vector<Site> channels = trace_channels(trace.start);
  const Picture start(*trace.game, trace.start);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channel_[channels[i]] = static_cast<std::uint16_t>(i);
    const Contents there = start[channels[i]];
    image_.assume(channels[i], trace.colour || there.is_empty() ? there : Contents::occupied());
  }
}

std::optional<Time> Playback::next() const {
  if (event_ == trace_.events.size()) return std::nullopt;
  Time when = trace_.events[event_].time;
  if (const auto due = image_.deadline()) when = std::min(when, *due);
  if (const auto due = tracker_.deadline()) when = std::min(when, *due);
  return std::max(when, now_);
}

/// Hands on what the board image knows by now.
void Playback::pass_on() {
  for (const SiteChange& change : image_.tick(now_)) tracker_.feed(change, now_);
  for (const Fault& fault : image_.take_faults()) tracker_.fault(fault);
}

std::vector<TrackerEvent> Playback::advance() {
  const auto when = next();
  if (!when) return {};
  now_ = *when;
  pass_on();
  tracker_.tick(now_);
  while (event_ < trace_.events.size() && trace_.events[event_].time <= now_) take(trace_.events[event_++]);
  return tracker_.take_events();
}

void Playback::take(const TraceEvent& event) {
  if (const auto* reading = std::get_if<SiteReading>(&event.what)) {
    image_.feed({event.time, channel_[reading->site], reading->contents});
  } else if (const auto* tray = std::get_if<TrayReading>(&event.what)) {
    tracker_.tray(tray->player, tray->count, event.time);
  } else if (const auto* press = std::get_if<ButtonPress>(&event.what)) {
    tracker_.button(press->player, event.time);
  } else if (const auto* choice = std::get_if<ChooseRequest>(&event.what)) {
    tracker_.choose(choice->steps, event.time);
  } else if (std::holds_alternative<TakebackRequest>(event.what)) {
    tracker_.take_back(event.time);
  } else {
    // The end: what is still bouncing has come to rest, and all delays have passed.
    for (const SiteChange& change : image_.tick(kForEver)) tracker_.feed(change, now_);
    tracker_.finish(now_);
  }
}

}  // namespace merel
