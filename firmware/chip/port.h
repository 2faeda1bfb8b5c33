#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

/// The wire to the host; uart_port.cpp and usb_port.cpp are two kinds of it, and a firmware has one.
namespace merel::firmware::port {

/// link::Capability bits of this kind.
extern const std::uint16_t kCapabilities;

void start();
/// Does what the port needs done outside of interrupts.
void attend();
/// Bytes have come; how many of them are now in `into`.
std::size_t read(std::span<std::uint8_t> into);
/// Bytes wait to be read.
bool waiting();
/// The line is free for a frame.
bool ready();
/// Sends a frame, which must stay as it is until the port is ready again.
void send(std::span<const std::uint8_t> frame);

}  // namespace merel::firmware::port
