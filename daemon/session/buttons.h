#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/reading.h"

namespace merel {

/// What people say with the buttons. None of it is ever a move.
enum class Gesture : std::uint8_t {
  press,     ///< one button, down and up again
  hold,      ///< one button held for kHold
  all_held,  ///< every button held together for kHold, then let go
  all_long,  ///< every button held together for kLong
};

struct GestureMade {
  Gesture gesture;
  std::uint8_t button = 0;  ///< whose, for press and hold
};

/// Reads gestures from buttons going down and up. Pure: time is an argument.
class Buttons {
 public:
  static constexpr Time kHold = std::chrono::seconds(3);
  static constexpr Time kLong = std::chrono::seconds(8);
  static constexpr Time kBounce = std::chrono::milliseconds(20);  ///< shorter presses are no presses

  explicit Buttons(std::uint8_t count);

  /// From now on so many of them count: the seats of the game. What is held meanwhile means nothing any more.
  void seats(std::uint8_t count);
  void change(std::uint8_t button, bool down, Time now);
  void tick(Time now);
  [[nodiscard]] std::optional<Time> deadline() const;
  [[nodiscard]] std::vector<GestureMade> take();

 private:
  [[nodiscard]] std::uint8_t held() const;
  [[nodiscard]] Time newest() const;

  std::uint8_t count_;
  std::array<std::optional<Time>, 8> since_{};
  bool spent_ = false;     ///< what is held now has already meant something
  bool together_ = false;  ///< all are down, or have been since the last time none was
  std::vector<GestureMade> made_;
};

}  // namespace merel
