#include "drivers/preflight.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "drivers/account.h"
#include "drivers/boot_config.h"
#include "drivers/line_check.h"
#include "drivers/serial/link_sentences.h"
#include "drivers/spi/frame_sender.h"
#include "drivers/spi/led_frame.h"

namespace merel {
namespace {

constexpr std::size_t kMostRead = 65536;  // no file of these is near
constexpr std::string_view kDev = "/dev";

/// The beginning of a file; empty when it cannot be read.
std::string content(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream in(path, std::ios::binary);
  std::string text(kMostRead, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

/// The number at the beginning of a file of sysfs.
std::optional<std::uint64_t> number_in(const std::string& path, int base) {
  const std::string text = content(path);
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number, base).ec != std::errc{}) return std::nullopt;
  return number;
}

/// As the firmware calls it: `Raspberry Pi 4 Model B Rev 1.4`; empty on other machines.
std::string model_of(const SystemPaths& paths) {
  std::string model = content(paths.sys + "/firmware/devicetree/base/model");
  return model.substr(0, model.find('\0'));  // a string of the device tree ends with one
}

/// The config.txt that is there, or where it should be.
std::string boot_config_file(const SystemPaths& paths) {
  std::error_code error;
  for (const std::string& file : paths.boot_config) {
    if (std::filesystem::exists(file, error)) return file;
  }
  return paths.boot_config.empty() ? "config.txt" : paths.boot_config.front();
}

std::vector<Finding> check_lines(const Wires& wires, const SystemPaths& paths) {
  const std::vector<NeededLine> needed = needed_lines(wires);
  if (needed.empty()) return {};
  const LineFinder finder;
  std::vector<LineFault> faults;
  for (const NeededLine& line : needed) {
    const auto found = finder.find(line.name);
    if (!found) {
      faults.push_back({line, found.error()});
    } else if (auto trouble = trouble_with(finder.chips()[found->chip], found->offset, line, paths.sys)) {
      faults.push_back({line, std::move(*trouble)});
    }
  }
  return line_findings(faults, paths.sys, boot_config_file(paths));
}

/// What switches the bus of an SPI device on.
std::string spi_overlay(const std::string& device) {
  constexpr std::string_view kSpidev = "/dev/spidev";
  const std::string bus = device.starts_with(kSpidev) ? device.substr(kSpidev.size(), 2) : "";
  if (bus == "0.") return "dtparam=spi=on";
  if (bus.size() == 2 && bus[0] >= '1' && bus[0] <= '6' && bus[1] == '.') return "dtoverlay=spi" + bus.substr(0, 1) + "-1cs";
  return "";
}

std::string spi_missing(const std::string& device, const SystemPaths& paths) {
  const std::string overlay = spi_overlay(device);
  if (overlay.empty()) {
    return device +
           " of the lights does not exist: name one of `ls /dev/spidev*` as device in [lights.spi] of the board's "
           "profile";
  }
  return device + " of the lights does not exist, so SPI is not switched on: put the line " + overlay + " into " +
         boot_config_file(paths) + " and restart the machine";
}

/// Where a device is looked for.
std::string device_path(const std::string& device, const SystemPaths& paths) {
  return device.starts_with(kDev) ? paths.dev + device.substr(kDev.size()) : device;
}

/// Opening a device of spidev does nothing to the bus; access(2) would not know what systemd forbids.
void check_spi(const SpiWiring& spi, const SystemPaths& paths, std::vector<Finding>& findings) {
  const std::string path = device_path(spi.device, paths);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const int error = errno;
  if (fd >= 0) {
    close(fd);
  } else if (error == ENOENT || error == ENXIO || error == ENODEV) {
    findings.push_back({spi_missing(spi.device, paths), false, {}});
  } else if (error == EACCES || error == EPERM) {
    struct stat status {};
    const bool owned = stat(path.c_str(), &status) == 0 && status.st_gid != 0;
    const std::string owner = owned ? group_name(status.st_gid) : "spi";
    findings.push_back({spi.device + " of the lights may not be opened: put the user into the group " + owner +
                            " (sudo adduser " + user_name() + " " + owner + ") and restart the daemon",
                        false,
                        {}});
  } else {
    findings.push_back({spi_not_opened(spi.device, error), false, {}});
  }
}

/// A WS2812B takes a pause within a picture for its end, and a clock of another speed for other bits.
void check_ws2812b(const SpiWiring& spi, std::size_t lights, const SystemPaths& paths, std::vector<Finding>& findings) {
  const std::string config = boot_config_file(paths);
  const std::size_t needed = LedFrame(spi, lights).encode({}).size();
  const auto most = number_in(paths.sys + "/module/spidev/parameters/bufsiz", 10);
  if (most && *most < needed) {
    findings.push_back({"A picture for " + std::to_string(lights) + " WS2812B lights is " + std::to_string(needed) +
                            " bytes, and the kernel sends " + std::to_string(*most) +
                            " without a pause: add spidev.bufsiz=" + std::to_string(std::bit_ceil(needed)) +
                            " to the line in " + std::filesystem::path(config).replace_filename("cmdline.txt").string() +
                            " and restart the machine",
                        false,
                        {}});
  }
  const std::string model = model_of(paths);
  const CoreClock clock = core_clock(boot_settings(content(config), model), model);
  if (clock.varies) {
    findings.push_back({"The core clock of this " + model.substr(0, model.find(" Rev ")) +
                            " varies, and the bits of WS2812B lights with it: put " + clock.remedy + " into " + config +
                            " and restart the machine",
                        true,
                        {}});
  }
}

bool is_mereld(const PortOwner& owner) { return owner.name == "mereld"; }

/// A port that a mereld has is well: this one, or the one that serves the board while somebody checks. Whose it is cannot be seen by
/// everybody; that there is a mereld can.
void check_link(const LinkWiring& link, const SystemPaths& paths, std::vector<Finding>& findings) {
  const std::string path = device_path(link.device, paths);
  const std::vector<PortOwner> owners = find_port_owners(path, paths.proc);
  if (std::any_of(owners.begin(), owners.end(), is_mereld)) return;
  const auto tell = [&](int error, const std::optional<PortOwner>& owner) {
    findings.push_back({port_sentence(link, {error}, owner, user_name()), false, {}});
  };
  if (!owners.empty()) return tell(EBUSY, owners.front());
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const int error = errno;
  if (fd < 0) {
    if (error != EBUSY || !program_runs("mereld", paths.proc)) tell(error, std::nullopt);
    return;
  }
  if (isatty(fd) == 0) tell(ENOTTY, std::nullopt);
  close(fd);
}

/// What the firmware knows about the supply, as its tool `vcgencmd get_throttled` shows it: bit 0 too low now, bit 16 since the machine
/// was started.
std::uint64_t throttled(const SystemPaths& paths) {
  constexpr std::uint64_t kNow = 1;
  std::uint64_t bits = number_in(paths.sys + "/devices/platform/soc/soc:firmware/get_throttled", 16).value_or(0);
  std::error_code error;
  for (std::filesystem::directory_iterator at(paths.sys + "/class/hwmon", error), end; !error && at != end;
       at.increment(error)) {
    const std::string folder = at->path();
    if (!content(folder + "/name").starts_with("rpi_volt")) continue;
    if (number_in(folder + "/in0_lcrit_alarm", 10).value_or(0) != 0)
      bits |= kNow;  // Documentation/hwmon/raspberrypi-hwmon.rst
  }
  return bits;
}

void check_voltage(const SystemPaths& paths, std::vector<Finding>& findings) {
  constexpr std::uint64_t kOnce = 1U << 16U;
  if (under_voltage(paths)) {
    findings.push_back({under_voltage_sentence(), true, {}});
  } else if ((throttled(paths) & kOnce) != 0) {
    findings.push_back(
        {"The supply voltage has been too low since this machine was started: use a stronger power supply and a "
         "shorter, thicker cable, or feed the lights from a supply of their own",
         true,
         {}});
  }
}

}  // namespace

std::vector<Finding> preflight(const Wires& wires, std::size_t lights, const SystemPaths& paths) {
  std::vector<Finding> findings = check_lines(wires, paths);
  if (wires.spi) {
    check_spi(*wires.spi, paths, findings);
    if (wires.spi->kind == LedKind::ws2812b) check_ws2812b(*wires.spi, lights, paths, findings);
  }
  if (wires.link) check_link(*wires.link, paths, findings);
  check_voltage(paths, findings);
  return findings;
}

bool under_voltage(const SystemPaths& paths) { return (throttled(paths) & 1U) != 0; }

std::string under_voltage_sentence() {
  return "The supply voltage is too low: use a stronger power supply and a shorter, thicker cable, or feed the lights from "
         "a "
         "supply of their own";
}

}  // namespace merel
