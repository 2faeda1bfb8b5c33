#include "rules/game.h"

#include <algorithm>
#include <array>

namespace merel {
namespace {

/// Widens a game's own reader to Position.
template <auto read>
Result<Position, TextError> as_position(const Options& options, std::string_view text) {
  const auto position = read(options, text);
  if (!position) return position.error();
  return Position(*position);
}

template <PinuidGame game>
Result<Position, TextError> read_pinuid_game(const Options& options, std::string_view text) {
  const auto position = read_pinuid(game, options, text);
  if (!position) return position.error();
  return std::visit([](const auto& p) { return Position(p); }, *position);
}

template <PylosVariant variant>
Result<Position, TextError> read_pylos_variant(const Options& options, std::string_view text) {
  const auto position = read_pylos(variant, options, text);
  if (!position) return position.error();
  return Position(*position);
}

/// Made at the first use, so that it is there before main() as well.
const auto& table() {
  static const std::array games = {
      GameInfo{"pinuid-classic", "Pinuid Classic", "WB", "pin", 0, pinuid_classic_options(), pinuid_classic_start,
               read_pinuid_game<PinuidGame::classic>},
      GameInfo{"pinuid-quatro", "Pinuid Quatro", "RGBY", "pin", 0, pinuid_quatro_options(), pinuid_quatro_start,
               read_pinuid_game<PinuidGame::quatro>},
      GameInfo{"pinuid-quatro3", "Pinuid Quatro for three", "RGBY", "pin", 0, pinuid_quatro3_options(), pinuid_quatro3_start,
               read_pinuid_game<PinuidGame::quatro3>},
      GameInfo{"pylos-children", "Pylos for children", "WB", "sphere", 15, pylos_options(), pylos_start,
               read_pylos_variant<PylosVariant::children>},
      GameInfo{"pylos-standard", "Pylos", "WB", "sphere", 15, pylos_options(), pylos_start,
               read_pylos_variant<PylosVariant::standard>},
      GameInfo{"pylos-expert", "Pylos for experts", "WB", "sphere", 15, pylos_options(), pylos_start,
               read_pylos_variant<PylosVariant::expert>},
      GameInfo{"morris", "Nine Men's Morris", "WB", "man", 0, morris_options(), morris_start, as_position<read_morris>},
  };
  return games;
}

}  // namespace

Player GameInfo::player(char letter) const {
  const std::size_t at = colours.find(letter);
  return at == std::string_view::npos ? kNoPlayer : static_cast<Player>(at);
}

std::span<const GameInfo> games() { return table(); }

const GameInfo* find_game(std::string_view name) {
  const auto at = std::find_if(table().begin(), table().end(), [name](const GameInfo& game) { return game.name == name; });
  return at == table().end() ? nullptr : &*at;
}

}  // namespace merel
