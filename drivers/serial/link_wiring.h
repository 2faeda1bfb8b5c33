#pragma once
#include <cstdint>
#include <string>

#include "drivers/hall/piece_class.h"
#include "drivers/reading.h"

namespace merel {

/// How a board with a microcontroller of its own is connected, and how it is to work.
struct LinkWiring {
  std::string device = "/dev/merel-board";       ///< any stable name: by udev rule, /dev/serial/by-id/…, /dev/serial0
  std::uint32_t baud = 460'800;                  ///< of a UART; USB does not care
  std::uint16_t revision = 1;                    ///< of the board that the profile's map is for; 0: any
  std::uint16_t limit_ma = 1'500;                ///< of all lights together: what would draw more is dimmed as a whole
  double gamma = 2.2;                            ///< what the eye makes of the lights' linear brightness; 1 to 4
  Time debounce = std::chrono::milliseconds(5);  ///< a class counts once it has held this long; 0 to 60 ms
  std::uint8_t lattice = 7;                      ///< channels per rank: channel = rank * lattice + file
  Crosstalk crosstalk;                           ///< what the board takes out of each level for its neighbours' magnets
  friend bool operator==(const LinkWiring&, const LinkWiring&) = default;
};

}  // namespace merel
