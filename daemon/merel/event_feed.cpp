#include "daemon/merel/event_feed.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>

#include "daemon/client/daemon_client.h"

namespace merel {
namespace {

constexpr std::chrono::milliseconds kAgain{500};  // between two attempts to connect

}  // namespace

struct EventFeed::Shared {
  Shared() = default;
  ~Shared() {
    if (signal >= 0) close(signal);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// False when nobody listens any more.
  bool put(Item item) {
    const std::lock_guard lock(mutex);
    if (closed) return false;
    items.push_back(std::move(item));
    [[maybe_unused]] const int told = eventfd_write(signal, 1);
    return true;
  }

  const int signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::mutex mutex;
  std::vector<Item> items;
  bool closed = false;
};

EventFeed::EventFeed(const std::string& socket) : shared_(std::make_shared<Shared>()) {
  // Signals are the main thread's, which restores the terminal.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([shared = shared_, socket] {
    const DaemonClient client(socket);
    const auto message = [&shared](const std::string& text) { return shared->put({false, text}); };
    for (;;) {
      const auto end = client.follow(message);
      if (!shared->put({true, end ? "mereld has ended its event stream" : end.error()})) return;
      std::this_thread::sleep_for(kAgain);
    }
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

EventFeed::~EventFeed() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
}

int EventFeed::fd() const { return shared_->signal; }

std::vector<EventFeed::Item> EventFeed::take() {
  const std::lock_guard lock(shared_->mutex);
  eventfd_t count = 0;
  [[maybe_unused]] const int read = eventfd_read(shared_->signal, &count);
  return std::exchange(shared_->items, {});
}

}  // namespace merel
