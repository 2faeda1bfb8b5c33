// A game over a link on which any one frame is lost: what is kept of it is the same.
#include <gtest/gtest.h>

#include <iostream>

#include "daemon/playback.h"
#include "drivers/serial/link_source.h"
#include "tests/link/simulated_link.h"
#include "tests/places.h"
#include "tests/replay/said.h"

namespace merel::link {
namespace {

constexpr Time kScene = seconds(40);  ///< of the recorded game: placing, mills, removals, and hands that err

/// A game of Morris by careless hands, up to there.
Trace scene() {
  auto trace = read_trace_file(MEREL_TEST_DATA "/traces/morris-l4-col-104-001.trace");
  if (!trace) throw std::runtime_error(trace.error().text("trace"));
  std::erase_if(trace->events, [](const TraceEvent& event) { return event.time > kScene; });
  trace->events.push_back({kScene, TraceEnd{}});
  return std::move(*trace);
}

/// The same game as the host hears it over this link, one channel a site.
Trace over(SimulatedLink& link, const Trace& played) {
  link.plug_in();
  link.run(milliseconds(400));
  link.forget_start();
  Trace heard = played;
  heard.events.clear();
  const Time began = link.now;
  const std::vector<Site> sites = trace_channels(played.start);
  std::uint8_t picture = 0;
  for (const TraceEvent& event : played.events) {
    link.run(began + event.time - link.now);
    const auto* reading = std::get_if<SiteReading>(&event.what);
    if (reading == nullptr) continue;
    const Contents contents = reading->contents;
    const auto channel = std::find(sites.begin(), sites.end(), reading->site) - sites.begin();
    link.put(static_cast<std::uint8_t>(channel),
             contents.is_empty()      ? PieceClass::none
             : contents.player() == 0 ? PieceClass::north
                                      : PieceClass::south,
             {});
    if (++picture % 4 == 0) link.show(picture);  // the guide answers
  }
  link.run(seconds(3));
  const ClassContents of_class = class_contents(true, 2);
  for (const SiteChange& change : link.changes) {
    const Contents contents = of_class[static_cast<std::size_t>(change.what)];
    heard.events.push_back({change.time - began, SiteReading{sites[change.channel], contents}});
  }
  heard.events.push_back({kScene, TraceEnd{}});
  return heard;
}

/// What is kept of a game: its steps, its result, and what was illegal on the way.
std::string kept(const Trace& trace) {
  Playback playback(trace);
  std::string out;
  while (playback.next()) {
    for (const TrackerEvent& event : playback.advance()) {
      if (const auto* illegal = std::get_if<Illegal>(&event.what)) {
        out += "illegal " + std::string(name(illegal->complaint.reason)) + " after " +
               std::to_string(playback.tracker().record().steps().size()) + "\n";
      }
    }
  }
  const GameRecord& record = playback.tracker().record();
  for (const Step step : record.steps()) out += text(record.start(), step) + " ";
  return out + result_text(record.game(), record.outcome()) + " " + text(record.position());
}

TEST(LostFrames, AnyOneOfThemLeavesTheRecordOfTheGameAsItWas) {
  const Trace played = scene();
  const std::string truth = kept(played);
  SimulatedLink smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  EXPECT_EQ(kept(over(smooth, played)), truth);
  std::size_t games = 0;
  for (const bool of_host : {false, true}) {
    const std::size_t frames = of_host ? smooth.of_host : smooth.of_board;
    for (std::size_t at = 0; at < frames; ++at) {
      SCOPED_TRACE((of_host ? "host's frame " : "board's frame ") + std::to_string(at));
      SimulatedLink link(
          [=](bool by_host, std::size_t n) { return by_host == of_host && n == at ? Mishap::lost : Mishap::none; });
      EXPECT_EQ(kept(over(link, played)), truth);
      if (HasFailure()) return;
      ++games;
    }
  }
  EXPECT_GT(games, 300U);
  std::cout << games << " games, each with another frame lost, kept as:\n" << truth << '\n';
}

}  // namespace
}  // namespace merel::link
