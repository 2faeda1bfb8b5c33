#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The simulated wires of the virtual machine, seen from the hardware's side. Everything throws std::runtime_error: without wires
/// there is nothing to test.
namespace merel {

void tell_file(const std::string& path, const std::string& text);
[[nodiscard]] std::string file_text(const std::string& path);
/// A number from a file of debugfs or the like.
[[nodiscard]] std::uint64_t file_number(const std::string& path);
/// Loads a module of kernel/build, once.
void load_module(const std::string& name, const std::string& parameters = {});

/// A chip of the kernel's GPIO simulator (kernel: Documentation/admin-guide/gpio/gpio-sim.rst); gone with its object.
class SimChip {
 public:
  /// All lines are pulled high at first: nothing there, for switches that pull down. `names` by offset.
  SimChip(const std::string& label, unsigned lines, const std::map<unsigned, std::string>& names = {});
  ~SimChip();
  SimChip(const SimChip&) = delete;
  SimChip& operator=(const SimChip&) = delete;

  /// From outside, through a resistor: an input reads it. A pull that is there already makes no edge.
  void pull(unsigned line, bool high);
  [[nodiscard]] bool pulled(unsigned line) const { return high_[line]; }
  /// What an output drives.
  [[nodiscard]] bool value(unsigned line) const;
  [[nodiscard]] std::string value_file(unsigned line) const;

  /// Takes the chip away as if its plug were pulled, whoever has its lines, and brings it back; what pulls at the lines stays.
  void unplug();
  void plug_in();

 private:
  void close_pulls();

  std::string label_;
  std::string settings_;  ///< its folder in configfs
  std::string lines_;     ///< and in sysfs, while it is live
  std::vector<bool> high_;
  std::vector<int> pulls_;  ///< open `pull` files
};

/// 64 hall switches of which mereld is to read the first 49.
class SensorWires {
 public:
  SensorWires() = default;
  virtual ~SensorWires() = default;
  SensorWires(const SensorWires&) = delete;
  SensorWires& operator=(const SensorWires&) = delete;

  virtual void magnet(std::uint16_t channel, bool there) = 0;
};

/// Each switch on a line of its own that tells edges: four chips of 16 lines that go by the names of the four expanders of
/// boards/lattice7-expander.toml. With their own driver and no wires there are no edges (see Expanders).
class SwitchLines final : public SensorWires {
 public:
  static constexpr unsigned kLines = 16;

  void magnet(std::uint16_t channel, bool there) override { chip(channel / kLines).pull(channel % kLines, !there); }
  [[nodiscard]] SimChip& chip(unsigned number) { return chips_[number]; }

 private:
  SimChip chips_[4] = {{"1-0020", kLines}, {"1-0021", kLines}, {"1-0022", kLines}, {"1-0023", kLines}};
};

/// Behind the four multiplexers of kernel/mux_stub.
class Multiplexers final : public SensorWires {
 public:
  Multiplexers();

  void magnet(std::uint16_t channel, bool there) override;
  void settle_ns(std::uint32_t time);
  [[nodiscard]] std::uint64_t addresses() const;  ///< set so far
  [[nodiscard]] std::uint64_t jumps() const;      ///< new ones that differed in more than one line
  [[nodiscard]] std::uint64_t early() const;      ///< reads that came too soon after a new one

 private:
  std::uint64_t magnets_ = 0;
};

/// On four MCP23017 of the kernel's own driver, at 0x20 to 0x23 of an I2C bus without wires (i2c-stub). They have no interrupt line.
class Expanders final : public SensorWires {
 public:
  Expanders();
  ~Expanders() override;

  void magnet(std::uint16_t channel, bool there) override;
  [[nodiscard]] int bus() const { return bus_; }
  void remove(unsigned number);
  void add(unsigned number);

 private:
  int bus_ = 0;
  int descriptor_ = -1;
  std::uint64_t low_ = 0;  ///< inputs that a switch pulls down
};

/// The rest of a Raspberry Pi's header: the buttons of board B and its buzzer.
class Header {
 public:
  Header() { chip_.pull(kBuzzer, false); }  // as the transistor's resistor does

  void button(std::uint8_t number, bool down) { chip_.pull(kButtons[number], !down); }
  [[nodiscard]] bool buzzer() const { return chip_.value(kBuzzer); }
  [[nodiscard]] SimChip& chip() { return chip_; }

  static constexpr unsigned kButtons[] = {17, 27, 4, 18};
  static constexpr unsigned kBuzzer = 12;

 private:
  SimChip chip_{"pinctrl-rest", 28, {{17, "GPIO17"}, {27, "GPIO27"}, {4, "GPIO4"}, {18, "GPIO18"}, {12, "GPIO12"}}};
};

/// The SPI bus of kernel/spi_stub.
class SpiStub {
 public:
  SpiStub();

  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::vector<std::uint8_t> last() const;
  [[nodiscard]] std::uint64_t speed_hz() const;
  void fail(unsigned messages);     ///< the next so many fail
  void shorten(unsigned messages);  ///< the next so many lose their last byte
};

}  // namespace merel
