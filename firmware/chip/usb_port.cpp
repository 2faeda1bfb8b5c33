#include <tusb.h>

#include "drivers/link/messages.h"
#include "firmware/chip/port.h"

namespace merel::firmware::port {
namespace {

/// What of the last frame TinyUSB has not yet taken.
std::span<const std::uint8_t> rest;

}  // namespace

const std::uint16_t kCapabilities = link::kIsUsb;

void start() { tusb_init(); }

void attend() {
  tud_task();
  if (!tud_cdc_connected())
    rest = {};  // nobody has opened the port: what is said is lost, and the host will greet when it has
  if (rest.empty()) return;
  rest = rest.subspan(tud_cdc_write(rest.data(), rest.size()));
  tud_cdc_write_flush();
}

std::size_t read(std::span<std::uint8_t> into) {
  return tud_cdc_available() != 0 ? tud_cdc_read(into.data(), into.size()) : 0;
}

bool waiting() { return tud_task_event_ready(); }

bool ready() { return rest.empty(); }

void send(std::span<const std::uint8_t> frame) {
  rest = frame;
  attend();
}

}  // namespace merel::firmware::port
