// `merel`, the command-line tool. One file a sub-command; this one lists them and turns wrong use into one line.
#include <cstdio>
#include <iostream>
#include <string>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"

namespace merel {
namespace {

int run(int argc, char** argv) {
  int exit_code = kDone;
  CLI::App app("Merel: rules, records and traces of Pinuid, Pylos and Nine Men's Morris.", "merel");
  app.require_subcommand(1);
  app.footer("Example:\n  merel steps morris\n\n'merel COMMAND --help' shows each command with an example.");

  add_perft(app, exit_code);
  add_steps(app, exit_code);
  add_apply(app, exit_code);
  add_position(app, exit_code);
  add_check(app, exit_code);
  add_replay(app, exit_code);
  add_demo(app, exit_code);

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
