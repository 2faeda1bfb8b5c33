#pragma once
#include <algorithm>
#include <array>

#include "firmware/core/flash.h"

namespace merel::firmware {

/// A few sectors in memory, in which power can be cut after so many bytes have been erased or programmed.
class FlashInMemory final : public Flash {
 public:
  FlashInMemory() {
    for (auto& each : sectors_) each.fill(0xFF);
  }

  [[nodiscard]] std::span<const std::uint8_t, kSector> sector(std::size_t number) const override { return sectors_[number]; }
  void erase(std::size_t number) override {
    ++erased;
    for (std::uint8_t& byte : sectors_[number]) {
      if (cut()) return;
      // Half erased bits read as anything.
      byte = steps_left == 0 ? static_cast<std::uint8_t>(byte ^ 0x5AU) : std::uint8_t{0xFF};
    }
  }
  void program(std::size_t number, std::span<const std::uint8_t, kPage> page) override {
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (cut()) return;
      std::uint8_t& byte = sectors_[number][i];
      byte = static_cast<std::uint8_t>(byte & (steps_left == 0 ? page[i] | 0x0FU : page[i]));
    }
  }

  /// For tests to damage.
  std::uint8_t& at(std::size_t number, std::size_t offset) { return sectors_[number][offset]; }

  bool powered = true;
  std::size_t steps_left = ~std::size_t{0};  ///< until power is cut; the last step is done by half
  int erased = 0;

 private:
  bool cut() {
    if (steps_left == 0) powered = false;
    if (!powered) return true;
    --steps_left;
    return false;
  }

  std::array<std::array<std::uint8_t, kSector>, 2> sectors_;
};

}  // namespace merel::firmware
