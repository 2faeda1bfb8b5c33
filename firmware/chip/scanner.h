#pragma once
#include <cstdint>

#include "firmware/core/board.h"
#include "firmware/core/senses.h"

namespace merel::firmware {

/// Reads all channels a thousand times a second (scan_plan.h). Nothing but the end of each scan needs the processor, and that can wait
/// for several milliseconds before a scan is lost.
class Scanner final : public ScanGate {
 public:
  /// `senses` gets every scan, in an interrupt.
  explicit Scanner(Senses& senses) : senses_(senses) {}
  void start();

  void close() override;
  void open() override;

  /// Counts up with each interrupt.
  [[nodiscard]] std::uint32_t ended() const { return ended_; }
  [[nodiscard]] std::uint32_t late() const { return late_; }
  /// The longest time from the beginning of a scan until what it shows was known.
  [[nodiscard]] std::uint16_t longest_us() const { return longest_us_; }

 private:
  static void on_scan();
  void take();

  Senses& senses_;
  std::uint32_t samples_channel_ = 0;  ///< of the DMA
  std::size_t first_ = 0;              ///< place in the ring of the first sample that has not been taken
  std::uint64_t first_at_ = 0;         ///< when that one was due, in microseconds
  Counts counts_{};
  bool running_ = false;
  volatile std::uint32_t ended_ = 0;
  volatile std::uint32_t late_ = 0;
  volatile std::uint16_t longest_us_ = 0;
};

}  // namespace merel::firmware
