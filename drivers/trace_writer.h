#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "drivers/trace.h"

namespace merel {

/// Writes a trace (docs/trace.md) while it happens. Pure: text comes out of take(). Times are given as the daemon knows them and
/// written since the beginning of the trace.
class TraceWriter {
 public:
  /// `begin`: time zero of the trace; what stands on the board then is the position.
  TraceWriter(const GameInfo& game, const Options& options, const Position& position, bool colour, Time settle, Time begin);

  void site(std::string_view site, Contents contents, Time now);
  void tray(Player player, int count, Time now);
  void button(Player player, Time now);
  void choose(std::span<const Step> steps, Time now);
  void take_back(Time now);
  void end(Time now);

  /// What has been written since the last call.
  [[nodiscard]] std::string take();
  [[nodiscard]] std::size_t waiting() const { return text_.size(); }

 private:
  void line(Time now, std::string_view what);
  [[nodiscard]] char letter(Player player) const { return game_->colours[player]; }

  const GameInfo* game_;
  Position board_;
  Time begin_;
  Time last_{};
  std::string text_;
};

}  // namespace merel
