#pragma once
#include <cstdint>
#include <vector>

#include "daemon/guide.h"
#include "drivers/light_sink.h"

namespace merel {

enum class Palette : std::uint8_t {
  standard,
  colour_blind,  ///< Okabe and Ito's colours, told apart with every kind of colour vision
};

/// What a light of the scene looks like: its hue in the palette, scaled by its own brightness and the owner's (0 to 1). A light that
/// is on never becomes black. Black's pieces light up violet.
[[nodiscard]] Lamp lamp(const Light& light, const GameInfo& game, Palette palette, double brightness);

}  // namespace merel
