#include "firmware/core/scan_plan.h"

#include <gtest/gtest.h>

#include <set>

namespace merel::firmware {
namespace {

TEST(ScanPlanTest, EveryChannelHasItsOwnAddress) {
  std::set<std::uint32_t> addresses;
  for (std::size_t slot = 0; slot < kChannels; ++slot) {
    const std::uint32_t word = address_word(slot);
    const std::size_t channel = channel_of(slot);
    EXPECT_EQ(slot_of(channel), slot);
    EXPECT_EQ(word & 0xFFU, 0xF0U | channel % 16) << "all multiplexers off";
    EXPECT_EQ(word >> 8U & 0xFFU, (0xF0U & ~(0x10U << channel / 16)) | channel % 16) << "one on";
    EXPECT_EQ(word >> 16U, slot == 0 ? 1U : 0U) << "the scan before is complete";
    addresses.insert(word >> 8U & 0xFFU);
  }
  EXPECT_EQ(addresses.size(), kChannels);
}

TEST(ScanPlanTest, TheLatticeIsReadLast) {
  EXPECT_EQ(channel_of(0), 49U);
  EXPECT_EQ(channel_of(14), 63U);
  EXPECT_EQ(channel_of(15), 0U);
  EXPECT_EQ(channel_of(63), 48U);
}

TEST(ScanPlanTest, MedianOfThreeInAnyOrder) {
  std::array<std::uint16_t, 3> values = {5, 900, 4095};
  do {
    EXPECT_EQ(median(values[0], values[1], values[2]), 900);
  } while (std::next_permutation(values.begin(), values.end()));
  EXPECT_EQ(median(7, 7, 1), 7);
  EXPECT_EQ(median(1, 7, 7), 7);
}

TEST(ScanPlanTest, TakesTheMedianOfTheSettledSamplesAndGoesAroundTheRing) {
  SampleRing ring{};
  for (const std::size_t first : {std::size_t{0}, std::size_t{1'900}}) {
    ring.fill(4'095);
    for (std::size_t slot = 0; slot < kChannels; ++slot) {
      const std::size_t at = first + slot * kSamples + kSettling;
      const auto level = static_cast<std::uint16_t>(1'000 + channel_of(slot));
      ring[at % kRingSamples] = 4'000;  // a spike
      ring[(at + 1) % kRingSamples] = level;
      ring[(at + 2) % kRingSamples] = 0;  // and another
    }
    Counts counts{};
    take_scan(ring, first, counts);
    for (std::size_t channel = 0; channel < kChannels; ++channel) EXPECT_EQ(counts[channel], 1'000 + channel);
  }
}

TEST(ScanPlanTest, WhoeverLooksLateStillKnowsItsPlaceInTheRing) {
  EXPECT_EQ(samples_since(0, 0), 0U);
  EXPECT_EQ(samples_since(320, 1'000), 320U);
  EXPECT_EQ(samples_since(325, 1'001), 325U) << "a clock that is a little behind";
  EXPECT_EQ(samples_since(319, 1'010), 319U) << "and a little ahead";
  EXPECT_EQ(samples_since(2'047, 6'398), 2'047U);
  EXPECT_EQ(samples_since(0, 6'402), 2'048U) << "once round";
  EXPECT_EQ(samples_since(1, 6'390), 2'049U) << "round, though the clock is a little behind";
  for (std::uint64_t micros = 0; micros < 100'000'000; micros += 9'973) {
    const std::uint64_t truth = micros * 320 / 1'000;
    for (const int off : {-900, 0, 900}) {  // microseconds that the clock was read beside the truth
      const std::uint64_t read = off < 0 && micros < 900 ? 0 : micros + static_cast<std::uint64_t>(off);
      EXPECT_EQ(samples_since(truth % kRingSamples, read), truth);
    }
  }
}

}  // namespace
}  // namespace merel::firmware
