#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/game_choice.h"

namespace merel {
namespace {

struct Apply {
  GameChoice choice;
  std::vector<std::string> steps;

  int run() const {
    auto record = choice.start();
    if (!record) return complain(record.error(), kBadInput);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (const auto played = play_text(*record, steps[i]); !played) {
        return complain("STEP " + std::to_string(i + 1) + ", '" + steps[i] + "': " + played.error(), kNo);
      }
    }
    std::cout << text(record->position()) << '\n';
    return kDone;
  }
};

}  // namespace

void add_apply(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("apply", "Play steps and print the position they lead to.");
  const auto apply = std::make_shared<Apply>();
  apply->choice.add_game(*command);
  apply->choice.add_position(*command);
  command->add_option("STEP", apply->steps, "steps such as +d2, d2-d3, xg4, stop, forget or pass")->required();
  command->footer("Example: the first two men are set down\n  merel apply morris +d2 +d6");
  command->callback([apply, &exit_code] { exit_code = apply->run(); });
}

}  // namespace merel
