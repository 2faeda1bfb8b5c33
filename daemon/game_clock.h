#pragma once
#include <array>
#include <optional>

#include "drivers/reading.h"
#include "rules/step.h"

namespace merel {

/// Time for the players. Sudden death when the increment is zero, Fischer's way otherwise.
struct ClockSettings {
  Time initial{};    ///< for each player, more than zero
  Time increment{};  ///< added when a turn is complete
  friend bool operator==(const ClockSettings&, const ClockSettings&) = default;
};

/// A clock per player. Pure: time is an argument. It stands still until start().
class GameClock {
 public:
  GameClock(const ClockSettings& settings, std::size_t players);

  /// Runs for this player from `now` on; who ran before is charged up to `now`.
  void start(Player player, Time now);
  /// The running player's turn is complete: the increment is added and `next` runs. Does nothing while it stands still.
  void hand_over(Player next, Time now);
  void stop(Time now);
  /// Gives a player this much time: restored games, turns taken back.
  void set(Player player, Time left) { left_[player] = left; }

  /// What is left, never below zero.
  [[nodiscard]] Time left(Player player, Time now) const;
  [[nodiscard]] Player running() const { return running_; }
  /// When the running player's time is up; nothing while the clock stands still.
  [[nodiscard]] std::optional<Time> deadline() const;
  [[nodiscard]] const ClockSettings& settings() const { return settings_; }

 private:
  ClockSettings settings_;
  std::array<Time, 8> left_{};
  Player running_ = kNoPlayer;
  Time since_{};
};

}  // namespace merel
