// Hands in words: each line is said to an analogue board. What is refused must change nothing, and no word makes a level that is none.
#include <algorithm>
#include <string_view>

#include "drivers/hall/hand_words.h"
#include "tests/fuzz/demand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  std::string_view lines(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 2'000));
  AnalogueBoard board(kIdealParts, 1);
  AnalogueBoard::Levels before = board.levels();
  while (!lines.empty()) {
    const std::string line(lines.substr(0, lines.find('\n')));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const auto wrong = obey(board, line);
    const AnalogueBoard::Levels after = board.levels();
    DEMAND(!wrong || (!wrong->empty() && after == before));
    DEMAND(std::all_of(after.begin(), after.end(), [](std::uint16_t level) { return level < 4096; }));
    before = after;
  }
  return 0;
}
