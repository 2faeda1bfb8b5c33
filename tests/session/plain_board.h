#pragma once
#include "daemon/config/board_profile.h"

namespace merel {

/// A square board of that size whose channels and lights are numbered file by file.
inline BoardProfile plain_board(std::uint8_t lattice = 7, bool colour = false) {
  BoardProfile board;
  board.name = "test";
  board.lattice = lattice;
  board.colour = colour;
  board.buttons = 4;
  const auto cells = static_cast<std::uint16_t>(lattice * lattice);
  for (std::uint16_t i = 0; i < cells; ++i) board.channel.push_back(i);
  board.light = board.channel;
  return board;
}

}  // namespace merel
