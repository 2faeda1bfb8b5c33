// Both ends of the link against each other over a wire that loses and damages frames, in simulated time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "tests/link/simulated_link.h"

namespace merel::link {
namespace {

/// An evening in eleven seconds: moves of all speeds, buttons, and every kind of wish.
void play(SimulatedLink& session) {
  for (std::uint8_t i = 0; i < 7; ++i) session.put(i, PieceClass::north);
  session.plug_in();
  session.limit(900);
  session.run(milliseconds(400));
  session.forget_start();
  session.show(1);
  session.run(milliseconds(100));
  session.host.want(EmptySites{0, 0xFF}, session.now);
  session.run(milliseconds(300));
  session.put(3, PieceClass::none);
  session.run(milliseconds(250));
  session.put(10, PieceClass::north);
  session.run(milliseconds(2));
  session.show(2);
  session.run(milliseconds(600));
  session.put(10, PieceClass::none, milliseconds(6));  // two hands within a millisecond
  session.put(2, PieceClass::none, milliseconds(5));
  session.press(0, true);
  session.run(milliseconds(120));
  session.press(0, false);
  session.host.want(Buzzer{0, 440, 60}, session.now);
  session.run(milliseconds(300));
  for (std::uint8_t i = 0; i < 20; ++i) {  // a piece dragged over the board
    session.put(static_cast<std::uint8_t>(20 + i), PieceClass::south);
    session.run(milliseconds(3));
    session.put(static_cast<std::uint8_t>(20 + i), PieceClass::none);
    session.run(milliseconds(4));
  }
  session.limit(800);
  session.run(milliseconds(500));
  Calibration calibration;
  calibration.data.revision = 1;
  calibration.data.thresholds = {210, 0, 20};
  calibration.data.channels = kChannels;
  session.host.want(calibration, session.now);
  session.run(milliseconds(500));
  session.host.ask(MessageType::board_calibration, session.now);
  for (std::uint8_t i = 0; i < 8; ++i) {
    session.put(40, i % 2 == 0 ? PieceClass::weak_south : PieceClass::none);
    session.show(static_cast<std::uint8_t>(10 + i));
    session.run(milliseconds(130));
  }
  session.host.want(Buzzer{0, 880, 60}, session.now);
  session.run(seconds(5));
}

TEST(TwoEnds, AnEveningWithoutMishap) {
  SimulatedLink session([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play(session);
  EXPECT_EQ(session.heard.size(), 54U);
  EXPECT_EQ(session.host.counts().gaps, 0U);
  EXPECT_EQ(session.host.counts().unknown, 0U);
  EXPECT_EQ(session.host.counts().unreadable, 0U);
  EXPECT_EQ(session.board->unknown(), 0U);
  EXPECT_EQ(session.host.frames().missed, 0U);
  EXPECT_THAT(session.log.words,
              testing::ElementsAre("empty 0", "limit 900", "off", "on", "lights 1", "empty 255", "lights 2", "beep 440",
                                   "limit 800", "calibration 210", "lights 10", "lights 11", "lights 12", "lights 13",
                                   "lights 14", "lights 15", "lights 16", "lights 17", "beep 880"));
  EXPECT_LT(session.of_board, 150U);
  EXPECT_LT(session.of_host, 150U);
}

/// Every single frame, in both directions, lost or damaged once.
TEST(TwoEnds, AnySingleFrameMayBeLostOrDamagedAndNobodyHearsTheDifference) {
  SimulatedLink smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play(smooth);
  std::size_t runs = 0;
  for (const bool of_host : {false, true}) {
    const std::size_t frames = of_host ? smooth.of_host : smooth.of_board;
    for (std::size_t at = 0; at < frames; ++at) {
      for (const Mishap mishap : {Mishap::lost, Mishap::damaged}) {
        SCOPED_TRACE((of_host ? "host's frame " : "board's frame ") + std::to_string(at) +
                     (mishap == Mishap::lost ? " lost" : " damaged"));
        SimulatedLink session(
            [=](bool by_host, std::size_t n) { return by_host == of_host && n == at ? mishap : Mishap::none; });
        play(session);
        EXPECT_EQ(session.heard, smooth.heard);
        EXPECT_EQ(session.log.words, smooth.log.words);
        EXPECT_EQ(session.host.counts().repaired, 0U);
        EXPECT_EQ(session.host.counts().gaps, 0U);
        ++runs;
        if (HasFailure()) return;
      }
    }
  }
  RecordProperty("mishaps", static_cast<int>(runs));
  std::cout << runs << " sessions with one mishap each\n";
}

/// Pieces are moved while the cable is out and while the board starts anew.
void play_with_breaks(SimulatedLink& session) {
  for (std::uint8_t i = 0; i < 7; ++i) session.put(i, PieceClass::north);
  session.plug_in();
  session.run(milliseconds(400));
  session.forget_start();
  session.limit(900);
  session.show(1);
  session.run(milliseconds(400));
  session.pull_cable();
  session.run(milliseconds(300));
  session.put(3, PieceClass::none);
  session.put(9, PieceClass::north);
  session.run(milliseconds(300));
  session.plug_in();
  session.run(seconds(3));
  session.put(9, PieceClass::none);
  session.run(milliseconds(200));
  session.put(16, PieceClass::north);
  session.run(milliseconds(200));
  session.power_on();  // the watchdog, say
  session.run(seconds(3));
  session.put(16, PieceClass::none);
  session.run(milliseconds(300));
  session.stands[0] = PieceClass::none;  // taken while it starts again
  session.power_on();
  session.run(seconds(3));
}

TEST(TwoEnds, AnySingleFrameMayBeLostAroundABreakWithoutAFalseLift) {
  SimulatedLink smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play_with_breaks(smooth);
  EXPECT_THAT(smooth.plain, testing::ElementsAre("3=0", "9=1", "joined", "9=0", "16=1", "joined", "16=0", "0=0", "joined"));
  const auto shown_last = [](const SimulatedLink& session) {
    const auto of = [&session](const char* kind) {
      std::string last;
      for (const std::string& word : session.log.words) {
        if (word.starts_with(kind)) last = word;
      }
      return last;
    };
    return of("o") + ", " + of("lights") + ", " + of("limit");
  };
  EXPECT_EQ(shown_last(smooth), "on, lights 1, limit 900");
  for (const bool of_host : {false, true}) {
    const std::size_t frames = of_host ? smooth.of_host : smooth.of_board;
    for (std::size_t at = 0; at < frames; ++at) {
      SCOPED_TRACE((of_host ? "host's frame " : "board's frame ") + std::to_string(at));
      SimulatedLink session(
          [=](bool by_host, std::size_t n) { return by_host == of_host && n == at ? Mishap::lost : Mishap::none; });
      play_with_breaks(session);
      EXPECT_EQ(session.plain, smooth.plain);
      EXPECT_EQ(shown_last(session), "on, lights 1, limit 900");
      if (HasFailure()) return;
    }
  }
}

TEST(TwoEnds, AWireThatLosesEveryThirdFrameStillTellsEverything) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    SimulatedLink smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
    play(smooth);
    SimulatedLink session([&random](bool /*of_host*/, std::size_t /*n*/) {
      const unsigned dice = static_cast<unsigned>(random() % 6);
      return dice == 0 ? Mishap::lost : dice == 1 ? Mishap::damaged : Mishap::none;
    });
    play(session);
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      EXPECT_EQ(session.host.classes()[channel], session.stands[channel]) << channel;
    }
    if (session.host.counts().gaps == 0) {
      EXPECT_EQ(session.heard, smooth.heard);
    }
    EXPECT_NE(std::find(session.log.words.begin(), session.log.words.end(), "lights 17"), session.log.words.end());
    EXPECT_EQ(std::count(session.log.words.begin(), session.log.words.end(), "calibration 210"), 1);
  }
}

}  // namespace
}  // namespace merel::link
