#pragma once
#include <CLI/CLI.hpp>

namespace merel {

/// What the process says when it ends (sysexits are not used: scripts only need to tell these three apart).
enum ExitCode : int {
  kDone = 0,      ///< done
  kNo = 1,        ///< the answer is no: an illegal step, a bad game, the daemon refuses
  kBadInput = 2,  ///< wrong use, unreadable input or no daemon; standard output stays empty
};

// Each adds one sub-command, or a family of them, to the tool. When the sub-command was chosen it runs inside CLI::App::parse and leaves its exit
// code in `exit_code`. `exit_code` must outlive `app`.
void add_perft(CLI::App& app, int& exit_code);
void add_steps(CLI::App& app, int& exit_code);
void add_apply(CLI::App& app, int& exit_code);
void add_position(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_demo(CLI::App& app, int& exit_code);

// ---- those that talk to the daemon ----
void add_status(CLI::App& app, int& exit_code);
void add_watch(CLI::App& app, int& exit_code);
/// new, takeback, choose, resign, draw, abort, help-lights
void add_game_commands(CLI::App& app, int& exit_code);
/// games, show, export, import, delete
void add_archive_commands(CLI::App& app, int& exit_code);
void add_sensors(CLI::App& app, int& exit_code);
void add_selftest(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_record(CLI::App& app, int& exit_code);
void add_support_bundle(CLI::App& app, int& exit_code);
void add_virtual_pico(CLI::App& app, int& exit_code);
/// sim lift, put, button, tray, fault, arrange, play, show
void add_sim(CLI::App& app, int& exit_code);

}  // namespace merel
