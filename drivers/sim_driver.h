#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "drivers/light_sink.h"
#include "drivers/loop_clock.h"
#include "drivers/sensor_source.h"
#include "drivers/virtual_board.h"

namespace merel {

/// What scripted hands do next. Times are since the start of the script.
struct HandAct {
  struct Piece {
    std::uint16_t channel;
    Contents piece;
  };
  struct Button {
    std::uint8_t number;
    bool down;
  };
  struct Tray {
    std::uint8_t number;
    int count;
  };
  /// Something that is no affair of the board: said to the app, say.
  using Word = std::function<void()>;

  Time time{};
  std::variant<Piece, Button, Tray, Word> what;
};

/// The virtual board as a driver: sensors and lights at once, scripted hands in real time.
class SimDriver final : public SensorSource, public LightSink {
 public:
  SimDriver(boost::asio::io_context& loop, const LoopClock& clock, std::size_t channels, bool colour);

  void start(SensorListener& listener) override;
  void stop() override;
  void show(std::span<const Lamp> lamps) override;

  /// Plays a script, in time order, from now on; one that is still going on is ended. Each act is dated to the moment it was due, as
  /// a kernel dates an edge, however late the loop comes to it.
  void play(std::vector<HandAct> script);
  [[nodiscard]] bool playing() const { return next_ < script_.size(); }

  /// The board itself, for faults and for hands from outside.
  [[nodiscard]] VirtualBoard& board() { return board_; }
  [[nodiscard]] const std::vector<Lamp>& lamps() const { return lamps_; }
  /// After something was done to the board: its own deadlines are kept.
  void arm();

 private:
  void due();
  void act(const HandAct& act);

  const LoopClock& clock_;
  boost::asio::steady_timer timer_;
  VirtualBoard board_;
  std::vector<Lamp> lamps_;
  std::vector<HandAct> script_;
  std::size_t next_ = 0;
  Time began_{};
};

}  // namespace merel
