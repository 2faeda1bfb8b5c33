#pragma once
#include <string>

#include "daemon/config/board_profile.h"
#include "daemon/config/table_reader.h"

namespace merel {

/// Name of a cell as the board was built, counted from 0: `a1`.
[[nodiscard]] std::string built_cell_name(std::size_t file, std::size_t rank);

/// What of a profile could be read before its wires. Nothing is said about what the rest would need.
struct ReadBeforeWires {
  bool sensor_driver = false;
  bool light_driver = false;
  bool buttons = false;
};

/// Reads the tables that say how sensors, buttons, buzzer and lights are wired into `profile.wires`. Drivers, channels, colour, trays
/// and buttons of `profile` come first. Each channel with a cell gets its line and no line serves two things; lines of channels
/// without a cell are left out.
void read_wires(TableReader& top, TableReader& sensors, TableReader& lights, ReadBeforeWires before, BoardProfile& profile,
                FileProblems& problems);

}  // namespace merel
