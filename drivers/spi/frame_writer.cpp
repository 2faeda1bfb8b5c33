#include "drivers/spi/frame_writer.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace merel {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetry{10};
constexpr milliseconds kLongestRetry{1'000};

/// How long to wait after each failure in a row.
class RetryPace {
 public:
  milliseconds next() {
    const milliseconds now = delay_;
    delay_ = std::min(2 * delay_, kLongestRetry);
    return now;
  }
  void well() { delay_ = kFirstRetry; }

 private:
  milliseconds delay_ = kFirstRetry;
};

/// Says each thing once, on the loop's thread.
class TroubleTeller {
 public:
  explicit TroubleTeller(boost::asio::io_context& loop) : loop_(loop) {}

  void on_trouble(FrameWriter::Told told) { told_ = std::make_shared<const FrameWriter::Told>(std::move(told)); }
  /// An empty sentence: all is well.
  void tell(const std::string& sentence) {
    if (sentence == last_) return;
    last_ = sentence;
    if (told_) boost::asio::post(loop_, [told = told_, sentence] { (*told)(sentence); });
  }

 private:
  boost::asio::io_context& loop_;
  std::shared_ptr<const FrameWriter::Told> told_;
  std::string last_;
};

class ThreadWriter final : public FrameWriter {
 public:
  ThreadWriter(boost::asio::io_context& loop, FrameSender sender)
      : sender_(std::move(sender)), teller_(loop), thread_([this] { work(); }) {}
  ~ThreadWriter() override { finish(); }
  ThreadWriter(const ThreadWriter&) = delete;
  ThreadWriter& operator=(const ThreadWriter&) = delete;

  void on_trouble(Told told) override {
    const std::lock_guard lock(mutex_);
    teller_.on_trouble(std::move(told));
  }

  void write(std::span<const std::uint8_t> frame) override {
    {
      const std::lock_guard lock(mutex_);
      newest_.assign(frame.begin(), frame.end());
      fresh_ = true;
    }
    wake_.notify_one();
  }

  void finish() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    bool pending = false;  // what `sending_` holds is to be sent
    bool on_wire = false;  // it has been
    bool last_try = false;
    while (!last_try) {
      if (!pending) wake_.wait(lock, [this] { return fresh_ || stopping_; });
      if (fresh_) {
        fresh_ = false;
        pending = !on_wire || newest_ != sending_;
        if (pending) sending_.swap(newest_);
      }
      if (!pending) {
        if (stopping_) return;
        continue;
      }
      last_try = stopping_;
      lock.unlock();
      const std::optional<FrameTrouble> trouble = sender_.send(sending_);
      lock.lock();
      teller_.tell(trouble ? trouble->what : std::string());
      on_wire = !trouble;
      pending = trouble && !trouble->lasting;
      if (on_wire) pace_.well();
      if (pending) wake_.wait_for(lock, pace_.next(), [this] { return stopping_; });
    }
  }

  FrameSender sender_;  // the thread's alone
  RetryPace pace_;
  std::vector<std::uint8_t> sending_;
  std::mutex mutex_;  // over what follows
  std::condition_variable wake_;
  TroubleTeller teller_;
  std::vector<std::uint8_t> newest_;
  bool fresh_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: it begins with everything else in place
};

class LoopWriter final : public FrameWriter {
 public:
  LoopWriter(boost::asio::io_context& loop, FrameSender sender)
      : self_(std::make_shared<LoopWriter*>(this)), sender_(std::move(sender)), teller_(loop), timer_(loop) {}

  void on_trouble(Told told) override { teller_.on_trouble(std::move(told)); }

  void write(std::span<const std::uint8_t> frame) override {
    frame_.assign(frame.begin(), frame.end());
    if (!waiting_) send();
  }

  void finish() override {
    if (waiting_) send();
    timer_.cancel();
    self_.reset();
  }

 private:
  void send() {
    const std::optional<FrameTrouble> trouble = sender_.send(frame_);
    teller_.tell(trouble ? trouble->what : std::string());
    waiting_ = trouble && !trouble->lasting;
    if (!trouble) pace_.well();
    if (!waiting_) return;
    timer_.expires_after(pace_.next());
    timer_.async_wait([weak = std::weak_ptr(self_)](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (self && !error) (*self)->send();  // the only error is the end
    });
  }

  std::shared_ptr<LoopWriter*> self_;  ///< for handlers that may come after the end
  FrameSender sender_;
  RetryPace pace_;
  TroubleTeller teller_;
  boost::asio::steady_timer timer_;
  std::vector<std::uint8_t> frame_;
  bool waiting_ = false;  ///< the frame has failed and is tried again later
};

}  // namespace

std::unique_ptr<FrameWriter> make_thread_writer(boost::asio::io_context& loop, FrameSender sender) {
  return std::make_unique<ThreadWriter>(loop, std::move(sender));
}

std::unique_ptr<FrameWriter> make_loop_writer(boost::asio::io_context& loop, FrameSender sender) {
  return std::make_unique<LoopWriter>(loop, std::move(sender));
}

}  // namespace merel
