#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "drivers/buzzer.h"
#include "drivers/light_sink.h"
#include "drivers/loop_clock.h"
#include "drivers/sensor_source.h"
#include "drivers/serial/link_source.h"
#include "drivers/sim_driver.h"
#include "drivers/wiring.h"
#include "rules/result.h"

namespace merel {

/// Which drivers a board needs, from its profile.
struct BoardWiring {
  std::string sensor_driver;
  std::string light_driver;
  std::size_t channels = 0;
  std::size_t lights = 0;
  bool colour = false;
  Wires wires;
  Time debounce{};  ///< the owner's, of which the kernel may take its part
};

/// The ends of the house. One object may be both sensors and lights.
struct OpenBoard {
  std::shared_ptr<SensorSource> sensors;
  std::shared_ptr<LightSink> lights;
  std::shared_ptr<Buzzer> buzzer;    ///< null where there is none
  std::shared_ptr<LinkSource> link;  ///< the sensors again when they are a board's on the link, for levels and calibration
  std::shared_ptr<SimDriver> sim;    ///< the same again when it is the virtual board, for hands from outside
};

/// Makes the drivers by name; the only place that knows the kinds. What is missing of the hardware is no error here: the drivers tell of
/// it and wait for it. An error is one sentence that says what to do.
[[nodiscard]] Result<OpenBoard, std::string> open_board(boost::asio::io_context& loop, const LoopClock& clock,
                                                        const BoardWiring& wiring);

}  // namespace merel
