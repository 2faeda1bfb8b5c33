#include "firmware/chip/light_chain.h"

#include <hardware/clocks.h>
#include <hardware/dma.h>
#include <hardware/pio.h>
#include <hardware/timer.h>

#include "firmware/chip/pins.h"
#include "firmware/core/chain_picture.h"
#include "light_chain.pio.h"

namespace merel::firmware {
namespace {

PIO const kPio = pio0;
constexpr float kBitsPerSecond = 790'000;

}  // namespace

void LightChain::start() {
  machine_ = static_cast<unsigned>(pio_claim_unused_sm(kPio, true));
  const auto offset = static_cast<unsigned>(pio_add_program(kPio, &light_chain_program));
  pio_sm_config config = light_chain_program_get_default_config(offset);
  sm_config_set_sideset_pins(&config, pins::kLights);
  sm_config_set_out_shift(&config, false, true, 24);
  sm_config_set_fifo_join(&config, PIO_FIFO_JOIN_TX);
  sm_config_set_clkdiv(&config, static_cast<float>(clock_get_hz(clk_sys)) / (kBitsPerSecond * light_chain_CYCLES_PER_BIT));
  pio_sm_set_consecutive_pindirs(kPio, machine_, pins::kLights, 1, true);
  pio_gpio_init(kPio, pins::kLights);
  pio_sm_init(kPio, machine_, offset, &config);
  pio_sm_set_enabled(kPio, machine_, true);

  channel_ = static_cast<unsigned>(dma_claim_unused_channel(true));
  dma_channel_config each = dma_channel_get_default_config(channel_);
  channel_config_set_transfer_data_size(&each, DMA_SIZE_32);
  channel_config_set_dreq(&each, pio_get_dreq(kPio, machine_, true));
  dma_channel_configure(channel_, &each, &kPio->txf[machine_], nullptr, 0, false);

  alarm_ = static_cast<unsigned>(hardware_alarm_claim_unused(true));
  hardware_alarm_set_callback(alarm_, [](unsigned) {});  // it wakes, and that is all
  ready_at_ = time_us_64() + ChainPicture::kResetMicros;
}

bool LightChain::ready() const { return time_us_64() >= ready_at_ && !dma_channel_is_busy(channel_); }

void LightChain::show(std::span<const std::uint32_t> picture) {
  ready_at_ = time_us_64() + picture.size() * ChainPicture::kLightMicros + ChainPicture::kResetMicros;
  dma_channel_transfer_from_buffer_now(channel_, picture.data(), picture.size());
  hardware_alarm_set_target(alarm_, from_us_since_boot(ready_at_));
}

}  // namespace merel::firmware
