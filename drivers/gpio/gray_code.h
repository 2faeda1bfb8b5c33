#pragma once
#include <cstdint>

namespace merel {

/// The n-th address of a walk on which one address line changes at a time, so that no wrong channel is passed on the way.
[[nodiscard]] constexpr std::uint32_t gray_code(std::uint32_t n) { return n ^ (n >> 1U); }

}  // namespace merel
