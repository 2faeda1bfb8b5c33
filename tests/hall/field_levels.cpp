// A board of hall sensors in a pipe, for tests that are not written in C++: one command a line on the standard input (hand_words.h, and
// `levels` for another scan), and after each one line with the 49 levels in ADC counts, or one that begins with `?` and says what was wrong.
//
// Usage: field_levels [--ideal] [SEED]. The spread of parts and the noise follow from the seed; --ideal has none.
#include <cstdlib>
#include <iostream>
#include <string>

#include "drivers/hall/hand_words.h"

namespace merel {
namespace {

int run(const PartSpread& spread, std::uint64_t seed) {
  AnalogueBoard board(spread, seed);
  for (std::string line; std::getline(std::cin, line);) {
    const std::optional<std::string> wrong = line == "levels" ? std::nullopt : obey(board, line);
    if (wrong) {
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
