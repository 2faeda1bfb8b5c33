#include "firmware/chip/scanner.h"

#include <hardware/adc.h>
#include <hardware/dma.h>
#include <hardware/gpio.h>
#include <hardware/irq.h>
#include <hardware/pio.h>
#include <hardware/sync.h>
#include <hardware/timer.h>

#include "firmware/chip/pins.h"
#include "mux_address.pio.h"

namespace merel::firmware {
namespace {

constexpr unsigned kRingBits = 12;  ///< of the size in bytes
constexpr unsigned kTableBits = 8;
static_assert(sizeof(SampleRing) == 1U << kRingBits);

using AddressTable = std::array<std::uint32_t, kChannels>;
static_assert(sizeof(AddressTable) == 1U << kTableBits);

constexpr AddressTable make_addresses() {
  AddressTable table{};
  for (std::size_t slot = 0; slot < kChannels; ++slot) table[slot] = address_word(slot);
  return table;
}

// The DMA goes around in both, so they lie on multiples of their size.
alignas(1U << kTableBits) constexpr AddressTable kAddresses = make_addresses();
alignas(1U << kRingBits) SampleRing ring;

Scanner* scanner = nullptr;
PIO const kPio = pio1;
constexpr unsigned kIrq = PIO1_IRQ_0;

}  // namespace

void Scanner::start() {
  scanner = this;
  gpio_init_mask(0xFU << pins::kButton);
  for (unsigned i = 0; i < Senses::kButtons; ++i) gpio_pull_up(pins::kButton + i);

  const unsigned machine = static_cast<unsigned>(pio_claim_unused_sm(kPio, true));
  const unsigned offset = static_cast<unsigned>(pio_add_program(kPio, &mux_address_program));
  pio_sm_config config = mux_address_program_get_default_config(offset);
  sm_config_set_out_pins(&config, pins::kAddress, pins::kAddressPins);
  sm_config_set_out_shift(&config, true, false, 32);
  pio_sm_set_pins_with_mask(kPio, machine, 0xF0U << pins::kAddress, 0xFFU << pins::kAddress);  // all off
  pio_sm_set_consecutive_pindirs(kPio, machine, pins::kAddress, pins::kAddressPins, true);
  for (unsigned i = 0; i < pins::kAddressPins; ++i) pio_gpio_init(kPio, pins::kAddress + i);
  pio_sm_init(kPio, machine, offset, &config);
  pio_set_irq0_source_enabled(kPio, pis_interrupt0, true);
  irq_set_exclusive_handler(kIrq, on_scan);
  irq_set_priority(kIrq, PICO_LOWEST_IRQ_PRIORITY);  // whatever brings bytes comes first
  irq_set_enabled(kIrq, true);

  adc_init();
  adc_gpio_init(pins::kSensors);
  adc_select_input(pins::kSensors - 26);
  adc_fifo_setup(true, true, 1, false, false);
  adc_set_clkdiv(static_cast<float>(kSampleCycles - 1));

  const auto samples = static_cast<unsigned>(dma_claim_unused_channel(true));
  const auto addresses = static_cast<unsigned>(dma_claim_unused_channel(true));
  samples_channel_ = samples;
  dma_channel_config each = dma_channel_get_default_config(samples);
  channel_config_set_transfer_data_size(&each, DMA_SIZE_16);
  channel_config_set_read_increment(&each, false);
  channel_config_set_write_increment(&each, true);
  channel_config_set_ring(&each, true, kRingBits);
  channel_config_set_dreq(&each, DREQ_ADC);
  channel_config_set_chain_to(&each, addresses);
  channel_config_set_high_priority(&each, true);
  dma_channel_configure(samples, &each, ring.data(), &adc_hw->fifo, kSamples, false);
  dma_channel_config next = dma_channel_get_default_config(addresses);
  channel_config_set_transfer_data_size(&next, DMA_SIZE_32);
  channel_config_set_read_increment(&next, true);
  channel_config_set_write_increment(&next, false);
  channel_config_set_ring(&next, false, kTableBits);
  channel_config_set_chain_to(&next, samples);
  channel_config_set_high_priority(&next, true);
  dma_channel_configure(addresses, &next, &kPio->txf[machine], kAddresses.data(), 1, false);

  pio_sm_set_enabled(kPio, machine, true);
  first_at_ = time_us_64();      // before the first interrupt, which comes at once
  dma_channel_start(addresses);  // the first address; it also says that a scan is complete, which take() knows better
  adc_run(true);
  running_ = true;
}

void Scanner::close() {
  if (running_) irq_set_enabled(kIrq, false);
  __dsb();
  __isb();
}
void Scanner::open() {
  if (running_) irq_set_enabled(kIrq, true);
}

void Scanner::on_scan() {
  pio_interrupt_clear(kPio, 0);
  scanner->take();
}

void Scanner::take() {
  if ((adc_hw->fcs & ADC_FCS_OVER_BITS) != 0) {
    hw_set_bits(&adc_hw->fcs, ADC_FCS_OVER_BITS);
    late_ = late_ + 1;  // a sample has been lost: the scan became that much longer
  }
  for (bool first = true;; first = false) {
    const std::uintptr_t at =
        dma_channel_hw_addr(samples_channel_)->write_addr - reinterpret_cast<std::uintptr_t>(ring.data());
    const std::uint64_t now = time_us_64();
    std::uint64_t samples = samples_since((at / sizeof(std::uint16_t) - first_) % kRingSamples, now - first_at_);
    if (samples < kScanSamples) return;
    // An interrupt that stood for two ends of scans was more than a millisecond late for the first.
    if (!first) late_ = late_ + 1;
    if (samples >= kRingSamples) {  // of what has been written over only the last whole scan is left
      const auto skipped = static_cast<std::uint32_t>(samples / kScanSamples - 1);
      first_ = (first_ + skipped * kScanSamples) % kRingSamples;
      samples -= skipped * kScanSamples;
      late_ = late_ + skipped;
    }
    const std::uint64_t age = samples * kScanMicros / kScanSamples;
    take_scan(ring, first_, counts_);
    first_ = (first_ + kScanSamples) % kRingSamples;
    first_at_ = now - age + kScanMicros;
    const auto up = static_cast<std::uint8_t>(gpio_get_all() >> pins::kButton & 0xFU);
    senses_.scan(counts_, static_cast<std::uint8_t>(~up & 0xFU), Time(static_cast<std::int64_t>(now - age)));
    ended_ = ended_ + 1;
    const auto took = static_cast<std::uint16_t>(age + time_us_64() - now);
    if (took > longest_us_) longest_us_ = took;
  }
}

}  // namespace merel::firmware
