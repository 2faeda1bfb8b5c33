#pragma once
#include <cstdint>
#include <span>

namespace merel::firmware {

/// The WS2812B chain: a PIO makes the waveform, the DMA brings it the words, a timer says when the lights have latched.
class LightChain {
 public:
  void start();
  /// True when a picture can be sent: the last one has been latched.
  [[nodiscard]] bool ready() const;
  /// Sends it, a word a light (ChainPicture). It must stay as it is until the chain is ready again. The processor wakes up when that is.
  void show(std::span<const std::uint32_t> picture);

 private:
  unsigned machine_ = 0;
  unsigned channel_ = 0;
  unsigned alarm_ = 0;
  std::uint64_t ready_at_ = 0;  ///< us
};

}  // namespace merel::firmware
