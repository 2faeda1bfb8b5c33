#pragma once
#include <chrono>
#include <optional>

#include "drivers/reading.h"

namespace merel {

/// The one clock of a running daemon: time since it was made. Only shells read it.
class LoopClock {
 public:
  using Steady = std::chrono::steady_clock;

  [[nodiscard]] Time now() const { return held_ ? *held_ : std::chrono::duration_cast<Time>(Steady::now() - began_); }
  /// The point at which now() will be that time, for timers.
  [[nodiscard]] Steady::time_point at(Time time) const { return began_ + time; }
  /// What it showed at that point.
  [[nodiscard]] Time of(Steady::time_point point) const { return std::chrono::duration_cast<Time>(point - began_); }
  /// From now on it shows that time and stands still until it is held again: a day of play can be had in a minute.
  void hold(Time time) { held_ = time; }

 private:
  Steady::time_point began_ = Steady::now();
  std::optional<Time> held_;
};

}  // namespace merel
