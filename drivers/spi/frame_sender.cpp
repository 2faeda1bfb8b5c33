#include "drivers/spi/frame_sender.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace merel {
namespace {

/// A WS2812B that was cut short takes what comes within this time for the rest of the frame (data sheet V5: RES, 280 us).
constexpr std::chrono::microseconds kReset{320};
/// How often a frame that must go out at once is tried before it counts as failed.
constexpr int kTries = 3;

std::string text_of(int error) { return std::generic_category().message(error); }

}  // namespace

std::string spi_not_opened(const std::string& device, int error) {
  const std::string what = "the lights cannot be reached: " + device;
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return what +
             " does not exist; switch SPI on with the line dtparam=spi=on in /boot/firmware/config.txt and restart the "
             "machine";
    case EACCES:
    case EPERM:
      return what + " may not be opened; put the user into its group with `sudo adduser merel spi` and restart mereld";
    case EBUSY: return what + " is held by another program; `sudo fuser -v " + device + "` names it, end it";
    case ENOTTY: return what + " is not an SPI device; name one of `ls /dev/spidev*` in the board's profile";
    default: return what + " cannot be opened (" + text_of(error) + "); look for its reason with `sudo dmesg`";
  }
}

FrameSender::FrameSender(std::string device, bool divisible, OpenSpi open)
    : device_(std::move(device)), divisible_(divisible), open_(std::move(open)) {}

std::optional<FrameTrouble> FrameSender::send(std::span<const std::uint8_t> frame) {
  if (!port_) {
    auto opened = open_();
    if (!opened) return FrameTrouble{spi_not_opened(device_, opened.error())};
    port_ = std::move(*opened);
  }
  return divisible_ ? send_in_pieces(frame) : send_at_once(frame);
}

std::optional<FrameTrouble> FrameSender::send_in_pieces(std::span<const std::uint8_t> frame) {
  while (!frame.empty()) {
    const auto sent = port_->transfer(frame.first(std::min(frame.size(), port_->most_bytes())));
    if (!sent) return failed(sent.error());
    if (*sent == 0) return too_short();
    frame = frame.subspan(std::min(*sent, frame.size()));
  }
  return std::nullopt;
}

std::optional<FrameTrouble> FrameSender::send_at_once(std::span<const std::uint8_t> frame) {
  if (frame.size() > port_->most_bytes()) {
    const std::string needed = std::to_string(std::bit_ceil(frame.size()));
    FrameTrouble trouble{"the lights cannot be shown: a picture for " + device_ + " is " + std::to_string(frame.size()) +
                             " bytes, and the kernel sends " + std::to_string(port_->most_bytes()) +
                             " without a pause; add spidev.bufsiz=" + needed +
                             " to the line in /boot/firmware/cmdline.txt and restart the machine",
                         true};
    port_.reset();  // so that another limit is seen
    return trouble;
  }
  for (int tried = 0; tried < kTries; ++tried) {
    if (tried > 0) std::this_thread::sleep_for(kReset);
    const auto sent = port_->transfer(frame);
    if (!sent) return failed(sent.error());
    if (*sent >= frame.size()) return std::nullopt;
  }
  return too_short();
}

FrameTrouble FrameSender::failed(int error) {
  port_.reset();
  return {"the lights cannot be reached: sending to " + device_ + " fails (" + text_of(error) +
          "); it is tried again and again, look for its reason with `sudo dmesg`"};
}

FrameTrouble FrameSender::too_short() {
  port_.reset();
  return {"the lights cannot be reached: " + device_ +
          " takes only parts of a picture; it is tried again and again, look for its reason with `sudo dmesg`"};
}

}  // namespace merel
