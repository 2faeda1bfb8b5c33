#pragma once
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/places.h"

namespace merel::link {

using GoldenFrames = std::map<std::string, std::vector<std::uint8_t>>;

/// Lines `name  hex bytes …` of a text; what is no such line is skipped.
inline GoldenFrames frames_in(std::istream& text) {
  GoldenFrames out;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::uint8_t> bytes;
    for (std::string word; words >> word;) {
      if (word.size() != 2 || word.find_first_not_of("0123456789abcdef") != std::string::npos) {
        bytes.clear();
        break;
      }
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
    }
    if (!bytes.empty()) out[name] = std::move(bytes);
  }
  return out;
}

/// tests/link/frames.txt.
inline GoldenFrames golden_frames() {
  std::ifstream file(MEREL_TEST_DATA "/link/frames.txt");
  return frames_in(file);
}

}  // namespace merel::link
