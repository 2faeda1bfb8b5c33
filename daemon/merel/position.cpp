#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/game_choice.h"

namespace merel {
namespace {

struct ReadPosition {
  GameChoice choice;
  std::string text;

  int run() const {
    const auto info = choice.find();
    if (!info) return complain(info.error(), kBadInput);
    const auto options = choice.read_options(**info);
    if (!options) return complain(options.error(), kBadInput);
    const auto position = (*info)->read(*options, text);
    if (!position) return complain(position.error().line(), kNo);
    std::cout << merel::text(*position) << '\n';
    return kDone;
  }
};

}  // namespace

void add_position(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("position", "Check a position text and print it in its normal form.");
  const auto read = std::make_shared<ReadPosition>();
  read->choice.add_game(*command);
  command->add_option("TEXT", read->text, "the position, as one argument")->required();
  command->footer("Example: the start of Nine Men's Morris\n  merel position morris '3/3/3/6/3/3/3 W 9 9 -'");
  command->callback([read, &exit_code] { exit_code = read->run(); });
}

}  // namespace merel
