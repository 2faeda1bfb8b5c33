#pragma once
#include <vector>

#include "daemon/explain.h"
#include "rules/record.h"

namespace merel {

/// Puts that another player's put nearly coincided with. Without colour sensing the board cannot tell whose piece is whose there;
/// what happens later may show that it was the other way round, however much later that is.
class LoosePuts {
 public:
  struct Put {
    std::size_t step;  ///< index in the record
    Site site;
    Time time;
  };
  /// Another way in which the same puts may have been played.
  struct Alternative {
    std::vector<Step> steps;  ///< of the whole record up to the asked step
    Position position;        ///< after them
    double price = 0;         ///< how much later pieces came before earlier ones
  };

  /// Remembers those of these puts that nearly coincided with another one; they are in the order of the record.
  void note(const std::vector<Put>& puts);
  /// Forgets what the record does not say (any more).
  void match(const GameRecord& record);
  [[nodiscard]] bool empty() const { return puts_.empty(); }

  /// Other legal ways to the record's first `base` steps: the puts of at most `most_changed` bundles are played in another order.
  /// One way for every position that can result, the cheapest first, at most kMost.
  [[nodiscard]] std::vector<Alternative> alternatives(const GameRecord& record, std::size_t base, int most_changed) const;
  /// The record now says these steps.
  void adopt(const std::vector<Step>& steps);

 private:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kMostWays = 128;
  static constexpr std::size_t kMostInBundle = 8;
  static constexpr std::size_t kFewInBundle = 3;
  static constexpr std::size_t kFewWays = 4;
  using Bundle = std::vector<Put>;
  struct Way {
    Alternative so_far;
    int changed = 0;
  };
  [[nodiscard]] std::vector<Bundle> bundles(std::size_t base) const;

  std::vector<Put> puts_;
};

}  // namespace merel
