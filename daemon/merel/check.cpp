#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/game_choice.h"

namespace merel {
namespace {

using nlohmann::json;

/// Why a game is bad, as `field: what is wrong and what would be right`.
using Fault = std::string;
template <class T>
using Checked = Result<T, Fault>;

/// Fault is a string, so what is read has a type of its own.
struct Text {
  std::string value;
};

Checked<Text> read_text(const json& game, const char* field) {
  const auto at = game.find(field);
  if (at == game.end()) return Fault(std::string(field) + ": is missing; a string is wanted");
  if (!at->is_string()) return Fault(std::string(field) + ": is " + at->type_name() + "; a string is wanted");
  return Text{at->get<std::string>()};
}

Checked<std::vector<std::string>> read_steps(const json& game) {
  const auto at = game.find("steps");
  if (at == game.end()) return Fault("steps: is missing; an array of strings is wanted");
  if (!at->is_array()) return Fault(std::string("steps: is ") + at->type_name() + "; an array of strings is wanted");
  std::vector<std::string> steps;
  for (const json& step : *at) {
    if (!step.is_string()) {
      return Fault("steps[" + std::to_string(steps.size()) + "]: is " + step.type_name() + "; a string is wanted");
    }
    steps.push_back(step.get<std::string>());
  }
  return steps;
}

Checked<Options> read_options(const json& game, const GameInfo& info) {
  Options options = info.defaults();
  const auto at = game.find("options");
  if (at == game.end()) return options;
  if (!at->is_object()) return Fault(std::string("options: is ") + at->type_name() + "; an object of strings is wanted");
  for (const auto& [key, value] : at->items()) {
    if (!value.is_string()) return Fault("options." + key + ": is " + value.type_name() + "; a string is wanted");
    if (const auto set = options.set(key, value.get<std::string>()); !set) return Fault("options: " + set.error().message);
  }
  return options;
}

/// The position text as it would be written, or as it stands when it cannot be read (some last positions cannot).
std::string normalised(const GameInfo& info, const Options& options, const std::string& position) {
  const auto read = info.read(options, position);
  return read ? text(*read) : position;
}

/// Plays one game through. `steps` grows by every step that was legal.
Checked<std::monostate> check_game(const json& game, std::size_t& steps) {
  if (!game.is_object()) return Fault(std::string("game: the line is ") + game.type_name() + "; a JSON object is wanted");
  const auto name = read_text(game, "game");
  if (!name) return name.error();
  GameChoice choice;
  choice.game = name->value;
  const auto info = choice.find();
  if (!info) return "game: " + info.error();
  const auto options = read_options(game, **info);
  if (!options) return options.error();
  const auto start = read_text(game, "start");
  if (!start) return start.error();
  const auto position = (*info)->read(*options, start->value);
  if (!position) return "start: " + position.error().line();
  const auto texts = read_steps(game);
  if (!texts) return texts.error();
  const auto final_text = read_text(game, "final");
  if (!final_text) return final_text.error();
  const auto result = read_text(game, "result");
  if (!result) return result.error();

  GameRecord record(**info, *options, *position);
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const std::string& step = (*texts)[i];
    if (const auto played = play_text(record, step); !played) {
      return "steps[" + std::to_string(i) + "]: '" + step + "' is illegal: " + played.error();
    }
    ++steps;
  }
  const std::string reached = text(record.position());
  if (normalised(**info, *options, final_text->value) != reached) {
    return "final: is '" + final_text->value + "', but the steps lead to '" + reached + "'";
  }
  const std::string outcome = result_text(**info, record.outcome());
  if (result->value != outcome) return "result: is '" + result->value + "', but after the steps it is '" + outcome + "'";
  return std::monostate{};
}

Checked<std::monostate> check_line(const std::string& line, std::size_t& steps) {
  try {
    return check_game(json::parse(line), steps);
  } catch (const json::parse_error& error) {
    return "column " + std::to_string(error.byte) +
           ": is not JSON; a line is one object with game, options, start, steps, " + "final and result";
  }
}

int check_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::size_t lines = 0;
  std::size_t games = 0;
  std::size_t steps = 0;
  std::size_t bad = 0;
  std::string line;
  while (std::getline(file, line)) {
    ++lines;
    if (line.empty()) continue;
    ++games;
    const auto checked = check_line(line, steps);
    if (checked) continue;
    ++bad;
    complain(path + ", line " + std::to_string(lines) + ", " + checked.error(), kNo);
  }
  // A file that cannot be opened or a folder gives neither a line nor a clean end.
  if (file.bad() || !file.eof())
    return complain(path + ": cannot be read; a file with one game a line is wanted", kBadInput);
  std::cout << games << " games, " << steps << " steps, " << bad << " bad\n";
  return bad == 0 ? kDone : kNo;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "Play recorded games through and report what the rules do not allow.");
  const auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "games, one JSON object a line")->required();
  command->footer(
      "A game: {\"game\":\"morris\",\"options\":{},\"start\":TEXT,\"steps\":[\"+d2\"],\"final\":TEXT,\"result\":\"W\"}\n"
      "Example:\n  merel check games.jsonl");
  command->callback([path, &exit_code] { exit_code = check_file(*path); });
}

}  // namespace merel
