#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/light_sink.h"
#include "drivers/sensor_source.h"

namespace merel {

/// What can be wrong with a sensor of the virtual board.
enum class SensorFault : std::uint8_t {
  stuck,     ///< reads what it read when it broke
  flapping,  ///< toggles without end
  dropped,   ///< its next change is never told
};

/// A board made of nothing: pieces on channels, sensors that tell of them as real ones would, faults, and lamps to look at. Pure:
/// time is an argument.
class VirtualBoard {
 public:
  static constexpr Time kFlap = std::chrono::milliseconds(8);  ///< between two edges of a flapping sensor

  /// `colour`: its sensors tell colours.
  VirtualBoard(std::size_t channels, bool colour);

  /// Whoever listens; null for nobody. What every channel reads now is told at once.
  void listen(SensorListener* listener, Time now);

  /// What stands on the channel changes. Nothing happens beyond the last channel.
  void set(std::uint16_t channel, Contents piece, Time now);
  void button(std::uint8_t number, bool down, Time now);
  void tray(std::uint8_t number, int count, Time now);

  void breaks(std::uint16_t channel, SensorFault fault, Time now);
  /// The cable to all sensors is pulled: everything reads empty.
  void unplug(Time now);
  /// All sensors work again, and the cable is in.
  void mend(Time now);

  void tick(Time now);
  [[nodiscard]] std::optional<Time> deadline() const;

  [[nodiscard]] std::uint16_t channels() const { return static_cast<std::uint16_t>(sensors_.size()); }
  /// What really stands there.
  [[nodiscard]] Contents piece(std::uint16_t channel) const { return sensors_[channel].piece; }
  [[nodiscard]] std::optional<SensorFault> fault(std::uint16_t channel) const { return sensors_[channel].fault; }
  [[nodiscard]] bool unplugged() const { return unplugged_; }

 private:
  struct Sensor {
    Contents piece;
    Contents told;
    std::optional<SensorFault> fault;
  };
  void tell(std::uint16_t channel, Time now);
  [[nodiscard]] Contents sensed(Contents piece) const;

  std::vector<Sensor> sensors_;
  bool colour_;
  bool unplugged_ = false;
  std::optional<Time> flap_;
  SensorListener* listener_ = nullptr;
};

}  // namespace merel
