#include "rules/options.h"

#include <gtest/gtest.h>

#include <string>

namespace merel {
namespace {

constexpr std::string_view kColours[] = {"W", "B"};
constexpr std::string_view kOff[] = {"off"};
constexpr OptionSpec kSpecs[] = {
    {"first", kColours, false, "who begins"},
    {"repetition", kOff, true, "a draw when a position occurs so often"},
};

TEST(Options, WhatIsNotSetHasItsDefault) {
  const Options options(kSpecs);
  EXPECT_EQ(options.get("first"), "W");
  EXPECT_TRUE(options.is("first", "W"));
  EXPECT_FALSE(options.changed("first"));
  EXPECT_EQ(options.get("repetition"), "off");
  EXPECT_EQ(options.number("repetition"), 0);
}

TEST(Options, SettingKeepsWordsAndNumbers) {
  Options options(kSpecs);
  ASSERT_TRUE(options.set("first=B").ok());
  ASSERT_TRUE(options.set("repetition", "3").ok());
  EXPECT_TRUE(options.is("first", "B") && !options.is("first", "W") && options.changed("first"));
  EXPECT_EQ(options.get("repetition"), "3");
  EXPECT_EQ(options.number("repetition"), 3);
  EXPECT_FALSE(options.is("repetition", "off"));
  ASSERT_TRUE(options.set("repetition=off").ok());
  EXPECT_EQ(options.number("repetition"), 0);
  EXPECT_FALSE(options.changed("repetition"));
}

TEST(Options, RefusedPairChangesNothingAndNamesWhatWouldBeRight) {
  const struct {
    std::string_view pair;
    std::string_view named;  ///< must occur in the message
  } cases[] = {
      {"", "key=value"},
      {"first", "key=value"},
      {"second=W", "first, repetition"},
      {"first=", "W, B"},
      {"first=w", "W, B"},
      {"first=2", "W, B"},
      {"=W", "first, repetition"},
      {"repetition=", "2 to 99"},
      {"repetition=1", "2 to 99"},
      {"repetition=100", "2 to 99"},
      {"repetition=03", "2 to 99"},
      {"repetition=3x", "2 to 99"},
      {"repetition=-3", "2 to 99"},
      {"repetition=99999999999999999999", "2 to 99"},
  };
  for (const auto& c : cases) {
    Options options(kSpecs);
    const auto set = options.set(c.pair);
    ASSERT_FALSE(set.ok()) << c.pair;
    EXPECT_NE(set.error().message.find(c.named), std::string::npos) << set.error().message;
    EXPECT_TRUE(options == Options(kSpecs)) << c.pair;
  }
}

TEST(Options, UnknownKeyHasNoValue) {
  const Options options(kSpecs);
  EXPECT_FALSE(options.is("second", ""));
  EXPECT_FALSE(options.changed("second"));
  EXPECT_EQ(options.number("second"), 0);
}

}  // namespace
}  // namespace merel
