// What a daemon costs that has nothing to do, and how long it takes to be ready: the built program, started as a service would be.
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/folder.h"
#include "tests/places.h"
#include "tests/stress/figures.h"

extern char** environ;

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Processor time of a process in seconds (proc(5), stat: fields 14 and 15).
double processor_seconds(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string word;
  double ticks = 0;
  for (int field = 1; file >> word; ++field) {
    if (field == 14 || field == 15) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Voluntary context switches of all threads: how often it woke up.
long wake_ups(int process) {
  long all = 0;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream file(task.path() / "status");
    for (std::string word; file >> word;) {
      long count = 0;
      if (word == "voluntary_ctxt_switches:" && file >> count) all += count;
    }
  }
  return all;
}

int run(int seconds) {
  Folder folder;
  // systemd's end of sd_notify(3).
  const int notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.file("notify");
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket API
  if (bind(notify, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 2;
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  timeval patience{10, 0};
  setsockopt(notify, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);

  Figures figures;
  double slowest = 0;
  for (int start = 0; start < 5; ++start) {
    const std::string home = folder.file("home");
    const std::string none = folder.file("none.toml");
    std::ofstream(none) << "[server]\nlisten = []\n";
    std::array<const char*, 8> arguments = {MEREL_DAEMON, "--home",   home.c_str(), "--share",
                                            MEREL_SOURCE, "--config", none.c_str(), nullptr};
    pid_t process = 0;
    const auto began = Clock::now();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): posix_spawn(3) changes no argument
    if (posix_spawn(&process, MEREL_DAEMON, nullptr, nullptr, const_cast<char**>(arguments.data()), environ) != 0) return 2;
    std::string said(256, '\0');
    const ssize_t n = recv(notify, said.data(), said.size(), 0);
    if (n <= 0 || said.rfind("READY=1", 0) != 0) {
      kill(process, SIGKILL);
      std::fprintf(stderr, "mereld did not become ready\n");
      return 2;
    }
    slowest = std::max(slowest, seconds_since(began));
    if (start == 4) {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      const double used = processor_seconds(process);
      const long woken = wake_ups(process);
      const auto from = Clock::now();
      std::this_thread::sleep_for(std::chrono::seconds(seconds));
      const double span = seconds_since(from);
      figures.at_most("idle, share of one core", (processor_seconds(process) - used) / span * 100, 0.5, "%");
      figures.tell("idle, wake-ups a second", static_cast<double>(wake_ups(process) - woken) / span, "/s");
      figures.at_most("idle, resident memory", resident_mib(process), 20, "MiB");
    }
    const auto ending = Clock::now();
    kill(process, SIGTERM);
    int status = 0;
    waitpid(process, &status, 0);
    while (recv(notify, said.data(), said.size(), MSG_DONTWAIT) > 0) {
    }
    if (start == 4) figures.at_most("SIGTERM to the end", seconds_since(ending), 1, "s");
  }
  figures.at_most("start to ready, slowest of five", slowest * 1000, 200, "ms");
  close(notify);
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) { return merel::run(argc > 1 ? std::atoi(argv[1]) : 30); }
