// The debouncer as tables of time, site and reading, and what must come of them.
#include "daemon/board_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace merel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time ms(double value) { return Time(static_cast<std::int64_t>(value * 1000)); }

/// A board of three sites, 10, 11 and 12, the last one occupied; time goes on as a scanner would let it.
class Bench {
 public:
  explicit Bench(DebounceSettings settings = {}) : image_({10, 11, 12}, settings) {
    image_.assume(12, Contents::occupied());
  }

  void read(double at, Site site, bool occupied) {
    until(at);
    image_.feed({ms(at), static_cast<std::uint16_t>(site - 10), occupied ? Contents::occupied() : Contents::empty()});
    collect(ms(at));
  }
  /// Lets time pass, stopping wherever the image has something to do.
  void until(double at) {
    while (image_.deadline() && *image_.deadline() <= ms(at)) tick(*image_.deadline());
    tick(ms(at));
  }
  void tick(Time now) {
    for (const SiteChange& change : image_.tick(now)) {
      say(now, change.time, change.site, change.contents.is_empty() ? "." : "o");
    }
    collect(now);
  }
  [[nodiscard]] const std::vector<std::string>& said() const { return said_; }
  BoardImage& image() { return image_; }

 private:
  void collect(Time now) {
    for (const Fault& fault : image_.take_faults()) {
      say(now, fault.time, fault.site,
          fault.kind == FaultKind::flapping    ? "flapping"
          : fault.kind == FaultKind::recovered ? "recovered"
          : fault.kind == FaultKind::lost      ? "lost"
                                               : "stuck");
    }
  }
  /// `120 10 o at 100`: said at 120 ms, site 10 occupied since 100 ms.
  void say(Time now, Time when, Site site, const char* what) {
    std::ostringstream out;
    out << static_cast<double>(now.count()) / 1000 << ' ' << int{site} << ' ' << what << " at "
        << static_cast<double>(when.count()) / 1000;
    said_.push_back(out.str());
  }

  BoardImage image_;
  std::vector<std::string> said_;
};

struct Line {
  double at;
  Site site;
  char reading;
};
struct Table {
  std::string name;
  double hold;  ///< ms
  std::vector<Line> readings;
  std::vector<std::string> expected;
};
void PrintTo(const Table& table, std::ostream* out) { *out << table.name; }

class Debounce : public ::testing::TestWithParam<Table> {};

TEST_P(Debounce, ChangesThatHoldAreToldOnceWithTheTimeOfTheFirstContact) {
  DebounceSettings settings;
  settings.hold = ms(GetParam().hold);
  Bench bench(settings);
  for (const Line& line : GetParam().readings) bench.read(line.at, line.site, line.reading == 'o');
  bench.until(60000);
  EXPECT_EQ(bench.said(), GetParam().expected);
}

const std::vector<Line> kBouncing{{100, 10, 'o'}, {104, 10, '.'}, {109, 10, 'o'}, {110, 10, '.'}, {116, 10, 'o'}};

