#include "daemon/merel/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

namespace merel {
namespace {

/// Reads until the end of the pipe; false when the patience ended before.
bool read_all(int pipe, std::chrono::seconds patience, std::string& out) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + patience;
  std::array<char, 65536> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{pipe, POLLIN, 0};
    if (left <= 0) return false;
    const int polled = poll(&ready, 1, static_cast<int>(left));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return false;
    const ssize_t n = read(pipe, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    out.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

ChildEnd run_program(const std::vector<std::string>& command, std::chrono::seconds patience) {
  ChildEnd out;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  out.started = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (out.started) {
    const bool ended = read_all(ends[0], patience, out.output);
    if (!ended) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (ended && WIFEXITED(status)) out.exit_code = WEXITSTATUS(status);
    // Where spawning cannot say that there is no such program, its child ends so.
    if (out.exit_code == 127 && out.output.empty()) out.started = false;
  }
  close(ends[0]);
  return out;
}

std::string mereld_program() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = own.parent_path() / "mereld";
  return !error && access(beside.c_str(), X_OK) == 0 ? beside.string() : "mereld";
}

}  // namespace merel
