#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "drivers/reading.h"
#include "rules/game.h"

namespace merel {

/// What hands can do that sensors can tell.
enum class Act : std::uint8_t {
  lift,      ///< a site became empty
  set,       ///< a site became occupied
  tray_out,  ///< a piece left its player's tray
  tray_in,   ///< a piece came back into its player's tray
  choice,    ///< a person said which steps were played
};

/// One debounced event.
struct Happening {
  Time time{};
  Act act = Act::lift;
  Site site = kNoSite;        ///< for lift and set
  Player player = kNoPlayer;  ///< colour sensed on set (kNoPlayer: not sensed); owner of the tray
  std::uint16_t choice = 0;   ///< index into the choices
};

/// The second happening undoes the first: the same place, the other way.
[[nodiscard]] bool undoes(const Happening& first, const Happening& second);

/// The steps of one turn as a person named them, `stop` left out.
using Choice = std::vector<Step>;

/// Most happenings that one search looks at.
inline constexpr std::size_t kMostHappenings = 64;
/// A set of happenings, one bit each, in time order.
using HappeningSet = std::uint64_t;
[[nodiscard]] constexpr HappeningSet bit(std::size_t i) { return HappeningSet{1} << i; }
/// The first and the last of a set that is not empty.
[[nodiscard]] constexpr std::size_t lowest(HappeningSet set) { return static_cast<std::size_t>(std::countr_zero(set)); }
[[nodiscard]] constexpr std::size_t highest(HappeningSet set) {
  return static_cast<std::size_t>(63 - std::countl_zero(set));
}

/// Two players' hands that come this close to each other may have come in either order,
inline constexpr Time kNearlyAtOnce = std::chrono::milliseconds(125);
/// which hardly counts against a reading.
inline constexpr double kInversionPrice = 0.02;
/// Readings whose prices are closer than this are equally likely.
inline constexpr double kAsLikely = 0.45;

/// One reading of what happened: legal steps from the base position on, and which happenings each of them caused.
struct Explanation {
  std::vector<Step> steps;
  std::vector<HappeningSet> causes;     ///< a set for every step; empty for a silent one
  std::vector<std::uint8_t> turn_ends;  ///< for every step: 1 when another player acts after it
  Position position;                    ///< after the steps
  double price = 0;                     ///< how unlikely; 0 is play by the book
  HappeningSet open = 0;                ///< happenings that nothing explains yet: a hand is in the middle of something
  HappeningSet undone = 0;  ///< happenings that undid each other: a piece straightened, a try taken back, a slide
  /// The same steps in another order that is about as likely: two settings nearly at once. Empty when the order is clear.
  std::vector<Step> other_order;
  /// The last turn has a step that no sensor could tell from a piece still in the hand (Pylos, upper levels).
  bool half_seen = false;

  /// Everything that happened is accounted for.
  [[nodiscard]] bool complete() const { return open == 0 && !half_seen; }
};

/// What each kind of untidiness costs.
struct Prices {
  double inversion_in_turn = 0.6;             ///< the removal came before the move
  double inversion_with_put = 3.0;            ///< the same where a piece was put from outside the board
  double inversion_across = kInversionPrice;  ///< the next player was quicker than the last one's hand,
  Time overlap = kNearlyAtOnce;               ///< which is nothing unusual up to here,
  double overlap_rate = 2.0;                  ///< costs this much more for every further 100 ms,
  double overlap_most = 10.0;                 ///< and at most this much
  double touch = 4.0;           ///< two steps of which the second lifts what the first has put down a moment ago,
  double return_soon = 2.2;     ///< or puts a piece where the first has lifted one not long before,
  double return_at_once = 3.0;  ///< or sooner than anybody thinks
  Time soon = std::chrono::milliseconds(1000);
  Time at_once = std::chrono::milliseconds(450);
  double removal_undone = 1.5;  ///< a piece that had to be taken was lifted and put back
  double forget = 1.0;
  double stop = 0.3;
  double late_take = 1.0;  ///< a second piece is taken long after the first, although the turn could have been over
  Time late = std::chrono::milliseconds(2600);
  double brief_pair = 0.3;  ///< a touch shorter than brief
  double short_pair = 1.2;
  double long_pair = 2.5;
  double far_pair = 6.5;  ///< a piece that was away for longer than anybody straightens one
  double open_lift = 4.0;
  double open_set = 5.0;
  double misplaced = 5.5;      ///< a piece lifted and then set down where nothing explains it: together
  double moved_not_put = 2.2;  ///< a piece came from outside just after another was lifted for good: rather that one
  Time hand_least = std::chrono::milliseconds(200);
  Time hand_most = std::chrono::milliseconds(1500);
  double open_tray = 3.0;
  double open_choice = 12.0;
  double half_seen = 4.5;        ///< a piece must have gone where no sensor reaches,
  double half_seen_soon = 2.5;   ///< and more when others played on at once, without a word
  double unseen = 6.0;           ///< a step that left no trace at all
  double tray_order = 1.0;       ///< the tray told before the site what it should have told after it, or the other way round
  double named_otherwise = 0.2;  ///< a choice names the removals in another order
  double missing_tray = 8.0;     ///< the tray did not count a piece
  double margin = 3.0;           ///< explanations dearer than the best by more than this are dropped
  double doubt = kAsLikely;      ///< readings closer than this are equally likely
  Time brief = std::chrono::milliseconds(60);
  Time brisk = std::chrono::milliseconds(400);
  Time away = std::chrono::milliseconds(2000);
};

/// Searches the step sequences that the rules allow from a position for those that cause exactly the given happenings: each step
/// takes the lifts, settings and tray changes that it needs; what is left over must undo itself or is open.
///
/// Only steps whose happenings are there are ever tried, so the search follows what the hands did and not the game tree; a limit
/// on the nodes keeps the worst case bounded.
class Explainer {
 public:
  static constexpr std::size_t kMostNodes = 600;   ///< nodes of one search
  static constexpr std::size_t kMostRivals = 100;  ///< and of those, after one explanation has left nothing open
  static constexpr std::size_t kMostExplanations = 16;

