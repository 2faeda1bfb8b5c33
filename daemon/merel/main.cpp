// `merel`, the command-line tool. One file a sub-command or a family of them; this one lists them and turns wrong use into one line.
#include <cstdio>
#include <iostream>
#include <string>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"

namespace merel {
namespace {

int run(int argc, char** argv) {
  int exit_code = kDone;
  CLI::App app(
      "Merel: boards that watch, light and keep games of Pinuid, Pylos and Nine Men's Morris; their rules, records and "
      "traces.",
      "merel");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n  merel status\n  merel steps morris\n\n'merel COMMAND --help' shows each command with an example.");

  const auto group = [&](const char* title, auto... families) {
    const auto all = [](const CLI::App*) { return true; };
    const std::size_t before = app.get_subcommands(all).size();
    (families(app, exit_code), ...);
    const auto commands = app.get_subcommands(all);
    for (std::size_t i = before; i < commands.size(); ++i) commands[i]->group(title);
  };
  group("The game on the board", add_status, add_watch, add_game_commands);
  group("The archive of games", add_archive_commands);
  group("The board and its daemon", add_sensors, add_selftest, add_calibrate, add_record, add_support_bundle, add_sim,
        add_virtual_pico);
  group("Rules and traces", add_perft, add_steps, add_apply, add_position, add_check, add_replay, add_demo);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    const CLI::App* command = app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
    if (command == nullptr) {
      return complain(
          (argc > 1 ? "'" + std::string(argv[1]) + "' is not a command" : "a command is missing") + "; see merel --help",
          kBadInput);
    }
    return complain(command->get_name() + ": " + error.what() + "; see merel " + command->get_name() + " --help", kBadInput);
  }
  if (!std::cout.flush()) return complain("standard output: cannot be written", kBadInput);
  return exit_code;
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) {
  try {
    return merel::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "merel: %s\n", error.what());
    return merel::kBadInput;
  }
}
