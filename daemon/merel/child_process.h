#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace merel {

/// How another program ended.
struct ChildEnd {
  bool started = false;  ///< false: there is no such program, or it may not be run
  int exit_code = -1;    ///< -1: by a signal, or it took too long and was stopped
  std::string output;    ///< standard output and standard error together
};

/// Runs a program, looked for in PATH unless its name has a slash, with these arguments, without a shell and without input, and waits
/// for its end.
[[nodiscard]] ChildEnd run_program(const std::vector<std::string>& command, std::chrono::seconds patience);

/// The daemon's program: beside this one, where both are installed together, otherwise as PATH has it.
[[nodiscard]] std::string mereld_program();

}  // namespace merel
