#pragma once
#include <CLI/CLI.hpp>

namespace merel {

/// What the process says when it ends (sysexits are not used: scripts only need to tell these three apart).
enum ExitCode : int {
  kDone = 0,      ///< done
  kNo = 1,        ///< the answer is no: an illegal step, a bad game
  kBadInput = 2,  ///< wrong use or unreadable input; standard output stays empty
};

// Each adds one sub-command to the tool. When the sub-command was chosen it runs inside CLI::App::parse and leaves its exit
// code in `exit_code`. `exit_code` must outlive `app`.
void add_perft(CLI::App& app, int& exit_code);
void add_steps(CLI::App& app, int& exit_code);
void add_apply(CLI::App& app, int& exit_code);
void add_position(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_demo(CLI::App& app, int& exit_code);

}  // namespace merel
