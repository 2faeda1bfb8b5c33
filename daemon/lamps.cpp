#include "daemon/lamps.h"

#include <algorithm>

#include "daemon/player_colour.h"

namespace merel {
namespace {

struct Hues {
  Rgb white, blue, green, amber, red, cyan, violet, yellow;
};

constexpr Hues kStandard = {{255, 255, 255}, {0, 0, 255},   {0, 255, 0},   {255, 140, 0},
                            {255, 0, 0},     {0, 255, 255}, {150, 0, 255}, {255, 220, 0}};
// M. Okabe and K. Ito, "Color Universal Design", 2008: blue, bluish green, orange, vermilion, sky blue, reddish purple, yellow.
constexpr Hues kColourBlind = {{255, 255, 255}, {0, 114, 178},  {0, 158, 115},   {230, 159, 0},
                               {213, 94, 0},    {86, 180, 233}, {204, 121, 167}, {240, 228, 66}};

Rgb of_player(const Hues& hues, PlayerColour colour) {
  switch (colour) {
    case PlayerColour::white: return hues.white;
    case PlayerColour::black: return hues.violet;
    case PlayerColour::red: return hues.red;
    case PlayerColour::green: return hues.green;
    case PlayerColour::yellow: return hues.yellow;
    case PlayerColour::blue: return hues.blue;
    case PlayerColour::unknown: break;
  }
  return hues.white;
}

Rgb colour_of(const Hues& hues, const Light& light, const GameInfo& game) {
  switch (light.hue) {
    case Hue::white: return hues.white;
    case Hue::blue: return hues.blue;
    case Hue::green: return hues.green;
    case Hue::amber: return hues.amber;
    case Hue::red: return hues.red;
    case Hue::cyan: return hues.cyan;
    case Hue::violet: return hues.violet;
    case Hue::player: return of_player(hues, player_colour(game, light.player));
  }
  return hues.white;
}

double share(Brightness brightness) {
  switch (brightness) {
    case Brightness::full: return 1.0;
    case Brightness::dim: return 0.25;
    case Brightness::faint: return 0.06;
  }
  return 1.0;
}

}  // namespace

Lamp lamp(const Light& light, const GameInfo& game, Palette palette, double brightness) {
  const Rgb full = colour_of(palette == Palette::standard ? kStandard : kColourBlind, light, game);
  constexpr std::uint32_t kOne = 1U << 16U;  // in whole numbers, for this is on the way from the reading to the light
  const auto scale = static_cast<std::uint32_t>(kOne * share(light.brightness) * std::clamp(brightness, 0.0, 1.0));
  const auto scaled = [scale](std::uint8_t primary) {
    return static_cast<std::uint8_t>(primary == 0 ? 0U : std::max(1U, (primary * scale + kOne / 2) / kOne));
  };
  return {{scaled(full.red), scaled(full.green), scaled(full.blue)}, light.effect, light.turn};
}

}  // namespace merel
