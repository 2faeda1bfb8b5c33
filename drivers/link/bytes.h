#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace merel::link {

/// Writes numbers, low byte first. What does not fit is not written, and good() says so from then on.
class ByteWriter {
 public:
  explicit constexpr ByteWriter(std::span<std::uint8_t> into) : into_(into) {}

  template <std::unsigned_integral T>
  constexpr void put(T value) {
    if (into_.size() - size_ < sizeof(T)) {
      good_ = false;
      return;
    }
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      into_[size_++] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> 8U * i);
    }
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool good() const { return good_; }
  [[nodiscard]] constexpr std::span<const std::uint8_t> written() const { return into_.first(size_); }

 private:
  std::span<std::uint8_t> into_;
  std::size_t size_ = 0;
  bool good_ = true;
};

/// Reads them back. Beyond the end everything is 0, and good() says so from then on.
class ByteReader {
 public:
  explicit constexpr ByteReader(std::span<const std::uint8_t> from) : from_(from) {}

  template <std::unsigned_integral T>
  constexpr T take() {
    if (left() < sizeof(T)) {
      good_ = false;
      at_ = from_.size();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<std::uint64_t>(from_[at_++]) << 8U * i;
    return static_cast<T>(value);
  }
  [[nodiscard]] constexpr std::size_t left() const { return from_.size() - at_; }
  [[nodiscard]] constexpr bool good() const { return good_; }

 private:
  std::span<const std::uint8_t> from_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace merel::link
