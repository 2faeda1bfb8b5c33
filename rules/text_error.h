#pragma once
#include <cstddef>
#include <string>

namespace merel {

/// What is wrong in a text that was to be read.
struct TextError {
  std::string field;       ///< which part: `ranks`, `player to act`, …
  std::size_t column = 1;  ///< where it starts, counted in bytes from 1
  std::string message;     ///< what is wrong and what would be right

  [[nodiscard]] std::string line() const { return field + ", column " + std::to_string(column) + ": " + message; }
};

}  // namespace merel
