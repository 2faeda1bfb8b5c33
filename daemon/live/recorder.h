#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/session/session.h"
#include "drivers/trace_writer.h"

namespace merel {

/// Records the raw trace of games, and remembers the last minutes of readings for a report. Files are written by whoever runs the
/// jobs, never here.
class Recorder {
 public:
  /// Appends text to a file, somewhere that may wait for the disk.
  using Append = std::function<void(const std::string& file, std::string text)>;

  Recorder(std::string folder, Append append);

  void set_on(bool on) { on_ = on; }
  [[nodiscard]] bool on() const { return on_; }

  /// Play begins or goes on, from this position: a new file of that game.
  void begin(const std::string& id, const GameRecord& record, const BoardProfile& board, Time settle, Time now);
  void end(Time now);
  [[nodiscard]] bool recording() const { return writer_.has_value(); }

  void reading(const Reading& reading);
  void tray(std::uint8_t number, int count, Time now);
  void press(std::uint8_t number, Time now);
  void choose(const std::vector<Step>& steps, Time now);
  void take_back(Time now);
  /// Hands on what is waiting, when it is much or old.
  void flush(Time now, bool all = false);
  /// When flush() has something to hand on.
  [[nodiscard]] std::optional<Time> deadline() const;

  /// Files of that game's trace, the first begun first; only those that exist.
  [[nodiscard]] std::vector<std::string> files(const std::string& id) const;
  /// The last readings, one `milliseconds channel contents` a line, oldest first.
  [[nodiscard]] std::string recent() const;

 private:
  std::string folder_;
  Append append_;
  bool on_ = false;
  std::optional<TraceWriter> writer_;
  std::string file_;
  std::vector<std::string> site_of_;  ///< by channel, empty where the game has none
  std::size_t players_ = 0;
  std::optional<Time> flush_at_;
  std::deque<Reading> recent_;
};

}  // namespace merel
