#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "drivers/reading.h"
#include "rules/game.h"

namespace merel {

/// From `time` on, the sensor under that site reads so.
struct SiteReading {
  Site site;
  Contents contents;
};
/// Pylos: so many spheres lie in the player's tray now.
struct TrayReading {
  Player player;
  int count;
};
struct ButtonPress {
  Player player;
};
/// A person says which steps were played.
struct ChooseRequest {
  std::vector<Step> steps;
};
struct TakebackRequest {};
struct TraceEnd {};

struct TraceEvent {
  Time time{};
  std::variant<SiteReading, TrayReading, ButtonPress, ChooseRequest, TakebackRequest, TraceEnd> what;
};

/// What the sensors of a board said during a game (format: docs/trace.md). The last event is the only TraceEnd.
struct Trace {
  const GameInfo* game = nullptr;
  Options options;
  bool colour = false;  ///< sensors tell the colour of a piece
  Position start;
  Time settle = std::chrono::milliseconds(300);
  bool trays = false;  ///< the board counts the spheres in the trays
  std::vector<TraceEvent> events;
};

/// Why a trace is refused.
struct TraceError {
  std::size_t line = 0;  ///< from 1; 0 when the file as a whole cannot be read
  std::string message;   ///< what is wrong and what would be right

  /// `FILE:LINE: message`, one line.
  [[nodiscard]] std::string text(std::string_view file) const;
};

/// Reads a whole trace; nothing is half-read.
[[nodiscard]] Result<Trace, TraceError> read_trace(std::string_view text);
/// Reads a trace file of at most 64 MiB.
[[nodiscard]] Result<Trace, TraceError> read_trace_file(const std::string& path);

/// The sensed sites of the position's board in table order: channel n of a trace is the n-th of them.
[[nodiscard]] std::vector<Site> trace_channels(const Position& position);

}  // namespace merel