INSTANTIATE_TEST_SUITE_P(
    Image, Debounce,
    ::testing::Values(
        Table{"CleanContact", 12, {{100, 10, 'o'}}, {"112 10 o at 100"}},
        Table{"CleanLift", 12, {{100, 12, '.'}}, {"112 12 . at 100"}},
        Table{"LongerHold", 30, {{100, 10, 'o'}}, {"130 10 o at 100"}},
        Table{"NoHold", 0, {{100, 10, 'o'}}, {"100 10 o at 100"}}, Table{"Bounces", 12, kBouncing, {"128 10 o at 100"}},
        Table{"BouncesLongerHold", 40, kBouncing, {"156 10 o at 100"}},
        Table{"BouncesShorterHold", 3, kBouncing, {"103 10 o at 100", "107 10 . at 104", "119 10 o at 116"}},
        Table{"FlickerShorterThanTheHold", 12, {{100, 10, 'o'}, {111, 10, '.'}}, {}},
        Table{"FlickerOfALiftedPiece", 12, {{100, 12, '.'}, {105, 12, 'o'}}, {}},
        Table{"ManyFlickers",
              12,
              {{100, 10, 'o'}, {110, 10, '.'}, {200, 10, 'o'}, {210, 10, '.'}, {300, 10, 'o'}, {310, 10, '.'}},
              {}},
        Table{"FlickerAsLongAsTheHold", 12, {{100, 10, 'o'}, {112, 10, '.'}}, {"112 10 o at 100", "124 10 . at 112"}},
        Table{"FlickerLongerThanTheHold", 12, {{100, 10, 'o'}, {120, 10, '.'}}, {"112 10 o at 100", "132 10 . at 120"}},
        Table{"TheSameReadingAgain", 12, {{100, 10, 'o'}, {105, 10, 'o'}, {111, 10, 'o'}}, {"112 10 o at 100"}},
        Table{"WhatIsAlreadySo", 12, {{100, 12, 'o'}, {200, 10, '.'}}, {}},
        Table{"TwoSitesAtOnce", 12, {{100, 12, '.'}, {101, 10, 'o'}}, {"112 12 . at 100", "113 10 o at 101"}},
        Table{"ALongerBounceComesLaterButIsDatedEarlier",
              12,
              {{100, 10, 'o'}, {105, 11, 'o'}, {110, 10, '.'}, {115, 10, 'o'}},
              {"117 11 o at 105", "127 10 o at 100"}},
        Table{"LiftAndPutBack", 12, {{100, 12, '.'}, {900, 12, 'o'}}, {"112 12 . at 100", "912 12 o at 900"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(BoardImage, ChangesOfOneMomentComeInTheOrderOfTheirFirstContacts) {
  BoardImage image({10, 11, 12});
  image.feed({ms(102), 2, Contents::occupied()});
  image.feed({ms(103), 0, Contents::occupied()});
  image.feed({ms(104), 1, Contents::occupied()});
  std::vector<Site> order;
  for (const SiteChange& change : image.tick(ms(5000))) order.push_back(change.site);
  EXPECT_THAT(order, ElementsAre(12, 10, 11));
}

TEST(BoardImage, ATimeJumpTellsOnlyWhatStillStands) {
  BoardImage image({10, 11, 12});
  image.feed({ms(100), 0, Contents::occupied()});
  image.feed({ms(105), 1, Contents::occupied()});
  image.feed({ms(110), 1, Contents::empty()});
  const auto changes = image.tick(std::chrono::hours(24 * 400));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].site, 10);
  EXPECT_EQ(changes[0].time, ms(100));
  EXPECT_EQ(image.deadline(), std::nullopt);
  EXPECT_TRUE(image.tick(std::chrono::hours(24 * 401)).empty());
}

TEST(BoardImage, AMinuteOfSilenceIsSilent) {
  Bench bench;
  bench.read(100, 10, true);
  bench.until(200);
  const std::size_t before = bench.said().size();
  EXPECT_EQ(bench.image().deadline(), std::nullopt);
  for (double now = 200; now < 60200; now += 1) bench.tick(ms(now));
  EXPECT_EQ(bench.said().size(), before);
  EXPECT_FALSE(bench.image().contents(10).is_empty());
}

TEST(BoardImage, TheResultDoesNotDependOnHowOftenTimeIsLetPass) {
  std::vector<std::vector<Time>> seen;
  for (const double pace : {0.1, 1.0, 3.7, 10.0, 1000.0}) {
    BoardImage image({10, 11, 12});
    std::vector<Time> times;
    const std::vector<Line> readings{{100, 10, 'o'},  {104, 10, '.'},  {108, 10, 'o'},
                                     {1500, 11, 'o'}, {1509, 11, '.'}, {3100, 10, '.'}};
    double now = 0;
    for (const Line& line : readings) {
      for (; now < line.at; now += pace) {
        for (const SiteChange& change : image.tick(ms(now))) times.push_back(change.time);
      }
      for (const SiteChange& change : image.tick(ms(line.at))) times.push_back(change.time);
      image.feed({ms(line.at), static_cast<std::uint16_t>(line.site - 10),
                  line.reading == 'o' ? Contents::occupied() : Contents::empty()});
    }
    for (const SiteChange& change : image.tick(ms(9000))) times.push_back(change.time);
    seen.push_back(times);
  }
  for (const auto& times : seen) EXPECT_THAT(times, ElementsAre(ms(100), ms(3100)));
}

TEST(BoardImage, ColoursAreContentsOfTheirOwn) {
  BoardImage image({10});
  image.feed({ms(100), 0, Contents::piece(0)});
  ASSERT_EQ(image.tick(ms(200)).size(), 1U);
  image.feed({ms(300), 0, Contents::piece(1)});
  const auto changes = image.tick(ms(400));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].contents, Contents::piece(1));
}

TEST(BoardImage, ChannelsWithoutASiteAreSkipped) {
  BoardImage image({10, kNoSite});
  image.feed({ms(100), 1, Contents::occupied()});
  image.feed({ms(100), 7, Contents::occupied()});
  EXPECT_EQ(image.deadline(), std::nullopt);
  EXPECT_TRUE(image.tick(ms(1000)).empty());
}

TEST(BoardImage, WhatIsAssumedIsNotTold) {
  BoardImage image({10, 11});
  image.assume(11, Contents::occupied());
  EXPECT_FALSE(image.contents(11).is_empty());
  EXPECT_TRUE(image.tick(ms(1000)).empty());
}

