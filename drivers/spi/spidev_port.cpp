#include <fcntl.h>
#include <linux/spi/spidev.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>

#include "drivers/spi/spi_port.h"

namespace merel {
namespace {

class SpidevPort final : public SpiPort {
 public:
  explicit SpidevPort(int fd) : fd_(fd) {}
  ~SpidevPort() override { ::close(fd_); }
  SpidevPort(const SpidevPort&) = delete;
  SpidevPort& operator=(const SpidevPort&) = delete;

  /// Zero, or an errno(3) value.
  [[nodiscard]] int set_up(std::uint32_t speed_hz) {
    std::uint8_t mode = SPI_MODE_0;
    std::uint8_t bits = 8;
    if (::ioctl(fd_, SPI_IOC_WR_MODE, &mode) < 0 || ::ioctl(fd_, SPI_IOC_WR_BITS_PER_WORD, &bits) < 0 ||
        ::ioctl(fd_, SPI_IOC_WR_MAX_SPEED_HZ, &speed_hz) < 0) {
      return errno;
    }
    speed_hz_ = speed_hz;
    std::string bufsiz;
    std::getline(std::ifstream("/sys/module/spidev/parameters/bufsiz"), bufsiz);
    most_bytes_ = spidev_transfer_limit(bufsiz);
    return 0;
  }

  [[nodiscard]] std::size_t most_bytes() const override { return most_bytes_; }

  [[nodiscard]] Result<std::size_t, int> transfer(std::span<const std::uint8_t> bytes) override {
    spi_ioc_transfer one{};
    one.tx_buf = reinterpret_cast<std::uintptr_t>(bytes.data());
    one.len = static_cast<std::uint32_t>(bytes.size());
    one.speed_hz = speed_hz_;
    one.bits_per_word = 8;
    const int sent = ::ioctl(fd_, SPI_IOC_MESSAGE(1), &one);
    if (sent < 0) return errno;
    return static_cast<std::size_t>(sent);
  }

 private:
  int fd_;
  std::uint32_t speed_hz_ = 0;
  std::size_t most_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<SpiPort>, int> open_spidev(const std::string& device, std::uint32_t speed_hz) {
  const int fd = ::open(device.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return errno;
  auto port = std::make_unique<SpidevPort>(fd);
  if (const int error = port->set_up(speed_hz); error != 0) return error;
  return std::unique_ptr<SpiPort>(std::move(port));
}

std::size_t spidev_transfer_limit(std::string_view bufsiz) {
  constexpr std::size_t kDefault = 4'096;
  constexpr std::size_t kAlignment = 128;
  std::size_t bytes = 0;
  const auto read = std::from_chars(bufsiz.data(), bufsiz.data() + bufsiz.size(), bytes);
  if (read.ec != std::errc{} || bytes == 0) return kDefault;
  return bytes < kAlignment ? bytes : bytes / kAlignment * kAlignment;
}

}  // namespace merel
