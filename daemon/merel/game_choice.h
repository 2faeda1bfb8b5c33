#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rules/record.h"

namespace merel {

/// The arguments that say which game is meant, as the user typed them: GAME, --option k=v, --position TEXT.
struct GameChoice {
  std::string game;
  std::vector<std::string> options;
  std::optional<std::string> position;  ///< none: the game's start

  /// Declares GAME and --option.
  void add_game(CLI::App& command);
  /// Declares --position.
  void add_position(CLI::App& command);

  /// The game's row and the options, or one line that says what is wrong.
  [[nodiscard]] Result<const GameInfo*, std::string> find() const;
  [[nodiscard]] Result<Options, std::string> read_options(const GameInfo& info) const;
  /// A record that stands at the chosen position, no step played yet, or one line that says what is wrong.
  [[nodiscard]] Result<GameRecord, std::string> start() const;
};

/// Plays the step with that text, or says in one line, without the step itself, why not.
[[nodiscard]] Result<std::monostate, std::string> play_text(GameRecord& record, const std::string& step);

}  // namespace merel
