#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "drivers/hall/classifier.h"
#include "drivers/link/messages.h"
#include "drivers/reading.h"
#include "firmware/core/debouncer.h"
#include "firmware/core/scan_plan.h"

namespace merel::firmware {

/// What stands on the board and which buttons are down, scan by scan. scan() runs in an interrupt and everything else outside of it: the
/// changes are handed over through a queue, and whatever else both sides touch, only while the interrupt is held off.
class Senses {
 public:
  static constexpr std::size_t kButtons = 4;
  static constexpr std::size_t kQueue = 64;

  // ---- in the interrupt

  /// One scan has been taken, which began at that time. Bit n of `buttons`: button n is down.
  void scan(const Counts& counts, std::uint8_t buttons, Time began);

  // ---- outside of it

  /// The next change, oldest first.
  std::optional<link::Change> take_change();
  /// How many changes found the queue full and are not in it: only settled() and buttons() tell where they have led.
  [[nodiscard]] std::uint32_t dropped() const { return dropped_.load(std::memory_order_acquire); }

  // ---- outside of it, with the interrupt held off

  void calibrate(std::span<const std::uint16_t> baselines, PieceThresholds thresholds) {
    classifier_.calibrate(baselines, thresholds);
  }
  void neighbours(std::uint8_t lattice, Crosstalk crosstalk) { classifier_.neighbours(lattice, crosstalk); }
  void debounce(Time hold);
  void empty(std::uint64_t channels) { empty_ = channels; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] PieceClass settled(std::size_t channel) const { return classes_.settled(channel).value; }
  [[nodiscard]] std::uint8_t buttons() const;
  [[nodiscard]] std::uint32_t scans() const { return scans_; }
  /// Something moves: a change may be decided soon.
  [[nodiscard]] bool restless() const { return restless_; }

 private:
  void put(const link::Change& change);
  [[nodiscard]] std::uint32_t clock_of(std::uint32_t scan, std::size_t micros) const;

  Classifier classifier_;
  Debouncer<PieceClass, kChannels> classes_;
  Debouncer<bool, kButtons> buttons_;
  Counts counts_{};
  std::uint64_t empty_ = 0;
  std::uint32_t scans_ = 0;
  std::uint32_t began_us_ = 0;  ///< the scan before
  bool restless_ = false;

  std::array<link::Change, kQueue> queue_{};
  std::atomic<std::uint32_t> written_ = 0;
  std::atomic<std::uint32_t> read_ = 0;
  std::atomic<std::uint32_t> dropped_ = 0;
};

}  // namespace merel::firmware
