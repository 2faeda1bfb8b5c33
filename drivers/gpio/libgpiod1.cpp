// libgpiod 1.6 (Debian 12, Raspberry Pi OS bookworm) speaks the kernel's first interface: a descriptor and a queue of 16 edges for every
// line, no sequence numbers, no debouncing.
#include <fcntl.h>
#include <gpiod.h>

#include <array>
#include <cerrno>

#include "drivers/gpio/gpio_chip.h"

namespace merel {
namespace {

constexpr std::size_t kQueue = 16;  // edges that the kernel keeps for a line (gpiolib-cdev.c); further ones are dropped

using ChipHandle = std::shared_ptr<gpiod_chip>;

GpioError failed() { return {errno == 0 ? EIO : errno}; }

Result<gpiod_line_bulk, GpioError> lines_of(gpiod_chip* chip, std::span<const unsigned> offsets) {
  gpiod_line_bulk bulk{};
  gpiod_line_bulk_init(&bulk);
  if (offsets.empty() || offsets.size() > kMostLinesOfRequest) return GpioError{EINVAL};
  for (const unsigned offset : offsets) {
    gpiod_line* line = gpiod_chip_get_line(chip, offset);
    if (line == nullptr) return failed();
    gpiod_line_bulk_add(&bulk, line);
  }
  return bulk;
}

int flags_of(const InputWiring& wiring) {
  int flags = wiring.active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (wiring.bias) {
    case Bias::as_is: break;
    case Bias::disabled: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE; break;
    case Bias::pull_up: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP; break;
    case Bias::pull_down: flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN; break;
  }
  return flags;
}

class Inputs1 final : public InputLines {
 public:
  Inputs1(ChipHandle chip, const gpiod_line_bulk& bulk, bool edges) : chip_(std::move(chip)), bulk_(bulk) {
    if (!edges) return;
    descriptors_.reserve(bulk_.num_lines);
    for (unsigned i = 0; i < bulk_.num_lines; ++i) {
      const int descriptor = gpiod_line_event_get_fd(gpiod_line_bulk_get_line(&bulk_, i));
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
      descriptors_.push_back(descriptor);
    }
  }
  ~Inputs1() override { gpiod_line_release_bulk(&bulk_); }

  std::vector<int> descriptors() const override { return descriptors_; }

  Result<bool, GpioError> take(std::size_t descriptor, std::vector<Edge>& edges) override {
    std::array<gpiod_line_event, kQueue> events{};
    bool full = false;
    for (;;) {
      const int n = gpiod_line_event_read_fd_multiple(descriptors_[descriptor], events.data(), kQueue);
      if (n < 0 && errno == EAGAIN) return full;
      if (n < 0) return failed();
      for (int i = 0; i < n; ++i) {
        const gpiod_line_event& event = events[static_cast<std::size_t>(i)];
        const auto time = std::chrono::seconds(event.ts.tv_sec) + std::chrono::nanoseconds(event.ts.tv_nsec);
        edges.push_back({descriptor, event.event_type == GPIOD_LINE_EVENT_RISING_EDGE, LoopClock::Steady::time_point(time)});
      }
      if (n < static_cast<int>(kQueue)) return full;
      full = true;
    }
  }

  Result<std::vector<bool>, GpioError> values() override {
    std::array<int, kMostLinesOfRequest> raw{};
    if (gpiod_line_get_value_bulk(&bulk_, raw.data()) != 0) return failed();
    std::vector<bool> out(bulk_.num_lines);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = raw[i] != 0;
    return out;
  }

  std::chrono::microseconds debounced() const override { return {}; }

 private:
  ChipHandle chip_;
  gpiod_line_bulk bulk_;
  std::vector<int> descriptors_;
};

class Outputs1 final : public OutputLines {
 public:
  Outputs1(ChipHandle chip, const gpiod_line_bulk& bulk) : chip_(std::move(chip)), bulk_(bulk) {}
  ~Outputs1() override { gpiod_line_release_bulk(&bulk_); }

  // Always the whole bulk: its lines share one handle, and setting one of them alone sets the others to 0.
  std::optional<GpioError> set(std::span<const bool> active) override {
    std::array<int, kMostLinesOfRequest> raw{};
    if (active.size() != bulk_.num_lines) return GpioError{EINVAL};
    for (std::size_t i = 0; i < active.size(); ++i) raw[i] = active[i] ? 1 : 0;
    if (gpiod_line_set_value_bulk(&bulk_, raw.data()) != 0) return failed();
    return std::nullopt;
  }

 private:
  ChipHandle chip_;
  gpiod_line_bulk bulk_;
};

class Chip1 final : public GpioChip {
 public:
  explicit Chip1(ChipHandle chip) : chip_(std::move(chip)) {}

  std::string label() const override { return gpiod_chip_label(chip_.get()); }
  std::size_t lines() const override { return gpiod_chip_num_lines(chip_.get()); }

  Result<LineState, GpioError> line(unsigned offset) const override {
    gpiod_line* line = gpiod_chip_get_line(chip_.get(), offset);
    if (line == nullptr || gpiod_line_update(line) != 0) return failed();
    const char* name = gpiod_line_name(line);
    const char* consumer = gpiod_line_consumer(line);
    return LineState{name == nullptr ? "" : name, gpiod_line_is_used(line), consumer == nullptr ? "" : consumer};
  }

  Result<std::unique_ptr<InputLines>, GpioError> inputs(std::span<const unsigned> offsets,
                                                        const InputSettings& settings) override {
    auto bulk = lines_of(chip_.get(), offsets);
    if (!bulk) return bulk.error();
    const gpiod_line_request_config config{
        kGpioConsumer, settings.edges ? GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES : GPIOD_LINE_REQUEST_DIRECTION_INPUT,
        flags_of(settings.wiring)};
    if (gpiod_line_request_bulk(&*bulk, &config, nullptr) != 0) return failed();
    return std::unique_ptr<InputLines>(std::make_unique<Inputs1>(chip_, *bulk, settings.edges));
  }

  Result<std::unique_ptr<OutputLines>, GpioError> outputs(std::span<const unsigned> offsets, bool active_low) override {
    auto bulk = lines_of(chip_.get(), offsets);
    if (!bulk) return bulk.error();
    const std::array<int, kMostLinesOfRequest> inactive{};
    const int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    const gpiod_line_request_config config{kGpioConsumer, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, flags};
    if (gpiod_line_request_bulk(&*bulk, &config, inactive.data()) != 0) return failed();
    return std::unique_ptr<OutputLines>(std::make_unique<Outputs1>(chip_, *bulk));
  }

 private:
  ChipHandle chip_;
};

}  // namespace

Result<std::unique_ptr<GpioChip>, GpioError> open_gpio_chip(const std::string& path) {
  errno = 0;
  gpiod_chip* chip = gpiod_chip_open(path.c_str());
  if (chip == nullptr) return failed();
  return std::unique_ptr<GpioChip>(std::make_unique<Chip1>(ChipHandle(chip, gpiod_chip_close)));
}

std::string gpio_library() { return std::string("libgpiod ") + gpiod_version_string(); }

}  // namespace merel
