#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/reading.h"
#include "drivers/wiring.h"
#include "rules/geometry.h"

namespace merel {

/// How the board lies in front of the players, clockwise.
enum class Turned : std::uint8_t {
  none,
  quarter,
  half,
  three_quarters
};

/// What is known about one board: which channel senses and which light lights each cell of its lattice, and which drivers do it.
struct BoardProfile {
  static constexpr std::uint16_t kNone = 0xFFFF;  ///< no sensor, or no light, under that cell

  std::string name;          ///< `virtual7`: also the file's name
  std::string title;         ///< for people
  std::string revision;      ///< of the hardware; empty when it does not matter
  std::uint8_t lattice = 7;  ///< files and ranks, 3 to 15
  Turned turned = Turned::none;
  bool colour = false;  ///< the sensors tell whose piece it is
  bool trays = false;   ///< Pylos: trays count their spheres
  std::uint8_t buttons = 2;
  std::string sensor_driver = "sim";
  std::string light_driver = "sim";
  std::vector<std::uint16_t>
      channel;  ///< by cell, file * lattice + rank as the board was built; kNone where there is no sensor
  std::vector<std::uint16_t> light;  ///< likewise
  Wires wires;                       ///< what the drivers need to know; empty for a virtual board

  /// The channel, or light, under the cell that the players call so, after turning; kNone beyond the lattice too.
  [[nodiscard]] std::uint16_t channel_at(std::uint8_t file, std::uint8_t rank) const;
  [[nodiscard]] std::uint16_t light_at(std::uint8_t file, std::uint8_t rank) const;
  [[nodiscard]] std::size_t channels() const;  ///< highest channel + 1
  [[nodiscard]] std::size_t lights() const;    ///< highest light + 1

  /// For BoardImage: the site of that game's board under each channel, kNoSite where it has none.
  [[nodiscard]] std::vector<Site> sites(const Geometry& board) const;
  /// Sensed sites of that game's board under which this board has no sensor: the game cannot be played on it when there are any.
  [[nodiscard]] std::vector<Site> blind(const Geometry& board) const;
};

}  // namespace merel
