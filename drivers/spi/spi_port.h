#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/result.h"

namespace merel {

/// A place that takes bytes: spidev, or a test.
class SpiPort {
 public:
  SpiPort() = default;
  virtual ~SpiPort() = default;
  SpiPort(const SpiPort&) = delete;
  SpiPort& operator=(const SpiPort&) = delete;

  /// How many bytes one transfer may have (spidev's bufsiz).
  [[nodiscard]] virtual std::size_t most_bytes() const = 0;
  /// One transfer, at most most_bytes(); waits for the wire. The number of bytes that went out, or an errno(3) value.
  [[nodiscard]] virtual Result<std::size_t, int> transfer(std::span<const std::uint8_t> bytes) = 0;
};

/// Opens a port anew; the error is an errno(3) value.
using OpenSpi = std::function<Result<std::unique_ptr<SpiPort>, int>()>;

/// Opens a spidev device, mode 0, 8 bits a word, most significant bit first (kernel: Documentation/spi/spidev.rst). The
/// error is an errno(3) value: ENOENT where SPI is not switched on, EACCES without the group's permission, ENOTTY for a
/// device that is no spidev. The driver takes the next slower clock that it can make.
[[nodiscard]] Result<std::unique_ptr<SpiPort>, int> open_spidev(const std::string& device, std::uint32_t speed_hz);

/// How many bytes a spidev transfer may have, from the text of /sys/module/spidev/parameters/bufsiz; 4096, the kernel's
/// default, when it says nothing. Since Linux 5.9 the kernel rounds lengths up to the alignment of its memory before it
/// compares; so this is rounded down to a multiple of 128, the largest alignment there is.
[[nodiscard]] std::size_t spidev_transfer_limit(std::string_view bufsiz);

}  // namespace merel
