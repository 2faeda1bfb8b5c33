#include "firmware/core/debouncer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace merel::firmware {
namespace {

struct DebounceCase {
  const char* name;
  std::uint16_t hold;
  std::string reads;       ///< a letter a scan, from scan 0
  std::string settles;     ///< the same length: the letter it settles on in that scan, or a dot
  std::vector<int> since;  ///< of each of those
};

class DebouncerTest : public ::testing::TestWithParam<DebounceCase> {};

TEST_P(DebouncerTest, Settles) {
  const DebounceCase& each = GetParam();
  Debouncer<char, 2> debouncer;
  debouncer.hold(each.hold);
  std::string settles;
  std::vector<int> since;
  for (std::uint32_t scan = 0; scan < each.reads.size(); ++scan) {
    const char read = each.reads[scan] == '.' ? '\0' : each.reads[scan];
    EXPECT_FALSE(debouncer.feed(0, '\0', scan)) << "the other input is its own";
    if (debouncer.feed(1, read, scan)) {
      const auto [value, first] = debouncer.settled(1);
      settles += value == '\0' ? '0' : value;
      since.push_back(static_cast<int>(first));
    } else {
      settles += '.';
    }
  }
  EXPECT_EQ(settles, each.settles);
  EXPECT_EQ(since, each.since);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DebouncerTest,
    ::testing::Values(DebounceCase{"Clean", 5, "..aaaaaaaa", ".......a..", {2}},
                      DebounceCase{"TooShort", 5, "..aaaa.........", "...............", {}},
                      DebounceCase{"ExactlyLongEnough", 5, "..aaaaaa........", ".......a.....0..", {2, 8}},
                      DebounceCase{"BouncesCountFromTheFirstContact", 3, ".a.a.aaaaa.", "........a..", {1}},
                      DebounceCase{"ThroughAnotherClass", 3, ".bbaaaaaaa", "......a...", {1}},
                      DebounceCase{"AnotherClassDirectly", 2, "aaaabbbb", "..a...b.", {0, 4}},
                      DebounceCase{"QuietForgetsTheFirstContact", 3, ".a......aaaaa", "...........a.", {8}},
                      DebounceCase{"WithoutDebounce", 0, ".a.ab", ".a0ab", {1, 2, 3, 4}}),
    [](const auto& each) { return each.param.name; });

TEST(DebouncerTest, RestlessWhileSomethingMoves) {
  Debouncer<bool, 1> debouncer;
  debouncer.hold(3);
  const std::string reads = ".x.......xxxxxx";
  const std::string restless = ".xxxx....xxx...";
  for (std::uint32_t scan = 0; scan < reads.size(); ++scan) {
    debouncer.feed(0, reads[scan] == 'x', scan);
    EXPECT_EQ(debouncer.restless(0), restless[scan] == 'x') << scan;
  }
}

TEST(DebouncerTest, CountsOnWhenScansWrap) {
  Debouncer<bool, 1> debouncer;
  std::uint32_t scan = 0xFFFF'FFFD;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(debouncer.feed(0, true, scan++)) << i;
  EXPECT_TRUE(debouncer.feed(0, true, scan));
}

}  // namespace
}  // namespace merel::firmware
