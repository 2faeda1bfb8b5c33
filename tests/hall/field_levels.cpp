// A board of hall sensors in a pipe, for tests that are not written in C++: one command a line on the standard input, and after each one line
// with the 49 levels in ADC counts, or one that begins with `?` and says what was wrong.
//
//   set a1 strong north      puts a piece on a site: strong, weak or sphere; north or south up
//   set 2a1 sphere south     on a seat of Pylos
//   lift a1
//   clear                    nothing is on the board any more
//   jog 0.1                  every piece comes to lie a little otherwise (AnalogueBoard::jog)
//   levels                   another scan
//
// Usage: field_levels [--ideal] [SEED]. The spread of parts and the noise follow from the seed; --ideal has none.
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "drivers/hall/analogue_board.h"

namespace merel {
namespace {

/// The site `a1`, or the seat `2a1` (level, file and rank of that level, as in RULES.md).
std::optional<lattice7::Spot> read_spot(const std::string& text) {
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

std::optional<MagnetKind> read_kind(const std::string& text) {
  if (text == "strong") return MagnetKind::strong;
  if (text == "weak") return MagnetKind::weak;
  if (text == "sphere") return MagnetKind::sphere;
  return std::nullopt;
}

/// Nothing when it is done, else what was wrong.
std::optional<std::string> obey(AnalogueBoard& board, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string where;
  std::string what;
  std::string pole;
  words >> command;
  if (command == "levels") return std::nullopt;
  if (command == "clear") {
    board.clear();
    return std::nullopt;
  }
  if (command == "jog") {
    double part = -1;
    if (!(words >> part) || part < 0 || part > 1) return "jog wants a number from 0 to 1";
    board.jog(part);
    return std::nullopt;
  }
  if (command != "set" && command != "lift") return "the commands are set, lift, clear, jog and levels";
  words >> where >> what >> pole;
  const std::optional<lattice7::Spot> spot = read_spot(where);
  if (!spot) return "a site is a1 to g7, a seat 1a1 to 4a1";
  if (command == "lift") {
    board.lift(*spot);
    return std::nullopt;
  }
  const std::optional<MagnetKind> kind = read_kind(what);
  if (!kind || (pole != "north" && pole != "south"))
    return "set wants a site, then strong, weak or sphere, then north or south";
  if (spot->level > 1 && *kind != MagnetKind::sphere) return "only spheres lie on the upper levels";
  board.put(*kind, pole == "north", *spot);
  return std::nullopt;
}

int run(const PartSpread& spread, std::uint64_t seed) {
  AnalogueBoard board(spread, seed);
  for (std::string line; std::getline(std::cin, line);) {
    if (const std::optional<std::string> wrong = obey(board, line)) {
      std::cout << "? " << *wrong << std::endl;  // NOLINT(performance-avoid-endl): whoever waits for it wants it now
      continue;
    }
    const char* gap = "";
    for (const std::uint16_t level : board.levels()) {
      std::cout << gap << level;
      gap = " ";
    }
    std::cout << std::endl;  // NOLINT(performance-avoid-endl)
  }
  return 0;
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) {
  merel::PartSpread spread;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--ideal") {
      spread = merel::kIdealParts;
    } else {
      seed = std::strtoull(word.c_str(), nullptr, 10);
    }
  }
  return merel::run(spread, seed);
}
