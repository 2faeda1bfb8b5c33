#include "drivers/spi/spi_lights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <cerrno>
#include <thread>

#include "drivers/spi/led_frame.h"
#include "tests/spi/scripted_spi.h"

namespace merel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;
using Bytes = ScriptedSpi::Bytes;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Lamp kRed{{255, 0, 0}, Effect::solid};
constexpr Lamp kGreen{{0, 255, 0}, Effect::solid};
constexpr Lamp kBlue{{0, 0, 255}, Effect::solid};
constexpr std::size_t kLights = 49;

/// Lights on a scripted device, with a loop that runs when the test says so.
class House {
 public:
  explicit House(LedKind kind = LedKind::apa102, std::size_t lights = kLights) : lights_(lights) { wiring_.kind = kind; }
  ~House() { device.hang(false); }

  void open() {
    sink = make_spi_lights(loop, clock, wiring_, lights_, device.opener());
    sink->on_trouble([this](const std::string& sentence) {
      told.push_back(sentence);
      teller = std::this_thread::get_id();
    });
  }

  void show(const std::vector<Lamp>& lamps) { sink->show(lamps); }
  [[nodiscard]] Bytes frame_of(const std::vector<Lamp>& lamps) const {
    std::vector<Rgb> colours;
    colours.reserve(lamps.size());
    for (const Lamp& lamp : lamps) colours.push_back(lamp.colour);
    LedFrame frame(wiring_, lights_);
    const auto bytes = frame.encode(colours);
    return {bytes.begin(), bytes.end()};
  }
  /// Runs the loop for a time; how often it was woken.
  std::size_t run(milliseconds time) { return loop.run_for(time); }
  template <class Done>
  [[nodiscard]] bool run_until(Done&& done) {
    const auto end = Steady::now() + seconds(10);
    while (!done() && Steady::now() < end) run(milliseconds(2));
    return done();
  }

  ScriptedSpi device;
  boost::asio::io_context loop;
  LoopClock clock;
  std::shared_ptr<LightSink> sink;
  std::vector<std::string> told;
  std::thread::id teller;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{loop.get_executor()};
  SpiWiring wiring_;
  std::size_t lights_;
};

TEST(SpiLights, ShowAPictureAndGoDarkAtTheEnd) {
  for (const LedKind kind : {LedKind::apa102, LedKind::ws2812b}) {
    House house(kind);
    house.open();
    house.show({kRed, kGreen});
    ASSERT_TRUE(house.device.wait_for_transfers(1));
    house.sink.reset();
    EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({kRed, kGreen}), house.frame_of({})));
  }
}

TEST(SpiLights, AreDarkOnceWhenTheyWereDarkAlready) {
  House house;
  house.open();
  house.show({kRed});
  ASSERT_TRUE(house.device.wait_for_transfers(1));
  house.show({});
  house.sink.reset();
  EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({kRed}), house.frame_of({})));
}

TEST(SpiLights, PutOutWhatAnEarlierLifeLeftLit) {
  House house;
  house.open();
  house.sink.reset();
  EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({})));
}

TEST(SpiLights, SendNothingTwiceAndWakeNobodyForAStillPicture) {
  House house;
  house.open();
  house.show({kRed, kGreen});
  ASSERT_TRUE(house.device.wait_for_transfers(1));
  EXPECT_EQ(house.run(milliseconds(300)), 0U);
  for (int i = 0; i < 10; ++i) house.show({kRed, kGreen});
  EXPECT_EQ(house.run(milliseconds(300)), 0U);
  EXPECT_EQ(house.device.tried(), 1U);
  EXPECT_EQ(house.device.opened(), 1U);
}

