#include "firmware/core/link_lost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace merel::firmware {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

std::vector<std::size_t> lit(std::size_t lights, std::size_t lattice, Time since) {
  std::vector<Rgb> colours(lights, Rgb{1, 2, 3});
  link_lost::show(colours, lattice, since);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < lights; ++i) {
    if (colours[i] == link_lost::kColour) {
      out.push_back(i);
    } else {
      EXPECT_EQ(colours[i], Rgb{}) << "whatever was shown before is gone";
    }
  }
  return out;
}

TEST(LinkLostTest, FlashesTwiceAtTheCorners) {
  EXPECT_THAT(lit(49, 7, Time{}), ElementsAre(0, 6, 42, 48));
  EXPECT_THAT(lit(49, 7, milliseconds(80)), ElementsAre());
  EXPECT_THAT(lit(49, 7, milliseconds(240)), ElementsAre(0, 6, 42, 48));
  EXPECT_THAT(lit(49, 7, milliseconds(320)), ElementsAre());
  EXPECT_THAT(lit(49, 7, milliseconds(1'999)), ElementsAre());
  EXPECT_THAT(lit(49, 7, milliseconds(20'000)), ElementsAre(0, 6, 42, 48));
}

TEST(LinkLostTest, ManagesWithAnyNumberOfLights) {
  EXPECT_THAT(lit(3, 7, Time{}), ElementsAre(0, 2));
  EXPECT_THAT(lit(1, 7, Time{}), ElementsAre(0));
  EXPECT_THAT(lit(4, 0, Time{}), ElementsAre(0, 3));
  EXPECT_THAT(lit(0, 7, Time{}), ElementsAre());
}

TEST(LinkLostTest, ChangesWhenItSays) {
  Time since{};
  bool before = link_lost::lit(since);
  for (int i = 0; i < 20; ++i) {
    const Time next = link_lost::next_change(since);
    ASSERT_GT(next, since);
    for (Time at = since; at < next; at += milliseconds(1)) ASSERT_EQ(link_lost::lit(at), before);
    ASSERT_NE(link_lost::lit(next), before);
    before = link_lost::lit(next);
    since = next;
  }
}

}  // namespace
}  // namespace merel::firmware
