#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

namespace merel {

/// Says that a device may have come, or that it may now be opened: something has happened in /dev, or in the device's own folder, under
/// its name or that of a serial port. inotify(7); costs nothing while nothing happens.
class DeviceWatch {
 public:
  DeviceWatch(boost::asio::io_context& loop, const std::string& device);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// Begins to watch; a second time is harmless.
  void start(std::function<void()> came);
  void stop();

 private:
  void await();
  [[nodiscard]] bool read();

  std::string folder_;
  std::string name_;
  boost::asio::posix::stream_descriptor events_;
  std::function<void()> came_;
  std::shared_ptr<bool> alive_;  ///< false: a handler that still runs must not touch this
};

}  // namespace merel
