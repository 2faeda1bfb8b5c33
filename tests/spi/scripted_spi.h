#pragma once
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "drivers/spi/spi_port.h"

namespace merel {

/// An SPI device that does what a test tells it, and remembers what came over the wire. Safe to use from two threads.
class ScriptedSpi {
 public:
  using Bytes = std::vector<std::uint8_t>;

  /// What becomes of one transfer.
  struct Fate {
    int error = 0;                                    ///< errno(3); 0: none
    std::size_t most = static_cast<std::size_t>(-1);  ///< bytes that go out
  };

  /// Opens it, as often as one likes; the device must outlive what it gives.
  [[nodiscard]] OpenSpi opener() {
    return [this]() -> Result<std::unique_ptr<SpiPort>, int> {
      const std::lock_guard lock(mutex_);
      ++opened_;
      if (open_error_ != 0) return open_error_;
      return std::unique_ptr<SpiPort>(std::make_unique<Port>(*this));
    };
  }

  /// Fates of the next transfers, in order; those after them are good.
  void next(std::initializer_list<Fate> fates) {
    const std::lock_guard lock(mutex_);
    fates_.assign(fates);
  }
  /// Every transfer fails with this from now on; 0: no more.
  void fail_always(int error) {
    const std::lock_guard lock(mutex_);
    always_ = error;
  }
  void fail_to_open(int error) {
    const std::lock_guard lock(mutex_);
    open_error_ = error;
  }
  void allow(std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    most_bytes_ = most_bytes;
  }
  /// Transfers do not come back until they are let go.
  void hang(bool hang) {
    {
      const std::lock_guard lock(mutex_);
      hanging_ = hang;
    }
    changed_.notify_all();
  }

  /// Waits for so many transfers, failed ones included.
  [[nodiscard]] bool wait_for_transfers(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return tried_ >= count; });
  }
  [[nodiscard]] bool wait_for_hanging() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return held_; });
  }
  /// The bytes of every transfer that went out, whole or in part.
  [[nodiscard]] std::vector<Bytes> sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  [[nodiscard]] std::size_t tried() const {
    const std::lock_guard lock(mutex_);
    return tried_;
  }
  [[nodiscard]] std::size_t opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }
  /// The thread of the last transfer.
  [[nodiscard]] std::thread::id thread() const {
    const std::lock_guard lock(mutex_);
    return thread_;
  }

 private:
  class Port final : public SpiPort {
   public:
    explicit Port(ScriptedSpi& device) : device_(device) {}
    [[nodiscard]] std::size_t most_bytes() const override {
      const std::lock_guard lock(device_.mutex_);
      return device_.most_bytes_;
    }
    [[nodiscard]] Result<std::size_t, int> transfer(std::span<const std::uint8_t> bytes) override {
      return device_.transfer(bytes);
    }

   private:
    ScriptedSpi& device_;
  };

  Result<std::size_t, int> transfer(std::span<const std::uint8_t> bytes) {
    std::unique_lock lock(mutex_);
    held_ = hanging_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !hanging_; });
    held_ = false;
    thread_ = std::this_thread::get_id();
    Fate fate{always_};
    if (!fates_.empty()) {
      fate = fates_.front();
      fates_.pop_front();
    }
    ++tried_;
    changed_.notify_all();
    if (fate.error != 0) return fate.error;
    if (bytes.size() > most_bytes_) return EMSGSIZE;
    const auto out = bytes.first(std::min(fate.most, bytes.size()));
    sent_.emplace_back(out.begin(), out.end());
    return out.size();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Fate> fates_;
  int always_ = 0;
  int open_error_ = 0;
  std::size_t most_bytes_ = 4'096;
  bool hanging_ = false;
  bool held_ = false;
  std::vector<Bytes> sent_;
  std::size_t tried_ = 0;
  std::size_t opened_ = 0;
  std::thread::id thread_;
};

}  // namespace merel
