// make_traces OUTDIR: writes random games as traces, with a truth.jsonl that says what really happened.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/hands/scripted_hands.h"

namespace {

constexpr std::size_t kMostSteps = 420;

struct Wanted {
  std::filesystem::path directory;
  std::uint64_t seed = 1;
  int games = 3;
  std::vector<int> levels = {1, 2, 3, 4};
  std::string game;
  std::string sensing;
  bool no_trays = false;
};

std::string file_name(std::string_view game, const merel::Handling& handling, std::uint64_t seed, int number) {
  return std::string(game) + "-l" + std::to_string(handling.level) + (handling.colour ? "-col" : "-occ") +
         (handling.trays ? "-" : "-notray-") + std::to_string(seed) + '-' + std::to_string(1000 + number).substr(1) +
         ".trace";
}

/// One game at one level: the same hands seen by each kind of sensors asked for.
void write_game(const Wanted& wanted, const merel::GameInfo& game, int level, int number, std::ostream& truth) {
  const auto index = static_cast<std::uint64_t>(&game - merel::games().data());
  merel::Dice dice(((wanted.seed * 16 + index) * 8 + static_cast<std::uint64_t>(level)) * 1000 +
                   static_cast<std::uint64_t>(number));
  const merel::GameRecord record = merel::random_game(game, dice, kMostSteps);
  const std::uint64_t hands = dice.next();
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const merel::Step step : record.steps()) steps.push_back(merel::text(record.start(), step));
  for (const bool colour : {true, false}) {
    if (!wanted.sensing.empty() && (wanted.sensing == "colour") != colour) continue;
    const merel::Handling handling{level, colour, !wanted.no_trays};
    const merel::ScriptedGame played = merel::play_by_hand(record, handling, hands);
    const std::string name = file_name(game.name, handling, wanted.seed, number);
    std::ofstream(wanted.directory / name, std::ios::binary) << played.trace;
    truth << nlohmann::ordered_json{{"file", name},
                                    {"steps", steps},
                                    {"result", merel::result_text(game, record.outcome())},
                                    {"illegal", played.illegal},
                                    {"amends", played.amends}}
          << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  CLI::App app("Writes random games as traces of human hands, and truth.jsonl");
  app.add_option("directory", wanted.directory, "where to write; made when missing")->required();
  app.add_option("--seed", wanted.seed, "the same seed gives the same files");
  app.add_option("--games", wanted.games, "games per game and level")->check(CLI::Range(1, 999));
  app.add_option("--level", wanted.levels, "how clumsy the hands are; all when absent")->check(CLI::Range(1, 4));
  app.add_option("--game", wanted.game, "one game instead of all")->check([](const std::string& name) {
    return merel::find_game(name) != nullptr ? std::string() : "no game is called " + name;
  });
  app.add_option("--sensing", wanted.sensing, "one kind of sensors instead of both")
      ->check(CLI::IsMember({"occupancy", "colour"}));
  app.add_flag("--no-trays", wanted.no_trays, "Pylos on a board without trays, and no other game");
  CLI11_PARSE(app, argc, argv);

  std::filesystem::create_directories(wanted.directory);
  std::ofstream truth(wanted.directory / "truth.jsonl", std::ios::binary);
  for (const merel::GameInfo& game : merel::games()) {
    if (!wanted.game.empty() && game.name != wanted.game) continue;
    if (wanted.no_trays && game.tray == 0) continue;
    for (const int level : wanted.levels) {
      for (int number = 0; number < wanted.games; ++number) write_game(wanted, game, level, number, truth);
    }
  }
  if (!truth.flush()) {
    std::cerr << (wanted.directory / "truth.jsonl").string() << ": cannot be written; is the disk full?\n";
    return 2;
  }
  return 0;
}
