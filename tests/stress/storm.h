#pragma once
#include <vector>

#include "drivers/sim_driver.h"
#include "tests/hands/scripted_hands.h"
#include "tests/live/houses.h"

namespace merel {

/// A thousand readings a second from hands that straighten pieces all over the board, twenty-five a second, with contacts that bounce
/// badly: each touch lifts a piece and puts it back, nearly twenty edges each way.
inline std::vector<HandAct> straightening_hands(const BoardProfile& board, const GameRecord& record, int seconds,
                                                std::uint64_t seed) {
  const Picture picture(record.game(), record.position());
  std::vector<std::pair<std::uint16_t, Contents>> pieces;
  const auto sites = board.sites(geometry(record.position()));
  for (std::uint16_t i = 0; i < sites.size(); ++i) {
    if (sites[i] != kNoSite && !picture[sites[i]].is_empty()) pieces.emplace_back(i, picture[sites[i]]);
  }
  constexpr int kEdges = 19;
  struct Edge {
    Time time;
    std::uint16_t channel;
    Contents contents;
  };
  Dice dice(seed);
  std::vector<Edge> edges;
  const Time end = std::chrono::seconds(seconds);
  const Time between = std::chrono::microseconds(1'000'000 * 2 * kEdges / 1000);
  std::size_t next = 0;
  for (Time now{}; now < end; now += between) {
    const auto [channel, piece] = pieces[next++ % pieces.size()];
    for (const bool lifted : {true, false}) {
      Time at = now + (lifted ? Time{} : Time(std::chrono::milliseconds(120)));
      for (int edge = 0; edge < kEdges; ++edge) {
        const bool empty = (edge % 2 == 0) == lifted;
        edges.push_back({at, channel, empty ? Contents::empty() : piece});
        at += std::chrono::microseconds(300 + dice.below(600));
      }
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
  std::vector<HandAct> acts;
  acts.reserve(edges.size());
  for (const Edge& edge : edges) acts.push_back({edge.time, HandAct::Piece{edge.channel, edge.contents}});
  return acts;
}

/// Begins a game of Pinuid Classic with the pieces there.
inline void begin_classic(RunningHouse& house) {
  house.on_loop([&house] {
    NewGame wanted;
    wanted.game = "pinuid-classic";
    if (const auto begun = house.daemon.begin(wanted); !begun) throw std::runtime_error(begun.error().sentence);
    const GameRecord& record = house.daemon.session().tracker()->record();
    const Picture picture(record.game(), record.position());
    const auto sites = house.daemon.config().board.sites(geometry(record.position()));
    for (std::uint16_t i = 0; i < sites.size(); ++i) {
      if (sites[i] != kNoSite) house.daemon.sim()->board().set(i, picture[sites[i]], house.daemon.clock().now());
    }
    return 0;
  });
}

}  // namespace merel
