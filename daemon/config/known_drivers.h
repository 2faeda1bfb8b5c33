#pragma once
#include <array>
#include <string_view>

namespace merel {

/// The drivers that a board profile can name. A driver with settings of its own gets a sub-table of its name (read_wires.cpp).
inline constexpr std::array<std::string_view, 4> kSensorDrivers = {"sim", "gpio", "mux", "link"};
inline constexpr std::array<std::string_view, 4> kLightDrivers = {"sim", "spi", "link", "none"};

}  // namespace merel
