#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "drivers/spi/spi_port.h"

namespace merel {

/// Why a frame has not gone out.
struct FrameTrouble {
  std::string what;      ///< one sentence: what is wrong, where, what to do
  bool lasting = false;  ///< this frame will never go out, however often it is tried
};

/// Gets whole frames onto an SPI port: in as many transfers as the port needs, over short writes, and opens the port when it
/// is not open. After an error the port is closed, so that the next frame opens it anew: the device may have gone and come
/// back. Waits for the wire; knows no threads and does not try again by itself.
class FrameSender {
 public:
  /// `device` is for sentences. `divisible`: pauses within a frame do no harm (divisible(LedKind)).
  FrameSender(std::string device, bool divisible, OpenSpi open);

  /// Sends one frame. Nothing when it has gone out whole.
  [[nodiscard]] std::optional<FrameTrouble> send(std::span<const std::uint8_t> frame);

 private:
  [[nodiscard]] std::optional<FrameTrouble> send_in_pieces(std::span<const std::uint8_t> frame);
  [[nodiscard]] std::optional<FrameTrouble> send_at_once(std::span<const std::uint8_t> frame);
  [[nodiscard]] FrameTrouble failed(int error);
  [[nodiscard]] FrameTrouble too_short();

  std::string device_;
  bool divisible_;
  OpenSpi open_;
  std::unique_ptr<SpiPort> port_;
};

/// The sentence for a device that cannot be opened, by its errno(3) value.
[[nodiscard]] std::string spi_not_opened(const std::string& device, int error);

}  // namespace merel
