#include "daemon/player_colour.h"

namespace merel {

PlayerColour player_colour(const GameInfo& game, Player player) {
  switch (game.colours[player]) {
    case 'W': return PlayerColour::white;
    case 'B': return game.player('W') == kNoPlayer ? PlayerColour::blue : PlayerColour::black;
    case 'R': return PlayerColour::red;
    case 'G': return PlayerColour::green;
    case 'Y': return PlayerColour::yellow;
    default: return PlayerColour::unknown;
  }
}

std::string colour_word(const GameInfo& game, Player player) {
  switch (player_colour(game, player)) {
    case PlayerColour::white: return "White";
    case PlayerColour::black: return "Black";
    case PlayerColour::red: return "Red";
    case PlayerColour::green: return "Green";
    case PlayerColour::yellow: return "Yellow";
    case PlayerColour::blue: return "Blue";
    case PlayerColour::unknown: break;
  }
  return std::string(1, game.colours[player]);
}

}  // namespace merel
