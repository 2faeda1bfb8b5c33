#pragma once
#include <cstdint>

/// What is wired to which GPIO of the Pico (HARDWARE, board A).
namespace merel::firmware::pins {

inline constexpr std::uint32_t kLinkOut = 0;  ///< UART0 TX
inline constexpr std::uint32_t kLinkIn = 1;   ///< UART0 RX
inline constexpr std::uint32_t kAddress = 2;  ///< S0 to S3 of all multiplexers, then their four enables, low when enabled
inline constexpr std::uint32_t kAddressPins = 8;
inline constexpr std::uint32_t kButton = 10;  ///< the first of four, to ground
inline constexpr std::uint32_t kBuzzer = 14;
inline constexpr std::uint32_t kLights = 16;
inline constexpr std::uint32_t kSensors = 26;  ///< ADC0

}  // namespace merel::firmware::pins
