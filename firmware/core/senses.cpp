#include "firmware/core/senses.h"

namespace merel::firmware {

void Senses::debounce(Time hold) {
  // Never shorter than asked for.
  const auto scans = static_cast<std::uint16_t>((hold.count() + kScanMicros - 1) / kScanMicros);
  classes_.hold(scans);
  buttons_.hold(scans);
}

/// The board's clock when that scan came to a place in it.
std::uint32_t Senses::clock_of(std::uint32_t scan, std::size_t micros) const {
  return began_us_ - (scans_ - scan) * kScanMicros + static_cast<std::uint32_t>(micros);
}

void Senses::scan(const Counts& counts, std::uint8_t buttons, Time began) {
  counts_ = counts;
  ++scans_;
  began_us_ = static_cast<std::uint32_t>(began.count());
  classifier_.scan(counts, empty_);
  bool restless = false;
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    if (classes_.feed(channel, classifier_.at(channel), scans_)) {
      const auto [value, since] = classes_.settled(channel);
      put({clock_of(since, micros_of(channel)), static_cast<std::uint8_t>(channel), static_cast<std::uint8_t>(value)});
    }
    restless = restless || classes_.restless(channel);
  }
  for (std::size_t button = 0; button < kButtons; ++button) {
    if (buttons_.feed(button, (buttons >> button & 1U) != 0, scans_)) {
      const auto [down, since] = buttons_.settled(button);
      const auto channel = static_cast<std::uint8_t>(link::Change::kButton + button);
      // Buttons are looked at when the scan is complete.
      put({clock_of(since, kScanMicros), channel, static_cast<std::uint8_t>(down ? 1 : 0)});
    }
    restless = restless || buttons_.restless(button);
  }
  restless_ = restless;
}

std::uint8_t Senses::buttons() const {
  std::uint8_t down = 0;
  for (std::size_t button = 0; button < kButtons; ++button) {
    if (buttons_.settled(button).value) down = static_cast<std::uint8_t>(down | 1U << button);
  }
  return down;
}

void Senses::put(const link::Change& change) {
  const std::uint32_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) == kQueue) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return;
  }
  queue_[at % kQueue] = change;
  written_.store(at + 1, std::memory_order_release);
}

std::optional<link::Change> Senses::take_change() {
  const std::uint32_t at = read_.load(std::memory_order_relaxed);
  if (at == written_.load(std::memory_order_acquire)) return std::nullopt;
  const link::Change change = queue_[at % kQueue];
  read_.store(at + 1, std::memory_order_release);
  return change;
}

}  // namespace merel::firmware
