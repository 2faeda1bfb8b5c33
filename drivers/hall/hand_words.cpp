#include "drivers/hall/hand_words.h"

#include <sstream>

namespace merel {
std::optional<lattice7::Spot> read_spot(std::string_view text) {
  const bool seat = text.size() == 3;
  if (text.size() != 2 && !seat) return std::nullopt;
  const int level = seat ? text[0] - '0' : 1;
  const int file = text[seat ? 1 : 0] - 'a';
  const int rank = text[seat ? 2 : 1] - '1';
  const int side = seat ? 5 - level : static_cast<int>(lattice7::kFiles);
  if (level < 1 || level > lattice7::kLevels || file < 0 || rank < 0 || file >= side || rank >= side) return std::nullopt;
  const auto at = [&](int step) { return static_cast<std::uint8_t>(seat ? level - 1 + 2 * step : step); };
  return lattice7::Spot{at(file), at(rank), static_cast<std::uint8_t>(level)};
}

std::optional<std::string> obey(AnalogueBoard& board, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string where;
  std::string what;
  std::string pole;
  words >> command;
  if (command == "clear") {
    board.clear();
    return std::nullopt;
  }
  if (command == "jog") {
    double part = -1;
    if (!(words >> part) || !(part >= 0 && part <= 1)) return "jog wants a number from 0 to 1";
    board.jog(part);
    return std::nullopt;
  }
  if (command != "put" && command != "lift") return "'" + command + "' is no command here";
  words >> where >> what >> pole;
  const std::optional<lattice7::Spot> spot = read_spot(where);
  if (!spot) return "'" + where + "' is no place: a cell is a1 to g7, a seat of Pylos 1a1 to 4a1";
  if (command == "lift") {
    board.lift(*spot);
    return std::nullopt;
  }
  const std::optional<MagnetKind> kind = magnet_kind(what);
  if (!kind || (pole != "north" && pole != "south"))
    return "put wants a place, then strong, weak or sphere, then north or south";
  if (spot->level > 1 && *kind != MagnetKind::sphere) return "only spheres lie on the upper levels";
  board.put(*kind, pole == "north", *spot);
  return std::nullopt;
}

}  // namespace merel
