#pragma once
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "rules/game.h"

namespace merel {

/// The position of that text under rule options given as `key=value key=value`; a refused text fails the test.
inline Position position_of(std::string_view game, std::string_view position_text, const std::string& options = "") {
  const GameInfo& info = *find_game(game);
  Options chosen = info.defaults();
  std::istringstream pairs(options);
  for (std::string pair; pairs >> pair;) EXPECT_TRUE(chosen.set(pair).ok()) << pair;
  const auto position = info.read(chosen, position_text);
  if (position) return *position;
  ADD_FAILURE() << "'" << position_text << "' is refused: " << position.error().line();
  return *info.read(chosen, info.start(chosen));
}

/// The legal steps, joined by one space.
inline std::string steps_of(const Position& position) {
  std::string out;
  for (const Step step : legal_steps(position)) out += (out.empty() ? "" : " ") + text(position, step);
  return out;
}

/// The position after steps given as one line; an illegal one fails the test and ends the line.
inline Position after(Position position, const std::string& line) {
  std::istringstream steps(line);
  for (std::string step; steps >> step;) {
    const auto read = read_step(position, step);
    if (!read) {
      ADD_FAILURE() << step << ": " << read.error().line();
      return position;
    }
    const auto next = merel::apply(position, *read);
    if (!next) {
      ADD_FAILURE() << step << " in " << text(position) << ": " << sentence(next.error());
      return position;
    }
    position = *next;
  }
  return position;
}

/// The name of the reason for which the step is refused, or `legal`.
inline std::string refusal_of(const Position& position, Step step) {
  const auto next = merel::apply(position, step);
  return next ? "legal" : std::string(name(next.error()));
}
inline std::string refusal_of(const Position& position, std::string_view step) {
  const auto read = read_step(position, step);
  return read ? refusal_of(position, *read) : read.error().line();
}

/// Where and why a position text is refused, as one line, or `read`.
inline std::string reading_error_of(std::string_view game, std::string_view position_text) {
  const GameInfo& info = *find_game(game);
  const auto position = info.read(info.defaults(), position_text);
  return position ? "read" : position.error().line();
}

}  // namespace merel
