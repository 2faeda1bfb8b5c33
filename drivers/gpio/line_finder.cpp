#include "drivers/gpio/line_finder.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace merel {
namespace {

constexpr const char* kBus = "/sys/bus/gpio/devices";  // Documentation/ABI/testing/sysfs-bus-gpio
constexpr const char* kConfig = "/boot/firmware/config.txt";

/// `1-0020` as bus and address; nullopt for anything else (Documentation/i2c/instantiating-devices.rst: BUS-ADDRESS, four hex digits).
struct I2cName {
  int bus = 0;
  unsigned address = 0;
};
std::optional<I2cName> i2c_name(const std::string& device) {
  const std::size_t dash = device.find('-');
  if (dash == std::string::npos || device.size() != dash + 5) return std::nullopt;
  I2cName out;
  const char* const begin = device.data();
  const char* const end = begin + device.size();
  const auto bus = std::from_chars(begin, begin + dash, out.bus);
  const auto address = std::from_chars(begin + dash + 1, end, out.address, 16);
  if (bus.ptr != begin + dash || address.ptr != end) return std::nullopt;
  return out;
}

std::string hex(unsigned number) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string i2c_text(const I2cName& name) {
  return "I2C bus " + std::to_string(name.bus) + ", address " + hex(name.address);
}

std::optional<unsigned> offset_of(const std::string& text) {
  unsigned offset = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return offset;
}

bool matches(const std::string& pattern, const ChipEntry& chip) {
  if (pattern.empty()) return true;
  const auto is = [&pattern](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), 0) == 0; };
  return is(chip.name) || is(chip.device) || (!chip.label.empty() && is(chip.label));
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

std::string GpioError::text() const { return std::generic_category().message(code); }

std::string overlay_line(const std::string& device) {
  const auto name = i2c_name(device);
  if (!name) return "";
  // The interrupt pin of board B: GPIO 22 for the chip at 0x20, and so on.
  constexpr unsigned kFirst = 0x20;
  const std::string pin = name->address >= kFirst && name->address < kFirst + 4 ? std::to_string(22 + name->address - kFirst)
                                                                                : std::string("PIN");
  return "dtoverlay=mcp23017,addr=" + hex(name->address) + ",gpiopin=" + pin;
}

std::string LineTrouble::sentence() const {
  const std::string line = "line " + quoted(name.line) + (chip.empty() ? "" : " of " + chip);
  switch (kind) {
    case Kind::no_chip: {
      if (const auto at = i2c_name(name.chip)) {
        return "The expander at " + i2c_text(*at) + " is missing: check its plug, and that " + kConfig +
               " has dtparam=i2c_arm=on and " + overlay_line(name.chip);
      }
      if (name.chip.empty()) {
        return "No GPIO chip has a " + line + ": gpioinfo lists what there is; correct the board's profile";
      }
      return "There is no GPIO chip " + quoted(name.chip) + ": gpiodetect lists what there is; correct the board's profile";
    }
    case Kind::many_chips:
      return "Several GPIO chips fit " + quoted(name.chip) + " and line " + quoted(name.line) +
             ": name one by its device (ls " + kBus + " -l), such as 1-0020, in the board's profile";
    case Kind::no_line: return "There is no " + line + ": gpioinfo lists its lines; correct the board's profile";
    case Kind::forbidden:
      return chip + " may not be opened: add the user to the group gpio (sudo adduser merel gpio) and restart the daemon";
    case Kind::busy:
      return "The " + line + " is in use by " + (consumer.empty() ? "a driver of the kernel" : quoted(consumer)) +
             ": end that program, or remove what claims the line from " + kConfig;
    case Kind::no_edges:
      return chip +
             " cannot tell edges: wire its interrupt pin and name it in the overlay (gpiopin=), or set scans_per_second "
             "in [sensors.gpio]";
    case Kind::silent: return chip + " does not answer (" + GpioError{code}.text() + "): check its plug and its supply";
    case Kind::other: return "The " + line + " cannot be used: " + GpioError{code}.text();
  }
  return "";
}

std::string ChipEntry::text() const {
  const auto i2c = i2c_name(device);
  const std::string where = i2c ? i2c_text(*i2c) : device;
  return name + " (" + (label.empty() || label == where ? "" : label + ", ") + where + ")";
}

std::vector<ChipEntry> gpio_chips() {
  std::vector<ChipEntry> chips;
  std::error_code error;
  for (std::filesystem::directory_iterator at(kBus, error), end; !error && at != end; at.increment(error)) {
    std::error_code unreadable;
    const std::filesystem::path real = std::filesystem::canonical(at->path(), unreadable);
    if (unreadable) continue;  // gone meanwhile
    ChipEntry chip;
    chip.name = at->path().filename();
    chip.path = "/dev/" + chip.name;
    chip.device = real.parent_path().filename();
    auto opened = open_gpio_chip(chip.path);
    if (opened) {
      chip.chip = std::move(*opened);
      chip.label = chip.chip->label();
    } else {
      chip.error = opened.error().code;
    }
    chips.push_back(std::move(chip));
  }
  std::sort(chips.begin(), chips.end(), [](const ChipEntry& a, const ChipEntry& b) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  return chips;
}

const std::map<std::string, unsigned>& LineFinder::names_of(std::size_t chip) const {
  const auto [at, fresh] = names_.try_emplace(chip);
  if (!fresh) return at->second;
  const GpioChip& open = *chips_[chip].chip;
  for (unsigned offset = 0; offset < open.lines(); ++offset) {
    if (const auto line = open.line(offset); line && !line->name.empty()) at->second.try_emplace(line->name, offset);
  }
  return at->second;
}

Result<FoundLine, LineTrouble> LineFinder::find(const LineName& name) const {
  using Kind = LineTrouble::Kind;
  std::vector<std::size_t> fitting;
  std::vector<FoundLine> found;
  const ChipEntry* closed = nullptr;
  for (std::size_t i = 0; i < chips_.size(); ++i) {
    if (!matches(name.chip, chips_[i])) continue;
    fitting.push_back(i);
    if (!chips_[i].chip) {
      closed = &chips_[i];
      continue;
    }
    if (const auto offset = offset_of(name.line)) {
      if (*offset < chips_[i].chip->lines()) found.push_back({i, *offset});
      continue;
    }
    const auto& names = names_of(i);
    if (const auto at = names.find(name.line); at != names.end()) found.push_back({i, at->second});
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) return LineTrouble{Kind::many_chips, name, "", "", 0};
  if (closed != nullptr) {
    const bool forbidden = closed->error == EACCES || closed->error == EPERM;
    return LineTrouble{forbidden ? Kind::forbidden : Kind::other, name, closed->text(), "", closed->error};
  }
  if (fitting.empty() || name.chip.empty()) return LineTrouble{Kind::no_chip, name, "", "", 0};
  return LineTrouble{Kind::no_line, name, chips_[fitting.front()].text(), "", 0};
}

}  // namespace merel
