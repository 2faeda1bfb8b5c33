#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/reading.h"

namespace merel {

/// How a source, or a part of it, is doing.
struct SourceHealth {
  bool well = true;
  std::string what;      ///< one sentence: what is wrong, where (bus, address, port), what to do; empty when all is well
  bool partial = false;  ///< not well, but the rest of it goes on
  std::vector<std::uint16_t> lost;  ///< channels of which nothing is heard, ascending, when it is partial
  friend bool operator==(const SourceHealth&, const SourceHealth&) = default;
};

/// What a source has counted since it was made.
struct SourceCounts {
  std::uint64_t edges = 0;     ///< told by the kernel
  std::uint64_t scans = 0;     ///< of all channels, where there is a scan
  std::uint64_t gaps = 0;      ///< times that edges were dropped or contradicted each other, and everything was read again
  std::uint64_t repaired = 0;  ///< changes that no edge told of and that reading again has found
};

/// What the game that is being played makes of the sensors, for sources that tell pieces apart by their magnets.
struct BoardUse {
  std::vector<std::uint8_t> levels;  ///< by channel: the level of the site above it, from 1; 0 where the game has no site
  std::uint8_t players = 2;  ///< two: north up is the first one's; more: strong north, strong south, weak north, weak south
  friend bool operator==(const BoardUse&, const BoardUse&) = default;
};

/// What the game knows of the board.
struct KnownBoard {
  std::vector<bool> empty;      ///< by channel: the game and the sensors agree that there is nothing
  std::vector<Contents> sites;  ///< by site of the game's board, sites without a sensor included: what the record has there
  bool agreed = false;          ///< all sensors show just that
  friend bool operator==(const KnownBoard&, const KnownBoard&) = default;
};

/// Whoever wants to know what the sensors say. Times never go backwards.
class SensorListener {
 public:
  SensorListener() = default;
  virtual ~SensorListener() = default;
  SensorListener(const SensorListener&) = delete;
  SensorListener& operator=(const SensorListener&) = delete;

  /// A sensor reads something new, bounces included.
  virtual void on_reading(const Reading& reading) = 0;
  /// Button `number` (from 0, in seating order) goes down or up.
  virtual void on_button(std::uint8_t number, bool down, Time time) = 0;
  /// Pylos: so many spheres lie in the tray of that player (from 0) now.
  virtual void on_tray(std::uint8_t number, int count, Time time) = 0;
  /// The source has begun or ceased to work.
  virtual void on_health(const SourceHealth& health, Time time) = 0;
};

/// Sensors in: one object a kind of hardware. The daemon knows only this.
class SensorSource {
 public:
  SensorSource() = default;
  virtual ~SensorSource() = default;
  SensorSource(const SensorSource&) = delete;
  SensorSource& operator=(const SensorSource&) = delete;

  /// Begins to tell, from the loop's own thread: first what every channel reads now, then every change. The listener must live
  /// until stop().
  virtual void start(SensorListener& listener) = 0;
  virtual void stop() = 0;

  /// Looks whether everything still answers, and tells what has changed unheard. Called every few seconds from a wake-up that happens
  /// anyway, so that a source needs none of its own while nothing moves.
  virtual void check() {}
  /// What is played from now on. What every channel reads now is told again where the game makes something else of it.
  virtual void use(const BoardUse& /*use*/) {}
  /// Told whenever it changes. Only where there is no piece may a sensor's zero follow a slow drift.
  virtual void know(const KnownBoard& /*known*/) {}
  /// How long the source itself waits for a contact to hold before it tells of it.
  [[nodiscard]] virtual Time debounced() const { return {}; }
  [[nodiscard]] virtual SourceCounts counts() const { return {}; }
};

}  // namespace merel
