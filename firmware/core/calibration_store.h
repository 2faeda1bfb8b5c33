#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/link/messages.h"
#include "firmware/core/flash.h"

namespace merel::firmware {

/// Keeps the calibration in flash, twice. Each copy has a sector of its own, a number that counts up, and a checksum; a store writes
/// over the older or damaged one, so the other is whole at every moment, wherever power is cut.
class CalibrationStore {
 public:
  static constexpr std::size_t kCopies = 2;

  explicit CalibrationStore(Flash& flash);

  /// What was stored last and is whole; nothing when there is none.
  [[nodiscard]] const std::optional<link::CalibrationData>& calibration() const { return calibration_; }
  /// At the start, or after the last store, one of the copies was neither whole nor blank.
  [[nodiscard]] bool damaged() const { return damaged_; }
  /// Stores it. False when the flash did not take it; then calibration() is the one before. The same once more is not stored again.
  bool store(const link::CalibrationData& data);

 private:
  struct Copy {
    std::uint32_t number = 0;
    link::CalibrationData data;
  };
  [[nodiscard]] std::optional<Copy> read(std::size_t sector) const;
  void load();

  Flash& flash_;
  std::optional<link::CalibrationData> calibration_;
  std::uint32_t number_ = 0;  ///< of the copy that counts
  std::size_t next_ = 0;      ///< the sector for the next one
  bool damaged_ = false;
};

}  // namespace merel::firmware
