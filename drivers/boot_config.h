#pragma once
#include <map>
#include <string>
#include <string_view>

namespace merel {

/// What a Raspberry Pi's config.txt sets on this model (`Raspberry Pi 4 Model B Rev 1.4`), by key; of a key set twice the last value
/// counts. Sections for other models are left out, and so are those whose condition cannot be known here (a monitor, a serial number, a
/// pin); files that it includes are not followed. Source: raspberrypi.com, documentation of config.txt, "Conditional filters". Pure.
[[nodiscard]] std::map<std::string, std::string> boot_settings(std::string_view config, std::string_view model);

/// How a Raspberry Pi clocks its SPI controller.
struct CoreClock {
  bool varies = false;
  std::string remedy;  ///< the lines of config.txt that hold it, when it varies: `core_freq=250`
};

/// SPI gets its clock from the GPU's core on every model before the Raspberry Pi 5, and that core is slower while little happens:
/// between core_freq_min and core_freq (raspberrypi.com, documentation of config.txt, "Overclocking options"). WS2812B lights that hang
/// on it need it to stand still. On unknown models it is taken to do so. Pure.
[[nodiscard]] CoreClock core_clock(const std::map<std::string, std::string>& settings, std::string_view model);

}  // namespace merel
