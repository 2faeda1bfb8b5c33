#pragma once
#include <optional>
#include <string>
#include <vector>

#include "drivers/gpio/line_finder.h"
#include "drivers/preflight.h"

namespace merel {

/// A line that a board needs, and what for.
struct NeededLine {
  LineName name;
  std::vector<std::uint16_t> channels;  ///< that nothing is heard of without it; ascending
  std::string role;                     ///< for people: `button`; empty for a sensor of its own
  std::string number;                   ///< which of them: `1`, `S0`; empty where there is one only
  bool edges = false;                   ///< the chip must tell its changes
};

/// Every line of these wires.
[[nodiscard]] std::vector<NeededLine> needed_lines(const Wires& wires);

/// What stands in the way of using a line that was found; nothing when it can be used or is ours already. An expander whose interrupt
/// pin the kernel does not know (`interrupts` in its of_node under `sys`) cannot tell edges.
[[nodiscard]] std::optional<LineTrouble> trouble_with(const ChipEntry& chip, unsigned offset, const NeededLine& line,
                                                      const std::string& sys);

struct LineFault {
  NeededLine line;
  LineTrouble trouble;
};
/// The same trouble with several lines is one finding: a missing expander, a chip that may not be opened. All expanders on an I2C bus
/// that is not there under `sys` are one, too. `boot_config` is the file to put overlays into.
[[nodiscard]] std::vector<Finding> line_findings(const std::vector<LineFault>& faults, const std::string& sys,
                                                 const std::string& boot_config);

}  // namespace merel
