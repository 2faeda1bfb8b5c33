#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "drivers/buzzer.h"
#include "drivers/serial/link_board.h"

namespace merel {

/// The buzzer of a board on the link.
class LinkBuzzer final : public Buzzer {
 public:
  LinkBuzzer(boost::asio::io_context& loop, std::shared_ptr<LinkBoard> board);

  void sound(Beep beep) override;

 private:
  std::shared_ptr<LinkBoard> board_;
  boost::asio::steady_timer second_;  ///< until the second sound of a warning
};

}  // namespace merel
