#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "daemon/config/board_profile.h"

namespace merel {

/// The cells over these channels as the players call them, ranges shortened: `a1 to g1, b2`. Channels without a cell are left out.
[[nodiscard]] std::string cells_text(const BoardProfile& board, std::span<const std::uint16_t> channels);

}  // namespace merel
