#include "daemon/game_clock.h"

#include <algorithm>

namespace merel {

GameClock::GameClock(const ClockSettings& settings, std::size_t players) : settings_(settings) {
  std::fill_n(left_.begin(), std::min(players, left_.size()), settings.initial);
}

void GameClock::start(Player player, Time now) {
  stop(now);
  running_ = player;
  since_ = now;
}

void GameClock::hand_over(Player next, Time now) {
  if (running_ == kNoPlayer || running_ == next) return;
  left_[running_] = left(running_, now) + settings_.increment;
  running_ = next;
  since_ = now;
}

void GameClock::stop(Time now) {
  if (running_ != kNoPlayer) left_[running_] = left(running_, now);
  running_ = kNoPlayer;
}

Time GameClock::left(Player player, Time now) const {
  const Time spent = player == running_ ? std::max(now - since_, Time{}) : Time{};
  return std::max(left_[player] - spent, Time{});
}

std::optional<Time> GameClock::deadline() const {
  if (running_ == kNoPlayer) return std::nullopt;
  return since_ + left_[running_];
}

}  // namespace merel
