// What the preflight finds: in folders that look like /sys, /dev and /boot of a Raspberry Pi, and on chips that are not there.
#include "drivers/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "drivers/boot_config.h"
#include "drivers/line_check.h"
#include "tests/folder.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// A machine's folders, gone at the end of the test.
class Machine {
 public:
  std::string write(const std::string& name, const std::string& content) const { return folder_.write(name, content); }
  void model(const std::string& name) const { write("sys/firmware/devicetree/base/model", name + '\0'); }

  std::string sys() const { return folder_.file("sys"); }
  std::string boot() const { return folder_.file("boot/config.txt"); }
  SystemPaths paths() const {
    return {sys(), folder_.file("dev"), folder_.file("proc"), {folder_.file("boot/firmware/config.txt"), boot()}};
  }

 private:
  Folder folder_;
};

std::vector<std::string> whats(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back((finding.warning ? "warning: " : "") + finding.what);
  return out;
}

bool is_root() { return geteuid() == 0; }

/// What the preflight tells a user who may nothing; root becomes one for that long.
std::vector<std::string> seen_by_nobody(const Wires& wires, const Machine& machine) {
  const bool root = is_root();
  if (root) {
    EXPECT_EQ(seteuid(65534), 0);
  }
  const auto findings = preflight(wires, 49, machine.paths());
  if (root) {
    EXPECT_EQ(seteuid(0), 0);
  }
  return whats(findings);
}

Wires lights_only(LedKind kind, const std::string& device = "/dev/spidev0.0") {
  Wires wires;
  wires.spi = SpiWiring{};
  wires.spi->kind = kind;
  wires.spi->device = device;
  return wires;
}

// ---- config.txt ------------------------------------------------------------------------------------------------------------

TEST(BootSettings, SectionsForOtherModelsAreLeftOut) {
  const std::string config =
      "# comment\r\n"
      "core_freq=1\r\n"
      "  dtparam=spi=on\n"
      "no equals sign\n"
      "#core_freq=9\n"
      "[pi3]\ncore_freq=3\n"
      "[pi3+]\ncore_freq=31\n"
      "[pi4]\ncore_freq=4\n"
      "[pi400]\ncore_freq=400\n"
      "[cm4]\ncore_freq=41\n"
      "[pi0]\ncore_freq=10\n"
      "[pi02]\ncore_freq=12\n"
      "[pi5]\ncore_freq=5\n"
      "[board-type=0x11]\ncore_freq=99\n"
      "[none]\ncore_freq=98\n"
      "[EDID=VSC-TD2220]\ncore_freq=97\n"
      "[pi2]\ncore_freq=2\n"  // still only with that monitor
      "[all]\nmin=6";
  const struct {
    const char* model;
    const char* core_freq;
  } cases[] = {
      {"Raspberry Pi 3 Model B Rev 1.2", "3"},
      {"Raspberry Pi 3 Model B Plus Rev 1.3", "31"},
      {"Raspberry Pi 3 Model A Plus Rev 1.0", "31"},
      {"Raspberry Pi Compute Module 3 Rev 1.0", "3"},
      {"Raspberry Pi 4 Model B Rev 1.4", "4"},
      {"Raspberry Pi 400 Rev 1.0", "400"},
      {"Raspberry Pi Compute Module 4 Rev 1.0", "41"},
      {"Raspberry Pi Compute Module 4S Rev 1.0", "4"},
      {"Raspberry Pi Zero W Rev 1.1", "10"},
      {"Raspberry Pi Zero 2 W Rev 1.0", "12"},
      {"Raspberry Pi 5 Model B Rev 1.0", "5"},
      {"Raspberry Pi 2 Model B Rev 1.1", "1"},
      {"Raspberry Pi Model B Plus Rev 1.2", "1"},
      {"Some other machine", "1"},
      {"", "1"},
  };
  for (const auto& c : cases) {
    const auto settings = boot_settings(config, c.model);
    EXPECT_EQ(settings.at("core_freq"), c.core_freq) << c.model;
    EXPECT_EQ(settings.at("dtparam"), "spi=on") << c.model;
    EXPECT_EQ(settings.at("min"), "6") << c.model;
    EXPECT_THAT(settings, SizeIs(3)) << c.model;
  }
}

