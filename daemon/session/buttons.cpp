#include "daemon/session/buttons.h"

#include <algorithm>
#include <utility>

namespace merel {

Buttons::Buttons(std::uint8_t count) : count_(std::min<std::uint8_t>(count, 8)) {}

void Buttons::seats(std::uint8_t count) {
  count_ = std::min<std::uint8_t>(count, 8);
  for (std::size_t i = count_; i < since_.size(); ++i) since_[i].reset();
  spent_ = held() > 0;
  together_ = false;
}

std::uint8_t Buttons::held() const {
  return static_cast<std::uint8_t>(std::count_if(since_.begin(), since_.end(), [](const auto& s) { return s.has_value(); }));
}

/// When the last of the held buttons went down.
Time Buttons::newest() const {
  Time out{};
  for (const auto& since : since_) out = std::max(out, since.value_or(Time{}));
  return out;
}

void Buttons::change(std::uint8_t button, bool down, Time now) {
  if (button >= count_ || since_[button].has_value() == down) return;
  tick(now);
  if (down) {
    since_[button] = now;
    together_ = together_ || (count_ > 1 && held() == count_);
    return;
  }
  const bool all = count_ > 1 && held() == count_;
  const Time together_since = newest();
  const Time pressed = *std::exchange(since_[button], std::nullopt);
  if (!spent_ && all && now - together_since >= kHold) {
    made_.push_back({Gesture::all_held});
    spent_ = true;
  } else if (!spent_ && !together_ && now - pressed >= kBounce) {
    made_.push_back({Gesture::press, button});
  }
  if (held() == 0) spent_ = together_ = false;
}

void Buttons::tick(Time now) {
  const auto due = deadline();
  if (!due || *due > now) return;
  spent_ = true;
  if (together_) {
    made_.push_back({Gesture::all_long});
  } else {
    const auto at = std::find_if(since_.begin(), since_.end(), [](const auto& s) { return s.has_value(); });
    made_.push_back({Gesture::hold, static_cast<std::uint8_t>(at - since_.begin())});
  }
}

std::optional<Time> Buttons::deadline() const {
  if (spent_ || held() == 0) return std::nullopt;
  if (together_) return held() == count_ ? std::optional(newest() + kLong) : std::nullopt;
  if (held() > 1) return std::nullopt;  // more than one but not all: means nothing yet
  return newest() + kHold;
}

std::vector<GestureMade> Buttons::take() { return std::exchange(made_, {}); }

}  // namespace merel
