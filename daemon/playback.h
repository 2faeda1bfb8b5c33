#pragma once
#include <optional>
#include <vector>

#include "daemon/board_image.h"
#include "daemon/guide.h"
#include "daemon/tracker.h"
#include "drivers/trace.h"

namespace merel {

/// Runs a trace through the same board image, tracker and guide as live play, in virtual time: never slower than it can go, and
/// step by step for whoever wants to watch.
class Playback {
 public:
  /// Keeps a reference to the trace.
  explicit Playback(const Trace& trace, DebounceSettings debounce = {});

  /// Virtual time of the next moment at which something may happen; nothing when all is over.
  [[nodiscard]] std::optional<Time> next() const;
  /// Goes to that moment and returns what the tracker has said there.
  std::vector<TrackerEvent> advance();

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const Tracker& tracker() const { return tracker_; }
  [[nodiscard]] const BoardImage& image() const { return image_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  /// What the lights show now.
  [[nodiscard]] Scene scene() const { return guide(tracker_.record(), tracker_.view()); }

 private:
  void pass_on();
  void take(const TraceEvent& event);

  const Trace& trace_;
  std::size_t event_ = 0;
  std::vector<std::uint16_t> channel_;  ///< by site
  BoardImage image_;
  Tracker tracker_;
  Time now_{};
};

}  // namespace merel