TEST(BootSettings, BrokenFilesAreReadAsFarAsTheyGo) {
  EXPECT_THAT(boot_settings("", "Raspberry Pi 4 Model B"), IsEmpty());
  EXPECT_THAT(boot_settings("[", "Raspberry Pi 4 Model B"), IsEmpty());
  EXPECT_THAT(boot_settings("[pi4\na=1", "Raspberry Pi 4 Model B"), ElementsAre(std::pair("a", "1")));
  EXPECT_THAT(boot_settings("=\n\n =1", "Raspberry Pi 4 Model B"), ElementsAre(std::pair("", "1")));
}

TEST(CoreClock, VariesWhereSpiHangsOnItAndNothingHoldsIt) {
  const struct {
    const char* model;
    const char* config;
    const char* remedy;  ///< empty: it stands still
  } cases[] = {
      {"Raspberry Pi 3 Model B Rev 1.2", "", "core_freq=250"},
      {"Raspberry Pi 3 Model B Plus Rev 1.3", "core_freq=400", "core_freq=250"},
      {"Raspberry Pi Compute Module 3 Rev 1.0", "core_freq=none", "core_freq=250"},
      {"Raspberry Pi Zero W Rev 1.1", "", "core_freq=250"},
      {"Raspberry Pi Zero 2 W Rev 1.0", "[pi4]\ncore_freq=250", "core_freq=250"},
      {"Raspberry Pi Zero 2 W Rev 1.0", "[pi02]\ncore_freq=250", ""},
      {"Raspberry Pi 3 Model B Rev 1.2", "core_freq=250", ""},
      {"Raspberry Pi 3 Model B Rev 1.2", "gpu_freq=250", ""},
      {"Raspberry Pi 3 Model B Rev 1.2", "core_freq_min=400", ""},
      {"Raspberry Pi 3 Model B Rev 1.2", "force_turbo=1", ""},
      {"Raspberry Pi 3 Model B Rev 1.2", "force_turbo=0", "core_freq=250"},
      {"Raspberry Pi 4 Model B Rev 1.4", "", "core_freq=500 and core_freq_min=500"},
      {"Raspberry Pi 4 Model B Rev 1.4", "core_freq=500", "core_freq=500 and core_freq_min=500"},
      {"Raspberry Pi 4 Model B Rev 1.4", "core_freq=500\ncore_freq_min=500", ""},
      {"Raspberry Pi 4 Model B Rev 1.4", "core_freq_min=500", ""},
      {"Raspberry Pi 400 Rev 1.0", "core_freq=250", "core_freq=500 and core_freq_min=500"},
      {"Raspberry Pi Compute Module 4 Rev 1.0", "", "core_freq=500 and core_freq_min=500"},
      {"Raspberry Pi 5 Model B Rev 1.0", "", ""},
      {"Raspberry Pi 500 Rev 1.0", "", ""},
      {"Raspberry Pi 2 Model B Rev 1.1", "", ""},
      {"Raspberry Pi Model B Plus Rev 1.2", "", ""},
      {"Some other machine", "", ""},
  };
  for (const auto& c : cases) {
    const CoreClock clock = core_clock(boot_settings(c.config, c.model), c.model);
    EXPECT_EQ(clock.remedy, c.remedy) << c.model << ": " << c.config;
    EXPECT_EQ(clock.varies, c.remedy[0] != '\0') << c.model << ": " << c.config;
  }
}

// ---- lights ----------------------------------------------------------------------------------------------------------------

