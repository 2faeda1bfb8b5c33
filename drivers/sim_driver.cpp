#include "drivers/sim_driver.h"

#include <algorithm>

namespace merel {

SimDriver::SimDriver(boost::asio::io_context& loop, const LoopClock& clock, std::size_t channels, bool colour)
    : clock_(clock), timer_(loop), board_(channels, colour) {}

void SimDriver::start(SensorListener& listener) {
  board_.listen(&listener, clock_.now());
  listener.on_health({}, clock_.now());
  arm();
}

void SimDriver::stop() {
  board_.listen(nullptr, clock_.now());
  timer_.cancel();
}

void SimDriver::show(std::span<const Lamp> lamps) { lamps_.assign(lamps.begin(), lamps.end()); }

void SimDriver::play(std::vector<HandAct> script) {
  script_ = std::move(script);
  next_ = 0;
  began_ = clock_.now();
  arm();
}

void SimDriver::arm() {
  std::optional<Time> first = board_.deadline();
  if (playing()) {
    const Time due = began_ + script_[next_].time;
    first = first ? std::min(*first, due) : due;
  }
  if (!first) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(clock_.at(*first));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) due();  // the only error is that another deadline came first, or the end
  });
}

void SimDriver::due() {
  const Time now = clock_.now();
  board_.tick(now);
  while (playing() && began_ + script_[next_].time <= now) {
    const std::size_t at = next_++;
    const HandAct next = std::move(script_[at]);  // a word may begin another script
    act(next);
  }
  if (!playing()) {
    script_.clear();
    next_ = 0;
  }
  arm();
}

void SimDriver::act(const HandAct& act) {
  const Time when = began_ + act.time;
  if (const auto* piece = std::get_if<HandAct::Piece>(&act.what)) {
    board_.set(piece->channel, piece->piece, when);
  } else if (const auto* button = std::get_if<HandAct::Button>(&act.what)) {
    board_.button(button->number, button->down, when);
  } else if (const auto* tray = std::get_if<HandAct::Tray>(&act.what)) {
    board_.tray(tray->number, tray->count, when);
  } else {
    std::get<HandAct::Word>(act.what)();
  }
}

}  // namespace merel
