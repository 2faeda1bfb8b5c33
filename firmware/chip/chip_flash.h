#pragma once
#include "firmware/core/flash.h"

namespace merel::firmware {

/// The two sectors before the last one of the Pico's flash. The last one is left alone: with some loaders an RP2350 A2 erases it when a
/// .uf2 is dropped on it (RP2350 datasheet, erratum E10).
///
/// Scans go on while it is written, because everything runs from RAM; only the main loop waits.
class ChipFlash final : public Flash {
 public:
  [[nodiscard]] std::span<const std::uint8_t, kSector> sector(std::size_t number) const override;
  void erase(std::size_t number) override;
  void program(std::size_t number, std::span<const std::uint8_t, kPage> page) override;
};

}  // namespace merel::firmware
