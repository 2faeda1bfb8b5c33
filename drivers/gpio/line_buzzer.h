#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <span>

#include "drivers/buzzer.h"
#include "drivers/gpio/gpio_chip.h"
#include "drivers/loop_clock.h"
#include "drivers/wiring.h"

namespace merel {

/// A buzzer on a line of its own, driven from the start so that it cannot sound by itself. A line that cannot be had stays silent; the
/// next sound tries again.
class LineBuzzer final : public Buzzer {
 public:
  LineBuzzer(boost::asio::io_context& loop, BuzzerLine wiring);
  ~LineBuzzer() override;

  void sound(Beep beep) override;

 private:
  void next();
  bool open();

  boost::asio::steady_timer timer_;
  BuzzerLine wiring_;
  std::unique_ptr<OutputLines> line_;
  std::span<const Time> rhythm_;  ///< on, off, on, … still to come
  bool on_ = false;
};

}  // namespace merel
