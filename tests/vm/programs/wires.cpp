#include "tests/vm/programs/wires.h"

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace merel {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

void write_all(int descriptor, const std::string& text, const std::string& what) {
  if (pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) fail(what);
}

std::string word(const std::string& path) {
  std::string text = file_text(path);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Devices come a moment after their driver.
void wait_for(const std::string& path) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (std::filesystem::exists(path)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  throw std::runtime_error(path + " does not come");
}

constexpr const char* kMuxStub = "/sys/kernel/debug/mux_stub/";
constexpr const char* kSpiStub = "/sys/kernel/debug/spi_stub/";

// MCP23017, datasheet DS20001952, with IOCON.BANK = 0: the two ports of 8 pins side by side.
constexpr std::uint8_t kGpioA = 0x12;
constexpr unsigned kFirstAddress = 0x20;
constexpr unsigned kPins = 16;

}  // namespace

void tell_file(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (file < 0) fail(path);
  const ssize_t written = write(file, text.data(), text.size());
  const int error = errno;
  close(file);
  errno = error;
  if (written != static_cast<ssize_t>(text.size())) fail(path);
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::uint64_t file_number(const std::string& path) { return std::stoull(file_text(path), nullptr, 0); }

void load_module(const std::string& name, const std::string& parameters) {
  std::string as_listed = name;
  for (char& c : as_listed) c = c == '-' ? '_' : c;
  if (std::filesystem::exists("/sys/module/" + as_listed)) return;
  const std::string path = "/modules/" + name + ".ko";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (file < 0) fail(path);
  const long loaded = syscall(SYS_finit_module, file, parameters.c_str(), 0);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  const int error = errno;
  close(file);
  errno = error;
  if (loaded != 0) fail(path);
}

// ---- GPIO simulator ----------------------------------------------------------------------------------------------------------

SimChip::SimChip(const std::string& label, unsigned lines, const std::map<unsigned, std::string>& names)
    : label_(label), settings_("/sys/kernel/config/gpio-sim/" + label), high_(lines, true) {
  std::filesystem::create_directories(settings_ + "/bank");
  tell_file(settings_ + "/bank/num_lines", std::to_string(lines));
  tell_file(settings_ + "/bank/label", label);
  for (const auto& [line, name] : names) {
    const std::string folder = settings_ + "/bank/line" + std::to_string(line);
    std::filesystem::create_directory(folder);
    tell_file(folder + "/name", name);
  }
  plug_in();
}

SimChip::~SimChip() {
  try {
    unplug();
    for (unsigned line = 0; line < high_.size(); ++line) rmdir((settings_ + "/bank/line" + std::to_string(line)).c_str());
    rmdir((settings_ + "/bank").c_str());
    rmdir(settings_.c_str());
  } catch (const std::exception&) {
    close_pulls();  // the machine ends soon
  }
}

void SimChip::plug_in() {
  tell_file(settings_ + "/live", "1");
  const std::string chip = word(settings_ + "/bank/chip_name");
  lines_ = "/sys/devices/platform/" + word(settings_ + "/dev_name") + "/" + chip + "/sim_gpio";
  pulls_.reserve(high_.size());
  for (unsigned line = 0; line < high_.size(); ++line) {
    const std::string path = lines_ + std::to_string(line) + "/pull";
    pulls_.push_back(open(path.c_str(), O_WRONLY | O_CLOEXEC));  // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (pulls_.back() < 0) fail(path);
    pull(line, high_[line]);
  }
  wait_for("/dev/" + chip);
}

void SimChip::unplug() {
  close_pulls();
  if (word(settings_ + "/live") == "1") tell_file(settings_ + "/live", "0");
}

void SimChip::close_pulls() {
  for (const int file : pulls_) close(file);
  pulls_.clear();
}

void SimChip::pull(unsigned line, bool high) {
  high_[line] = high;
  if (!pulls_.empty()) write_all(pulls_[line], high ? "pull-up" : "pull-down", label_);
}

std::string SimChip::value_file(unsigned line) const { return lines_ + std::to_string(line) + "/value"; }

bool SimChip::value(unsigned line) const { return word(value_file(line)) == "1"; }

// ---- multiplexers --------------------------------------------------------------------------------------------------------------

Multiplexers::Multiplexers() {
  load_module("mux_stub");
  tell_file(std::string(kMuxStub) + "magnets", "0");
}

void Multiplexers::magnet(std::uint16_t channel, bool there) {
  const std::uint64_t bit = std::uint64_t{1} << channel;
  magnets_ = there ? magnets_ | bit : magnets_ & ~bit;
  tell_file(std::string(kMuxStub) + "magnets", std::to_string(magnets_));
}

void Multiplexers::settle_ns(std::uint32_t time) { tell_file(std::string(kMuxStub) + "settle_ns", std::to_string(time)); }
std::uint64_t Multiplexers::addresses() const { return file_number(std::string(kMuxStub) + "changes"); }
std::uint64_t Multiplexers::jumps() const { return file_number(std::string(kMuxStub) + "jumps"); }
std::uint64_t Multiplexers::early() const { return file_number(std::string(kMuxStub) + "early"); }

// ---- expanders -----------------------------------------------------------------------------------------------------------------

Expanders::Expanders() {
  load_module("i2c-stub", "chip_addr=0x20,0x21,0x22,0x23");
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/i2c-dev")) {
    const std::string name = entry.path().filename();
    if (file_text(entry.path() / "name").find("SMBus stub") != std::string::npos) bus_ = std::stoi(name.substr(4));
  }
  const std::string device = "/dev/i2c-" + std::to_string(bus_);
  wait_for(device);
  descriptor_ = open(device.c_str(), O_RDWR | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (descriptor_ < 0) fail(device);
  for (std::uint16_t channel = 0; channel < 64; ++channel) magnet(channel, false);
  for (unsigned number = 0; number < 4; ++number) add(number);
}

Expanders::~Expanders() {
  close(descriptor_);
  for (unsigned number = 0; number < 4; ++number) {
    try {
      remove(number);
    } catch (const std::exception&) {
      continue;  // it is gone already
    }
  }
}

void Expanders::add(unsigned number) {
  tell_file("/sys/bus/i2c/devices/i2c-" + std::to_string(bus_) + "/new_device",
            "mcp23017 " + std::to_string(kFirstAddress + number));
}

void Expanders::remove(unsigned number) {
  tell_file("/sys/bus/i2c/devices/i2c-" + std::to_string(bus_) + "/delete_device", std::to_string(kFirstAddress + number));
}

void Expanders::magnet(std::uint16_t channel, bool there) {
  const std::uint64_t bit = std::uint64_t{1} << channel;
  low_ = there ? low_ | bit : low_ & ~bit;
  const unsigned number = channel / kPins;
  // The bus without wires keeps a word for each register number, so both ports are written as the driver reads them: as one word.
  i2c_smbus_data data{};
  data.word = static_cast<std::uint16_t>(~low_ >> (number * kPins));
  i2c_smbus_ioctl_data request{I2C_SMBUS_WRITE, kGpioA, I2C_SMBUS_WORD_DATA, &data};
  // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg)
  if (ioctl(descriptor_, I2C_SLAVE_FORCE, static_cast<unsigned long>(kFirstAddress + number)) < 0) fail("I2C_SLAVE_FORCE");
  if (ioctl(descriptor_, I2C_SMBUS, &request) < 0) fail("I2C_SMBUS");
  // NOLINTEND(cppcoreguidelines-pro-type-vararg)
}

// ---- SPI -----------------------------------------------------------------------------------------------------------------------

SpiStub::SpiStub() {
  load_module("spi_stub");
  wait_for("/dev/spidev0.0");
}

std::uint64_t SpiStub::messages() const { return file_number(std::string(kSpiStub) + "count"); }
std::uint64_t SpiStub::speed_hz() const { return file_number(std::string(kSpiStub) + "speed_hz"); }
void SpiStub::fail(unsigned messages) { tell_file(std::string(kSpiStub) + "fail", std::to_string(messages)); }
void SpiStub::shorten(unsigned messages) { tell_file(std::string(kSpiStub) + "shorten", std::to_string(messages)); }

std::vector<std::uint8_t> SpiStub::last() const {
  const std::string bytes = file_text(std::string(kSpiStub) + "last");
  return {bytes.begin(), bytes.end()};
}

}  // namespace merel