TEST(SpiLights, AnimateOnlyAsLongAsSomethingDoes) {
  House house;
  house.open();
  const Lamp blinking{{255, 0, 0}, Effect::blink_4hz};
  house.show({blinking});
  const std::size_t wakes = house.run(milliseconds(1'050));
  EXPECT_GE(wakes, 4U);
  EXPECT_LE(wakes, 9U) << "eight switches a second and nothing else";
  house.show({{{255, 0, 0}, Effect::breathing}});
  EXPECT_GT(house.run(milliseconds(500)), 8U) << "but for a busy machine 30";
  house.show({kRed});
  house.run(milliseconds(20));  // the end of the last deadline
  EXPECT_EQ(house.run(milliseconds(300)), 0U);
}

TEST(SpiLights, ShowAWaveThatEndsAndAreStill) {
  House house;
  house.open();
  house.show({{{200, 0, 0}, Effect::wave_then_solid}});
  house.run(milliseconds(900));
  EXPECT_EQ(house.run(milliseconds(200)), 0U);
  ASSERT_GT(house.device.tried(), 10U);
  EXPECT_EQ(house.device.sent().back(), house.frame_of({{{200, 0, 0}, Effect::solid}}));
}

TEST(SpiLights, TellOfEachTroubleAndOfItsEndOnceAndShowTheLastPictureThen) {
  House house;
  house.device.fail_to_open(ENOENT);
  house.open();
  house.show({kRed});
  ASSERT_TRUE(house.run_until([&] { return house.device.opened() >= 4; }));
  house.show({kGreen});
  house.show({kBlue});
  house.run(milliseconds(20));
  EXPECT_THAT(house.told, ElementsAre(HasSubstr("dtparam=spi=on")));
  EXPECT_EQ(house.teller, std::this_thread::get_id());

  house.device.fail_to_open(0);
  ASSERT_TRUE(house.run_until([&] { return house.told.size() > 1; }));
  EXPECT_THAT(house.told, ElementsAre(HasSubstr("dtparam=spi=on"), ""));
  EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({kBlue})));

  house.told.clear();
  house.device.next({{EIO}, {ESHUTDOWN}});
  house.show({kRed});
  ASSERT_TRUE(house.run_until([&] { return house.device.sent().size() == 2 && house.told.size() == 3; }));
  EXPECT_THAT(house.told, ElementsAre(HasSubstr("(Input/output error)"), HasSubstr("shutdown"), ""));
  EXPECT_EQ(house.device.sent().back(), house.frame_of({kRed}));
}

TEST(SpiLights, TryAgainSoonAndThenLessAndLessOften) {
  House house;
  house.device.fail_always(EIO);
  house.open();
  house.show({kRed});
  house.run(milliseconds(1'000));
  // At 0, 10, 30, 70, 150, 310, 630 and 1270 ms.
  EXPECT_GE(house.device.tried(), 5U);
  EXPECT_LE(house.device.tried(), 7U);
  EXPECT_EQ(house.device.opened(), house.device.tried());
  EXPECT_EQ(house.told.size(), 1U);
}

TEST(SpiLights, AnimateNothingThatNobodySees) {
  House house;
  house.device.fail_to_open(ENOENT);
  house.open();
  house.show({{{255, 0, 0}, Effect::breathing}});
  ASSERT_TRUE(house.run_until([&] { return house.told.size() == 1; }));
  EXPECT_LE(house.run(milliseconds(500)), 10U);
  house.device.fail_to_open(0);
  ASSERT_TRUE(house.run_until([&] { return house.told.size() == 2; }));
  EXPECT_GT(house.run(milliseconds(500)), 8U) << "but for a busy machine 30";
}

TEST(SpiLights, AskForALongerTransferOnceAndDoNotKeepTrying) {
  House house(LedKind::ws2812b, 500);  // 4597 bytes
  house.open();
  house.show({kRed});
  ASSERT_TRUE(house.run_until([&] { return !house.told.empty(); }));
  house.run(milliseconds(200));
  house.show({kGreen});
  house.run(milliseconds(200));
  EXPECT_THAT(house.told, ElementsAre(HasSubstr("spidev.bufsiz=8192")));
  EXPECT_EQ(house.device.opened(), 2U);
  EXPECT_EQ(house.device.tried(), 0U);
}

TEST(SpiLights, EndPromptlyWhenTheDeviceIsGone) {
  House house;
  house.device.fail_to_open(ENOENT);
  house.open();
  house.show({kRed});
  ASSERT_TRUE(house.run_until([&] { return house.device.opened() >= 7; })) << "a wait of more than half a second is on";
  const auto began = Steady::now();
  house.sink.reset();
  EXPECT_LT(Steady::now() - began, milliseconds(200));
  house.run(milliseconds(20));  // handlers of timers that are no more
  EXPECT_EQ(house.run(milliseconds(700)), 0U) << "nothing is left on the loop";
}

TEST(SpiLights, GoDarkAtTheEndWhenTheDeviceHasJustComeBack) {
  House house;
  house.device.fail_to_open(ENOENT);
  house.open();
  house.show({kRed});
  ASSERT_TRUE(house.run_until([&] { return house.device.opened() >= 5; }));
  house.device.fail_to_open(0);
  house.sink.reset();
  ASSERT_FALSE(house.device.sent().empty());
  EXPECT_EQ(house.device.sent().back(), house.frame_of({}));
}

TEST(SpiLights, DoNotWaitForAHangingBusAndShowTheLatestPictureAfterIt) {
  House house;
  house.open();
  house.device.hang(true);
  house.show({kRed});
  ASSERT_TRUE(house.device.wait_for_hanging());
  const auto began = Steady::now();
  for (std::uint8_t i = 1; i <= 100; ++i) house.show({{{i, 0, 0}, Effect::solid}});
  house.show({kGreen});
  EXPECT_LT(Steady::now() - began, seconds(2)) << "it would hang for ever";
  house.device.hang(false);
  ASSERT_TRUE(house.device.wait_for_transfers(2));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({kRed}), house.frame_of({kGreen})));
  EXPECT_NE(house.device.thread(), std::this_thread::get_id());
}

