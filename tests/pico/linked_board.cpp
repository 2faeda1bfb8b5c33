#include "tests/pico/linked_board.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "firmware/core/board.h"
#include "tests/firmware/flash_in_memory.h"
#include "tests/places.h"

namespace merel {

class BoardFlash {
 public:
  firmware::FlashInMemory memory;
};

namespace {

class NoGate final : public firmware::ScanGate {
 public:
  void close() override {}
  void open() override {}
};

}  // namespace

struct CoreBoard::Power {
  int far = -1;
  int near = -1;
  std::atomic<bool> off = false;
  std::thread thread;
};

CoreBoard::CoreBoard(const std::string& folder, const PartSpread& spread, std::uint64_t seed)
    : name_(folder + "/merel-board"), analogue_(spread, seed), flash_(std::make_unique<BoardFlash>()) {
  plug();
}

CoreBoard::~CoreBoard() { unplug(); }

void CoreBoard::put(MagnetKind kind, bool north_up, lattice7::Spot spot) {
  const std::lock_guard lock(mutex_);
  analogue_.put(kind, north_up, spot);
}

void CoreBoard::lift(lattice7::Spot spot) {
  const std::lock_guard lock(mutex_);
  analogue_.lift(spot);
}

void CoreBoard::damage(const std::function<void(AnalogueBoard&)>& how) {
  const std::lock_guard lock(mutex_);
  how(analogue_);
}

void CoreBoard::press(std::uint8_t button, bool down) {
  const std::lock_guard lock(mutex_);
  const auto bit = static_cast<std::uint8_t>(1U << button);
  buttons_ = static_cast<std::uint8_t>(down ? buttons_ | bit : buttons_ & ~bit);
}

std::vector<std::uint32_t> CoreBoard::lights() {
  const std::lock_guard lock(mutex_);
  return lights_;
}

void CoreBoard::unplug() {
  if (!power_) return;
  std::filesystem::remove(name_);
  power_->off = true;
  power_->thread.join();
  close(power_->far);
  close(power_->near);
  power_.reset();
}

void CoreBoard::plug() {
  if (power_) return;
  auto power = std::make_unique<Power>();
  std::array<char, 128> device{};
  if (openpty(&power->far, &power->near, device.data(), nullptr, nullptr) != 0)
    throw std::runtime_error("no pseudo terminal");
  termios raw{};
  tcgetattr(power->near, &raw);
  cfmakeraw(&raw);
  tcsetattr(power->near, TCSANOW, &raw);
  for (const int end : {power->far, power->near}) fcntl(end, F_SETFD, FD_CLOEXEC);
  fcntl(power->far, F_SETFL, O_NONBLOCK);
  power_ = std::move(power);
  power_->thread = std::thread([this] { run(*power_); });
  std::filesystem::create_symlink(device.data(), name_);
}

void CoreBoard::run(Power& power) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  firmware::Senses senses;
  NoGate gate;
  firmware::Board board(senses, gate, flash_->memory, 0xB0A2D000U + ++session_, link::kIsUsb, Time{});
  std::array<std::uint8_t, 256> in{};
  std::array<std::uint8_t, link::kMaxWire> out{};
  std::size_t waiting = 0;  // bytes of `out` that the port has not taken
  std::size_t sent = 0;
  std::uint32_t late = 0;
  for (std::int64_t scan = 1; !power.off; ++scan) {
    const Time now = std::chrono::milliseconds(scan);
    if (Clock::now() > began + now + std::chrono::milliseconds(1)) ++late;
    std::this_thread::sleep_until(began + now);
    {
      const std::lock_guard lock(mutex_);
      firmware::Counts counts{};
      counts.fill(2048);
      const AnalogueBoard::Levels levels = analogue_.levels();
      std::copy(levels.begin(), levels.end(), counts.begin());
      senses.scan(counts, buttons_, now);
      if (const auto picture = board.picture(now)) {
        lights_.assign(picture->begin(), picture->end());
        analogue_.lights(std::any_of(lights_.begin(), lights_.end(), [](std::uint32_t light) { return light != 0; }));
        for (std::uint32_t& light : lights_)
          light = (light >> 16U & 0xFFU) << 16U | (light >> 24U) << 8U | (light >> 8U & 0xFFU);
      }
    }
    const ssize_t n = read(power.far, in.data(), in.size());
    if (n > 0) board.hear(std::span(in).first(static_cast<std::size_t>(n)), now);
    board.attend(now, {late, 1'000, false});
    if (waiting == 0) {
      waiting = board.next_frame(now, out);
      sent = 0;
    }
    while (waiting > 0) {
      const ssize_t wrote = write(power.far, out.data() + sent, waiting);
      if (wrote <= 0) break;
      sent += static_cast<std::size_t>(wrote);
      waiting -= static_cast<std::size_t>(wrote);
      if (waiting == 0) {
        waiting = board.next_frame(now, out);
        sent = 0;
      }
    }
  }
}

// ---- the emulator ----------------------------------------------------------------------------------------------------------

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