TEST(SpiCheck, MissingDeviceNamesTheLineThatSwitchesItOn) {
  const Machine machine;
  machine.write("boot/config.txt", "");
  const struct {
    const char* device;
    std::string what;
  } cases[] = {
      {"/dev/spidev0.0",
       "/dev/spidev0.0 of the lights does not exist, so SPI is not switched on: put the line dtparam=spi=on into " +
           machine.boot() + " and restart the machine"},
      {"/dev/spidev0.1",
       "/dev/spidev0.1 of the lights does not exist, so SPI is not switched on: put the line dtparam=spi=on into " +
           machine.boot() + " and restart the machine"},
      {"/dev/spidev1.0",
       "/dev/spidev1.0 of the lights does not exist, so SPI is not switched on: put the line dtoverlay=spi1-1cs into " +
           machine.boot() + " and restart the machine"},
      {"/dev/spidev10.0",
       "/dev/spidev10.0 of the lights does not exist: name one of `ls /dev/spidev*` as device in [lights.spi] "
       "of the board's profile"},
      {"/dev/lights",
       "/dev/lights of the lights does not exist: name one of `ls /dev/spidev*` as device in [lights.spi] of the "
       "board's profile"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102, c.device), 49, machine.paths())), ElementsAre(c.what));
  }
}

TEST(SpiCheck, WithoutAConfigFileItNamesWhereOneShouldBe) {
  const Machine machine;
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102), 49, machine.paths())),
              ElementsAre(HasSubstr("into " + machine.paths().boot_config.front())));
  SystemPaths nowhere = machine.paths();
  nowhere.boot_config.clear();
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102), 49, nowhere)), ElementsAre(HasSubstr("into config.txt and")));
}

TEST(SpiCheck, DeviceThatOpensIsWell) {
  const Machine machine;
  machine.write("dev/spidev0.0", "");
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102), 49, machine.paths())), IsEmpty());
  const std::string elsewhere = machine.write("other/spidev0.0", "");
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102, elsewhere), 49, machine.paths())), IsEmpty());
}

TEST(SpiCheck, DeviceThatMayNotBeOpenedNamesTheGroupThatMay) {
  const Machine machine;
  const std::string device = machine.write("dev/spidev0.0", "");
  ASSERT_EQ(chmod(device.c_str(), 0), 0);
  if (is_root()) {
    ASSERT_EQ(chown(device.c_str(), 0, 4), 0);  // Debian's group adm
  }
  const auto findings = seen_by_nobody(lights_only(LedKind::apa102), machine);
  if (is_root()) {
    EXPECT_THAT(findings,
                ElementsAre("/dev/spidev0.0 of the lights may not be opened: put the user into the group adm (sudo "
                            "adduser nobody adm) and restart the daemon"));
  } else {
    EXPECT_THAT(findings, ElementsAre(HasSubstr("may not be opened: put the user into the group ")));
  }
}

TEST(SpiCheck, WhatIsNoDeviceIsTold) {
  const Machine machine;
  machine.write("dev/spidev0.0/inside", "");
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102), 49, machine.paths())),
              ElementsAre(AllOf(HasSubstr("/dev/spidev0.0"), HasSubstr("Is a directory"))));
}

