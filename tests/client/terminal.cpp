#include "tests/client/terminal.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/places.h"

namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::milliseconds kLook{20};

}  // namespace

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool soon(const std::function<bool()>& so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (so()) return true;
    std::this_thread::sleep_for(kLook);
  }
  return false;
}

Terminal::Terminal(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  winsize size{40, 100, 0, 0};
  child_ = forkpty(&master_, nullptr, nullptr, &size);
  if (child_ == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    for (const std::string& variable : environment) {
      const std::size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    std::vector<std::string> words{"merel"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(MEREL_TOOL, argv.data());
    _exit(127);
  }
}

Terminal::~Terminal() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(master_);
}

bool Terminal::read_some() {
  std::array<char, 4096> part{};
  pollfd ready{master_, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(kLook.count())) <= 0) return false;
  const ssize_t n = read(master_, part.data(), part.size());
  if (n > 0) written_.append(part.data(), static_cast<std::size_t>(n));
  return n > 0;
}

bool Terminal::shows(const std::string& text) {
  return soon([&] {
    read_some();
    return written_.find(text) != std::string::npos;
  });
}

void Terminal::type(const std::string& keys) const {
  ASSERT_EQ(write(master_, keys.data(), keys.size()), ssize_t(keys.size()));
}

int Terminal::exit_code() {
  int status = 0;
  const bool ended = soon([&] {
    read_some();
    return waitpid(child_, &status, WNOHANG) == child_;
  });
  if (!ended) return -1;
  child_ = -1;
  while (read_some()) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