/// Site 10 toggles at this pace, and ends empty.
void toggle(Bench& bench, double from, double to, double pace) {
  bool occupied = true;
  for (double now = from; now < to; now += pace, occupied = !occupied) bench.read(now, 10, occupied);
  if (!occupied) bench.read(to, 10, false);
}

class FlappingSite : public ::testing::TestWithParam<int> {};

TEST_P(FlappingSite, IsReportedOnceAndRecoversWhenItHasBeenQuiet) {
  Bench bench;
  toggle(bench, 1000, 9000, GetParam());
  EXPECT_TRUE(bench.image().flapping(10));
  EXPECT_FALSE(bench.image().flapping(11));
  bench.until(9000 + 4900);
  EXPECT_TRUE(bench.image().flapping(10)) << "not trusted before it has been quiet for long enough";
  bench.until(30000);
  EXPECT_FALSE(bench.image().flapping(10));
  const auto count = [&](const std::string& what) {
    return std::count_if(bench.said().begin(), bench.said().end(),
                         [&](const std::string& line) { return line.find(what) != std::string::npos; });
  };
  EXPECT_EQ(count("10 flapping"), 1);
  EXPECT_EQ(count("10 recovered"), 1);
  bench.read(31000, 10, true);
  bench.until(32000);
  EXPECT_EQ(bench.said().back(), "31012 10 o at 31000");
}

// Milliseconds from toggle to toggle, below and above the hold.
INSTANTIATE_TEST_SUITE_P(Image, FlappingSite, ::testing::Values(1, 5, 11, 15, 25, 40, 80),
                         ::testing::PrintToStringParamName());

// Short rests in between, each of them long enough to count and ending where it began, do not hide it.
TEST(BoardImage, ASiteFlapsThoughItRestsNowAndThen) {
  Bench bench;
  for (double now = 1000; now < 6000; now += 60) {
    bench.read(now, 10, true);
    bench.read(now + 8, 10, false);
  }
  bench.until(6100);
  EXPECT_TRUE(bench.image().flapping(10));
}

TEST(BoardImage, OthersAreHeardWhileOneFlaps) {
  Bench bench;
  toggle(bench, 1000, 4000, 5);
  bench.read(4000, 12, false);
  bench.until(4100);
  EXPECT_EQ(bench.said().back(), "4012 12 . at 4000");
}

TEST(BoardImage, HandsDoNotFlap) {
  Bench bench;
  for (double now = 1000; now < 60000; now += 600) {  // a restless child: three changes a second, each with its bounces
    bench.read(now, 10, true);
    bench.read(now + 4, 10, false);
    bench.read(now + 9, 10, true);
    bench.read(now + 300, 10, false);
    bench.read(now + 303, 10, true);
    bench.read(now + 307, 10, false);
  }
  bench.until(70000);
  EXPECT_FALSE(bench.image().flapping(10));
  EXPECT_EQ(std::count_if(bench.said().begin(), bench.said().end(),
                          [](const std::string& line) { return line.find("flapping") != std::string::npos; }),
            0);
}

TEST(BoardImage, WhatChangedWhileItFlappedIsToldWhenItRecovers) {
  Bench bench;
  toggle(bench, 1000, 4000, 5);
  bench.read(4001, 10, true);
  bench.until(20000);
  EXPECT_THAT(bench.said(), ElementsAre("2500 10 flapping at 2500", "9001 10 o at 4001", "9001 10 recovered at 9001"));
}

TEST(LostChannel, IsSilentAndWhatItReadsWhenItIsHeardAgainCounts) {
  Bench bench;
  bench.image().lose(0, true, ms(1000));
  bench.image().lose(2, true, ms(1000));
  bench.read(1500, 10, true);  // what its source tells as it comes back
  bench.until(20000);
  EXPECT_THAT(bench.said(), ElementsAre("1500 10 lost at 1000", "1500 12 lost at 1000"));
  bench.image().lose(0, false, ms(20000));
  bench.image().lose(2, false, ms(20000));
  bench.until(30000);
  EXPECT_THAT(bench.said(), ElementsAre("1500 10 lost at 1000", "1500 12 lost at 1000", "20012 10 o at 20000",
                                        "20012 10 recovered at 20012", "20012 12 recovered at 20012"));
}

TEST(LostChannel, ForgetsTheContactThatWasGoingOn) {
  Bench bench;
  bench.read(1000, 10, true);
  bench.image().lose(0, true, ms(1005));
  bench.until(5000);
  EXPECT_THAT(bench.said(), ElementsAre("5000 10 lost at 1005"));
  EXPECT_EQ(bench.image().deadline(), std::nullopt);
}

}  // namespace
}  // namespace merel
