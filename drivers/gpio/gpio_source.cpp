#include "drivers/gpio/gpio_source.h"

#include <algorithm>

namespace merel {
namespace {

std::vector<WantedLine> wanted_lines(const GpioSensors& sensors, const ButtonLines& buttons, Time debounce) {
  std::vector<WantedLine> out;
  out.reserve(sensors.lines.size() + buttons.lines.size());
  const InputSettings settings{sensors.input, true, std::min(debounce, sensors.kernel_debounce)};
  for (const LineName& line : sensors.lines) out.push_back({line, settings, sensors.scans_per_second});
  for (WantedLine& line : button_lines(buttons)) out.push_back(std::move(line));
  return out;
}

}  // namespace

std::vector<WantedLine> button_lines(const ButtonLines& buttons) {
  std::vector<WantedLine> out;
  out.reserve(buttons.lines.size());
  for (const LineName& line : buttons.lines) out.push_back({line, {buttons.input, true, {}}, 0});
  return out;
}

SourceHealth health_of(const std::vector<LineInputs::Silence>& silences, std::size_t channels) {
  SourceHealth health;
  for (const LineInputs::Silence& silence : silences) {
    health.well = false;
    health.what.append(health.what.empty() ? "" : "; ").append(silence.trouble.sentence());
    std::copy_if(silence.lines.begin(), silence.lines.end(), std::back_inserter(health.lost),
                 [channels](std::size_t line) { return line < channels; });
  }
  std::sort(health.lost.begin(), health.lost.end());
  health.partial = !health.well && (health.lost.size() < channels);
  if (!health.partial) health.lost.clear();
  return health;
}

GpioSource::GpioSource(boost::asio::io_context& loop, const LoopClock& clock, const GpioSensors& sensors,
                       const ButtonLines& buttons, Time debounce, ListChips chips)
    : clock_(clock),
      channels_(sensors.lines.size()),
      inputs_(loop, clock, wanted_lines(sensors, buttons, debounce), *this, std::move(chips)) {}

void GpioSource::start(SensorListener& listener) {
  listener_ = &listener;
  inputs_.start();
  if (inputs_.silences().empty()) listener.on_health({}, clock_.now());
}

void GpioSource::stop() {
  inputs_.stop();
  listener_ = nullptr;
}

void GpioSource::on_level(std::size_t line, bool active, Time time) {
  if (line < channels_) {
    listener_->on_reading({time, static_cast<std::uint16_t>(line), active ? Contents::occupied() : Contents::empty()});
  } else {
    listener_->on_button(static_cast<std::uint8_t>(line - channels_), active, time);
  }
}

void GpioSource::on_silences(Time time) { listener_->on_health(health_of(inputs_.silences(), channels_), time); }

}  // namespace merel