  explicit Explainer(Prices prices = {}) : prices_(prices) {}

  /// Trays tell of every piece that is put or taken; set this before the first search.
  void use_trays(bool trays) { trays_ = trays; }

  /// Treats a site as if it had no sensor, or trusts its sensor again.
  void set_aside(Site site, bool aside);
  [[nodiscard]] bool aside(Site site) const { return aside_[site]; }

  /// Explanations, the cheapest first, none dearer than the best by more than the margin. There is always one: at the least the
  /// one without steps. `happenings` are in time order, at most kMostHappenings.
  [[nodiscard]] const std::vector<Explanation>& search(const Position& base, std::span<const Happening> happenings,
                                                       std::span<const Choice> choices);

  /// True when all of these happenings can be parts of the rest of this turn and the next ones: somebody is in the middle of
  /// something that the rules allow. A piece must have been lifted to arrive, and a tray must have given what is put.
  /// `unbegun` steps may still have to be made before, of which nothing has been seen.
  [[nodiscard]] bool on_the_way(const Position& position, std::span<const Happening> open, int unbegun);

  /// Nodes that the last search looked at.
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }

 private:
  struct Node {
    Position position;
    HappeningSet used = 0;    ///< by steps
    HappeningSet undone = 0;  ///< skipped pairs
    HappeningSet turn = 0;    ///< used by the last step's turn
    HappeningSet before = 0;  ///< and by the turn before it
    HappeningSet cause = 0;   ///< used by the last step
    double price = 0;
    std::uint32_t parent = 0;
    std::uint32_t rival = 0;  ///< a node that came to the same in another order, about as likely; 0: none
    Step step;
    bool turn_ends = false;
    bool half_seen = false;  ///< the turn of the last step has an unconfirmed hidden step
    bool unseen = false;     ///< the turn of the last step has a step without any trace
  };
  struct Slot {
    std::uint32_t round = 0;  ///< the search that filled it
    std::uint32_t node = 0;
  };
  struct Leftover {
    double price = 0;
    HappeningSet open = 0;
    HappeningSet undone = 0;
  };
  struct Found {
    double price;
    std::uint32_t node;
    Leftover left;
  };
  struct Match {
    HappeningSet used = 0;
    HappeningSet undone = 0;
    double price = 0;
  };

  void expand(std::uint32_t index);
  void add(std::uint32_t parent, Step step, const Match& match);
  void consider(std::uint32_t index);
  [[nodiscard]] Leftover leftover(const Node& node) const;
  [[nodiscard]] double pair_price(std::size_t first, std::size_t second) const;
  [[nodiscard]] double inversions(const Node& node, std::size_t happening) const;
  [[nodiscard]] double far_pairs(const Node& node, HappeningSet undone) const;
  [[nodiscard]] double moved_not_put(HappeningSet used, std::size_t lift) const;
  [[nodiscard]] bool came_from_the_board(HappeningSet used, std::size_t set) const;
  [[nodiscard]] bool removal_undone(const Position& position, HappeningSet undone) const;
  [[nodiscard]] std::optional<Time> pause(HappeningSet before, HappeningSet then) const;
  [[nodiscard]] double haste(HappeningSet used, std::size_t happening) const;
  [[nodiscard]] bool chosen(const Node& node, Step step) const;
  enum class Naming : std::uint8_t {
    otherwise,
    in_another_order,
    in_order
  };
  [[nodiscard]] Naming named(std::uint32_t index, const Choice& choice) const;
  /// Finds the happenings of one kind at one place that the step can take, nearest first; at most two.
  std::size_t find(HappeningSet rest, Act act, Site site, Player mover, std::array<Match, 2>& out) const;
  void match_step(std::uint32_t index, Step step, bool may_stop);
  [[nodiscard]] bool leads_on(const Position& position, std::span<const Happening> open, HappeningSet rest, int unbegun,
                              int turns, bool idle);
  [[nodiscard]] HappeningSet begun(std::span<const Happening> open, HappeningSet rest, Step step, Player mover) const;
  void look_at(const Position& position);
  [[nodiscard]] Explanation told(const Found& found) const;
  [[nodiscard]] std::vector<Step> steps_to(std::uint32_t index) const;

  Prices prices_;
  bool trays_ = false;
  std::span<const Happening> happenings_;
  std::span<const Choice> choices_;
  const Geometry* board_ = nullptr;
  std::array<bool, 256> hidden_{};  ///< sites without a sensor
  std::array<bool, 256> aside_{};   ///< sites whose sensor is not trusted
  std::array<bool, 256> lifted_{};  ///< sites with a lift among the happenings
  std::array<bool, 256> filled_{};  ///< sites with a setting among the happenings
  HappeningSet all_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::pair<double, std::uint32_t>> queue_;
  std::vector<Slot> table_;  ///< hash table of nodes, open addressing
  std::uint32_t round_ = 0;  ///< the search that is going on: what earlier ones left in the table counts as free
  std::vector<Found> found_;
  std::vector<Explanation> explanations_;
  double best_ = 0;
  std::size_t limit_ = kMostNodes;  ///< nodes that this search may make
  bool closed_ = false;             ///< an explanation that leaves nothing open has been found
  std::size_t budget_ = 0;          ///< positions that on_the_way() may still look at
};

}  // namespace merel
