#pragma once
#include <optional>
#include <string>
#include <vector>

#include "daemon/event_json.h"
#include "daemon/merel/board_view.h"

namespace merel {

/// The daemon's State, kept up to date by the messages of its event stream.
class LiveState {
 public:
  LiveState() = default;  // NOLINT(bugprone-exception-escape): making a null of JSON only looks as if it could throw
  ~LiveState() = default;
  LiveState(const LiveState&) = delete;
  LiveState& operator=(const LiveState&) = delete;

  /// Takes in a message: a State replaces everything, an event changes its part. Unknown ones change nothing.
  void apply(const Json& message);
  /// As docs/openapi.yaml has it; null before the first State.
  [[nodiscard]] const Json& state() const { return state_; }

 private:
  void play(const Json& event);

  Json state_;
};

/// The board, its lights and what these mean, as lines of text (board_view.h); nothing without a game that this program knows.
[[nodiscard]] std::vector<std::string> draw_state(const Json& state, std::size_t width, Ink ink);

/// The record of a game: of a State or an export, anything with `game`, `options`, `start` and `steps`. Ends before the first step
/// that does not fit; nothing when there is not even a start.
[[nodiscard]] std::optional<GameRecord> record_of(const Json& game);

}  // namespace merel
