#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "drivers/light_sink.h"
#include "drivers/wiring.h"

namespace merel {

/// WS2812B is told its bits by the SPI clock, three of it a bit.
inline constexpr std::uint32_t kWs2812bSpeed = 2'400'000;

/// True when a frame may reach the lights in pieces with pauses between them. A WS2812B would take a pause for the end.
[[nodiscard]] constexpr bool divisible(LedKind kind) { return kind == LedKind::apa102; }

/// Colours into the bytes that go to a chain of lights over SPI, with gamma and a current limit. Pure; allocates only when
/// it is made.
///
/// APA102 and SK9822 (data sheets of APA and Shenzhen Normand): 32 zero bits, then for each light 111, five bits of
/// brightness common to its primaries, blue, green and red, most significant bit first. The two chips look alike and end
/// differently. Each hands the data on half a clock late, so the last of n lights needs n/2 clock edges after its own bits;
/// any bits will do for an APA102, which shows a colour as soon as it has it. An SK9822 shows a colour only when it sees the
/// start of the next frame, 32 zero bits and an edge, and would otherwise always be one picture behind. So the end is 32
/// zero bits and n/2 + 1 more. Zeros, because ones are taken for white by a light beyond the last.
/// The brightness bits are 31 for all but the faintest colours. An APA102 makes them with a second, slow modulation of 600
/// Hz that the eye sees when it moves, an SK9822 with its current, which steps; so they do not follow the colour. At 1 they
/// split the lowest 3 % of the brightness 31 times finer: the very dim lights that say whose turn it is keep their hue,
/// which 8 bits behind a gamma of 2.2 do not.
///
/// WS2812B (data sheets of Worldsemi, V1 and V5): 24 bits a light, green, red, blue, most significant first. A bit is high
/// for 0.4 us and low for 0.85 us (0), or high for 0.8 us and low for 0.45 us (1), each +- 150 ns; three SPI bits of 417 ns,
/// 100 or 110, are that. 280 us low (V5; V1 50 us) show the picture; the frame ends with 320 us of zeros. That makes even a
/// short chain's frame longer than 96 bytes: below that the Raspberry Pi's driver (spi-bcm2835) sends without DMA and leaves
/// gaps between the bytes, which the lights take for other bits. A zero byte comes first, so that a line that did not rest
/// low is low for a while before the first bit.
class LedFrame {
 public:
  /// What one primary of either light draws at full brightness, and what its chip draws all the time.
  static constexpr std::uint32_t kPrimaryMilliamps = 20;
  static constexpr std::uint32_t kIdleMilliamps = 1;

  LedFrame(const SpiWiring& wiring, std::size_t lights);

  /// The frame for these colours; lights beyond them are dark. Valid until the next call. When the lights would draw more
  /// than the limit, all are dimmed by the same factor. A colour that is not black stays lit as long as the limit has room
  /// for that.
  [[nodiscard]] std::span<const std::uint8_t> encode(std::span<const Rgb> colours);

  /// What the lights draw while they show the last frame, in microamperes, rounded up.
  [[nodiscard]] std::uint64_t microamps() const;

 private:
  struct Dimming {
    std::uint32_t factor;  ///< 65,536: none
    bool exact;            ///< never round up, even if a light turns black
    friend bool operator==(const Dimming&, const Dimming&) = default;
  };
  /// What one light is told.
  struct Drive {
    std::array<std::uint32_t, 3> pwm;  ///< red, green, blue
    std::uint32_t step;                ///< what one of the PWM is worth in the finest steps

    [[nodiscard]] std::uint32_t sum() const { return pwm[0] + pwm[1] + pwm[2]; }
  };
  [[nodiscard]] Dimming dimming(std::span<const Rgb> colours) const;
  [[nodiscard]] Drive drive(const Rgb& colour, const Dimming& how) const;
  void write(std::size_t light, const Drive& drive);
  void relight(std::span<const Rgb> colours, const Dimming& how);

  LedKind kind_;
  std::size_t lights_;
  std::uint64_t budget_;                    ///< steps of all primaries together that the limit leaves
  std::uint64_t drawn_ = 0;                 ///< steps of the last frame
  std::array<std::uint16_t, 256> level_{};  ///< gamma
  std::vector<std::uint8_t> frame_;
  // What the frame shows, light by light.
  std::vector<Rgb> colours_;
  std::vector<std::uint32_t> draws_;  ///< steps
  Dimming how_{65'536, false};
};

}  // namespace merel
