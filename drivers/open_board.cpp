#include "drivers/open_board.h"

namespace merel {

Result<OpenBoard, std::string> open_board(boost::asio::io_context& loop, const LoopClock& clock, const BoardWiring& wiring) {
  OpenBoard board;
  if (wiring.sensor_driver != "sim") return "sensor driver '" + wiring.sensor_driver + "' is not known; known: sim";
  if (wiring.light_driver != "sim") return "light driver '" + wiring.light_driver + "' is not known; known: sim";
  board.sim = std::make_shared<SimDriver>(loop, clock, wiring.channels, wiring.colour);
  board.sensors = board.sim;
  board.lights = board.sim;
  return board;
}

}  // namespace merel
