#include "drivers/gpio/line_buzzer.h"

#include <array>

#include "drivers/gpio/line_finder.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
constexpr std::array<Time, 1> kTick = {milliseconds(60)};
constexpr std::array<Time, 3> kWarning = {milliseconds(120), milliseconds(100), milliseconds(120)};
constexpr std::array<Time, 1> kEnd = {milliseconds(600)};

}  // namespace

LineBuzzer::LineBuzzer(boost::asio::io_context& loop, BuzzerLine wiring) : timer_(loop), wiring_(std::move(wiring)) {
  open();
}

LineBuzzer::~LineBuzzer() {
  const bool off = false;
  if (line_) static_cast<void>(line_->set({&off, 1}));
}

bool LineBuzzer::open() {
  if (line_) return true;
  const LineFinder finder;
  const auto found = finder.find(wiring_.line);
  if (!found) return false;
  auto lines = finder.chips()[found->chip].chip->outputs(std::array{found->offset}, wiring_.active_low);
  if (!lines) return false;
  line_ = std::move(*lines);
  return true;
}

void LineBuzzer::sound(Beep beep) {
  if (!open()) return;
  switch (beep) {
    case Beep::tick: rhythm_ = kTick; break;
    case Beep::warning: rhythm_ = kWarning; break;
    case Beep::end: rhythm_ = kEnd; break;
  }
  on_ = false;
  next();
}

void LineBuzzer::next() {
  on_ = !on_ && !rhythm_.empty();
  if (line_->set({&on_, 1})) {
    line_.reset();
    return;
  }
  if (rhythm_.empty()) return;
  timer_.expires_after(rhythm_.front());
  rhythm_ = rhythm_.subspan(1);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) next();  // the only error: another sound, or the end
  });
}

}  // namespace merel
