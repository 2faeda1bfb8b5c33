#pragma once
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "daemon/client/daemon_client.h"

namespace merel {

/// The built daemon as a process of its own, to be killed.
class DaemonProcess {
 public:
  /// Starts `program` with a home folder and a configuration there, and waits until it answers.
  DaemonProcess(const std::string& program, const std::string& share, const std::string& home, const std::string& config)
      : client_(home + "/merel.sock") {
    std::vector<std::string> arguments = {program, "--home", home, "--share", share, "--config", config};
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    const std::string log = home + "/log";
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nothing behind that might open the next one's port
      const int to = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      dup2(to, STDOUT_FILENO);
      dup2(to, STDERR_FILENO);
      execv(program.c_str(), raw.data());
      _exit(127);
    }
    if (process_ < 0) throw std::runtime_error("cannot start " + program);
    for (int tries = 0; tries < 2000; ++tries) {
      if (client_.call("GET", "/api/state")) return;
      if (waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = 0;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    end(SIGKILL);
    throw std::runtime_error("mereld does not answer; see " + log);
  }
  ~DaemonProcess() { end(SIGKILL); }
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  /// Sends the signal and waits for the end; the exit status as waitpid(2) tells it.
  int end(int signal) {
    if (process_ <= 0) return 0;
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }
  [[nodiscard]] const DaemonClient& client() const { return client_; }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  DaemonClient client_;
  pid_t process_ = 0;
};

}  // namespace merel