TEST(SpiCheck, LongPictureForWs2812bNeedsALargerBuffer) {
  const struct {
    LedKind kind;
    const char* bufsiz;  ///< null: spidev does not tell
    std::size_t lights;
    const char* what;  ///< empty: none
  } cases[] = {
      {LedKind::ws2812b, "4096\n", 49, ""},
      {LedKind::ws2812b, "4096\n", 600,
       "A picture for 600 WS2812B lights is 5497 bytes, and the kernel sends 4096 without a pause: add spidev.bufsiz=8192 "
       "to the "
       "line in "},
      {LedKind::ws2812b, "512\n", 49, "add spidev.bufsiz=1024 to the line in "},
      {LedKind::ws2812b, nullptr, 600, ""},
      {LedKind::ws2812b, "", 600, ""},
      {LedKind::apa102, "512\n", 600, ""},  // may go in pieces
  };
  for (const auto& c : cases) {
    const Machine machine;
    machine.write("dev/spidev0.0", "");
    machine.write("boot/config.txt", "");
    if (c.bufsiz != nullptr) machine.write("sys/module/spidev/parameters/bufsiz", c.bufsiz);
    const auto found = preflight(lights_only(c.kind), c.lights, machine.paths());
    if (c.what[0] == '\0') {
      EXPECT_THAT(whats(found), IsEmpty()) << c.lights;
      continue;
    }
    ASSERT_THAT(whats(found), ElementsAre(AllOf(HasSubstr(c.what), HasSubstr("/boot/cmdline.txt and restart the machine"))));
    EXPECT_FALSE(found[0].warning);
  }
}

TEST(SpiCheck, CoreClockThatVariesIsAWarningForWs2812bOnly) {
  const Machine machine;
  machine.write("dev/spidev0.0", "");
  machine.model("Raspberry Pi 4 Model B Rev 1.4");
  machine.write("boot/config.txt", "[pi3]\ncore_freq=250\n");
  EXPECT_THAT(
      whats(preflight(lights_only(LedKind::ws2812b), 49, machine.paths())),
      ElementsAre(
          "warning: The core clock of this Raspberry Pi 4 Model B varies, and the bits of WS2812B lights with it: put "
          "core_freq=500 and core_freq_min=500 into " +
          machine.boot() + " and restart the machine"));
  EXPECT_THAT(whats(preflight(lights_only(LedKind::apa102), 49, machine.paths())), IsEmpty());
  machine.write("boot/config.txt", "core_freq=500\ncore_freq_min=500\n");
  EXPECT_THAT(whats(preflight(lights_only(LedKind::ws2812b), 49, machine.paths())), IsEmpty());
}

// ---- a board on a serial port ---------------------------------------------------------------------------------------------

/// A pseudo terminal as the board's port, and what /proc says of those who have it.
class LinkCheck : public testing::Test {
 protected:
  LinkCheck() {
    std::array<char, 128> device{};
    EXPECT_EQ(openpty(&far_, &near_, device.data(), nullptr, nullptr), 0);
    device_ = device.data();
    std::filesystem::create_directory(machine_.paths().dev);
    std::filesystem::create_symlink(device_, machine_.paths().dev + "/board");
  }
  ~LinkCheck() override {
    close(far_);
    close(near_);
  }
  std::vector<std::string> found(const std::string& device) const {
    return whats(preflight(port(device), 49, machine_.paths()));
  }
  static Wires port(const std::string& device) {
    Wires wires;
    wires.link = LinkWiring{};
    wires.link->device = device;
    return wires;
  }
  /// A process of that name, which has the port when that can be seen.
  void process(const std::string& number, const std::string& name, bool seen) const {
    machine_.write("proc/" + number + "/comm", name + "\n");
    if (!seen) return;
    const std::string file = machine_.write("proc/" + number + "/fd/2", "");
    std::filesystem::create_symlink(device_, file.substr(0, file.size() - 1) + "3");
  }

  Machine machine_;
  std::string device_;
  int far_ = -1;
  int near_ = -1;
};

TEST_F(LinkCheck, PortThatIsNotThereSaysWhatToPlugIn) {
  EXPECT_THAT(found("/dev/merel-board"),
              ElementsAre(StartsWith("The board's port /dev/merel-board does not exist: plug the board in")));
  EXPECT_THAT(found("/dev/serial0"), ElementsAre(HasSubstr("enable_uart=1")));
}

TEST_F(LinkCheck, FreePortIsWell) {
  process("1", "systemd", false);
  machine_.write("proc/sys/comm", "mereld\n");  // no process
  EXPECT_THAT(found("/dev/board"), IsEmpty());
}

