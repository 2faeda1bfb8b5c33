// How a board profile says what its wires are, and every way in which it can be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "daemon/config/config.h"
#include "rules/game.h"
#include "tests/places.h"

namespace merel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> wrong(const std::string& text) {
  std::vector<std::string> out;
  const auto read = read_profile_text(text, "b.toml");
  if (read) return out;
  for (const ConfigProblem& problem : read.error()) out.push_back(problem.text());
  return out;
}

BoardProfile profile(const std::string& text) {
  const auto read = read_profile_text(text, "b.toml");
  EXPECT_THAT(wrong(text), IsEmpty());
  return read ? *read : BoardProfile{};
}

BoardProfile shipped(const std::string& name) {
  const auto read = read_profile(MEREL_SOURCE "/boards/" + name + ".toml");
  EXPECT_TRUE(read.ok()) << name;
  return read ? *read : BoardProfile{};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// Channels 0 to 7 and 13, which is under b1.
const std::string kChannels = "channels = [ [6, 7, 5], [3, 4, 2], [0, 13, 1] ]\n";
const std::string kLights = "order = [ [6, 7, 8], [3, 4, 5], [0, 1, 2] ]\n";

const std::string kGpio =
    "lattice = 3\n"                                                      // line 1
    "buttons = 1\n"                                                      // 2
    "[sensors]\n"                                                        // 3
    "driver = 'gpio'\n" +                                                // 4
    kChannels +                                                          // 5
    "[sensors.gpio]\n"                                                   // 6
    "lines = [\n"                                                        // 7
    " { chip = '1-0020', lines = '8-15', first = 0 },\n"                 // 8
    " { chip = 'pinctrl-*', lines = ['GPIO5', 'GPIO6'], first = 13 }\n"  // 9
    "]\n"                                                                // 10
    "[button_lines]\n"                                                   // 11
    "chip = 'pinctrl-*'\n"                                               // 12
    "lines = ['GPIO17']\n"                                               // 13
    "[lights]\n"                                                         // 14
    "driver = 'none'\n";                                                 // 15

const std::string kMux =
    "lattice = 3\n"                   // line 1
    "buttons = 0\n"                   // 2
    "[sensors]\n"                     // 3
    "driver = 'mux'\n" +              // 4
    kChannels +                       // 5
    "[sensors.mux]\n"                 // 6
    "chip = 'pinctrl-*'\n"            // 7
    "address = ['GPIO5', 'GPIO6']\n"  // 8
    "data = [16, 20, '0021', 26]\n"   // 9
    "[lights]\n"                      // 10
    "driver = 'spi'\n" +              // 11
    kLights +                         // 12
    "[lights.spi]\n"                  // 13
    "kind = 'ws2812b'\n";             // 14

const std::string kLink =
    "lattice = 3\n"            // line 1
    "colour = true\n"          // 2
    "buttons = 2\n"            // 3
    "[sensors]\n"              // 4
    "driver = 'link'\n" +      // 5
    kChannels +                // 6
    "[sensors.link]\n"         // 7
    "device = '/dev/board'\n"  // 8
    "[lights]\n"               // 9
    "driver = 'link'\n" +      // 10
    kLights;                   // 11

// ---- what is read ----------------------------------------------------------------------------------------------------------

TEST(Wires, VirtualBoardHasNone) {
  for (const char* name : {"virtual7", "virtual7-colour", "virtual15"}) EXPECT_EQ(shipped(name).wires, Wires{}) << name;
}

TEST(Wires, EachChannelWithACellGetsItsLine) {
  const BoardProfile board = profile(kGpio);
  ASSERT_TRUE(board.wires.gpio);
  std::vector<LineName> lines;
  for (int offset = 8; offset < 16; ++offset) lines.push_back({"1-0020", std::to_string(offset)});
  lines.resize(14);
  lines[13] = {"pinctrl-*", "GPIO5"};
  EXPECT_EQ(board.wires.gpio->lines, lines);  // GPIO6 would be channel 14, which no cell has
  EXPECT_EQ(board.wires.buttons.lines, (std::vector<LineName>{{"pinctrl-*", "GPIO17"}}));
  EXPECT_FALSE(board.wires.mux);
  EXPECT_FALSE(board.wires.spi);
  EXPECT_FALSE(board.wires.buzzer);
}

TEST(Wires, WhatIsNotSetHasItsDefault) {
  const BoardProfile gpio = profile(kGpio);
  EXPECT_EQ(gpio.wires.gpio->input, (InputWiring{Bias::as_is, true}));
  EXPECT_EQ(gpio.wires.gpio->scans_per_second, 0U);
  EXPECT_EQ(gpio.wires.gpio->kernel_debounce, milliseconds(2));
  EXPECT_EQ(gpio.wires.buttons.input, (InputWiring{Bias::pull_up, true}));
  EXPECT_EQ(gpio.lights(), 0U);

  const BoardProfile mux = profile(kMux);
  ASSERT_TRUE(mux.wires.mux && mux.wires.spi);
  EXPECT_EQ(mux.wires.mux->input, (InputWiring{Bias::pull_up, true}));
  EXPECT_EQ(mux.wires.mux->address, (std::vector<LineName>{{"pinctrl-*", "GPIO5"}, {"pinctrl-*", "GPIO6"}}));
  EXPECT_EQ(mux.wires.mux->data,
            (std::vector<LineName>{{"pinctrl-*", "16"}, {"pinctrl-*", "20"}, {"pinctrl-*", "21"}, {"pinctrl-*", "26"}}));
  EXPECT_EQ(mux.wires.mux->settle, microseconds(10));
  EXPECT_EQ(mux.wires.mux->scans_per_second, 200U);
  EXPECT_EQ(mux.wires.mux->idle_scans_per_second, 20U);
  EXPECT_EQ(mux.wires.mux->idle_after, std::chrono::seconds(5));
  EXPECT_EQ(mux.wires.spi->device, "/dev/spidev0.0");
  EXPECT_EQ(mux.wires.spi->kind, LedKind::ws2812b);
  EXPECT_EQ(mux.wires.spi->speed_hz, 2'400'000U);
  EXPECT_EQ(mux.wires.spi->gamma, 2.2);
  EXPECT_EQ(mux.wires.spi->limit_ma, 1500U);
}

TEST(Wires, BoardOnALinkIsReadWithItsDefaults) {
  const BoardProfile plain = profile(kLink);
  ASSERT_TRUE(plain.wires.link);
  LinkWiring expected;
  expected.device = "/dev/board";
  expected.lattice = 3;
  expected.crosstalk = plain.wires.link->crosstalk;
  EXPECT_EQ(*plain.wires.link, expected);
  EXPECT_NE(expected.crosstalk, Crosstalk{});
  EXPECT_EQ(expected.baud, 460'800U);

  const BoardProfile all = profile(
      replaced(kLink, "device = '/dev/board'\n",
               "device = '/dev/serial0'\nbaud = 115200\nrevision = 4\nlimit_ma = 800\ngamma = 1.8\ndebounce_ms = 12\n"));
  expected.device = "/dev/serial0";
  expected.baud = 115'200;
  expected.revision = 4;
  expected.limit_ma = 800;
  expected.gamma = 1.8;
  expected.debounce = milliseconds(12);
  EXPECT_EQ(*all.wires.link, expected);
}

TEST(Wires, EveryKeyIsRead) {
  const BoardProfile gpio =
      profile(replaced(kGpio, "[sensors.gpio]\n",
                       "[buzzer]\nchip = 'pinctrl-*'\nline = 12\nactive_low = true\n[sensors.gpio]\n"
                       "bias = 'pull-down'\nactive_low = false\nscans_per_second = 50\nkernel_debounce_ms = 0\n"));
  EXPECT_EQ(gpio.wires.gpio->input, (InputWiring{Bias::pull_down, false}));
  EXPECT_EQ(gpio.wires.gpio->scans_per_second, 50U);
  EXPECT_EQ(gpio.wires.gpio->kernel_debounce, milliseconds(0));
  EXPECT_EQ(gpio.wires.buzzer, (BuzzerLine{{"pinctrl-*", "12"}, true}));

  const BoardProfile buttons = profile(replaced(kGpio, "['GPIO17']", "['GPIO17']\nbias = 'disabled'\nactive_low = false"));
  EXPECT_EQ(buttons.wires.buttons.input, (InputWiring{Bias::disabled, false}));

  std::string text =
      replaced(kMux, "kind = 'ws2812b'\n",
               "kind = 'sk9822'\ndevice = '/dev/spidev1.0'\nspeed_hz = 8000000\ngamma = 1.8\nlimit_ma = 900\n");
  text =
      replaced(text, "data = ",
               "bias = 'as-is'\nactive_low = false\nsettle_us = 100\nscans_per_second = 1000\nidle_scans_per_second = 1000\n"
               "idle_after_ms = 0\ndata = ");
  const BoardProfile mux = profile(text);
  EXPECT_EQ(mux.wires.mux->input, (InputWiring{Bias::as_is, false}));
  EXPECT_EQ(mux.wires.mux->settle, microseconds(100));
  EXPECT_EQ(mux.wires.mux->scans_per_second, 1000U);
  EXPECT_EQ(mux.wires.mux->idle_scans_per_second, 1000U);
  EXPECT_EQ(mux.wires.mux->idle_after, milliseconds(0));
  EXPECT_EQ(mux.wires.spi, (SpiWiring{"/dev/spidev1.0", LedKind::apa102, 8'000'000, 1.8, 900}));
}

TEST(Wires, ChipMayBeLeftOutWhereALineNameIsEnough) {
  const BoardProfile board = profile(replaced(kGpio, "chip = 'pinctrl-*', lines = ['GPIO5'", "lines = ['GPIO5'"));
  EXPECT_EQ(board.wires.gpio->lines[13], (LineName{"", "GPIO5"}));
}

TEST(Wires, ScanWhileStillIsNeverFasterThanTheScanItself) {
  EXPECT_EQ(profile(replaced(kMux, "data = ", "scans_per_second = 5\ndata = ")).wires.mux->idle_scans_per_second, 5U);
}

TEST(Wires, LinesOfSpareChannelsAreFreeForOtherThings) {
  // GPIO6 stands in the bank as channel 14, which no cell has.
  EXPECT_EQ(profile(replaced(kGpio, "['GPIO17']", "['GPIO6']")).wires.buttons.lines[0].line, "GPIO6");
}

TEST(Wires, LightsMayBeSeenWithoutSensorsAndSensorsWithoutLights) {
  const BoardProfile lights = profile("lattice = 3\n[sensors]\ndriver = 'sim'\n" + kChannels + "[lights]\ndriver = 'spi'\n" +
                                      kLights + "[lights.spi]\nkind = 'apa102'\n");
  EXPECT_TRUE(lights.wires.spi && !lights.wires.gpio);
  EXPECT_EQ(lights.wires.spi->speed_hz, 4'000'000U);
  EXPECT_EQ(profile(kGpio + kLights).lights(), 9U);  // dark, but known
}

TEST(Wires, EqualProfilesHaveEqualWires) {
  for (const std::string& text : {kGpio, kMux}) EXPECT_EQ(profile(text).wires, profile(text).wires);
  EXPECT_NE(profile(kGpio).wires, profile(replaced(kGpio, "GPIO5", "GPIO7")).wires);
}

// ---- the boards that are shipped -------------------------------------------------------------------------------------------

std::vector<std::string> header_lines(const Wires& wires) {
  std::vector<LineName> all = wires.buttons.lines;
  if (wires.gpio) all.insert(all.end(), wires.gpio->lines.begin(), wires.gpio->lines.end());
  if (wires.mux) all.insert(all.end(), wires.mux->address.begin(), wires.mux->address.end());
  if (wires.mux) all.insert(all.end(), wires.mux->data.begin(), wires.mux->data.end());
  if (wires.buzzer) all.push_back(wires.buzzer->line);
  std::vector<std::string> out;
  for (const LineName& name : all) {
    if (name.chip == "pinctrl-*") out.push_back(name.line);
  }
  return out;
}

TEST(ShippedWires, NoPinOfTheHeaderIsUsedTwice) {
  for (const char* name : {"lattice7-expander", "lattice7-mux", "direct9"}) {
    const BoardProfile board = shipped(name);
    std::set<std::string> taken;
    // SPI0, I2C1, UART0 and the two pins of add-on boards' memory.
    for (const int gpio : {7, 8, 9, 10, 11, 2, 3, 14, 15, 0, 1}) taken.insert("GPIO" + std::to_string(gpio));
    if (board.name == "lattice7-expander") {
      for (const int gpio : {22, 23, 24, 25}) taken.insert("GPIO" + std::to_string(gpio));  // interrupts
    }
    for (const std::string& line : header_lines(board.wires)) {
      EXPECT_TRUE(taken.insert(line).second) << name << " " << line;
      const int gpio = std::stoi(line.substr(4));
      EXPECT_TRUE(gpio >= 0 && gpio <= 27) << name << " " << line;
    }
    EXPECT_EQ(board.wires.buttons.lines.size(), board.buttons) << name;
    EXPECT_TRUE(board.wires.buzzer.has_value()) << name;
    EXPECT_EQ(board.light_driver, "spi") << name;
    EXPECT_EQ(board.lights(), board.channels()) << name;
  }
}

TEST(ShippedWires, ExpanderBoardHasFourOfThem) {
  const BoardProfile board = shipped("lattice7-expander");
  ASSERT_TRUE(board.wires.gpio);
  ASSERT_THAT(board.wires.gpio->lines, SizeIs(49));
  const struct {
    std::uint8_t file, rank;
    LineName line;
  } cases[] = {
      {0, 0, {"1-0020", "0"}}, {6, 0, {"1-0020", "6"}}, {0, 1, {"1-0020", "7"}}, {1, 2, {"1-0020", "15"}},
      {2, 2, {"1-0021", "0"}}, {3, 3, {"1-0021", "8"}}, {6, 6, {"1-0023", "0"}}, {5, 6, {"1-0022", "15"}},
  };
  for (const auto& c : cases) EXPECT_EQ(board.wires.gpio->lines[board.channel_at(c.file, c.rank)], c.line);
  EXPECT_EQ(board.wires.gpio->input, (InputWiring{Bias::as_is, true}));
  EXPECT_EQ(board.buttons, 4);
  EXPECT_EQ(board.wires.buttons.lines[2].line, "GPIO4");
  EXPECT_EQ(board.wires.spi->kind, LedKind::apa102);
}

TEST(ShippedWires, MuxBoardScansFourMultiplexers) {
  const BoardProfile board = shipped("lattice7-mux");
  ASSERT_TRUE(board.wires.mux);
  EXPECT_EQ(board.channels(), 49U);
  const auto names = [](const std::vector<LineName>& lines) {
    std::vector<std::string> out;
    for (const LineName& line : lines) out.push_back(line.line);
    return out;
  };
  EXPECT_THAT(names(board.wires.mux->address), ElementsAre("GPIO5", "GPIO6", "GPIO13", "GPIO19"));
  EXPECT_THAT(names(board.wires.mux->data), ElementsAre("GPIO16", "GPIO20", "GPIO21", "GPIO26"));
  EXPECT_THAT(names(board.wires.buttons.lines), ElementsAre("GPIO17", "GPIO27", "GPIO4", "GPIO18"));
  EXPECT_EQ(board.wires.mux->scans_per_second, 200U);
  EXPECT_EQ(board.wires.mux->input, (InputWiring{Bias::pull_up, true}));
}

TEST(ShippedWires, PicoBoardIsOnALinkAndTellsColours) {
  const BoardProfile board = shipped("lattice7-pico");
  ASSERT_TRUE(board.wires.link);
  EXPECT_EQ(board.wires.link->device, "/dev/merel-board");
  EXPECT_EQ(board.wires.link->lattice, 7);
  EXPECT_TRUE(board.colour);
  EXPECT_EQ(board.light_driver, "link");
  for (std::uint8_t file = 0; file < 7; ++file) {
    for (std::uint8_t rank = 0; rank < 7; ++rank) EXPECT_EQ(board.channel_at(file, rank), rank * 7 + file);
  }
}

TEST(ShippedWires, DirectBoardHasAPinForEachSensor) {
  const BoardProfile board = shipped("direct9");
  EXPECT_EQ(board.lattice, 3);
  ASSERT_THAT(board.wires.gpio->lines, SizeIs(9));
  EXPECT_EQ(board.wires.gpio->lines[board.channel_at(2, 2)], (LineName{"pinctrl-*", "GPIO25"}));
  EXPECT_EQ(board.wires.gpio->input, (InputWiring{Bias::pull_up, true}));
  EXPECT_EQ(board.wires.buttons.lines.size(), 2U);
}

// ---- what is wrong ---------------------------------------------------------------------------------------------------------

struct Case {
  std::string what;  ///< of the profile
  std::string by;
  std::string problem;  ///< several with | between them, none when empty

  std::vector<std::string> problems() const {
    std::vector<std::string> out;
    for (std::size_t from = 0; from < problem.size();) {
      const std::size_t to = std::min(problem.find('|', from), problem.size());
      out.push_back(problem.substr(from, to - from));
      from = to + 1;
    }
    return out;
  }
};

TEST(WiresProblem, OfSensorsWithALineEach) {
  const Case cases[] = {
      // channels and lines
      {"'8-15'", "'9-15'", "b.toml:7: channel 7, under b3, has no line in 'lines' in [sensors.gpio]"},
      {"'8-15'", "'9-14'", "b.toml:7: channels 6 (a3), 7 (b3) have no line in 'lines' in [sensors.gpio]"},
      {" { chip = '1-0020', lines = '8-15', first = 0 },\n", "",
       "b.toml:7: channels 0 (a1), 1 (c1), 2 (c2), 3 (a2), 4 (b2) and 3 more have no line in 'lines' in [sensors.gpio]"},
      {"first = 13", "first = 12", ""},  // channel 12 is spare, GPIO6 is channel 13
      {"first = 13", "first = 7",
       "b.toml:7: channel 13, under b1, has no line in 'lines' in [sensors.gpio]|"
       "b.toml:9: channel 7 has two lines: line '15' of chip '1-0020' (line 8) and line 'GPIO5' of chip 'pinctrl-*' (line "
       "9); each "
       "channel needs one"},
      {"'8-15', first = 0 }", "'0-15', first = 0 }",
       "b.toml:9: channel 13 has two lines: line '13' of chip '1-0020' (line 8) and line 'GPIO5' of chip 'pinctrl-*' (line "
       "9), and so "
       "have 1 more channel; each channel needs one"},
      {"lines = [\n", "lines = [\n { chip = '1-0020', lines = [15], first = 14 },\n",
       "b.toml:10: channel 14 has two lines: line '15' of chip '1-0020' (line 8) and line 'GPIO6' of chip 'pinctrl-*' (line "
       "10); each "
       "channel needs one"},
      {"['GPIO5', 'GPIO6'], first = 13", "[8], first = 13", ""},  // another chip
      {"chip = 'pinctrl-*', lines = ['GPIO5', 'GPIO6']", "chip = '1-0020', lines = ['08']",
       "b.toml:9: line '8' of chip '1-0020' is used twice: for channel 0, under a1 (line 8) and for channel 13, under b1 "
       "(line 9); "
       "each needs its own"},
      // banks
      {"lines = [\n { chip = '1-0020', lines = '8-15', first = 0 },\n { chip = 'pinctrl-*', lines = ['GPIO5', 'GPIO6'], "
       "first = 13 "
       "}\n]\n",
       "",
       "b.toml:6: 'lines' in [sensors.gpio] is missing; it names the lines of all channels: [ { chip = \"1-0020\", lines = "
       "\"0-15\", "
       "first = 0 } ]"},
      {"{ chip = 'pinctrl-*', lines = ['GPIO5', 'GPIO6'], first = 13 }", "'GPIO5'",
       "b.toml:9: 'lines' in [sensors.gpio] must be a list of tables like { chip = \"1-0020\", lines = \"0-15\", first = 0 "
       "}, but has "
       "a string in it"},
      {", first = 13", "",
       "b.toml:9: 'first' in [sensors.gpio.lines] is missing; it is the channel of the first of these lines"},
      {"first = 13", "first = 1024",
       "b.toml:9: 'first' in [sensors.gpio.lines] is 1024; it must be a whole number from 0 to 1023"},
      {"first = 13", "first = 1023",
       "b.toml:9: 'first' in [sensors.gpio.lines] is 1023, so the last of these lines has channel 1024; the highest is "
       "1023"},
      {", first = 13", ", frist = 13, first = 13",
       "b.toml:9: 'frist' in [sensors.gpio.lines] is no known key; did you mean 'first'?"},
      {"lines = '8-15', ", "",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is missing; it must be a list of line names or offsets, or a "
       "range of offsets like \"0-15\""},
      {"'8-15'", "'15-8'",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is '15-8'; it must be a list of line names or offsets, or a range "
       "of offsets like \"0-15\""},
      {"'8-15'", "'GPIO8-GPIO15'",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is 'GPIO8-GPIO15'; it must be a list of line names or "
       "offsets, or a range of offsets like \"0-15\""},
      {"'8-15'", "'8'",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is '8'; it must be a list of line names or offsets, or a range of "
       "offsets like \"0-15\""},
      {"'8-15'", "'8-2000'",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is '8-2000'; it must be a list of line names or offsets, or a "
       "range of offsets like \"0-15\""},
      {"'8-15'", "8",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is a whole number; it must be a list of line names or offsets, or a "
       "range of offsets like \"0-15\""},
      {"chip = '1-0020', ", "",
       "b.toml:8: 'lines' in [sensors.gpio.lines] is a range of offsets, which means nothing without 'chip'"},
      {"chip = 'pinctrl-*', lines = ['GPIO5', 'GPIO6']", "lines = [5]",
       "b.toml:9: 'lines' in [sensors.gpio.lines] has offset 5, which means nothing without 'chip'"},
      {"'GPIO6'", "-1", "b.toml:9: 'lines' in [sensors.gpio.lines] has offset -1; offsets go from 0 to 65535"},
      {"'GPIO6'", "65536", "b.toml:9: 'lines' in [sensors.gpio.lines] has offset 65536; offsets go from 0 to 65535"},
      {"'GPIO6'", "6.0",
       "b.toml:9: 'lines' in [sensors.gpio.lines] must be names or offsets of lines, not a number with decimals"},
      {"'GPIO6'", "''", "b.toml:9: 'lines' in [sensors.gpio.lines] has a line name that is empty or has control characters"},
      {"'GPIO6'", "\"G\\n\"",
       "b.toml:9: 'lines' in [sensors.gpio.lines] has a line name that is empty or has control characters"},
      {"chip = '1-0020'", "chip = 20",
       "b.toml:8: 'chip' in [sensors.gpio.lines] must be a string, not a whole number|"
       "b.toml:8: 'lines' in [sensors.gpio.lines] is a range of offsets, which means nothing without "
       "'chip'"},
      // keys
      {"[sensors.gpio]\n", "[sensors.gpio]\nbias = 'up'\n",
       "b.toml:7: 'bias' in [sensors.gpio] is 'up'; it can be: as-is, disabled, pull-up, pull-down"},
      {"[sensors.gpio]\n", "[sensors.gpio]\nactive_low = 1\n",
       "b.toml:7: 'active_low' in [sensors.gpio] must be true or false, not a "
       "whole number"},
      {"[sensors.gpio]\n", "[sensors.gpio]\nscans_per_second = 1001\n",
       "b.toml:7: 'scans_per_second' in [sensors.gpio] is 1001; it must be a whole number from 0 to 1000"},
      {"[sensors.gpio]\n", "[sensors.gpio]\nkernel_debounce_ms = 51\n",
       "b.toml:7: 'kernel_debounce_ms' in [sensors.gpio] is 51; it must be a whole number from 0 to 50"},
      {"[sensors.gpio]\n", "[sensors.gpio]\nkernel_debounce = 5\n",
       "b.toml:7: 'kernel_debounce' in [sensors.gpio] is no known key; it can be: bias, active_low, scans_per_second, "
       "kernel_debounce_ms, lines"},
      // what the sensors cannot do
      {"buttons = 1\n", "buttons = 1\ncolour = true\n",
       "b.toml:3: 'colour' is true, but sensors that are only on or off cannot tell whose piece it is"},
      {"buttons = 1\n", "buttons = 1\ntrays = true\n", "b.toml:3: 'trays' is true, but sensor driver 'gpio' has no trays"},
      // other drivers' tables
      {"[lights]\n", "[sensors.mux]\nchip = 'x'\n[lights]\n",
       "b.toml:14: 'mux' in [sensors] is a table for driver 'mux', but the driver is 'gpio'; take it out or choose that "
       "driver"},
      {"driver = 'none'\n", "driver = 'none'\n[lights.spi]\nkind = 'apa102'\n",
       "b.toml:16: 'spi' in [lights] is a table for driver 'spi', but the driver is 'none'; take it out or choose that "
       "driver"},
      {"driver = 'none'\n", "driver = 'none'\nspi = true\n",
       "b.toml:16: 'spi' in [lights] must be a table, not true or false"},
      {"driver = 'gpio'", "driver = 'sim'",
       "b.toml:6: 'gpio' in [sensors] is a table for driver 'gpio', but the driver is 'sim'; take it out or choose that "
       "driver|"
       "b.toml:11: 'button_lines' is for buttons on wires, but sensor driver 'sim' has buttons of its own; take it out"},
      {"driver = 'gpio'", "driver = 'gpoi'", "b.toml:4: 'driver' in [sensors] is 'gpoi'; it can be: sim, gpio, mux, link"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.by);
    EXPECT_EQ(wrong(replaced(kGpio, c.what, c.by)), c.problems());
  }
}

TEST(WiresProblem, OfButtonsAndBuzzer) {
  const Case cases[] = {
      {"buttons = 1", "buttons = 2", "b.toml:13: 'lines' in [button_lines] has 1 line, but 'buttons' is 2"},
      {"buttons = 1", "buttons = 0", "b.toml:13: 'lines' in [button_lines] has 1 line, but 'buttons' is 0"},
      {"buttons = 1", "buttons = 5", "b.toml:2: 'buttons' is 5; it must be a whole number from 0 to 4"},
      {"buttons = 1\n", "", "b.toml:12: 'lines' in [button_lines] has 1 line, but 'buttons' is 2"},
      {"[button_lines]\nchip = 'pinctrl-*'\nlines = ['GPIO17']\n", "",
       "b.toml:2: 'button_lines' is missing; 'buttons' is 1, so its 'lines' must name as many (buttons = 0 when there are "
       "none)"},
      {"lines = ['GPIO17']\n", "",
       "b.toml:11: 'lines' in [button_lines] is missing; it must be a list of line names or offsets, or a "
       "range of offsets like \"0-15\""},
      {"['GPIO17']", "['GPIO5']",
       "b.toml:13: line 'GPIO5' of chip 'pinctrl-*' is used twice: for channel 13, under b1 (line 9) and for "
       "button 1 (line 13); each needs its own"},
      {"chip = 'pinctrl-*'\nlines = ['GPIO17']", "lines = ['GPIO5']",
       "b.toml:12: line 'GPIO5' is used twice: for channel 13, under b1 (line 9) and for button 1 (line 12); each needs its "
       "own"},
      {"['GPIO17']", "['GPIO17']\npull = 'up'",
       "b.toml:14: 'pull' in [button_lines] is no known key; it can be: chip, lines, bias, "
       "active_low"},
      {"[lights]\n", "[buzzer]\nchip = 'pinctrl-*'\n[lights]\n",
       "b.toml:14: 'line' in [buzzer] is missing; it is the name or the offset of the buzzer's line"},
      {"[lights]\n", "[buzzer]\nchip = 'pinctrl-*'\nline = 'GPIO17'\n[lights]\n",
       "b.toml:16: line 'GPIO17' of chip 'pinctrl-*' is used twice: for button 1 (line 13) and for the buzzer (line 16); "
       "each needs its "
       "own"},
      {"[lights]\n", "[buzzer]\nline = 12\n[lights]\n",
       "b.toml:15: 'line' in [buzzer] has offset 12, which means nothing without "
       "'chip'"},
      {"[lights]\n", "[buzzer]\nline = ['GPIO12']\n[lights]\n",
       "b.toml:15: 'line' in [buzzer] must be names or offsets of lines, not a list"},
      {"[lights]\n", "[buzzer]\nline = 'GPIO12'\ntone = 440\n[lights]\n",
       "b.toml:16: 'tone' in [buzzer] is no known key; did you mean 'line'?"},
      {"[button_lines]\n", "[button_line]\n",
       "b.toml:2: 'button_lines' is missing; 'buttons' is 1, so its 'lines' must name as many "
       "(buttons = 0 when there are none)|"
       "b.toml:11: 'button_line' is no known key; did you mean 'button_lines'?"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.by);
    EXPECT_EQ(wrong(replaced(kGpio, c.what, c.by)), c.problems());
  }
}

TEST(WiresProblem, OfMultiplexersAndLights) {
  const Case cases[] = {
      {"data = [16, 20, '0021', 26]", "data = [16, 20, 21]",
       "b.toml:9: 'data' in [sensors.mux] gives 3 x 4 = 12 channels, but channel 13 is under b1"},
      {"data = [16, 20, '0021', 26]", "data = []", "b.toml:9: 'data' in [sensors.mux] has 0 lines; it needs 1 to 64"},
      {"data = [16, 20, '0021', 26]\n", "",
       "b.toml:6: 'data' in [sensors.mux] is missing; it must be a list of line names or offsets, or "
       "a range of offsets like \"0-15\""},
      {"['GPIO5', 'GPIO6']", "[1, 2, 3, 4, 5, 6, 7]", "b.toml:8: 'address' in [sensors.mux] has 7 lines; it needs 1 to 6"},
      {"['GPIO5', 'GPIO6']", "['GPIO5', 16]",
       "b.toml:9: line '16' of chip 'pinctrl-*' is used twice: for address line S1 (line 8) and "
       "for multiplexer 1 (line 9); each needs its own"},
      {"['GPIO5', 'GPIO6']", "['GPIO5', 'GPIO5']",
       "b.toml:8: line 'GPIO5' of chip 'pinctrl-*' is used twice: for address line S0 (line "
       "8) and for address line S1 (line 8); each needs its own"},
      {"data = ", "settle_us = 10001\ndata = ",
       "b.toml:9: 'settle_us' in [sensors.mux] is 10001; it must be a whole number from 0 to 10000"},
      {"data = ", "settle_us = 10000\ndata = ",
       "b.toml:6: 'scans_per_second' in [sensors.mux] is 200, but 4 addresses of 10000 us each allow 25"},
      {"data = ", "scans_per_second = 0\ndata = ",
       "b.toml:9: 'scans_per_second' in [sensors.mux] is 0; it must be a whole number from 1 to 1000"},
      {"data = ", "scans_per_second = 10\nidle_scans_per_second = 11\ndata = ",
       "b.toml:10: 'idle_scans_per_second' in [sensors.mux] is 11; it must not be above scans_per_second, which is 10"},
      {"data = ", "idle_after_ms = -1\ndata = ",
       "b.toml:9: 'idle_after_ms' in [sensors.mux] is -1; it must be a whole number from 0 to 3600000"},
      {"data = ", "setle_us = 10\ndata = ",
       "b.toml:9: 'setle_us' in [sensors.mux] is no known key; did you mean 'settle_us'?"},
      {"buttons = 0\n", "buttons = 0\ntrays = true\n", "b.toml:3: 'trays' is true, but sensor driver 'mux' has no trays"},
      {"[sensors.mux]\nchip = 'pinctrl-*'\naddress = ['GPIO5', 'GPIO6']\ndata = [16, 20, '0021', 26]\n", "",
       "b.toml:3: 'mux' in [sensors] is missing; driver 'mux' needs this table"},
      // lights
      {"kind = 'ws2812b'\n", "", "b.toml:13: 'kind' in [lights.spi] is missing; it can be: apa102, sk9822, ws2812b"},
      {"'ws2812b'", "'ws2811'", "b.toml:14: 'kind' in [lights.spi] is 'ws2811'; it can be: apa102, sk9822, ws2812b"},
      {"kind = ", "speed_hz = 4000000\nkind = ",
       "b.toml:14: 'speed_hz' in [lights.spi] is 4000000; for ws2812b it is always 2400000, so leave it out"},
      {"kind = 'ws2812b'", "speed_hz = 99999\nkind = 'apa102'",
       "b.toml:14: 'speed_hz' in [lights.spi] is 99999; it must be a whole number from 100000 to 32000000"},
      {"kind = ", "gamma = 0.9\nkind = ", "b.toml:14: 'gamma' in [lights.spi] is 0.9; it must be a number from 1 to 4"},
      {"kind = ", "limit_ma = 0\nkind = ",
       "b.toml:14: 'limit_ma' in [lights.spi] is 0; it must be a whole number from 100 to 20000"},
      {"kind = ", "device = 'spidev0.0'\nkind = ",
       "b.toml:14: 'device' in [lights.spi] is 'spidev0.0'; it must be an absolute path, one that begins with '/'"},
      {"kind = ", "channel = 10\nkind = ",
       "b.toml:14: 'channel' in [lights.spi] is no known key; it can be: device, kind, speed_hz, gamma, limit_ma"},
      {"[lights.spi]\nkind = 'ws2812b'\n", "", "b.toml:10: 'spi' in [lights] is missing; driver 'spi' needs this table"},
      {kLights, "", "b.toml:10: 'order' in [lights] is missing; it says the light of every cell"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.by);
    EXPECT_EQ(wrong(replaced(kMux, c.what, c.by)), c.problems());
  }
}

TEST(WiresProblem, OfABoardOnALink) {
  const Case cases[] = {
      {"", "", ""},
      {"'/dev/board'", "''", "b.toml:8: 'device' in [sensors.link] is ''; it must be an absolute path"},
      {"'/dev/board'", "'board'", "b.toml:8: 'device' in [sensors.link] is 'board'; it must be an absolute path"},
      {"'/dev/board'\n", "'/dev/board'\nbaud = 300\n",
       "b.toml:9: 'baud' in [sensors.link] is 300; it must be a whole number from 9600 to 3000000"},
      {"'/dev/board'\n", "'/dev/board'\nrevision = 70000\n",
       "b.toml:9: 'revision' in [sensors.link] is 70000; it must be a whole number from 0 to 65535"},
      {"'/dev/board'\n", "'/dev/board'\nlimit_ma = 99\n",
       "b.toml:9: 'limit_ma' in [sensors.link] is 99; it must be a whole number from 100 to 20000"},
      {"'/dev/board'\n", "'/dev/board'\ngamma = 0.5\n",
       "b.toml:9: 'gamma' in [sensors.link] is 0.5; it must be a number from 1 to 4"},
      {"'/dev/board'\n", "'/dev/board'\ndebounce_ms = 61\n",
       "b.toml:9: 'debounce_ms' in [sensors.link] is 61; it must be a whole number from 0 to 60"},
      {"'/dev/board'\n", "'/dev/board'\nspeed = 1\n", "b.toml:9: 'speed' in [sensors.link] is no known key"},
      {"13, 1]", "64, 1]", "b.toml:6: 'channels' in [sensors] go up to 64; a board on the link has 0 to 63"},
      {"[sensors.link]", "[sensors.mux]\nchip = 'c'\n[sensors.link]", "b.toml:7: "},
      {"driver = 'link'\nchannels", "driver = 'sim'\nchannels",
       "b.toml:7: |b.toml:10: 'driver' in [lights] is 'link', but sensor driver 'sim' has no lights of its own"},
      {"[lights]", "[button_lines]\nchip = 'c'\nlines = [1, 2]\n[lights]",
       "b.toml:9: 'button_lines' is for buttons on wires, but sensor driver 'link' has buttons of its own; take it out"},
      {"[lights]", "[buzzer]\nchip = 'c'\nline = 1\n[lights]",
       "b.toml:9: 'buzzer' is for a buzzer on a wire, but sensor driver 'link' has one of its own; take it out"},
      {"colour = true", "trays = true", "b.toml:2: 'trays' is true, but sensor driver 'link' has no trays"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.by);
    const std::vector<std::string> problems = wrong(replaced(kLink, c.what, c.by));
    const std::vector<std::string> expected = c.problems();
    ASSERT_EQ(problems.size(), expected.size()) << testing::PrintToString(problems);
    for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_THAT(problems[i], testing::StartsWith(expected[i]));
  }
}

TEST(WiresProblem, AllAreToldAtOnce) {
  EXPECT_THAT(wrong("buttons = 3\n"
                    "lattice = 3\n"
                    "[sensors]\n"
                    "driver = 'gpio'\n" +
                    kChannels +
                    "gpio = { bais = 'pull-up', lines = [ { chip = 'c', lines = [0, 0], first = 0 } ] }\n"
                    "[buzzer]\n"
                    "chip = 'c'\n"
                    "line = 1\n"
                    "active_low = 0\n"
                    "[lights]\n"
                    "driver = 'spi'\n" +
                    kLights + "spi = { kind = 'led' }\n"),
              ElementsAre(HasSubstr("b.toml:1: 'button_lines' is missing"),
                          AllOf(HasSubstr("b.toml:6: line '0' of chip 'c' is used twice"), HasSubstr("channel 1, under c1")),
                          HasSubstr("b.toml:6: channels 2 (c2), 3 (a2), 4 (b2), 5 (c3), 6 (a3) and 2 more have no line"),
                          HasSubstr("b.toml:6: 'bais' in [sensors.gpio] is no known key; did you mean 'bias'?"),
                          HasSubstr("b.toml:10: 'active_low' in [buzzer] must be true or false"),
                          HasSubstr("b.toml:14: 'kind' in [lights.spi] is 'led'")));
}

}  // namespace
}  // namespace merel
