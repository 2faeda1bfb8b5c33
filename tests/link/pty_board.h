#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "drivers/loop_clock.h"
#include "tests/folder.h"
#include "tests/link/made_up_board.h"

namespace merel::link {

/// A pseudo terminal whose near end has a name of the test's, and whose far end the test holds: what comes in is kept, unless somebody
/// takes it.
class PtyCable {
 public:
  PtyCable(boost::asio::io_context& loop, std::string name) : name_(std::move(name)), far_(loop) {}
  ~PtyCable() { pull(); }
  PtyCable(const PtyCable&) = delete;
  PtyCable& operator=(const PtyCable&) = delete;

  void plug() {
    int far = -1;
    int near = -1;
    std::array<char, 128> device{};
    ASSERT_EQ(openpty(&far, &near, device.data(), nullptr, nullptr), 0);
    device_ = device.data();
    termios raw{};
    tcgetattr(near, &raw);
    cfmakeraw(&raw);
    tcsetattr(near, TCSANOW, &raw);
    // Held open, as every program that serves a pseudo terminal does: with nobody at the near end the far end could not be read.
    near_ = near;
    fcntl(near, F_SETFD, FD_CLOEXEC);
    fcntl(far, F_SETFD, FD_CLOEXEC);
    far_.assign(far);
    far_.non_blocking(true);
    std::filesystem::create_symlink(device_, name_);
    read();
  }
  void pull() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
    boost::system::error_code closed;
    far_.close(closed);
    if (near_ >= 0) ::close(near_);
    near_ = -1;
  }
  [[nodiscard]] bool plugged() const { return near_ >= 0; }
  [[nodiscard]] const std::string& device() const { return device_; }
  void write(std::span<const std::uint8_t> bytes) {
    boost::system::error_code ignored;
    if (far_.is_open()) far_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), ignored);
  }
  /// Takes nothing from the near end any more, whose terminal is full from now on.
  void go_deaf() {
    deaf_ = true;
    far_.cancel();
    fcntl(near_, F_SETFL, O_NONBLOCK);
    const std::array<std::uint8_t, 256> zeros{};
    while (::write(near_, zeros.data(), zeros.size()) > 0) {
    }
  }
  std::function<void(std::span<const std::uint8_t>)> came;

 private:
  void read() {
    far_.async_read_some(boost::asio::buffer(in_), [this](const boost::system::error_code& error, std::size_t length) {
      if (error || deaf_) return;
      if (came) came(std::span<const std::uint8_t>(in_).first(length));
      read();
    });
  }

  std::string name_;
  std::string device_;
  boost::asio::posix::stream_descriptor far_;
  int near_ = -1;
  bool deaf_ = false;
  std::array<std::uint8_t, 4096> in_{};
};

/// A made-up board at the far end of a cable, alive.
class PtyBoard {
 public:
  PtyBoard(boost::asio::io_context& loop, const LoopClock& clock, const std::string& name)
      : cable(loop, name), clock_(clock), timer_(loop) {
    cable.came = [this](std::span<const std::uint8_t> bytes) {
      board.hear(bytes, clock_.now());
      flush();
    };
    tick();
  }

  void change(std::uint8_t channel, PieceClass what) {
    board.change(channel, what, clock_.now());
    flush();
  }
  void press(std::uint8_t button, bool down) {
    board.press(button, down, clock_.now());
    flush();
  }
  void flush() {
    for (const auto& bytes : board.take_frames()) cable.write(bytes);
  }
  /// The cable as well as the board's power.
  void pull() {
    cable.pull();
    board.restart(clock_.now());
    board.take_frames();
  }

  MadeUpBoard board;
  PtyCable cable;
  bool asleep = false;  ///< does nothing by itself

 private:
  void tick() {
    timer_.expires_after(std::chrono::milliseconds(5));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (!asleep && cable.plugged()) {
        board.tick(clock_.now());
        flush();
      }
      tick();
    });
  }

  const LoopClock& clock_;
  boost::asio::steady_timer timer_;
};

}  // namespace merel::link
