// Buttons and buzzer of board B. What a press means within a turn is in the whole games (Pylos).
#include <gtest/gtest.h>

#include <thread>

#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using std::chrono::milliseconds;

class ButtonLinesOfBoardB : public ::testing::Test {
 protected:
  void hold(std::initializer_list<std::uint8_t> buttons, milliseconds time) {
    for (const std::uint8_t button : buttons) header_.button(button, true);
    std::this_thread::sleep_for(time);
    for (const std::uint8_t button : buttons) header_.button(button, false);
    std::this_thread::sleep_for(milliseconds(100));
  }
  /// How long the buzzer sounds within that time.
  milliseconds sounding(milliseconds time) {
    constexpr milliseconds kStep{5};
    milliseconds sum{};
    for (milliseconds at{}; at < time; at += kStep) {
      if (header_.buzzer()) sum += kStep;
      std::this_thread::sleep_for(kStep);
    }
    return sum;
  }
  [[nodiscard]] Json state() const { return table_.get("/api/state"); }
  void begin_morris() {
    table_.post("/api/game", {{"game", "morris"}});
    ASSERT_EQ(table_.wait_for("/api/state", [](const Json& now) { return now.at("phase") == "play"; }).at("phase"), "play");
  }

  Header header_;
  SwitchLines wires_;
  SpiStub lights_;
  Table table_{{"lattice7-expander", {}}};
};

TEST_F(ButtonLinesOfBoardB, APressIsNoMove) {
  begin_morris();
  const Json before = state().at("game").at("steps");
  for (std::uint8_t button = 0; button < 4; ++button) hold({button}, milliseconds(80));
  const Json after = state();
  EXPECT_EQ(after.at("game").at("steps"), before);
  EXPECT_EQ(after.at("phase"), "play");
}

TEST_F(ButtonLinesOfBoardB, OneHeldForThreeSecondsBeginsTheConfiguredGame) {
  hold({1}, milliseconds(2800));
  EXPECT_EQ(state().at("phase"), "idle");
  hold({1}, milliseconds(3100));
  EXPECT_EQ(table_.wait_for("/api/state", [](const Json& now) { return now.at("phase") == "play"; }).at("game").at("game"),
            "morris");
}

TEST_F(ButtonLinesOfBoardB, BothHeldForThreeSecondsAgreeOnADraw) {
  begin_morris();
  hold({0, 1}, milliseconds(3200));
  const Json over = state();
  EXPECT_EQ(over.at("phase"), "over");
  EXPECT_EQ(over.at("game").at("closing"), "agreed_draw");
}

TEST_F(ButtonLinesOfBoardB, BothHeldForEightSecondsAbortTheGame) {
  begin_morris();
  hold({0, 1}, milliseconds(8200));
  EXPECT_EQ(state().at("game").at("closing"), "aborted");
}

TEST_F(ButtonLinesOfBoardB, BouncesOfAFewMillisecondsAreNoPress) {
  begin_morris();
  const double events = state().at("game").at("event").get<double>();
  for (int bounce = 0; bounce < 5; ++bounce) {
    header_.button(0, true);
    std::this_thread::sleep_for(milliseconds(3));
    header_.button(0, false);
    std::this_thread::sleep_for(milliseconds(3));
  }
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(state().at("game").at("event").get<double>(), events);
}

TEST_F(ButtonLinesOfBoardB, TheBuzzerSaysThatAHoldHasWorkedAndThatTheGameIsOver) {
  EXPECT_EQ(sounding(milliseconds(500)), milliseconds(0));
  header_.button(0, true);
  std::this_thread::sleep_for(milliseconds(2900));
  const milliseconds tick = sounding(milliseconds(600));
  EXPECT_GE(tick, milliseconds(40));
  EXPECT_LE(tick, milliseconds(80));
  header_.button(0, false);
  ASSERT_EQ(table_.wait_for("/api/state", [](const Json& now) { return now.at("phase") == "play"; }).at("phase"), "play");
  table_.post("/api/game/resign", {{"player", "W"}});
  const milliseconds end = sounding(milliseconds(1500));
  EXPECT_GE(end, milliseconds(550));
  EXPECT_LE(end, milliseconds(650));
}

}  // namespace
}  // namespace merel
