#pragma once
#include <memory>
#include <string>
#include <vector>

namespace merel {

/// The daemon's event stream, read by a thread of its own and connected again whenever it breaks, for a program that has a terminal to
/// look after meanwhile.
class EventFeed {
 public:
  struct Item {
    bool broken = false;
    std::string text;  ///< a message; or, when the stream broke or there is none, why
  };

  explicit EventFeed(const std::string& socket);
  /// Waits for nobody: the thread owns what it needs and ends by itself, or with the program.
  ~EventFeed();
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  /// Readable while take() has something to give; -1 when the system has no descriptor left.
  [[nodiscard]] int fd() const;
  /// What has come since the last call, in order.
  [[nodiscard]] std::vector<Item> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace merel
