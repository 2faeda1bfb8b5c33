#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/gpio/gpio_chip.h"

namespace merel {

/// Why a line of a profile cannot be used.
struct LineTrouble {
  enum class Kind : std::uint8_t {
    no_chip,     ///< no chip of that name, label or device
    many_chips,  ///< more than one
    no_line,     ///< the chip has no such line
    forbidden,   ///< the chip may not be opened
    busy,        ///< another program or driver has the line
    no_edges,    ///< the chip cannot tell edges: its interrupt line is not wired, or not known to the kernel
    silent,      ///< the chip is there for the kernel, but does not answer on its bus
    other,
  };
  Kind kind = Kind::other;
  LineName name;
  std::string chip;      ///< where it is known: `gpiochip2 (mcp23017, 1-0020)`
  std::string consumer;  ///< for busy
  int code = 0;          ///< for silent and other: errno(3)

  /// One sentence: what is wrong, where, and what to do, with the overlay line where one is missing.
  [[nodiscard]] std::string sentence() const;
};

/// The line of config.txt that makes the kernel know an MCP23017, from its device name (`1-0020`); empty for another kind of name.
[[nodiscard]] std::string overlay_line(const std::string& device);

/// A chip of this machine.
struct ChipEntry {
  std::string name;    ///< `gpiochip0`
  std::string path;    ///< `/dev/gpiochip0`
  std::string device;  ///< what it belongs to: `1-0020`, `fe200000.gpio`
  std::string label;   ///< empty when it may not be opened
  int error = 0;       ///< why it could not be opened: errno(3)
  std::shared_ptr<GpioChip> chip;

  /// `gpiochip2 (mcp23017, I2C bus 1, address 0x20)`
  [[nodiscard]] std::string text() const;
};

struct FoundLine {
  std::size_t chip = 0;  ///< index in LineFinder::chips()
  unsigned offset = 0;
};

/// The chips that are there now.
[[nodiscard]] std::vector<ChipEntry> gpio_chips();
/// Where a driver gets them from; tests have chips of their own.
using ListChips = std::function<std::vector<ChipEntry>()>;

/// Looks lines up by the names of a profile.
class LineFinder {
 public:
  explicit LineFinder(std::vector<ChipEntry> chips = gpio_chips()) : chips_(std::move(chips)) {}

  [[nodiscard]] const std::vector<ChipEntry>& chips() const { return chips_; }
  [[nodiscard]] Result<FoundLine, LineTrouble> find(const LineName& name) const;

 private:
  [[nodiscard]] const std::map<std::string, unsigned>& names_of(std::size_t chip) const;

  std::vector<ChipEntry> chips_;
  mutable std::map<std::size_t, std::map<std::string, unsigned>>
      names_;  ///< offsets by name, of chips that were asked for one
};

}  // namespace merel
