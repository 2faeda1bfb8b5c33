#pragma once
#include <algorithm>

#include "drivers/reading.h"

namespace merel {

/// How often channels are scanned: fast while something happens, slower when the board has been still for a while. Pure.
class ScanPace {
 public:
  /// Rates in scans a second, at least 1.
  ScanPace(std::uint32_t busy, std::uint32_t idle, Time idle_after)
      : busy_(interval(busy)), idle_(std::max(busy_, interval(idle))), idle_after_(idle_after) {}

  /// A scan has found a change.
  void changed(Time now) { last_change_ = now; }
  /// When the next scan is due after one that was due at `due`; one that comes too late is not made up for.
  [[nodiscard]] Time next(Time due, Time now) const {
    return std::max(now, due + (now - last_change_ > idle_after_ ? idle_ : busy_));
  }

 private:
  static Time interval(std::uint32_t rate) { return Time(1'000'000 / std::max(rate, std::uint32_t{1})); }

  Time busy_;
  Time idle_;
  Time idle_after_;
  Time last_change_{};
};

}  // namespace merel
