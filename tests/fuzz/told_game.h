#pragma once
#include <algorithm>

#include "daemon/tracker.h"
#include "tests/fuzz/demand.h"

namespace merel {

/// The game as a tracker's events tell it. Every step told must be legal where it is told, and all of it together must be the
/// tracker's record.
class ToldGame {
 public:
  explicit ToldGame(const GameRecord& start) : game_(start) {}

  void hear(const std::vector<TrackerEvent>& events) {
    for (const TrackerEvent& event : events) {
      DEMAND(event.time >= last_);
      last_ = event.time;
      if (const auto* played = std::get_if<StepPlayed>(&event.what)) {
        DEMAND(to_act(game_.position()) == played->player);
        add(played->step);
      } else if (const auto* amended = std::get_if<Amended>(&event.what)) {
        remove(amended->removed);
        for (const Step step : amended->added) add(step);
      } else if (const auto* back = std::get_if<TakenBack>(&event.what)) {
        DEMAND(!back->steps.empty());
        remove(back->steps);
      } else if (const auto* gone = std::get_if<PlayerOut>(&event.what)) {
        DEMAND((game_.outcome().out >> gone->player & 1) != 0);
      } else if (const auto* over = std::get_if<GameOver>(&event.what)) {
        DEMAND(over->outcome.over() && over->outcome == game_.outcome());
      } else if (const auto* ambiguous = std::get_if<Ambiguous>(&event.what)) {
        DEMAND(ambiguous->candidates.size() > 1);
      }
    }
  }

  void compare(const GameRecord& record) const {
    DEMAND(game_.steps() == record.steps() && game_.position() == record.position() && game_.outcome() == record.outcome());
  }

 private:
  void add(Step step) { DEMAND(game_.play(step).ok()); }
  void remove(const std::vector<Step>& steps) {
    DEMAND(steps.size() <= game_.steps().size());
    DEMAND(std::equal(steps.rbegin(), steps.rend(), game_.steps().rbegin()));
    for (std::size_t i = 0; i < steps.size(); ++i) game_.undo();
  }

  GameRecord game_;
  Time last_{};
};

}  // namespace merel
