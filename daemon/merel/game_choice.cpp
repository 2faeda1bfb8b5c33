#include "daemon/merel/game_choice.h"

namespace merel {

void GameChoice::add_game(CLI::App& command) {
  std::string names;
  for (const GameInfo& info : games()) names += (names.empty() ? "" : ", ") + std::string(info.name);
  command.add_option("GAME", game, names)->required();
  command.add_option("--option", options, "a rule option, KEY=VALUE; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void GameChoice::add_position(CLI::App& command) {
  command.add_option("--position", position, "the position to begin from instead of the game's start");
}

Result<const GameInfo*, std::string> GameChoice::find() const {
  if (const GameInfo* info = find_game(game)) return info;
  std::string names;
  for (const GameInfo& info : games()) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return "GAME: '" + game + "' is not a game; it is one of " + names;
}

Result<Options, std::string> GameChoice::read_options(const GameInfo& info) const {
  Options chosen = info.defaults();
  for (const std::string& pair : options) {
    if (const auto set = chosen.set(pair); !set) return "--option: " + set.error().message;
  }
  return chosen;
}

Result<GameRecord, std::string> GameChoice::start() const {
  const auto info = find();
  if (!info) return info.error();
  const auto chosen = read_options(**info);
  if (!chosen) return chosen.error();
  const auto from = (*info)->read(*chosen, position ? *position : (*info)->start(*chosen));
  if (!from) return "--position: " + from.error().line();
  return GameRecord(**info, *chosen, *from);
}

Result<std::monostate, std::string> play_text(GameRecord& record, const std::string& step) {
  const auto read = read_step(record.position(), step);
  if (!read) return read.error().line();
  const auto played = record.play(*read);
  if (!played) return std::string(sentence(played.error()));
  return std::monostate{};
}

}  // namespace merel