/// Shows pictures until one goes out on that thread, or does not.
bool shown_by_us(House& house, bool wanted) {
  bool by_us = !wanted;
  for (std::uint8_t i = 150; i < 255 && by_us != wanted; ++i) {
    const std::size_t before = house.device.tried();
    house.show({{{0, i, 0}, Effect::solid}});
    if (!house.device.wait_for_transfers(before + 1)) return false;
    by_us = house.device.thread() == std::this_thread::get_id();
    house.run(milliseconds(1));
  }
  return by_us == wanted;
}

TEST(SpiLights, SendAPictureAtOnceWhileTransfersAreQuickAndLeaveAnimationsToTheThread) {
  House house;
  house.open();
  EXPECT_TRUE(shown_by_us(house, true)) << "the first transfer must have told that the bus is quick";
  house.show({{{255, 0, 0}, Effect::breathing}});
  const std::size_t before = house.device.tried();
  ASSERT_TRUE(house.run_until([&] { return house.device.tried() >= before + 3; }));
  EXPECT_NE(house.device.thread(), std::this_thread::get_id());
}

TEST(SpiLights, LeaveABusThatHasStalledOrFailedToTheThreadUntilItIsWellAgain) {
  House house;
  house.open();
  ASSERT_TRUE(shown_by_us(house, true));
  house.device.hang(true);
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(30));
    house.device.hang(false);
  });
  house.show({kRed});
  later.join();
  std::size_t before = house.device.tried();
  house.show({kGreen});
  ASSERT_TRUE(house.device.wait_for_transfers(before + 1));
  EXPECT_NE(house.device.thread(), std::this_thread::get_id()) << "it has stalled once";
  ASSERT_TRUE(shown_by_us(house, true));

  house.device.next({{EIO}});
  before = house.device.tried();
  house.show({kBlue});
  ASSERT_TRUE(house.device.wait_for_transfers(before + 2));
  EXPECT_NE(house.device.thread(), std::this_thread::get_id()) << "it has failed once";
  EXPECT_EQ(house.device.sent().back(), house.frame_of({kBlue}));
}

TEST(SpiLights, DoNotSendWhatIsOnTheWireAgainAfterADetour) {
  House house;
  house.open();
  house.device.hang(true);
  house.show({kRed});
  ASSERT_TRUE(house.device.wait_for_hanging());
  house.show({kGreen});
  house.show({kRed});
  house.device.hang(false);
  ASSERT_TRUE(house.device.wait_for_transfers(1));
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_THAT(house.device.sent(), ElementsAre(house.frame_of({kRed})));
}

TEST(SpiLights, KeepAnimatingWhenTheClockIsHeld) {
  House house;
  house.open();
  house.clock.hold(seconds(0));  // long past for the loop, and it stands still
  house.show({{{255, 0, 0}, Effect::blink_4hz}});
  ASSERT_TRUE(house.run_until([&] { return house.device.tried() >= 3; }));
  EXPECT_LE(house.run(milliseconds(300)), 5U) << "no faster than in real time";
}

TEST(SpiLights, OutliveAListenerAndALoopThatHasStopped) {
  House house;
  house.device.fail_to_open(EACCES);
  house.open();
  house.show({kRed});
  house.sink.reset();
  house.run(milliseconds(20));
  EXPECT_TRUE(house.told.empty()) << "nobody is told after the end";
}

}  // namespace
}  // namespace merel
