#pragma once
#include <cstdint>

namespace merel {

/// What a buzzer can say.
enum class Beep : std::uint8_t {
  tick,     ///< one short sound: a held button has done its work
  warning,  ///< two: something is wrong on the board
  end,      ///< one long: the game is over
};

/// Sound out, where a board has it.
class Buzzer {
 public:
  Buzzer() = default;
  virtual ~Buzzer() = default;
  Buzzer(const Buzzer&) = delete;
  Buzzer& operator=(const Buzzer&) = delete;

  /// Returns at once; a new sound ends the one before.
  virtual void sound(Beep beep) = 0;
};

}  // namespace merel
