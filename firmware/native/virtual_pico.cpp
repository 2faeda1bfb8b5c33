#include "firmware/native/virtual_pico.h"

#include <fcntl.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "firmware/core/board.h"

namespace merel {
namespace {

class NoGate final : public firmware::ScanGate {
 public:
  void close() override {}
  void open() override {}
};

}  // namespace

struct VirtualPico::Power {
  int far = -1;   ///< the board's end of the line
  int near = -1;  ///< kept open, or the far end would see the line hung up whenever nobody has the port open
  std::atomic<bool> off = false;
  std::thread thread;

  ~Power() {
    for (const int end : {far, near}) {
      if (end >= 0) close(end);
    }
  }
};

VirtualPico::VirtualPico(std::string port, const PartSpread& spread, std::uint64_t seed)
    : port_(std::move(port)), analogue_(spread, seed) {}

VirtualPico::~VirtualPico() { unplug(); }

Result<std::monostate, std::string> VirtualPico::plug() {
  if (power_) return std::monostate{};
  // One that was killed has left its name behind, which leads nowhere any more.
  std::error_code error;
  if (std::filesystem::is_symlink(port_, error) && !std::filesystem::exists(port_, error)) {
    std::filesystem::remove(port_, error);
  }
  auto power = std::make_unique<Power>();
  std::array<char, 128> device{};
  if (openpty(&power->far, &power->near, device.data(), nullptr, nullptr) != 0) {
    return "No pseudo terminal could be had: " + std::generic_category().message(errno);
  }
  termios raw{};
  tcgetattr(power->near, &raw);
  cfmakeraw(&raw);
  tcsetattr(power->near, TCSANOW, &raw);
  for (const int end : {power->far, power->near}) fcntl(end, F_SETFD, FD_CLOEXEC);
  fcntl(power->far, F_SETFL, O_NONBLOCK);
  std::filesystem::create_symlink(device.data(), port_, error);
  if (error) return "The port cannot be called " + port_ + ": " + error.message() + "; name a path that is free";
  power_ = std::move(power);
  power_->thread = std::thread([this] { run(*power_); });
  return std::monostate{};
}

void VirtualPico::unplug() {
  if (!power_) return;
  std::error_code ignored;
  std::filesystem::remove(port_, ignored);
  power_->off = true;
  power_->thread.join();
  power_.reset();
}

void VirtualPico::at_board(const std::function<void(AnalogueBoard&)>& hands) {
  const std::lock_guard lock(mutex_);
  hands(analogue_);
}

void VirtualPico::press(std::uint8_t button, bool down) {
  const std::lock_guard lock(mutex_);
  const auto bit = static_cast<std::uint8_t>(1U << button);
  buttons_ = static_cast<std::uint8_t>(down ? buttons_ | bit : buttons_ & ~bit);
}

std::vector<std::uint32_t> VirtualPico::lights() {
  const std::lock_guard lock(mutex_);
  return lights_;
}

/// The chip's part: what main.cpp does there, on this machine's clock.
void VirtualPico::run(Power& power) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  firmware::Senses senses;
  NoGate gate;
  firmware::Board board(senses, gate, flash_, 0xB0A2D000U + ++session_, link::kIsUsb, Time{});
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
        // The chain takes green first.
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

}  // namespace merel