TEST_F(LinkCheck, FileIsNoPort) {
  machine_.write("dev/merel-board", "");
  EXPECT_THAT(found("/dev/merel-board"), ElementsAre(HasSubstr("is no serial port")));
}

TEST_F(LinkCheck, PortOfAnotherProgramNamesIt) {
  process("4711", "minicom", true);
  process("12", "mereld", false);
  EXPECT_THAT(found("/dev/board"), ElementsAre("The board's port /dev/board is in use by 'minicom' (process 4711): end it"));
}

TEST_F(LinkCheck, PortThatMereldHasIsWell) {
  process("4711", "mereld", true);
  EXPECT_THAT(found("/dev/board"), IsEmpty());
}

TEST_F(LinkCheck, PortThatSomebodyElsesProgramHasIsWellWhenThereIsAMereld) {
  ASSERT_EQ(chmod(device_.c_str(), 0666), 0);
  ASSERT_EQ(ioctl(near_, TIOCEXCL), 0);
  process("12", "bash", false);
  EXPECT_THAT(seen_by_nobody(port("/dev/board"), machine_), ElementsAre(HasSubstr("is in use by another program")));
  process("13", "mereld", false);
  EXPECT_THAT(seen_by_nobody(port("/dev/board"), machine_), IsEmpty());
}

TEST_F(LinkCheck, PortThatMayNotBeOpenedNamesTheGroupThatMay) {
  ASSERT_EQ(chmod(device_.c_str(), 0), 0);
  EXPECT_THAT(seen_by_nobody(port("/dev/board"), machine_),
              ElementsAre(HasSubstr("may not be opened: put the user into its group")));
}

// ---- voltage ---------------------------------------------------------------------------------------------------------------

TEST(Voltage, IsReadFromTheMonitorOrTheFirmware) {
  const struct {
    const char* name;       ///< of the monitor; null: none
    const char* alarm;      ///< null: none
    const char* throttled;  ///< null: the firmware does not tell
    bool low;
    const char* what;  ///< empty: none
  } cases[] = {
      {nullptr, nullptr, nullptr, false, ""},
      {"rpi_volt\n", "0\n", nullptr, false, ""},
      {"rpi_volt\n", "1\n", nullptr, true, "The supply voltage is too low: "},
      {"rpi_volt\n", nullptr, nullptr, false, ""},
      {"cpu_thermal\n", "1\n", nullptr, false, ""},
      {nullptr, nullptr, "0\n", false, ""},
      {nullptr, nullptr, "50005\n", true, "The supply voltage is too low: "},
      {nullptr, nullptr, "50000\n", false, "The supply voltage has been too low since this machine was started: "},
      {"rpi_volt\n", "1\n", "50000\n", true, "The supply voltage is too low: "},
      {nullptr, nullptr, "e0008\n", false, ""},  // too warm only
      {nullptr, nullptr, "?\n", false, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.what) + (c.throttled == nullptr ? "" : c.throttled));
    const Machine machine;
    machine.write("sys/class/hwmon/hwmon0/name", "nvme\n");
    if (c.name != nullptr) machine.write("sys/class/hwmon/hwmon1/name", c.name);
    if (c.alarm != nullptr) machine.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", c.alarm);
    if (c.throttled != nullptr) machine.write("sys/devices/platform/soc/soc:firmware/get_throttled", c.throttled);
    EXPECT_EQ(under_voltage(machine.paths()), c.low);
    const auto found = preflight({}, 0, machine.paths());
    if (c.what[0] == '\0') {
      EXPECT_THAT(whats(found), IsEmpty());
    } else {
      EXPECT_THAT(whats(found), ElementsAre(StartsWith("warning: " + std::string(c.what))));
    }
  }
  EXPECT_THAT(under_voltage_sentence(), StartsWith("The supply voltage is too low: "));
}

// ---- lines -----------------------------------------------------------------------------------------------------------------

