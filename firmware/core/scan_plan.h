#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// How all channels are read, a thousand times a second, by the ADC, the DMA and a PIO alone: the ADC converts without a pause, and each
/// time the DMA has fetched kSamples results it hands the PIO the next address for the multiplexers. So every channel has its place in
/// the millisecond, whatever the processor is doing.
namespace merel::firmware {

inline constexpr std::size_t kChannels = 64;
inline constexpr std::uint32_t kScanMicros = 1'000;

/// Samples of each channel. The first kSettling of them are taken while the multiplexer and the sensor's output still settle; of the
/// other three the median counts.
inline constexpr std::size_t kSamples = 5;
inline constexpr std::size_t kSettling = 2;
inline constexpr std::size_t kScanSamples = kChannels * kSamples;

/// The ADC runs at 48 MHz and needs 96 of its cycles for a conversion (RP2040 datasheet, 4.9).
inline constexpr std::uint32_t kAdcHertz = 48'000'000;
inline constexpr std::uint32_t kConversionCycles = 96;
inline constexpr std::uint32_t kSampleCycles = kAdcHertz / 1'000'000 * kScanMicros / kScanSamples;
static_assert(kSampleCycles * kScanSamples * 1'000'000ULL == std::uint64_t{kAdcHertz} * kScanMicros,
              "a scan is exactly 1 ms");
static_assert(kSampleCycles >= kConversionCycles);
/// From a new address, which comes when a conversion ends, to the first sample that counts; HARDWARE asks for 5 us.
inline constexpr std::uint32_t kSettleNanos =
    ((kSettling + 1) * kSampleCycles - kConversionCycles) * 1'000 / (kAdcHertz / 1'000'000);
static_assert(kSettleNanos >= 5'000);

/// The channels are read in a circle that begins behind those of the lattice: they are the last of a scan, so what a player does is
/// known as soon as it can be.
inline constexpr std::size_t kFirstChannel = 49;
constexpr std::size_t channel_of(std::size_t slot) { return (slot + kFirstChannel) % kChannels; }
constexpr std::size_t slot_of(std::size_t channel) { return (channel + kChannels - kFirstChannel) % kChannels; }
/// When a channel is read, after its scan has begun.
constexpr std::uint32_t micros_of(std::size_t channel) {
  return static_cast<std::uint32_t>(slot_of(channel) * kScanMicros / kChannels);
}

/// What the PIO takes for a slot: eight pins (S0 to S3, then the multiplexers' enables, low when enabled) with all multiplexers off,
/// the same pins with the right one on, and a bit that says whether the scan before is complete.
constexpr std::uint32_t address_word(std::size_t slot) {
  const std::size_t channel = channel_of(slot);
  const auto address = static_cast<std::uint32_t>(channel % 16);
  const std::uint32_t off = 0xF0U | address;
  const std::uint32_t on = off & ~(0x10U << channel / 16);
  return off | on << 8U | (slot == 0 ? 1U << 16U : 0U);
}

constexpr std::uint16_t median(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// The samples, as the DMA writes them, in a circle.
inline constexpr std::size_t kRingSamples = 2'048;
using SampleRing = std::array<std::uint16_t, kRingSamples>;
using Counts = std::array<std::uint16_t, kChannels>;

/// Samples since one of them, when the ring shows `seen` and so many microseconds have gone by. The ring goes round in 6.4 ms; whoever looks
/// later than that (a debugger had halted the processor) must not take a place in it for one of another scan.
constexpr std::uint64_t samples_since(std::size_t seen, std::uint64_t micros) {
  const std::uint64_t expected = micros * kScanSamples / kScanMicros;
  if (expected <= seen) return seen;
  return seen + (expected - seen + kRingSamples / 2) / kRingSamples * kRingSamples;
}

/// What each channel reads in the scan whose first sample has that place.
inline void take_scan(const SampleRing& ring, std::size_t first, Counts& counts) {
  std::size_t at = first + kSettling;
  for (std::size_t slot = 0; slot < kChannels; ++slot, at += kSamples) {
    counts[channel_of(slot)] = median(ring[at % kRingSamples], ring[(at + 1) % kRingSamples], ring[(at + 2) % kRingSamples]);
  }
}

}  // namespace merel::firmware
