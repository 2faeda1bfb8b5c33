#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/lamp.h"

namespace merel::firmware {

/// Colours into what a chain of WS2812B is told, with gamma and a current limit. Pure, integers only, no heap.
///
/// There are two pictures: while the DMA still sends one, the next is made in the other.
class ChainPicture {
 public:
  static constexpr std::size_t kMaxLights = 64;
  /// What one primary draws at full brightness, and what the chip of a light draws all the time (Worldsemi's data sheets).
  static constexpr std::uint32_t kPrimaryMilliamps = 20;
  static constexpr std::uint32_t kIdleMilliamps = 1;
  /// How long a light takes to be told, 24 bits of 1.27 us, and how long the line rests until all show it (V5: 280 us).
  static constexpr std::uint32_t kLightMicros = 31;
  static constexpr std::uint32_t kResetMicros = 300;

  explicit ChainPicture(std::size_t lights);

  /// What the eye makes of brightness, in tenths: 10 to 40.
  void gamma(std::uint8_t tenths);
  /// All lights together; what would draw more is dimmed as a whole.
  void limit(std::uint16_t milliamps);

  /// The picture of these colours, a word a light: green, red, blue from the uppermost byte on. Lights beyond the colours are dark. A
  /// colour that is not black stays lit as long as the limit has room for that. Valid until the call after the next.
  [[nodiscard]] std::span<const std::uint32_t> encode(std::span<const Rgb> colours);

  /// What the last picture draws, at most.
  [[nodiscard]] std::uint16_t milliamps() const { return milliamps_; }
  /// The limit has dimmed it.
  [[nodiscard]] bool dimmed() const { return dimmed_; }

 private:
  using Picture = std::array<std::uint32_t, kMaxLights>;

  [[nodiscard]] std::uint32_t primary(std::uint8_t brightness, std::uint32_t factor, bool exact) const;

  std::size_t lights_;
  std::uint32_t budget_ = 0;                ///< fine steps of all primaries together that the limit leaves
  std::uint8_t tenths_ = 0;                 ///< of gamma
  std::array<std::uint16_t, 256> level_{};  ///< brightness in fine steps
  std::array<Picture, 2> pictures_{};
  std::size_t next_ = 0;
  std::uint16_t milliamps_ = 0;
  bool dimmed_ = false;
};

}  // namespace merel::firmware
