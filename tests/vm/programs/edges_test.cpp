// Edges: none is lost for good, whatever the kernel drops.
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <thread>

#include "tests/vm/programs/table.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint16_t kChannels = 49;

class EdgeInput : public ::testing::Test {
 protected:
  /// The other way round from now on.
  void toggle(std::uint16_t channel) {
    magnets_[channel] = !magnets_[channel];
    wires_.magnet(channel, magnets_[channel]);
  }
  std::uint16_t any_channel() { return static_cast<std::uint16_t>(random_() % kChannels); }
  /// What mereld reads once it has come to rest; it sets sensors that were too restless aside for five seconds.
  std::vector<bool> picture_at_rest() {
    std::vector<bool> seen;
    for (int tries = 0; tries < 100; ++tries) {
      seen = table_.occupied();
      if (seen == magnets_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return seen;
  }
  void TearDown() override {
    if (HasFailure()) std::cout << table_.log();
  }

  std::mt19937 random_{4711};
  Header header_;
  SwitchLines wires_;
  SpiStub lights_;
  std::vector<bool> magnets_ = std::vector<bool>(kChannels, false);
  Table table_{{"lattice7-expander", {}}};
};

TEST_F(EdgeInput, ReadsWhatStandsThereBeforeTheFirstEdge) {
  table_.daemon().end(SIGTERM);
  for (std::uint16_t channel = 0; channel < kChannels; channel += 3) toggle(channel);
  const Table again{{"lattice7-expander", {}}};
  EXPECT_EQ(again.occupied(), magnets_);
}

TEST_F(EdgeInput, TwentyThousandEdgesEndInTheRightPicture) {
  auto next = Clock::now();
  for (int edge = 0; edge < 20'000; ++edge) {
    toggle(any_channel());
    next += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(next);
  }
  EXPECT_EQ(picture_at_rest(), magnets_);
}

TEST_F(EdgeInput, TwentyThousandEdgesWithoutAPauseEndInTheRightPicture) {
  for (int edge = 0; edge < 20'000; ++edge) toggle(any_channel());
  EXPECT_EQ(picture_at_rest(), magnets_);
}

TEST_F(EdgeInput, AThousandEdgesASecondForAMinuteAreAllRead) {
  constexpr int kEdges = 60'000;
  const double before = table_.metric("merel_readings_total");
  auto next = Clock::now();
  for (int edge = 0; edge < kEdges; ++edge) {
    toggle(static_cast<std::uint16_t>(edge % kChannels));
    next += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(next);
  }
  EXPECT_EQ(picture_at_rest(), magnets_);
  EXPECT_EQ(table_.metric("merel_readings_total") - before, kEdges);
  EXPECT_EQ(table_.metric("merel_gpio_rereads_total"), 0);
}

/// While mereld stands still the kernel's queues run over: 16 edges a line in the old interface, which then drops the newest, and at
/// most 1024 a request in the new one, which drops the oldest.
TEST_F(EdgeInput, AnOverflowOfTheKernelsQueueIsRepaired) {
  kill(table_.daemon().process(), SIGSTOP);
  for (int round = 0; round < 101; ++round) {
    for (std::uint16_t channel = 0; channel < kChannels; ++channel) toggle(channel);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than the kernel's debouncing
  }
  kill(table_.daemon().process(), SIGCONT);
  EXPECT_EQ(picture_at_rest(), magnets_);
  EXPECT_GE(table_.metric("merel_gpio_rereads_total"), 1);
}

}  // namespace
}  // namespace merel
