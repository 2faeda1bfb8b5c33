#pragma once
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drivers/gpio/line_finder.h"

namespace merel {

/// What a made-up chip is and does; shared by the chip and the requests on it.
struct ChipState {
  std::string name;
  std::string label;
  std::string device;
  std::vector<std::string> lines;          ///< names
  std::vector<bool> high;                  ///< by line
  std::map<unsigned, std::string> others;  ///< lines that somebody else has
  bool tells_edges = true;
  int broken = 0;                                     ///< every look at it fails with this error
  bool there = true;                                  ///< in the list of chips
  int requests = 0;                                   ///< made so far
  std::function<void(std::span<const bool>)> on_set;  ///< outputs were set

  /// The open request for inputs, when there is one.
  struct Inputs {
    std::vector<unsigned> offsets;
    bool active_low = false;
    int descriptor = -1;
    std::vector<Edge> queue;
    bool gap = false;
  };
  std::vector<Inputs*> inputs;

  /// The line changes; the kernel tells of it, dated `time`, unless it is `unheard`.
  void set(unsigned line, bool level, LoopClock::Steady::time_point time = LoopClock::Steady::now(), bool unheard = false) {
    high[line] = level;
    for (Inputs* request : inputs) {
      for (std::size_t i = 0; i < request->offsets.size() && !unheard; ++i) {
        if (request->offsets[i] != line) continue;
        request->queue.push_back({i, level != request->active_low, time});
        wake(*request);
      }
    }
  }
  /// The kernel's queue was full.
  void overflow() {
    for (Inputs* request : inputs) {
      request->gap = true;
      wake(*request);
    }
  }
  static void wake(const Inputs& request) {
    const std::uint64_t one = 1;
    if (request.descriptor >= 0 && write(request.descriptor, &one, sizeof one) < 0) std::abort();
  }
};

class MadeUpInputs final : public InputLines {
 public:
  MadeUpInputs(std::shared_ptr<ChipState> chip, std::span<const unsigned> offsets, const InputSettings& settings)
      : chip_(std::move(chip)), debounce_(settings.debounce) {
    request_.offsets.assign(offsets.begin(), offsets.end());
    request_.active_low = settings.wiring.active_low;
    if (settings.edges) request_.descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    chip_->inputs.push_back(&request_);
  }
  ~MadeUpInputs() override {
    std::erase(chip_->inputs, &request_);
    if (request_.descriptor >= 0) close(request_.descriptor);
  }
  std::vector<int> descriptors() const override {
    return request_.descriptor < 0 ? std::vector<int>() : std::vector<int>{request_.descriptor};
  }
  Result<bool, GpioError> take(std::size_t /*descriptor*/, std::vector<Edge>& edges) override {
    std::uint64_t ignored = 0;
    if (read(request_.descriptor, &ignored, sizeof ignored) < 0 && errno != EAGAIN) return GpioError{errno};
    if (chip_->broken != 0) return GpioError{chip_->broken};
    edges.insert(edges.end(), request_.queue.begin(), request_.queue.end());
    request_.queue.clear();
    return std::exchange(request_.gap, false);
  }
  Result<std::vector<bool>, GpioError> values() override {
    if (chip_->broken != 0) return GpioError{chip_->broken};
    std::vector<bool> out;
    out.reserve(request_.offsets.size());
    for (const unsigned offset : request_.offsets) out.push_back(chip_->high[offset] != request_.active_low);
    return out;
  }
  std::chrono::microseconds debounced() const override { return debounce_; }

 private:
  std::shared_ptr<ChipState> chip_;
  std::chrono::microseconds debounce_;
  ChipState::Inputs request_;
};

class MadeUpOutputs final : public OutputLines {
 public:
  explicit MadeUpOutputs(std::shared_ptr<ChipState> chip) : chip_(std::move(chip)) {}
  std::optional<GpioError> set(std::span<const bool> active) override {
    if (chip_->broken != 0) return GpioError{chip_->broken};
    if (chip_->on_set) chip_->on_set(active);
    return std::nullopt;
  }

 private:
  std::shared_ptr<ChipState> chip_;
};

class MadeUpChip final : public GpioChip {
 public:
  explicit MadeUpChip(std::shared_ptr<ChipState> state) : state_(std::move(state)) {}
  std::string label() const override { return state_->label; }
  std::size_t lines() const override { return state_->lines.size(); }
  Result<LineState, GpioError> line(unsigned offset) const override {
    const auto other = state_->others.find(offset);
    const bool used = other != state_->others.end();
    return LineState{state_->lines[offset], used, used ? other->second : ""};
  }
  Result<std::unique_ptr<InputLines>, GpioError> inputs(std::span<const unsigned> offsets,
                                                        const InputSettings& settings) override {
    if (settings.edges && !state_->tells_edges) return GpioError{ENXIO};
    for (const unsigned offset : offsets) {
      if (state_->others.contains(offset)) return GpioError{EBUSY};
    }
    ++state_->requests;
    return std::unique_ptr<InputLines>(std::make_unique<MadeUpInputs>(state_, offsets, settings));
  }
  Result<std::unique_ptr<OutputLines>, GpioError> outputs(std::span<const unsigned> /*offsets*/,
                                                          bool /*active_low*/) override {
    return std::unique_ptr<OutputLines>(std::make_unique<MadeUpOutputs>(state_));
  }

 private:
  std::shared_ptr<ChipState> state_;
};

/// A machine with made-up chips.
class MadeUpMachine {
 public:
  /// Chip n is `gpiochipN`; its lines are called `PREFIX0`, `PREFIX1`, … and are high.
  ChipState& add(const std::string& label, const std::string& device, const std::string& prefix, std::size_t lines) {
    auto chip = std::make_shared<ChipState>();
    chip->name = "gpiochip" + std::to_string(chips_.size());
    chip->label = label;
    chip->device = device;
    for (std::size_t i = 0; i < lines; ++i) chip->lines.push_back(prefix + std::to_string(i));
    chip->high.assign(lines, true);
    chips_.push_back(chip);
    return *chip;
  }
  [[nodiscard]] ListChips list() const {
    return [this] {
      std::vector<ChipEntry> out;
      for (const auto& chip : chips_) {
        if (!chip->there) continue;
        out.push_back({chip->name, "/dev/" + chip->name, chip->device, chip->label, 0, std::make_shared<MadeUpChip>(chip)});
      }
      return out;
    };
  }

 private:
  std::vector<std::shared_ptr<ChipState>> chips_;
};

}  // namespace merel
