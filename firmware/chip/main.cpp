#include <hardware/structs/rosc.h>
#include <hardware/sync.h>
#include <hardware/timer.h>
#include <hardware/watchdog.h>

#include <array>

#include "firmware/chip/buzzer.h"
#include "firmware/chip/chip_flash.h"
#include "firmware/chip/light_chain.h"
#include "firmware/chip/port.h"
#include "firmware/chip/scanner.h"
#include "firmware/core/board.h"

namespace merel::firmware {
namespace {

/// Longer than the flash may need for a sector (W25Q16JV: 400 ms).
constexpr std::uint32_t kWatchdogMillis = 1'000;

Time now() { return Time(static_cast<std::int64_t>(time_us_64())); }

/// Another one after each start: the ring oscillator's noise, a bit at a time (RP2040 datasheet, 2.17.5), and the time.
std::uint32_t make_session() {
  std::uint32_t session = 0;
  for (int i = 0; i < 64; ++i) {
    session = session << 1U ^ session >> 31U ^ (rosc_hw->randombit & 1U);
    busy_wait_us_32(1);
  }
  return session ^ static_cast<std::uint32_t>(time_us_64());
}

// Not on the stack, which is small.
Senses senses;
Scanner scanner(senses);
ChipFlash flash;
LightChain chain;
BuzzerPin buzzer;
std::array<std::uint8_t, link::kMaxWire> frame;
std::array<std::uint8_t, 64> bytes;

[[noreturn]] void run() {
  ChipState chip;
  chip.watchdog_started = watchdog_enable_caused_reboot();
  watchdog_enable(kWatchdogMillis, true);
  buzzer.start();
  chain.start();
  port::start();
  static Board board(senses, scanner, flash, make_session(), port::kCapabilities, now());
  scanner.start();

  std::uint32_t fed = 0;
  for (;;) {
    const std::uint32_t ended = scanner.ended();
    port::attend();
    while (const std::size_t count = port::read(bytes)) board.hear(std::span(bytes).first(count), now());
    chip.late = scanner.late();
    chip.scan_us = scanner.longest_us();
    board.attend(now(), chip);
    if (port::ready()) {
      if (const std::size_t length = board.next_frame(now(), frame)) port::send(std::span(frame).first(length));
    }
    if (chain.ready()) {
      if (const auto picture = board.picture(now())) chain.show(*picture);
    }
    buzzer.sound(board.tone(now()));
    // A board that no longer scans starts anew, however alive its link is.
    if (ended != fed) watchdog_update();
    fed = ended;

    // With interrupts disabled a pending one still ends the wait, so none is missed between the question and the wait.
    const std::uint32_t state = save_and_disable_interrupts();
    if (scanner.ended() == ended && !port::waiting()) __wfi();
    restore_interrupts(state);
  }
}

}  // namespace
}  // namespace merel::firmware

int main() { merel::firmware::run(); }
