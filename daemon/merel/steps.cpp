#include <algorithm>
#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/game_choice.h"

namespace merel {
namespace {

int print_steps(const GameChoice& choice) {
  const auto record = choice.start();
  if (!record) return complain(record.error(), kBadInput);
  const Position& position = record->position();
  if (const Outcome end = record->outcome(); end.over()) {
    std::cout << "over: " << result_text(record->game(), end) << '\n';
    return kDone;
  }
  std::vector<std::string> texts;
  for (const Step step : legal_steps(position)) texts.push_back(text(position, step));
  std::sort(texts.begin(), texts.end());  // from ten ranks on, the order of steps is not that of their texts
  for (const std::string& step : texts) std::cout << (&step == &texts.front() ? "" : " ") << step;
  std::cout << '\n';
  return kDone;
}

}  // namespace

void add_steps(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("steps", "List the legal steps of a position.");
  const auto choice = std::make_shared<GameChoice>();
  choice->add_game(*command);
  choice->add_position(*command);
  command->footer(
      "Example: what W may take after closing the mill a1-d1-g1\n"
      "  merel steps morris --position '3/3/3/6/3/B1B/WWW W 6 7 x'");
  command->callback([choice, &exit_code] { exit_code = print_steps(*choice); });
}

}  // namespace merel
