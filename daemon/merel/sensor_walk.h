#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/event_json.h"

namespace merel {

/// What is known about a sensor. In order of concern.
enum class SensorVerdict : std::uint8_t {
  untouched,  ///< it has never changed
  half,       ///< it has changed once: a piece came or went, not yet both
  seen,       ///< it has changed and changed back
  together,   ///< whenever it changes, another one does too
  aside,      ///< the game goes on without it
  flapping,   ///< it changes without end
};

/// One sensor of the board.
struct WalkedSensor {
  std::string cell;  ///< `d4` of the board in front of the players
  std::string site;  ///< of the game on the board; empty when it has none there
  std::int64_t channel = 0;
  std::string contents;  ///< `.`, `o` or a colour letter
  std::string raw;       ///< the same, bounces included
  std::uint64_t changes = 0;
  SensorVerdict verdict = SensorVerdict::untouched;
  std::string partner;  ///< for SensorVerdict::together: the other's cell
  std::string
      level;  ///< `N+926/411`: pole (small when weak), deviation and margin in counts; empty where levels are not told
};

/// Judges sensors by what they do while somebody puts a piece on each cell and lifts it again, from one look at `/api/sensors` after
/// another, some ten a second. Pure.
class SensorWalk {
 public:
  /// So many looks in a row with changes, a second's worth, are no hand.
  static constexpr int kFlapping = 10;

  /// Takes in the next look. The first is what the others are compared with; what happened before it counts only when
  /// `since_start` is true.
  explicit SensorWalk(bool since_start = false) : since_start_(since_start) {}
  void look(const Json& sensors);

  /// In the order in which the daemon tells them.
  [[nodiscard]] const std::vector<WalkedSensor>& sensors() const { return sensors_; }
  [[nodiscard]] const WalkedSensor* find(const std::string& cell) const;
  [[nodiscard]] std::size_t count(SensorVerdict verdict) const;
  /// What is wrong with the board as a whole; empty when it answers.
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  struct History {
    std::uint64_t before = 0;  ///< changes at the last look
    std::uint64_t first = 0;   ///< changes at the first look
    int looks = 0;             ///< with changes
    int row = 0;               ///< with changes, without a quiet one between them
    bool flapped = false;
    std::vector<std::string> companions;  ///< changed in every one of those looks, too
  };
  void judge(WalkedSensor& sensor, const Json& told) const;

  bool since_start_;
  bool begun_ = false;
  std::string source_;
  std::vector<WalkedSensor> sensors_;
  std::map<std::string, History> history_;  ///< by cell
};

/// The board as one looks at it, ranks from the highest, `cell` drawing the three characters of each sensor.
[[nodiscard]] std::vector<std::string> draw_sensors(const SensorWalk& walk, std::string (*cell)(const WalkedSensor&),
                                                    std::size_t width = 4);

}  // namespace merel
