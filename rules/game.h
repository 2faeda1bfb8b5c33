#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/options.h"
#include "rules/position.h"

namespace merel {

/// One row of the game table: everything about a game that is not a position.
struct GameInfo {
  std::string_view name;     ///< `pinuid-classic`, as on the command line
  std::string_view title;    ///< `Pinuid Classic`, for people
  std::string_view colours;  ///< one letter a player in seating order
  std::string_view piece;    ///< what players call a piece: pin, sphere, man
  std::uint8_t tray = 0;     ///< pieces in each player's tray before the game, where the board has trays; else 0
  std::span<const OptionSpec> options;
  /// Text of the start position under these options.
  std::string (*start)(const Options&) = nullptr;
  /// Reads a position text (RULES.md); refuses what cannot occur.
  Result<Position, TextError> (*read)(const Options&, std::string_view) = nullptr;

  [[nodiscard]] Options defaults() const { return Options(options); }
  /// The colour letter's player, or kNoPlayer.
  [[nodiscard]] Player player(char letter) const;
};

/// All games, in the order in which people are shown them.
[[nodiscard]] std::span<const GameInfo> games();
/// The game of that name, or null.
[[nodiscard]] const GameInfo* find_game(std::string_view name);

}  // namespace merel
