#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "drivers/light_sink.h"
#include "drivers/loop_clock.h"
#include "drivers/sensor_source.h"
#include "drivers/sim_driver.h"
#include "rules/result.h"

namespace merel {

/// Which drivers a board needs, from its profile.
struct BoardWiring {
  std::string sensor_driver;
  std::string light_driver;
  std::size_t channels = 0;
  std::size_t lights = 0;
  bool colour = false;
};

/// The two ends of the house. One object may be both.
struct OpenBoard {
  std::shared_ptr<SensorSource> sensors;
  std::shared_ptr<LightSink> lights;
  std::shared_ptr<SimDriver> sim;  ///< the same again when it is the virtual board, for hands from outside
};

/// Makes the drivers by name; the only place that knows the kinds. An error is one sentence that says what to do.
[[nodiscard]] Result<OpenBoard, std::string> open_board(boost::asio::io_context& loop, const LoopClock& clock,
                                                        const BoardWiring& wiring);

}  // namespace merel
