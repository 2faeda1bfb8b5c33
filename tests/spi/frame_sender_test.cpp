#include "drivers/spi/frame_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <numeric>

#include "tests/spi/scripted_spi.h"

namespace merel {
namespace {

using Bytes = ScriptedSpi::Bytes;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Bytes counting(std::size_t bytes) {
  Bytes out(bytes);
  std::iota(out.begin(), out.end(), std::uint8_t{0});
  return out;
}

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes out;
  for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

TEST(FrameSender, SendsAFrameInOneTransferWhenItFits) {
  for (const bool divisible : {true, false}) {
    ScriptedSpi device;
    device.allow(100);
    FrameSender sender("/dev/spidev0.0", divisible, device.opener());
    EXPECT_FALSE(sender.send(counting(100)));
    EXPECT_FALSE(sender.send(counting(7)));
    EXPECT_THAT(device.sent(), ElementsAre(counting(100), counting(7)));
    EXPECT_EQ(device.opened(), 1U);
  }
}

TEST(FrameSender, CutsADivisibleFrameAtWhatATransferTakes) {
  ScriptedSpi device;
  device.allow(64);
  FrameSender sender("/dev/spidev0.0", true, device.opener());
  EXPECT_FALSE(sender.send(counting(150)));
  EXPECT_THAT(device.sent(), ElementsAre(testing::SizeIs(64), testing::SizeIs(64), testing::SizeIs(22)));
  EXPECT_EQ(joined(device.sent()), counting(150));
}

TEST(FrameSender, GoesOnWithTheRestOfADivisibleFrameAfterAShortWrite) {
  ScriptedSpi device;
  device.allow(64);
  device.next({{0, 10}, {0, 1}, {}, {0, 3}});
  FrameSender sender("/dev/spidev0.0", true, device.opener());
  EXPECT_FALSE(sender.send(counting(150)));
  EXPECT_EQ(joined(device.sent()), counting(150));
}

TEST(FrameSender, RepeatsAnIndivisibleFrameAfterAShortWriteWhenTheLightsHaveForgottenTheFirst) {
  ScriptedSpi device;
  device.next({{0, 10}, {0, 0}});
  FrameSender sender("/dev/spidev0.0", false, device.opener());
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(sender.send(counting(150)));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 2 * std::chrono::microseconds(280));
  EXPECT_THAT(device.sent(), ElementsAre(counting(10), Bytes{}, counting(150)));
}

TEST(FrameSender, GivesUpForNowOnADeviceThatNeverTakesAFrame) {
  for (const bool divisible : {true, false}) {
    ScriptedSpi device;
    device.next({{0, 0}, {0, 0}, {0, 0}, {0, 0}});
    FrameSender sender("/dev/spidev0.1", divisible, device.opener());
    const auto trouble = sender.send(counting(150));
    ASSERT_TRUE(trouble);
    EXPECT_FALSE(trouble->lasting);
    EXPECT_THAT(trouble->what, HasSubstr("/dev/spidev0.1 takes only parts of a picture"));
    EXPECT_LE(device.tried(), 3U);
  }
}

TEST(FrameSender, RefusesAnIndivisibleFrameThatNeedsTwoTransfersAndNamesTheKernelParameter) {
  ScriptedSpi device;
  device.allow(4'096);
  FrameSender sender("/dev/spidev0.0", false, device.opener());
  EXPECT_FALSE(sender.send(counting(4'096)));
  const auto trouble = sender.send(counting(4'597));
  ASSERT_TRUE(trouble);
  EXPECT_TRUE(trouble->lasting);
  EXPECT_EQ(trouble->what,
            "the lights cannot be shown: a picture for /dev/spidev0.0 is 4597 bytes, and the kernel sends 4096 without a "
            "pause; add "
            "spidev.bufsiz=8192 to the line in /boot/firmware/cmdline.txt and restart the machine");
  EXPECT_EQ(device.sent().size(), 1U);
  device.allow(8'192);
  EXPECT_FALSE(sender.send(counting(4'597)));
}

TEST(FrameSender, OpensTheDeviceAnewAfterAnError) {
  for (const int error : {EIO, ENODEV, ESHUTDOWN, ETIMEDOUT, EMSGSIZE}) {
    ScriptedSpi device;
    device.allow(64);
    device.next({{}, {error}});
    FrameSender sender("/dev/spidev0.0", true, device.opener());
    const auto trouble = sender.send(counting(150));
    ASSERT_TRUE(trouble);
    EXPECT_FALSE(trouble->lasting);
    EXPECT_THAT(trouble->what, AllOf(HasSubstr("sending to /dev/spidev0.0 fails ("), HasSubstr("dmesg")));
    EXPECT_FALSE(sender.send(counting(150)));
    EXPECT_EQ(device.opened(), 2U);
    std::vector<Bytes> again = device.sent();
    again.erase(again.begin());
    EXPECT_EQ(joined(again), counting(150)) << "the whole frame again, from its start";
  }
}

TEST(FrameSender, SaysWhatToDoWhenTheDeviceCannotBeOpened) {
  struct Case {
    int error;
    const char* says;
  };
  for (const Case& each :
       {Case{ENOENT, "dtparam=spi=on"}, Case{ENODEV, "/boot/firmware/config.txt"}, Case{EACCES, "sudo adduser merel spi"},
        Case{EPERM, "sudo adduser merel spi"}, Case{EBUSY, "sudo fuser -v /dev/spidev0.0"},
        Case{ENOTTY, "is not an SPI device"}, Case{EMFILE, "(Too many open files)"}}) {
    ScriptedSpi device;
    device.fail_to_open(each.error);
    FrameSender sender("/dev/spidev0.0", true, device.opener());
    const auto trouble = sender.send(counting(10));
    ASSERT_TRUE(trouble);
    EXPECT_THAT(trouble->what, AllOf(HasSubstr("the lights cannot be reached: /dev/spidev0.0"), HasSubstr(each.says)));
    EXPECT_THAT(trouble->what, testing::Not(HasSubstr("\n")));
    EXPECT_FALSE(trouble->lasting);
    device.fail_to_open(0);
    EXPECT_FALSE(sender.send(counting(10)));
  }
}

}  // namespace
}  // namespace merel
