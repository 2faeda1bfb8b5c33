#include "drivers/spi/frame_writer.h"

#include <algorithm>
#include <boost/asio/post.hpp>
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
constexpr milliseconds kQuick{5};  // 49 lights take 0.4 to 1.8; a bus that stalls may hold up the loop once, not again

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

/// A prompt frame is sent at once, on the caller's thread, while transfers are quick; everything else is a thread's affair.
class PromptWriter final : public FrameWriter {
 public:
  PromptWriter(boost::asio::io_context& loop, FrameSender sender)
      : sender_(std::move(sender)), teller_(loop), thread_([this] { work(); }) {}
  ~PromptWriter() override { finish(); }
  PromptWriter(const PromptWriter&) = delete;
  PromptWriter& operator=(const PromptWriter&) = delete;

  void on_trouble(Told told) override {
    const std::lock_guard lock(mutex_);
    teller_.on_trouble(std::move(told));
  }

  void write(std::span<const std::uint8_t> frame, bool prompt) override {
    std::unique_lock lock(mutex_);
    newest_.assign(frame.begin(), frame.end());
    fresh_ = true;
    if (prompt && quick_ && !pending_ && !on_the_way_) {
      attempt(lock);
      if (!pending_) return;  // otherwise it is to be tried again
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
    bool last_try = false;
    while (!last_try) {
      wake_.wait(lock, [this] { return !on_the_way_ && (fresh_ || pending_ || stopping_); });
      if (!fresh_ && !pending_) return;
      last_try = stopping_;
      attempt(lock);
      if (pending_) wake_.wait_for(lock, pace_.next(), [this] { return stopping_; });
    }
  }

  /// Sends what is new, or what has failed before. Nobody else may do so meanwhile: `lock` is free only during the transfer.
  void attempt(std::unique_lock<std::mutex>& lock) {
    if (fresh_) {
      fresh_ = false;
      pending_ = !on_wire_ || newest_ != sending_;
      if (pending_) sending_.swap(newest_);
    }
    if (!pending_) return;
    on_the_way_ = true;
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    const std::optional<FrameTrouble> trouble = sender_.send(sending_);
    const bool quick = std::chrono::steady_clock::now() - began < kQuick;
    lock.lock();
    on_the_way_ = false;
    teller_.tell(trouble ? trouble->what : std::string());
    on_wire_ = !trouble;
    quick_ = on_wire_ && quick;
    pending_ = trouble && !trouble->lasting;
    if (on_wire_) pace_.well();
  }

  FrameSender sender_;  // whoever has set on_the_way_
  RetryPace pace_;      // the thread, and whoever has sent well
  std::vector<std::uint8_t> sending_;
  std::mutex mutex_;  // over what follows
  std::condition_variable wake_;
  TroubleTeller teller_;
  std::vector<std::uint8_t> newest_;
  bool fresh_ = false;       ///< newest_ has not been looked at
  bool pending_ = false;     ///< what sending_ holds is to be sent
  bool on_the_way_ = false;  ///< it is being sent right now
  bool on_wire_ = false;     ///< it has been
  bool quick_ = false;       ///< the last transfer went well and took little time
  bool stopping_ = false;
  std::thread thread_;  // last: it begins with everything else in place
};

}  // namespace

std::unique_ptr<FrameWriter> make_frame_writer(boost::asio::io_context& loop, FrameSender sender) {
  return std::make_unique<PromptWriter>(loop, std::move(sender));
}

}  // namespace merel
