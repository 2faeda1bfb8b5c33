#pragma once
#include <string>

#include "rules/game.h"

namespace merel {

/// The colours that pieces have.
enum class PlayerColour : std::uint8_t {
  white,
  black,
  red,
  green,
  yellow,
  blue,
  unknown  ///< a letter that no game uses yet
};

/// A player's colour: B is black beside W, and blue otherwise.
[[nodiscard]] PlayerColour player_colour(const GameInfo& game, Player player);

/// `White`, for people; the letter itself where a game has a colour that is not known here.
[[nodiscard]] std::string colour_word(const GameInfo& game, Player player);

}  // namespace merel