/// A chip with one line.
class OneLine final : public GpioChip {
 public:
  explicit OneLine(Result<LineState, GpioError> state) : state_(std::move(state)) {}
  std::string label() const override { return "mcp23017"; }
  std::size_t lines() const override { return 1; }
  Result<LineState, GpioError> line(unsigned /*offset*/) const override { return state_; }
  Result<std::unique_ptr<InputLines>, GpioError> inputs(std::span<const unsigned> /*offsets*/,
                                                        const InputSettings& /*settings*/) override {
    return GpioError{EPERM};
  }
  Result<std::unique_ptr<OutputLines>, GpioError> outputs(std::span<const unsigned> /*offsets*/,
                                                          bool /*active_low*/) override {
    return GpioError{EPERM};
  }

 private:
  Result<LineState, GpioError> state_;
};

ChipEntry chip_with(const Result<LineState, GpioError>& state, const std::string& device) {
  ChipEntry chip;
  chip.name = "gpiochip2";
  chip.device = device;
  chip.label = "mcp23017";
  chip.chip = std::make_shared<OneLine>(state);
  return chip;
}

TEST(LineCheck, LineIsWellWhenItIsFreeOrOurs) {
  const Machine machine;
  const NeededLine line{{"gpiochip2", "3"}, {3}, "", "", false};
  for (const LineState& state : {LineState{"", false, ""}, LineState{"X", true, "merel"}}) {
    EXPECT_FALSE(trouble_with(chip_with(state, "fe200000.gpio"), 3, line, machine.sys())) << state.name;
  }
}

TEST(LineCheck, LineOfAnotherProgramOrDriverIsBusy) {
  const Machine machine;
  const NeededLine line{{"gpiochip2", "3"}, {3}, "", "", false};
  const auto program = trouble_with(chip_with(LineState{"X", true, "gpiomon"}, "fe200000.gpio"), 3, line, machine.sys());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->kind, LineTrouble::Kind::busy);
  EXPECT_THAT(program->sentence(),
              AllOf(HasSubstr("'3'"), HasSubstr("gpiochip2 (mcp23017, fe200000.gpio)"), HasSubstr("gpiomon")));
  const auto driver = trouble_with(chip_with(LineState{"X", true, ""}, "fe200000.gpio"), 3, line, machine.sys());
  ASSERT_TRUE(driver);
  EXPECT_EQ(driver->kind, LineTrouble::Kind::busy);
}

TEST(LineCheck, LineThatCannotBeLookedAtSaysWhy) {
  const Machine machine;
  const auto trouble =
      trouble_with(chip_with(GpioError{EIO}, "fe200000.gpio"), 3, {{"gpiochip2", "3"}, {3}, "", "", false}, machine.sys());
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->kind, LineTrouble::Kind::other);
  EXPECT_THAT(trouble->sentence(), HasSubstr("Input/output error"));
}

TEST(LineCheck, ExpanderWithoutAnInterruptCannotTellEdges) {
  const struct {
    const char* device;
    std::vector<std::string> files;
    bool edges;  ///< needed
    bool trouble;
  } cases[] = {
      {"1-0020", {}, true, false},  // not from a device tree: nothing is known
      {"1-0020", {"sys/bus/i2c/devices/1-0020/of_node/reg"}, true, true},
      {"1-0020", {"sys/bus/i2c/devices/1-0020/of_node/reg"}, false, false},
      {"1-0020", {"sys/bus/i2c/devices/1-0020/of_node/interrupts"}, true, false},
      {"1-0020", {"sys/bus/i2c/devices/1-0020/of_node/interrupts-extended"}, true, false},
      {"fe200000.gpio", {"sys/bus/i2c/devices/fe200000.gpio/of_node/reg"}, true, false},
  };
  for (const auto& c : cases) {
    const Machine machine;
    for (const std::string& file : c.files) machine.write(file, "");
    const NeededLine line{{c.device, "3"}, {3}, "", "", c.edges};
    const auto trouble = trouble_with(chip_with(LineState{}, c.device), 3, line, machine.sys());
    EXPECT_EQ(trouble.has_value(), c.trouble);
    EXPECT_TRUE(!trouble || trouble->kind == LineTrouble::Kind::no_edges);
  }
}

