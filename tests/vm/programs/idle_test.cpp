// A board at rest costs nothing: no wake-ups but the ones the daemon owes itself.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/vm/programs/table.h"

namespace merel {
namespace {

/// How often each of the process' threads has gone to sleep and was woken since it began (proc(5)).
std::map<std::string, long> wake_ups(pid_t process) {
  std::map<std::string, long> out;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0)
        out[thread.path().filename()] = std::stol(line.substr(line.find(':') + 1));
    }
  }
  return out;
}

/// The system calls of the process within so many seconds, by name.
std::map<std::string, int> calls(pid_t process, int seconds) {
  const std::string file = "/tmp/calls";
  const Output said = run("strace -f -qq -o " + file + " -p " + std::to_string(process) + " & sleep " +
                          std::to_string(seconds) + "; kill -INT $!; wait");
  if (!said.text.empty()) std::cout << said.text;
  std::ifstream lines(file);
  std::map<std::string, int> out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string thread;
    std::string call;
    words >> thread >> call;
    if (call == "<...") continue;  // the rest of one that has waited
    if (const std::size_t end = call.find('('); end != std::string::npos) call.resize(end);
    ++out[call];
  }
  return out;
}

TEST(AStillBoard, WakesMereldOnlyEveryFewSeconds) {
  const Header header;
  const SwitchLines wires;
  const SpiStub lights;
  Table table{{"lattice7-expander", {}}};
  table.post("/api/help", {{"on", false}});
  std::this_thread::sleep_for(std::chrono::seconds(10));
  constexpr int kSeconds = 60;
  const auto before = wake_ups(table.daemon().process());
  const std::uint64_t messages = lights.messages();
  std::this_thread::sleep_for(std::chrono::seconds(kSeconds));
  const std::string loop = std::to_string(table.daemon().process());
  long others = 0;
  long of_loop = 0;
  for (const auto& [thread, times] : wake_ups(table.daemon().process())) {
    (thread == loop ? of_loop : others) += times - (before.count(thread) == 0 ? 0 : before.at(thread));
  }
  std::printf("wake-ups of a still board: %ld of the loop and %ld of other threads in %d s\n", of_loop, others, kSeconds);
  // Every five seconds it looks whether all chips still answer; the log library's thread looks up every ten (spdlog before 1.11).
  EXPECT_LE(of_loop, kSeconds / 5 + 1);
  EXPECT_LE(others, kSeconds / 10 + 1);
  EXPECT_EQ(lights.messages(), messages);
  const auto seen = calls(table.daemon().process(), kSeconds);
  for (const auto& [call, times] : seen) std::printf("  %s: %d\n", call.c_str(), times);
  EXPECT_LE(seen.count("epoll_wait") == 0 ? 0 : seen.at("epoll_wait"), kSeconds / 5 + 1);
}

}  // namespace
}  // namespace merel
