#include "drivers/serial/link_buzzer.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
constexpr std::uint16_t kHertz = 2'000;
constexpr std::uint16_t kTick = 60;  // ms
constexpr std::uint16_t kWarning = 120;
constexpr std::uint16_t kEnd = 600;
constexpr milliseconds kBetween(220);  // from the beginning of the first sound of a warning to that of the second

}  // namespace

LinkBuzzer::LinkBuzzer(boost::asio::io_context& loop, std::shared_ptr<LinkBoard> board)
    : board_(std::move(board)), second_(loop) {}

void LinkBuzzer::sound(Beep beep) {
  second_.cancel();
  switch (beep) {
    case Beep::tick: board_->beep(kHertz, kTick); break;
    case Beep::end: board_->beep(kHertz, kEnd); break;
    case Beep::warning:
      board_->beep(kHertz, kWarning);
      second_.expires_after(kBetween);
      second_.async_wait([weak = std::weak_ptr<LinkBoard>(board_)](const boost::system::error_code& error) {
        const auto board = weak.lock();
        if (board && !error) board->beep(kHertz, kWarning);
      });
      break;
  }
}

}  // namespace merel
