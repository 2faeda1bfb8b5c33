#include "drivers/serial/link_lights.h"

#include <utility>

namespace merel {

LinkLights::LinkLights(std::shared_ptr<LinkBoard> board) : board_(std::move(board)) {}

LinkLights::~LinkLights() { board_->on_light_trouble(nullptr); }

void LinkLights::show(std::span<const Lamp> lamps) {
  board_->show(lamps);
  // Lights may hang on a board whose sensors do not; but after the sensors have let it go a last picture opens nothing.
  if (!std::exchange(opened_, true)) board_->open();
}

void LinkLights::on_trouble(std::function<void(const std::string&)> told) { board_->on_light_trouble(std::move(told)); }

}  // namespace merel
