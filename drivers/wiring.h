#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/reading.h"
#include "drivers/serial/link_wiring.h"

namespace merel {

/// The resistor that the chip itself connects to an input (kernel: Documentation/userspace-api/gpio).
enum class Bias : std::uint8_t {
  as_is,  ///< whatever it was
  disabled,
  pull_up,
  pull_down,
};

/// One line of a GPIO chip as a board profile names it.
struct LineName {
  /// A pattern (fnmatch(3)) for the chip's label, its name (`gpiochip0`), or the device it belongs to (`1-0020`: address 0x20 on I2C
  /// bus 1). Empty: whichever chip has a line of that name.
  std::string chip;
  std::string line;  ///< its name, or its offset in decimal
  friend bool operator==(const LineName&, const LineName&) = default;
};

/// How inputs are wired.
struct InputWiring {
  Bias bias = Bias::as_is;
  bool active_low = false;  ///< active (a magnet, a pressed button) means low
  friend bool operator==(const InputWiring&, const InputWiring&) = default;
};

/// Sensors with a line each; the chip tells edges.
struct GpioSensors {
  InputWiring input{Bias::as_is, true};
  std::vector<LineName> lines;                          ///< by channel; an empty `line` where the channel has none
  std::uint32_t scans_per_second = 0;                   ///< for chips that cannot tell edges; 0: there are none
  Time kernel_debounce = std::chrono::milliseconds(2);  ///< where the kernel can; never more than the owner's debounce time
  friend bool operator==(const GpioSensors&, const GpioSensors&) = default;
};

/// Sensors behind multiplexers that share their address lines. Channel n is input n % 2^address of multiplexer n / 2^address.
struct MuxSensors {
  InputWiring input{Bias::pull_up, true};
  std::vector<LineName> address;  ///< S0 first, 1 to 6 lines of one chip
  std::vector<LineName> data;     ///< the output of each multiplexer, lines of one chip
  Time settle{10};                ///< from a new address until the outputs are right
  std::uint32_t scans_per_second = 200;
  std::uint32_t idle_scans_per_second = 20;  ///< after `idle_after` without a change
  Time idle_after = std::chrono::seconds(5);
  friend bool operator==(const MuxSensors&, const MuxSensors&) = default;
};

/// Push buttons in seating order.
struct ButtonLines {
  InputWiring input{Bias::pull_up, true};
  std::vector<LineName> lines;
  friend bool operator==(const ButtonLines&, const ButtonLines&) = default;
};

/// A buzzer that sounds while its line is active.
struct BuzzerLine {
  LineName line;
  bool active_low = false;
  friend bool operator==(const BuzzerLine&, const BuzzerLine&) = default;
};

enum class LedKind : std::uint8_t {
  apa102,   ///< and SK9822: clocked
  ws2812b,  ///< its one wire on MOSI, three SPI bits a bit
};

/// A chain of lights on an SPI bus.
struct SpiWiring {
  std::string device = "/dev/spidev0.0";
  LedKind kind = LedKind::apa102;
  std::uint32_t speed_hz = 4'000'000;  ///< for WS2812B always 2.4 MHz
  double gamma = 2.2;                  ///< what the eye makes of the lights' linear brightness
  std::uint32_t limit_ma = 1500;       ///< of all lights together: what would draw more is dimmed as a whole
  friend bool operator==(const SpiWiring&, const SpiWiring&) = default;
};

/// What the drivers of real wires need to know, from the board's profile; empty for a virtual board.
struct Wires {
  std::optional<GpioSensors> gpio;
  std::optional<MuxSensors> mux;
  ButtonLines buttons;
  std::optional<BuzzerLine> buzzer;
  std::optional<SpiWiring> spi;
  std::optional<LinkWiring> link;
  friend bool operator==(const Wires&, const Wires&) = default;
};

}  // namespace merel
