#pragma once
#include <cstdint>

namespace merel {

/// What a linear hall sensor makes of its site: nothing, or one of four kinds of magnet (HARDWARE: two poles, two strengths). On the
/// wire it is this number.
enum class PieceClass : std::uint8_t {
  none = 0,
  north = 1,       ///< a strong magnet, north up: the level is above the baseline
  south = 2,       ///< a strong magnet, south up: below it
  weak_north = 3,  ///< a weak one
  weak_south = 4,
};
inline constexpr std::uint8_t kPieceClasses = 5;

/// Where one kind ends and the next begins, in ADC counts (12 bit) of deviation from the baseline, either way, after the part that the
/// neighbours' magnets explain has been taken out.
struct PieceThresholds {
  std::uint16_t piece = 0;       ///< from here on there is a piece
  std::uint16_t strong = 0;      ///< from here on it is a strong one; 0: the pieces of this board are all strong
  std::uint16_t hysteresis = 0;  ///< a class is left only when the deviation has passed its border by this much
  friend bool operator==(const PieceThresholds&, const PieceThresholds&) = default;
};

/// What a neighbour's magnet does here, as a part of what it does at its own sensor, in 1/65536, signed.
struct Crosstalk {
  std::int16_t beside = 0;    ///< one file or one rank away
  std::int16_t diagonal = 0;  ///< one file and one rank away
  friend bool operator==(const Crosstalk&, const Crosstalk&) = default;
};

}  // namespace merel
