#pragma once
#include <array>
#include <string_view>

namespace merel {

/// The drivers that a board profile can name. A driver with settings of its own gets a sub-table of its name, read where the
/// profile is read.
inline constexpr std::array<std::string_view, 1> kSensorDrivers = {"sim"};
inline constexpr std::array<std::string_view, 1> kLightDrivers = {"sim"};

}  // namespace merel
