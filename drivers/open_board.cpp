#include "drivers/open_board.h"

#include "drivers/gpio/gpio_source.h"
#include "drivers/gpio/line_buzzer.h"
#include "drivers/gpio/mux_source.h"
#include "drivers/serial/link_buzzer.h"
#include "drivers/serial/link_lights.h"
#include "drivers/serial/link_source.h"
#include "drivers/spi/spi_lights.h"

namespace merel {
namespace {

/// A board without lights.
class NoLights final : public LightSink {
 public:
  void show(std::span<const Lamp> /*lamps*/) override {}
};

}  // namespace

Result<OpenBoard, std::string> open_board(boost::asio::io_context& loop, const LoopClock& clock, const BoardWiring& wiring) {
  OpenBoard board;
  std::shared_ptr<LinkBoard> link;
  const Wires& wires = wiring.wires;
  if (wiring.sensor_driver == "sim" || wiring.light_driver == "sim") {
    board.sim = std::make_shared<SimDriver>(loop, clock, wiring.channels, wiring.colour);
  }
  if (wiring.sensor_driver == "sim") {
    board.sensors = board.sim;
  } else if (wiring.sensor_driver == "gpio" && wires.gpio) {
    board.sensors = std::make_shared<GpioSource>(loop, clock, *wires.gpio, wires.buttons, wiring.debounce);
  } else if (wiring.sensor_driver == "mux" && wires.mux) {
    board.sensors = std::make_shared<MuxSource>(loop, clock, *wires.mux, wires.buttons);
  } else if (wiring.sensor_driver == "link" && wires.link) {
    link = std::make_shared<LinkBoard>(loop, clock, *wires.link, wiring.light_driver == "link" ? wiring.lights : 0);
    board.link = std::make_shared<LinkSource>(link, wiring.channels, wiring.colour);
    board.sensors = board.link;
    board.buzzer = std::make_shared<LinkBuzzer>(loop, link);
  } else {
    return "sensor driver '" + wiring.sensor_driver +
           "' is not known, or the profile does not say how it is wired; known: sim, gpio, mux, link";
  }
  if (wiring.light_driver == "sim") {
    board.lights = board.sim;
  } else if (wiring.light_driver == "spi" && wires.spi) {
    board.lights = make_spi_lights(loop, clock, *wires.spi, wiring.lights);
  } else if (wiring.light_driver == "link" && link) {
    board.lights = std::make_shared<LinkLights>(link);
  } else if (wiring.light_driver == "none") {
    board.lights = std::make_shared<NoLights>();
  } else {
    return "light driver '" + wiring.light_driver +
           "' is not known, or the profile does not say how it is wired; known: sim, spi, link, none";
  }
  // Hands from outside belong to a board whose sensors are virtual.
  if (wiring.sensor_driver != "sim") board.sim.reset();
  if (wires.buzzer) board.buzzer = std::make_shared<LineBuzzer>(loop, *wires.buzzer);
  return board;
}

}  // namespace merel
