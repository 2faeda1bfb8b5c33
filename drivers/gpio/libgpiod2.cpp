// libgpiod 2 (Debian 13, Raspberry Pi OS trixie) speaks the kernel's second interface: one descriptor and one queue for a request, edges
// numbered, debouncing in the kernel.
#include <fcntl.h>
#include <gpiod.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>

#include "drivers/gpio/gpio_chip.h"

namespace merel {
namespace {

constexpr std::size_t kQueue = 1024;  // edges; the most that the kernel keeps for a request (GPIO_V2_LINES_MAX * 16)
constexpr std::size_t kAtOnce = 64;   // edges a read

struct Free {
  void operator()(gpiod_chip* p) const { gpiod_chip_close(p); }
  void operator()(gpiod_chip_info* p) const { gpiod_chip_info_free(p); }
  void operator()(gpiod_line_info* p) const { gpiod_line_info_free(p); }
  void operator()(gpiod_line_settings* p) const { gpiod_line_settings_free(p); }
  void operator()(gpiod_line_config* p) const { gpiod_line_config_free(p); }
  void operator()(gpiod_request_config* p) const { gpiod_request_config_free(p); }
  void operator()(gpiod_line_request* p) const { gpiod_line_request_release(p); }
  void operator()(gpiod_edge_event_buffer* p) const { gpiod_edge_event_buffer_free(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

GpioError failed() { return {errno == 0 ? EIO : errno}; }

gpiod_line_bias bias_of(Bias bias) {
  switch (bias) {
    case Bias::as_is: return GPIOD_LINE_BIAS_AS_IS;
    case Bias::disabled: return GPIOD_LINE_BIAS_DISABLED;
    case Bias::pull_up: return GPIOD_LINE_BIAS_PULL_UP;
    case Bias::pull_down: return GPIOD_LINE_BIAS_PULL_DOWN;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

Result<Owned<gpiod_line_request>, GpioError> request(gpiod_chip* chip, std::span<const unsigned> offsets,
                                                     gpiod_line_settings* settings) {
  if (offsets.empty() || offsets.size() > kMostLinesOfRequest) return GpioError{EINVAL};
  const Owned<gpiod_line_config> lines(gpiod_line_config_new());
  const Owned<gpiod_request_config> config(gpiod_request_config_new());
  if (!lines || !config) return GpioError{ENOMEM};
  gpiod_request_config_set_consumer(config.get(), kGpioConsumer);
  gpiod_request_config_set_event_buffer_size(config.get(), kQueue);
  if (gpiod_line_config_add_line_settings(lines.get(), offsets.data(), offsets.size(), settings) != 0) return failed();
  Owned<gpiod_line_request> made(gpiod_chip_request_lines(chip, config.get(), lines.get()));
  if (!made) return failed();
  return made;
}

class Inputs2 final : public InputLines {
 public:
  Inputs2(Owned<gpiod_line_request> lines, std::span<const unsigned> offsets, const InputSettings& settings)
      : lines_(std::move(lines)), offsets_(offsets.begin(), offsets.end()), settings_(settings) {
    for (std::size_t i = 0; i < offsets_.size(); ++i) index_[offsets_[i]] = i;
    if (!settings_.edges) return;
    events_.reset(gpiod_edge_event_buffer_new(kAtOnce));
    const int descriptor = gpiod_line_request_get_fd(lines_.get());
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }

  std::vector<int> descriptors() const override {
    if (!settings_.edges) return {};
    return {gpiod_line_request_get_fd(lines_.get())};
  }

  Result<bool, GpioError> take(std::size_t /*descriptor*/, std::vector<Edge>& edges) override {
    bool lost = false;
    for (;;) {
      const int n = gpiod_line_request_read_edge_events(lines_.get(), events_.get(), kAtOnce);
      if (n < 0 && errno == EAGAIN) return lost;
      if (n < 0) return failed();
      for (int i = 0; i < n; ++i) {
        gpiod_edge_event* event = gpiod_edge_event_buffer_get_event(events_.get(), static_cast<unsigned long>(i));
        const unsigned long number = gpiod_edge_event_get_global_seqno(event);
        lost = lost || number != next_;
        next_ = number + 1;
        const std::chrono::nanoseconds time(static_cast<std::int64_t>(gpiod_edge_event_get_timestamp_ns(event)));
        edges.push_back({index_.at(gpiod_edge_event_get_line_offset(event)),
                         gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
                         LoopClock::Steady::time_point(time)});
      }
      if (n < static_cast<int>(kAtOnce)) return lost;
    }
  }

  Result<std::vector<bool>, GpioError> values() override {
    std::array<gpiod_line_value, kMostLinesOfRequest> raw{};
    if (gpiod_line_request_get_values(lines_.get(), raw.data()) != 0) return failed();
    std::vector<bool> out(offsets_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = raw[i] == GPIOD_LINE_VALUE_ACTIVE;
    return out;
  }

  std::chrono::microseconds debounced() const override {
    return settings_.edges ? settings_.debounce : settings_.debounce.zero();
  }

 private:
  Owned<gpiod_line_request> lines_;
  std::vector<unsigned> offsets_;
  InputSettings settings_;
  std::unordered_map<unsigned, std::size_t> index_;
  Owned<gpiod_edge_event_buffer> events_;
  unsigned long next_ = 1;  // the kernel counts from 1
};

class Outputs2 final : public OutputLines {
 public:
  Outputs2(Owned<gpiod_line_request> lines, std::size_t count) : lines_(std::move(lines)), count_(count) {}

  std::optional<GpioError> set(std::span<const bool> active) override {
    std::array<gpiod_line_value, kMostLinesOfRequest> raw{};
    if (active.size() != count_) return GpioError{EINVAL};
    for (std::size_t i = 0; i < active.size(); ++i) raw[i] = active[i] ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (gpiod_line_request_set_values(lines_.get(), raw.data()) != 0) return failed();
    return std::nullopt;
  }

 private:
  Owned<gpiod_line_request> lines_;
  std::size_t count_;
};

class Chip2 final : public GpioChip {
 public:
  Chip2(Owned<gpiod_chip> chip, Owned<gpiod_chip_info> info) : chip_(std::move(chip)), info_(std::move(info)) {}

  std::string label() const override { return gpiod_chip_info_get_label(info_.get()); }
  std::size_t lines() const override { return gpiod_chip_info_get_num_lines(info_.get()); }

  Result<LineState, GpioError> line(unsigned offset) const override {
    const Owned<gpiod_line_info> line(gpiod_chip_get_line_info(chip_.get(), offset));
    if (!line) return failed();
    const char* name = gpiod_line_info_get_name(line.get());
    const char* consumer = gpiod_line_info_get_consumer(line.get());
    return LineState{name == nullptr ? "" : name, gpiod_line_info_is_used(line.get()), consumer == nullptr ? "" : consumer};
  }

  Result<std::unique_ptr<InputLines>, GpioError> inputs(std::span<const unsigned> offsets,
                                                        const InputSettings& settings) override {
    const Owned<gpiod_line_settings> wanted(gpiod_line_settings_new());
    if (!wanted) return GpioError{ENOMEM};
    gpiod_line_settings_set_direction(wanted.get(), GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_active_low(wanted.get(), settings.wiring.active_low);
    gpiod_line_settings_set_bias(wanted.get(), bias_of(settings.wiring.bias));
    if (settings.edges) {
      gpiod_line_settings_set_edge_detection(wanted.get(), GPIOD_LINE_EDGE_BOTH);
      gpiod_line_settings_set_debounce_period_us(wanted.get(), static_cast<unsigned long>(settings.debounce.count()));
    }
    auto lines = request(chip_.get(), offsets, wanted.get());
    if (!lines) return lines.error();
    return std::unique_ptr<InputLines>(std::make_unique<Inputs2>(std::move(*lines), offsets, settings));
  }

  Result<std::unique_ptr<OutputLines>, GpioError> outputs(std::span<const unsigned> offsets, bool active_low) override {
    const Owned<gpiod_line_settings> wanted(gpiod_line_settings_new());
    if (!wanted) return GpioError{ENOMEM};
    gpiod_line_settings_set_direction(wanted.get(), GPIOD_LINE_DIRECTION_OUTPUT);
    gpiod_line_settings_set_active_low(wanted.get(), active_low);
    gpiod_line_settings_set_output_value(wanted.get(), GPIOD_LINE_VALUE_INACTIVE);
    auto lines = request(chip_.get(), offsets, wanted.get());
    if (!lines) return lines.error();
    return std::unique_ptr<OutputLines>(std::make_unique<Outputs2>(std::move(*lines), offsets.size()));
  }

 private:
  Owned<gpiod_chip> chip_;
  Owned<gpiod_chip_info> info_;
};

}  // namespace

Result<std::unique_ptr<GpioChip>, GpioError> open_gpio_chip(const std::string& path) {
  errno = 0;
  Owned<gpiod_chip> chip(gpiod_chip_open(path.c_str()));
  if (!chip) return failed();
  Owned<gpiod_chip_info> info(gpiod_chip_get_info(chip.get()));
  if (!info) return failed();
  return std::unique_ptr<GpioChip>(std::make_unique<Chip2>(std::move(chip), std::move(info)));
}

std::string gpio_library() { return std::string("libgpiod ") + gpiod_api_version(); }

}  // namespace merel
