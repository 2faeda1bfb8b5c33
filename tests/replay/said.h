#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/playback.h"

// What a trace written inline makes the tracker say and the lights show, as short texts that a test can spell out.
namespace merel {

/// The trace of this text; the first line `merel-trace 1` is added. A refused one fails the test.
inline Trace trace_of(std::string_view body) {
  auto trace = read_trace("merel-trace 1\n" + std::string(body));
  if (trace) return std::move(*trace);
  ADD_FAILURE() << trace.error().text("trace");
  return std::move(*read_trace("merel-trace 1\ngame morris\n---\n0 end\n"));
}

/// Writes one event: `step W a2-b3`, `amend -a2-b3 +a2-c4`, `illegal not_diagonal a3 a2` (the sites as `merel replay` gives them),
/// `resolved`, `ambiguous +a1 +b4 | +b4 +a1`, `takeback a2-b3`, `out R`, `over W`, `ignored choose`, `fault e4 flapping`.
class EventText {
 public:
  explicit EventText(const Trace& trace) : trace_(trace) {}

  std::string operator()(const StepPlayed& e) const { return "step " + letter(e.player) + " " + text(trace_.start, e.step); }
  std::string operator()(const Amended& e) const { return "amend" + steps(" -", e.removed) + steps(" +", e.added); }
  std::string operator()(const Illegal& e) const {
    std::vector<Site> sites = e.complaint.wrong;
    for (const Site site : e.complaint.back) {
      if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
    }
    std::string out = "illegal " + std::string(name(e.complaint.reason));
    for (const Site site : sites) out += " " + site_name(site);
    return out;
  }
  std::string operator()(const Resolved&) const { return "resolved"; }
  std::string operator()(const Ambiguous& e) const {
    std::string out = "ambiguous";
    for (const auto& candidate : e.candidates) out += (out.size() > 9 ? " |" : "") + steps(" ", candidate);
    return out;
  }
  std::string operator()(const TakenBack& e) const { return "takeback" + steps(" ", e.steps); }
  std::string operator()(const PlayerOut& e) const { return "out " + letter(e.player); }
  std::string operator()(const GameOver& e) const { return "over " + result_text(*trace_.game, e.outcome); }
  std::string operator()(const Ignored& e) const { return "ignored " + e.event; }
  std::string operator()(const FaultFound& e) const {
    return "fault " + site_name(e.fault.site) + (e.fault.kind == FaultKind::stuck ? " stuck" : " flapping");
  }

 private:
  [[nodiscard]] std::string letter(Player player) const { return {trace_.game->colours[player]}; }
  [[nodiscard]] std::string site_name(Site site) const { return std::string(geometry(trace_.start).info(site).name()); }
  [[nodiscard]] std::string steps(std::string_view before, const std::vector<Step>& list) const {
    std::string out;
    for (const Step step : list) out.append(before).append(text(trace_.start, step));
    return out;
  }

  const Trace& trace_;
};

/// One thing the tracker said.
struct Said {
  double at;  ///< ms
  std::string what;
  friend bool operator==(const Said&, const Said&) = default;
};

inline double millis(Time time) { return static_cast<double>(time.count()) / 1000.0; }

/// Everything the tracker says while the trace runs, and when.
inline std::vector<Said> said_when(std::string_view body) {
  const Trace trace = trace_of(body);
  Playback playback(trace);
  std::vector<Said> out;
  while (playback.next()) {
    for (const TrackerEvent& event : playback.advance())
      out.push_back({millis(event.time), std::visit(EventText(trace), event.what)});
  }
  return out;
}

/// Everything the tracker says while the trace runs.
inline std::vector<std::string> said(std::string_view body) {
  std::vector<std::string> out;
  for (Said& event : said_when(body)) out.push_back(std::move(event.what));
  return out;
}

/// The game as it stands at the end of the trace.
inline GameRecord record_of(std::string_view body) {
  const Trace trace = trace_of(body);
  Playback playback(trace);
  while (playback.next()) playback.advance();
  return playback.tracker().record();
}
/// Its steps, joined by one space.
inline std::string recorded(std::string_view body) {
  const GameRecord record = record_of(body);
  std::string out;
  for (const Step step : record.steps()) out += (out.empty() ? "" : " ") + text(record.start(), step);
  return out;
}

/// The lights at that moment of the trace by site, as `merel replay --scenes` gives them: `remove amber blink-2hz`.
using Lights = std::map<std::string, std::string>;
inline Lights lights_of(const Playback& playback) {
  Lights out;
  const Trace& trace = playback.trace();
  for (const auto& [site, light] : playback.scene()) {
    out[std::string(geometry(trace.start).info(site).name())] = std::string(name(light.role)) + " " +
                                                                colour_name(light, trace.game->colours) + " " +
                                                                std::string(name(light.effect));
  }
  return out;
}
inline Lights lights_at(double at, std::string_view body) {
  const Trace trace = trace_of(body);
  Playback playback(trace);
  while (playback.next() && millis(*playback.next()) <= at) playback.advance();
  return lights_of(playback);
}
/// The same by what they show: the sites of each role, in order, joined by one space.
inline std::map<std::string, std::string> roles_at(double at, std::string_view body) {
  std::map<std::string, std::string> out;
  for (const auto& [site, light] : lights_at(at, body)) {
    std::string& sites = out[light.substr(0, light.find(' '))];
    sites += (sites.empty() ? "" : " ") + site;
  }
  return out;
}

}  // namespace merel