TEST(NeededLines, SayWhatIsLostWithoutThem) {
  Wires wires;
  wires.gpio = GpioSensors{};
  wires.gpio->lines = {{"c", "0"}, {"", ""}, {"c", "2"}};
  wires.buttons.lines = {{"h", "GPIO17"}};
  wires.buzzer = BuzzerLine{{"h", "GPIO12"}, false};
  const auto direct = needed_lines(wires);
  ASSERT_THAT(direct, SizeIs(4));
  EXPECT_EQ(direct[0].name, (LineName{"c", "0"}));
  EXPECT_TRUE(direct[0].edges);
  EXPECT_THAT(direct[0].channels, ElementsAre(0));
  EXPECT_EQ(direct[0].role, "");
  EXPECT_THAT(direct[1].channels, ElementsAre(2));
  EXPECT_EQ(direct[2].role + direct[2].number, "button1");
  EXPECT_TRUE(direct[2].edges);
  EXPECT_THAT(direct[2].channels, IsEmpty());
  EXPECT_EQ(direct[3].role, "the buzzer");
  wires.gpio->scans_per_second = 50;
  EXPECT_FALSE(needed_lines(wires)[0].edges);

  Wires multiplexed;
  multiplexed.mux = MuxSensors{};
  multiplexed.mux->address = {{"h", "5"}, {"h", "6"}};
  multiplexed.mux->data = {{"h", "16"}, {"h", "20"}};
  const auto lines = needed_lines(multiplexed);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[1].role + " " + lines[1].number, "address line S1");
  EXPECT_THAT(lines[1].channels, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(lines[3].role + " " + lines[3].number, "multiplexer 2");
  EXPECT_THAT(lines[3].channels, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(needed_lines({}), IsEmpty());
}

LineFault fault(LineTrouble::Kind kind, const LineName& name, std::vector<std::uint16_t> channels, std::string role = "",
                std::string number = "") {
  LineTrouble trouble;
  trouble.kind = kind;
  trouble.name = name;
  return {{name, std::move(channels), std::move(role), std::move(number), true}, trouble};
}

TEST(LineFindings, MissingExpanderIsOneWithAllItsChannels) {
  const Machine machine;
  machine.write("sys/bus/i2c/devices/i2c-1/name", "");
  std::vector<LineFault> faults;
  for (std::uint16_t i = 0; i < 16; ++i) {
    faults.push_back(fault(LineTrouble::Kind::no_chip, {"1-0021", std::to_string(i)}, {static_cast<std::uint16_t>(16 + i)}));
  }
  const auto findings = line_findings(faults, machine.sys(), machine.boot());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].what, HasSubstr("dtoverlay=mcp23017,addr=0x21,gpiopin=23"));
  EXPECT_FALSE(findings[0].warning);
  ASSERT_THAT(findings[0].channels, SizeIs(16));
  EXPECT_EQ(findings[0].channels.front(), 16);
  EXPECT_EQ(findings[0].channels.back(), 31);
}

