// How lines are looked up by the names of a profile, and what is said when they cannot be had.
#include "drivers/gpio/line_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpio/made_up_chip.h"

namespace merel {
namespace {

using Kind = LineTrouble::Kind;
using testing::AllOf;
using testing::HasSubstr;

TEST(LineFinder, ChipsGoByLabelNameOrDeviceAndLinesByNameOrOffset) {
  MadeUpMachine machine;
  machine.add("pinctrl-bcm2711", "fe200000.gpio", "GPIO", 28);
  machine.add("mcp23017", "1-0020", "", 16);
  machine.add("mcp23017", "1-0021", "", 16);
  const LineFinder finder(machine.list()());

  struct Case {
    LineName name;
    std::size_t chip;
    unsigned offset;
  };
  const Case found[] = {
      {{"pinctrl-*", "GPIO17"}, 0, 17},
      {{"pinctrl-bcm2711", "3"}, 0, 3},
      {{"gpiochip0", "GPIO0"}, 0, 0},
      {{"fe200000.gpio", "27"}, 0, 27},
      {{"", "GPIO5"}, 0, 5},
      {{"1-0021", "15"}, 2, 15},
  };
  for (const Case& c : found) {
    const auto line = finder.find(c.name);
    ASSERT_TRUE(line) << c.name.chip << " " << c.name.line;
    EXPECT_EQ(line->chip, c.chip);
    EXPECT_EQ(line->offset, c.offset);
  }
  const std::pair<LineName, Kind> missing[] = {
      {{"1-0022", "0"}, Kind::no_chip},         {{"", "GPIO99"}, Kind::no_chip},   {{"mcp23017", "3"}, Kind::many_chips},
      {{"pinctrl-*", "GPIO28"}, Kind::no_line}, {{"1-0020", "16"}, Kind::no_line},
  };
  for (const auto& [name, kind] : missing) {
    const auto line = finder.find(name);
    ASSERT_FALSE(line) << name.chip << " " << name.line;
    EXPECT_EQ(line.error().kind, kind) << name.chip << " " << name.line;
  }
}

TEST(LineFinder, AChipThatMayNotBeOpenedIsForbiddenAndNotMissing) {
  const LineFinder finder({{"gpiochip0", "/dev/gpiochip0", "fe200000.gpio", "", EACCES, nullptr}});
  const auto line = finder.find({"gpiochip0", "4"});
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().kind, Kind::forbidden);
}

TEST(LineTrouble, SaysWhatIsWrongWhereAndWhatToDo) {
  struct Case {
    LineTrouble trouble;
    std::vector<const char*> parts;
  };
  const Case cases[] = {
      {{Kind::no_chip, {"1-0022", "3"}, "", "", 0},
       {"expander at I2C bus 1, address 0x22 is missing", "dtparam=i2c_arm=on", "dtoverlay=mcp23017,addr=0x22,gpiopin=24"}},
      {{Kind::no_chip, {"1-0027", "3"}, "", "", 0}, {"dtoverlay=mcp23017,addr=0x27,gpiopin=PIN"}},
      {{Kind::no_chip, {"abc", "3"}, "", "", 0}, {"no GPIO chip 'abc'", "gpiodetect"}},
      {{Kind::no_chip, {"", "GPIO99"}, "", "", 0}, {"No GPIO chip has a line 'GPIO99'", "gpioinfo"}},
      {{Kind::many_chips, {"mcp23017", "3"}, "", "", 0}, {"Several GPIO chips fit 'mcp23017'", "1-0020"}},
      {{Kind::no_line, {"1-0020", "16"}, "gpiochip2 (mcp23017)", "", 0}, {"no line '16' of gpiochip2", "gpioinfo"}},
      {{Kind::forbidden, {"x", "3"}, "gpiochip0 (x)", "", 0},
       {"gpiochip0 (x) may not be opened", "sudo adduser merel gpio"}},
      {{Kind::busy, {"x", "3"}, "gpiochip0 (x)", "fan", 0}, {"The line '3' of gpiochip0 (x) is in use by 'fan'"}},
      {{Kind::busy, {"x", "3"}, "gpiochip0 (x)", "", 0}, {"in use by a driver of the kernel", "config.txt"}},
      {{Kind::no_edges, {"x", "3"}, "gpiochip0 (x)", "", 0}, {"cannot tell edges", "gpiopin=", "scans_per_second"}},
      {{Kind::silent, {"x", "3"}, "gpiochip0 (x)", "", EREMOTEIO}, {"does not answer", "plug"}},
      {{Kind::other, {"x", "3"}, "gpiochip0 (x)", "", EINVAL}, {"The line '3' of gpiochip0 (x)", "Invalid argument"}},
  };
  for (const Case& c : cases) {
    for (const char* part : c.parts) EXPECT_THAT(c.trouble.sentence(), HasSubstr(part));
    EXPECT_EQ(c.trouble.sentence().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace merel
