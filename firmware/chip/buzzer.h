#pragma once
#include <cstdint>

namespace merel::firmware {

/// A passive piezo on a PWM pin.
class BuzzerPin {
 public:
  void start();
  /// Sounds at that frequency from now on; 0: silent.
  void sound(std::uint16_t hertz);

 private:
  unsigned slice_ = 0;
  std::uint16_t hertz_ = 0;
};

}  // namespace merel::firmware
