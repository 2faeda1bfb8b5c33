#include <hardware/dma.h>
#include <hardware/gpio.h>
#include <hardware/irq.h>
#include <hardware/uart.h>

#include <array>
#include <atomic>

#include "firmware/chip/pins.h"
#include "firmware/chip/port.h"

namespace merel::firmware::port {
namespace {

constexpr unsigned kBaud = 460'800;
constexpr std::size_t kRing = 2'048;  ///< what comes while the flash is busy

std::array<std::uint8_t, kRing> ring;
std::atomic<std::uint32_t> written = 0;
std::atomic<std::uint32_t> taken = 0;
unsigned channel = 0;

/// What does not fit is lost, which its frame's checksum shows.
void on_bytes() {
  std::uint32_t at = written.load(std::memory_order_relaxed);
  while (uart_is_readable(uart0)) {
    const auto byte = static_cast<std::uint8_t>(uart_get_hw(uart0)->dr);
    if (at - taken.load(std::memory_order_acquire) < kRing) ring[at++ % kRing] = byte;
  }
  written.store(at, std::memory_order_release);
}

}  // namespace

const std::uint16_t kCapabilities = 0;

void start() {
  uart_init(uart0, kBaud);
  gpio_set_function(pins::kLinkOut, GPIO_FUNC_UART);
  gpio_set_function(pins::kLinkIn, GPIO_FUNC_UART);
  gpio_pull_up(pins::kLinkIn);  // without a host the line rests
  irq_set_exclusive_handler(UART0_IRQ, on_bytes);
  irq_set_priority(UART0_IRQ, PICO_HIGHEST_IRQ_PRIORITY);
  irq_set_enabled(UART0_IRQ, true);
  uart_set_irqs_enabled(uart0, true, false);

  channel = static_cast<unsigned>(dma_claim_unused_channel(true));
  dma_channel_config each = dma_channel_get_default_config(channel);
  channel_config_set_transfer_data_size(&each, DMA_SIZE_8);
  channel_config_set_dreq(&each, uart_get_dreq(uart0, true));
  dma_channel_configure(channel, &each, &uart_get_hw(uart0)->dr, nullptr, 0, false);
}

void attend() {}

std::size_t read(std::span<std::uint8_t> into) {
  std::uint32_t at = taken.load(std::memory_order_relaxed);
  const std::uint32_t end = written.load(std::memory_order_acquire);
  std::size_t count = 0;
  while (at != end && count < into.size()) into[count++] = ring[at++ % kRing];
  taken.store(at, std::memory_order_release);
  return count;
}

bool waiting() { return taken.load(std::memory_order_relaxed) != written.load(std::memory_order_acquire); }

bool ready() { return !dma_channel_is_busy(channel); }

void send(std::span<const std::uint8_t> frame) { dma_channel_transfer_from_buffer_now(channel, frame.data(), frame.size()); }

}  // namespace merel::firmware::port
