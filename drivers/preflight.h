#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "drivers/wiring.h"

namespace merel {

/// One thing about this machine that stands in the board's way.
struct Finding {
  std::string what;                     ///< one sentence: what is wrong, where, what to do
  bool warning = false;                 ///< the board may work all the same
  std::vector<std::uint16_t> channels;  ///< that it takes away; ascending
};

/// Where things are looked for; other folders in tests.
struct SystemPaths {
  std::string sys = "/sys";
  std::string dev = "/dev";
  std::string proc = "/proc";
  std::vector<std::string> boot_config = {"/boot/firmware/config.txt",
                                          "/boot/config.txt"};  ///< of a Raspberry Pi; the first that is there
};

/// Looks at everything that the wires of a board need and changes nothing: lines that are missing, in use or forbidden, SPI or I2C that
/// is not switched on, a core clock that varies under WS2812B lights, a serial port that is missing, taken or
/// forbidden, too little voltage. Lines and ports that Merel itself holds are well.
[[nodiscard]] std::vector<Finding> preflight(const Wires& wires, std::size_t lights, const SystemPaths& paths = {});

/// True while a Raspberry Pi reports that its supply voltage is too low (hwmon `rpi_volt`, or the firmware's `get_throttled`).
[[nodiscard]] bool under_voltage(const SystemPaths& paths = {});
/// The sentence for it.
[[nodiscard]] std::string under_voltage_sentence();

}  // namespace merel
