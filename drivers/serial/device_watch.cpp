#include "drivers/serial/device_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

namespace merel {
namespace {

constexpr std::uint32_t kComes = IN_CREATE | IN_MOVED_TO | IN_ATTRIB;  // udev moves its links into place

}  // namespace

DeviceWatch::DeviceWatch(boost::asio::io_context& loop, const std::string& device)
    : folder_(std::filesystem::path(device).parent_path()), name_(std::filesystem::path(device).filename()), events_(loop) {}

DeviceWatch::~DeviceWatch() { stop(); }

void DeviceWatch::start(std::function<void()> came) {
  came_ = std::move(came);
  if (events_.is_open()) {
    // The device's own folder may be new: /dev/serial is there only while a serial port is.
    inotify_add_watch(events_.native_handle(), folder_.c_str(), kComes);
    return;
  }
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return;  // then the next try finds out, only later
  events_.assign(descriptor);
  inotify_add_watch(descriptor, "/dev", kComes);
  inotify_add_watch(descriptor, folder_.c_str(), kComes);
  alive_ = std::make_shared<bool>(true);
  await();
}

void DeviceWatch::stop() {
  if (alive_) *alive_ = false;
  alive_.reset();
  boost::system::error_code ignored;
  events_.close(ignored);
}

void DeviceWatch::await() {
  events_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [this, alive = alive_](const boost::system::error_code& error) {
                       if (error || !*alive) return;
                       if (read()) {
                         const auto came = came_;
                         came();
                       }
                       if (*alive) await();
                     });
}

/// True when one of the events may be the device.
bool DeviceWatch::read() {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  bool may_be = false;
  for (;;) {
    const ssize_t n = ::read(events_.native_handle(), buffer.data(), buffer.size());
    if (n <= 0) return may_be;
    for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name(event.len == 0 ? "" : buffer.data() + at + sizeof event);
      at += sizeof event + event.len;
      may_be = may_be || name == name_ || name.starts_with("ttyACM") || name.starts_with("ttyUSB") || name == "serial";
    }
  }
}

}  // namespace merel
