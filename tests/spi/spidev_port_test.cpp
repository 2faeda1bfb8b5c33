#include <gtest/gtest.h>

#include <cerrno>

#include "drivers/spi/spi_port.h"

namespace merel {
namespace {

TEST(Spidev, SaysWhyItCannotBeOpened) {
  struct Case {
    const char* device;
    int error;
  };
  for (const Case& each : {Case{"/nowhere/spidev0.0", ENOENT}, Case{"/dev/null", ENOTTY}, Case{"/dev", EISDIR}}) {
    const auto opened = open_spidev(each.device, 4'000'000);
    ASSERT_FALSE(opened) << each.device;
    EXPECT_EQ(opened.error(), each.error) << each.device;
  }
}

TEST(Spidev, TakesAsMuchInOneTransferAsTheKernelSays) {
  struct Case {
    const char* bufsiz;
    std::size_t bytes;
  };
  for (const Case& each : {Case{"4096\n", 4'096}, Case{"65536\n", 65'536}, Case{"8192", 8'192}, Case{"", 4'096},
                           Case{"many\n", 4'096}, Case{"0\n", 4'096}, Case{"5000\n", 4'992}, Case{"100\n", 100}}) {
    EXPECT_EQ(spidev_transfer_limit(each.bufsiz), each.bytes) << each.bufsiz;
  }
}

}  // namespace
}  // namespace merel
