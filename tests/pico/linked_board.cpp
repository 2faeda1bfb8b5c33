#include "tests/pico/linked_board.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "tests/places.h"

namespace merel {
namespace {

/// The emulator makes noise of its own.
PartSpread without_noise(PartSpread spread) {
  spread.noise_counts = 0;
  return spread;
}

/// A line without its end; empty at the end of the stream.
std::string line_of(FILE* stream) {
  std::string line;
  for (int c = std::fgetc(stream); c != EOF && c != '\n'; c = std::fgetc(stream)) line += static_cast<char>(c);
  return line;
}

}  // namespace

EmulatedBoard::EmulatedBoard(const std::string& folder, const PartSpread& spread, std::uint64_t seed)
    : name_(folder + "/merel-board"), analogue_(without_noise(spread), seed) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
  const std::string why = folder + "/emulator.log";
  process_ = fork();
  if (process_ == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    const int log = open(why.c_str(), O_WRONLY | O_CREAT, 0644);
    dup2(log, STDERR_FILENO);
    execl(MEREL_SOURCE "/tests/emulator/serve", "serve", name_.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  out_ = fdopen(to[1], "w");
  in_ = fdopen(from[0], "r");
  std::string line;
  do {
    line = line_of(in_);
  } while (!line.empty() && line.rfind("ready", 0) != 0);
  if (line.empty()) {
    std::ifstream log(why);
    missing_.assign(std::istreambuf_iterator<char>(log), {});
    if (missing_.empty()) missing_ = "the emulator does not start";
    return;
  }
  tell_levels();
}

EmulatedBoard::~EmulatedBoard() {
  std::fclose(out_);  // the emulator ends with its input
  std::fclose(in_);
  waitpid(process_, nullptr, 0);
}

void EmulatedBoard::tell(const std::string& command) {
  std::fputs((command + "\n").c_str(), out_);
  std::fflush(out_);
  const std::string answer = line_of(in_);
  if (answer.rfind("ok", 0) != 0) throw std::runtime_error("the emulator says to " + command + ": " + answer);
}

void EmulatedBoard::tell_levels() {
  const AnalogueBoard::Levels levels = analogue_.levels();
  std::string command;
  for (std::size_t channel = 0; channel < levels.size(); ++channel) {
    if (levels[channel] == told_[channel]) continue;
    command += " " + std::to_string(channel) + " " + std::to_string(levels[channel]);
  }
  told_ = levels;
  if (!command.empty()) tell("set" + command);
}

void EmulatedBoard::put(MagnetKind kind, bool north_up, lattice7::Spot spot) {
  analogue_.put(kind, north_up, spot);
  tell_levels();
}

void EmulatedBoard::lift(lattice7::Spot spot) {
  analogue_.lift(spot);
  tell_levels();
}

void EmulatedBoard::press(std::uint8_t button, bool down) { tell((down ? "press " : "release ") + std::to_string(button)); }

}  // namespace merel
