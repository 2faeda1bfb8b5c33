#include "drivers/line_check.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace merel {
namespace {

bool there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// `a, b and c`
std::string listed(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

/// The number of the I2C bus in a device's name (`1-0020`); empty for other names.
std::string i2c_bus(const std::string& device) {
  return overlay_line(device).empty() ? "" : device.substr(0, device.find('-'));
}

/// One finding in the making.
struct Group {
  std::string key;       ///< what it is about
  std::string sentence;  ///< empty: an I2C bus that is off
  std::string bus;
  std::set<std::string> devices;  ///< expanders on that bus
  std::set<std::uint16_t> channels;
  std::vector<std::pair<std::string, std::vector<std::string>>> roles;  ///< with their numbers
  bool sensors = false;                                                 ///< some of the lines are sensors of their own
};

bool bus_is_off(const std::string& sys, const std::string& bus) { return !there(sys + "/bus/i2c/devices/i2c-" + bus); }

std::string bus_sentence(const Group& group, const std::string& boot_config) {
  std::vector<std::string> lines;
  if (group.bus == "1")
    lines.emplace_back("dtparam=i2c_arm=on");  // the two pins of the header; others have overlays of their own
  std::vector<std::string> addresses;
  for (const std::string& device : group.devices) {
    lines.push_back(overlay_line(device));
    addresses.push_back("0x" + device.substr(device.size() - 2));
  }
  return "I2C bus " + group.bus + " is not switched on, so that nothing is heard of " +
         (addresses.size() == 1 ? "the expander at " : "the expanders at ") + listed(addresses) + ": put " +
         (lines.size() == 1 ? "the line " : "the lines ") + listed(lines) + " into " + boot_config +
         " and restart the machine";
}

std::string told(const Group& group, const std::string& boot_config) {
  const std::string sentence = group.bus.empty() ? group.sentence : bus_sentence(group, boot_config);
  if (group.roles.empty()) return sentence;
  std::vector<std::string> all;
  if (group.sensors) all.emplace_back("the sensors");
  for (const auto& [role, numbers] : group.roles) {
    all.push_back(role + (numbers.size() > 1 ? "s " : " ") + listed(numbers));
    if (numbers.front().empty()) all.back() = role;
  }
  return "For " + listed(all) + ": " + sentence;
}

}  // namespace

std::vector<NeededLine> needed_lines(const Wires& wires) {
  std::vector<NeededLine> out;
  if (wires.gpio) {
    for (std::size_t channel = 0; channel < wires.gpio->lines.size(); ++channel) {
      const LineName& name = wires.gpio->lines[channel];
      if (name.line.empty()) continue;
      out.push_back({name, {static_cast<std::uint16_t>(channel)}, "", "", wires.gpio->scans_per_second == 0});
    }
  }
  if (wires.mux) {
    const std::size_t inputs = std::size_t{1} << wires.mux->address.size();
    const auto channels = [inputs](std::size_t first, std::size_t multiplexers) {
      std::vector<std::uint16_t> some;
      some.reserve(multiplexers * inputs);
      for (std::size_t i = 0; i < multiplexers * inputs; ++i) some.push_back(static_cast<std::uint16_t>(first * inputs + i));
      return some;
    };
    for (std::size_t i = 0; i < wires.mux->address.size(); ++i) {
      out.push_back(
          {wires.mux->address[i], channels(0, wires.mux->data.size()), "address line", "S" + std::to_string(i), false});
    }
    for (std::size_t i = 0; i < wires.mux->data.size(); ++i) {
      out.push_back({wires.mux->data[i], channels(i, 1), "multiplexer", std::to_string(i + 1), false});
    }
  }
  for (std::size_t i = 0; i < wires.buttons.lines.size(); ++i) {
    out.push_back({wires.buttons.lines[i], {}, "button", std::to_string(i + 1), true});
  }
  if (wires.buzzer) out.push_back({wires.buzzer->line, {}, "the buzzer", "", false});
  return out;
}

std::optional<LineTrouble> trouble_with(const ChipEntry& chip, unsigned offset, const NeededLine& line,
                                        const std::string& sys) {
  LineTrouble trouble;
  trouble.name = line.name;
  trouble.chip = chip.text();
  const auto state = chip.chip->line(offset);
  if (!state) {
    trouble.code = state.error().code;
    return trouble;
  }
  if (state->used && state->consumer != kGpioConsumer) {
    trouble.kind = LineTrouble::Kind::busy;
    trouble.consumer = state->consumer;
    return trouble;
  }
  // Documentation/devicetree/bindings/pinctrl/microchip,mcp23s08.yaml: without `interrupts` the driver has none to offer. A chip that was
  // not described by a device tree has no of_node; nothing is known about it.
  const std::string node = sys + "/bus/i2c/devices/" + chip.device + "/of_node";
  if (line.edges && !i2c_bus(chip.device).empty() && there(node) && !there(node + "/interrupts") &&
      !there(node + "/interrupts-extended")) {
    trouble.kind = LineTrouble::Kind::no_edges;
    return trouble;
  }
  return std::nullopt;
}

std::vector<Finding> line_findings(const std::vector<LineFault>& faults, const std::string& sys,
                                   const std::string& boot_config) {
  std::vector<Group> groups;
  for (const LineFault& fault : faults) {
    const std::string bus =
        fault.trouble.kind == LineTrouble::Kind::no_chip ? i2c_bus(fault.trouble.name.chip) : std::string();
    const bool off = !bus.empty() && bus_is_off(sys, bus);
    const std::string key = off ? bus : fault.trouble.sentence();
    auto group = std::find_if(groups.begin(), groups.end(), [&key](const Group& one) { return one.key == key; });
    if (group == groups.end()) {
      groups.push_back({key, off ? "" : key, off ? bus : "", {}, {}, {}, false});
      group = groups.end() - 1;
    }
    if (off) group->devices.insert(fault.trouble.name.chip);
    group->channels.insert(fault.line.channels.begin(), fault.line.channels.end());
    if (fault.line.role.empty()) {
      group->sensors = true;
    } else {
      if (group->roles.empty() || group->roles.back().first != fault.line.role)
        group->roles.push_back({fault.line.role, {}});
      group->roles.back().second.push_back(fault.line.number);
    }
  }
  std::vector<Finding> out;
  out.reserve(groups.size());
  for (const Group& group : groups) {
    out.push_back({told(group, boot_config), false, {group.channels.begin(), group.channels.end()}});
  }
  return out;
}

}  // namespace merel