TEST(LineFindings, BusThatIsOffIsOneWithTheOverlaysOfAllItsExpanders) {
  const Machine machine;
  const auto kind = LineTrouble::Kind::no_chip;
  const auto findings = line_findings({fault(kind, {"1-0020", "0"}, {0}), fault(kind, {"1-0021", "5"}, {21}),
                                       fault(kind, {"1-0020", "1"}, {1}), fault(kind, {"3-0027", "0"}, {40})},
                                      machine.sys(), "/boot/firmware/config.txt");
  EXPECT_THAT(
      whats(findings),
      ElementsAre("I2C bus 1 is not switched on, so that nothing is heard of the expanders at 0x20 and 0x21: put the lines "
                  "dtparam=i2c_arm=on, dtoverlay=mcp23017,addr=0x20,gpiopin=22 and dtoverlay=mcp23017,addr=0x21,gpiopin=23 "
                  "into /boot/firmware/config.txt and restart the machine",
                  AllOf(StartsWith("I2C bus 3 is not switched on, so that nothing is heard of the expander at 0x27: put the "
                                   "line dtoverlay=mcp23017,addr=0x27,gpiopin="),
                        Not(HasSubstr("dtparam")))));
  EXPECT_THAT(findings[0].channels, ElementsAre(0, 1, 21));
}

TEST(LineFindings, SayWhatElseTheLinesAreFor) {
  const Machine machine;
  const auto kind = LineTrouble::Kind::no_chip;
  const std::string missing = fault(kind, {"pinctrl-*", "GPIO5"}, {}).trouble.sentence();
  const auto findings =
      line_findings({fault(kind, {"pinctrl-*", "GPIO5"}, {0}), fault(kind, {"pinctrl-*", "GPIO17"}, {}, "button", "1"),
                     fault(kind, {"pinctrl-*", "GPIO12"}, {}, "the buzzer"),
                     fault(LineTrouble::Kind::no_line, {"pinctrl-*", "GPIO99"}, {}, "button", "2"),
                     fault(LineTrouble::Kind::no_line, {"pinctrl-*", "GPIO98"}, {7})},
                    machine.sys(), machine.boot());
  EXPECT_THAT(whats(findings), ElementsAre("For the sensors, button 1 and the buzzer: " + missing,
                                           AllOf(StartsWith("For button 2: "), HasSubstr("GPIO99")),
                                           AllOf(Not(StartsWith("For ")), HasSubstr("GPIO98"))));
  EXPECT_THAT(findings[0].channels, ElementsAre(0));
  EXPECT_THAT(findings[1].channels, IsEmpty());
  // Several of a kind are named together.
  EXPECT_THAT(
      whats(line_findings(
          {fault(kind, {"pinctrl-*", "A"}, {0}, "address line", "S0"),
           fault(kind, {"pinctrl-*", "B"}, {0}, "multiplexer", "1"),
           fault(kind, {"pinctrl-*", "C"}, {4}, "multiplexer", "2"), fault(kind, {"pinctrl-*", "D"}, {}, "button", "1"),
           fault(kind, {"pinctrl-*", "E"}, {}, "button", "2"), fault(kind, {"pinctrl-*", "F"}, {}, "button", "3")},
          machine.sys(), machine.boot())),
      ElementsAre("For address line S0, multiplexers 1 and 2 and buttons 1, 2 and 3: " + missing));
  EXPECT_THAT(line_findings({}, machine.sys(), machine.boot()), IsEmpty());
}

TEST(Preflight, LinesOfAChipThatNoMachineHasAreFound) {
  const Machine machine;
  machine.write("sys/bus/i2c/devices/i2c-1/name", "");
  Wires wires;
  wires.gpio = GpioSensors{};
  wires.gpio->lines = {{"chip-of-no-machine", "0"}, {"", ""}, {"chip-of-no-machine", "1"}, {"chip-of-no-other", "NAME"}};
  wires.buttons.lines = {{"chip-of-no-other", "B"}};
  const auto findings = preflight(wires, 0, machine.paths());
  ASSERT_THAT(whats(findings),
              ElementsAre(HasSubstr("'chip-of-no-machine'"),
                          AllOf(StartsWith("For the sensors and button 1: "), HasSubstr("'chip-of-no-other'"))));
  EXPECT_THAT(findings[0].channels, ElementsAre(0, 2));
  EXPECT_THAT(findings[1].channels, ElementsAre(3));
}

}  // namespace
}  // namespace merel
