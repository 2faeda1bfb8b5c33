#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "drivers/gpio/line_inputs.h"
#include "drivers/sensor_source.h"
#include "drivers/wiring.h"

namespace merel {

/// The push buttons' lines as they are watched: pull and polarity of the profile, edges.
[[nodiscard]] std::vector<WantedLine> button_lines(const ButtonLines& buttons);
/// What a listener is told of silences: one sentence, and the channels below `channels` that they take away.
[[nodiscard]] SourceHealth health_of(const std::vector<LineInputs::Silence>& silences, std::size_t channels);

/// Sensors and buttons on lines of their own.
class GpioSource final : public SensorSource, private LineListener {
 public:
  /// `debounce`: the owner's debounce time, of which the kernel takes its part where it can.
  GpioSource(boost::asio::io_context& loop, const LoopClock& clock, const GpioSensors& sensors, const ButtonLines& buttons,
             Time debounce, ListChips chips = gpio_chips);

  void start(SensorListener& listener) override;
  void stop() override;
  void check() override { inputs_.check(); }
  [[nodiscard]] Time debounced() const override { return inputs_.debounced(); }
  [[nodiscard]] SourceCounts counts() const override { return inputs_.counts(); }

 private:
  void on_level(std::size_t line, bool active, Time time) override;
  void on_silences(Time time) override;

  const LoopClock& clock_;
  std::size_t channels_;
  LineInputs inputs_;
  SensorListener* listener_ = nullptr;
};

}  // namespace merel
