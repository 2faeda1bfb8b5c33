#include "firmware/core/calibration_store.h"

#include <gtest/gtest.h>

#include "firmware/native/flash_in_memory.h"

namespace merel::firmware {
namespace {

link::CalibrationData calibration(std::uint16_t mark) {
  link::CalibrationData data;
  data.revision = 1;
  data.thresholds = {150, 530, 20};
  data.channels = 64;
  for (std::size_t i = 0; i < data.channels; ++i) data.baselines[i] = static_cast<std::uint16_t>(2'000 + i + mark);
  return data;
}

TEST(CalibrationStoreTest, BlankFlashHasNone) {
  FlashInMemory flash;
  const CalibrationStore store(flash);
  EXPECT_FALSE(store.calibration());
  EXPECT_FALSE(store.damaged());
}

TEST(CalibrationStoreTest, TheLastOneIsThereAfterARestart) {
  FlashInMemory flash;
  for (std::uint16_t mark = 0; mark < 5; ++mark) {
    CalibrationStore store(flash);
    EXPECT_TRUE(store.store(calibration(mark)));
    EXPECT_EQ(store.calibration(), calibration(mark));
    const CalibrationStore again(flash);
    EXPECT_EQ(again.calibration(), calibration(mark));
    EXPECT_FALSE(again.damaged());
  }
}

TEST(CalibrationStoreTest, TheSameAgainSparesTheFlash) {
  FlashInMemory flash;
  CalibrationStore store(flash);
  EXPECT_TRUE(store.store(calibration(1)));
  EXPECT_TRUE(store.store(calibration(1)));
  EXPECT_EQ(flash.erased, 1);
}

/// Power goes after every single byte of a store, the byte being written then left half done.
TEST(CalibrationStoreTest, APowerCutAtAnyMomentLosesNothing) {
  std::size_t old_ones = 0;
  std::size_t new_ones = 0;
  for (std::size_t cut = 0;; ++cut) {
    FlashInMemory flash;
    {
      CalibrationStore store(flash);
      ASSERT_TRUE(store.store(calibration(1)));
      ASSERT_TRUE(store.store(calibration(2)));
      flash.steps_left = cut;
      static_cast<void>(store.store(calibration(3)));
    }
    const bool whole = flash.powered;
    flash.powered = true;
    flash.steps_left = ~std::size_t{0};
    CalibrationStore store(flash);
    ASSERT_TRUE(store.calibration()) << cut;
    const bool is_new = store.calibration() == calibration(3);
    ASSERT_TRUE(is_new || store.calibration() == calibration(2)) << cut;
    (is_new ? new_ones : old_ones) += 1;
    // And the next store works as ever.
    ASSERT_TRUE(store.store(calibration(4))) << cut;
    ASSERT_EQ(CalibrationStore(flash).calibration(), calibration(4)) << cut;
    if (whole) {
      ASSERT_TRUE(is_new);
      break;
    }
  }
  EXPECT_GE(old_ones, Flash::kSector);
  EXPECT_GE(new_ones, 1U);
}

TEST(CalibrationStoreTest, ADamagedCopyIsToldOfAndTheOtherCounts) {
  for (const std::size_t damaged : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t byte = 0; byte < 151; ++byte) {
      FlashInMemory flash;
      {
        CalibrationStore store(flash);
        ASSERT_TRUE(store.store(calibration(1)));  // in sector 0
        ASSERT_TRUE(store.store(calibration(2)));  // in sector 1
      }
      flash.at(damaged, byte) ^= 0x40U;
      CalibrationStore store(flash);
      EXPECT_EQ(store.calibration(), calibration(damaged == 0 ? 2 : 1)) << damaged << " " << byte;
      EXPECT_TRUE(store.damaged()) << damaged << " " << byte;
      // Storing even the same again mends it.
      EXPECT_TRUE(store.store(*store.calibration()));
      EXPECT_FALSE(CalibrationStore(flash).damaged());
    }
  }
}

TEST(CalibrationStoreTest, AFlashThatDoesNotTakeItKeepsTheOneBefore) {
  FlashInMemory flash;
  CalibrationStore store(flash);
  ASSERT_TRUE(store.store(calibration(1)));
  flash.powered = false;  // as if write protected
  flash.steps_left = 0;
  EXPECT_FALSE(store.store(calibration(2)));
  EXPECT_EQ(store.calibration(), calibration(1));
}

TEST(CalibrationStoreTest, LeftoversOfAnythingElseAreNoCalibration) {
  FlashInMemory flash;
  std::uint32_t dice = 1;
  for (std::size_t sector = 0; sector < 2; ++sector) {
    for (std::size_t i = 0; i < Flash::kSector; ++i) {
      dice = dice * 1'664'525 + 1'013'904'223;
      flash.at(sector, i) = static_cast<std::uint8_t>(dice >> 24U);
    }
  }
  CalibrationStore store(flash);
  EXPECT_FALSE(store.calibration());
  EXPECT_TRUE(store.damaged());
  EXPECT_TRUE(store.store(calibration(1)));
}

}  // namespace
}  // namespace merel::firmware
