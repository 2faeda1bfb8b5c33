#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/hall/analogue_board.h"
#include "firmware/native/flash_in_memory.h"
#include "rules/result.h"

namespace merel {

/// A board with a Pico without the Pico: the firmware's core on a thread of this process, a thousand scans a second, with the levels of an
/// AnalogueBoard, behind a pseudo terminal that looks like its USB port. Its calibration is kept as long as this object.
class VirtualPico {
 public:
  /// `port`: the path that the port shall have while it is plugged in. `seed` decides what the parts are like.
  VirtualPico(std::string port, const PartSpread& spread, std::uint64_t seed);
  ~VirtualPico();
  VirtualPico(const VirtualPico&) = delete;
  VirtualPico& operator=(const VirtualPico&) = delete;

  /// Powers the board; it is without power at first. The error is one sentence: the path is somebody else's or cannot be made. Nothing
  /// happens to a board that has power.
  Result<std::monostate, std::string> plug();
  /// The cable is pulled: the port is gone and the board without power.
  void unplug();
  [[nodiscard]] bool plugged() const { return power_ != nullptr; }
  [[nodiscard]] const std::string& port() const { return port_; }

  /// Lets hands at the board, between two scans.
  void at_board(const std::function<void(AnalogueBoard&)>& hands);
  /// A button, less than firmware::Senses::kButtons, goes down or up.
  void press(std::uint8_t button, bool down);
  /// What the lights show now, 0x00RRGGBB each, in the order of the chain; empty before anything was shown.
  [[nodiscard]] std::vector<std::uint32_t> lights();

 private:
  struct Power;  ///< what a power cut takes away
  void run(Power& power);

  std::string port_;
  std::mutex mutex_;  ///< over the next three
  AnalogueBoard analogue_;
  std::uint8_t buttons_ = 0;
  std::vector<std::uint32_t> lights_;
  firmware::FlashInMemory flash_;
  std::uint32_t session_ = 0;
  std::unique_ptr<Power> power_;
};

}  // namespace merel
