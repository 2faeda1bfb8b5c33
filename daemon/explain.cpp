#include "daemon/explain.h"

#include <algorithm>

namespace merel {
namespace {

constexpr HappeningSet after(std::size_t i) { return i + 1 >= kMostHappenings ? 0 : ~HappeningSet{0} << (i + 1); }

constexpr std::size_t kMostGlances = 3000;  // positions that on_the_way() looks at
constexpr int kMostTurnsAhead = 3;

constexpr double kSuperseded = 1e9;  // a price that nothing reaches
constexpr double kHaste = 1.5;       // what has accounted for most is followed first

constexpr std::size_t kTableSize = 2048;  // a power of two, well above kMostNodes

/// +1 for what adds a piece to its place, -1 for what takes one away.
constexpr int direction(Act act) { return act == Act::set || act == Act::tray_in ? 1 : -1; }
constexpr bool of_tray(Act act) { return act == Act::tray_out || act == Act::tray_in; }

/// Places where happenings can cancel: sites, and one tray a player.
bool same_place(const Happening& a, const Happening& b) {
  if (a.act == Act::choice || b.act == Act::choice) return false;
  if (of_tray(a.act) != of_tray(b.act)) return false;
  return of_tray(a.act) ? a.player == b.player : a.site == b.site;
}

}  // namespace

bool undoes(const Happening& first, const Happening& second) {
  return same_place(first, second) && direction(first.act) != direction(second.act);
}

const std::vector<Explanation>& Explainer::search(const Position& base, std::span<const Happening> happenings,
                                                  std::span<const Choice> choices) {
  happenings_ = happenings.first(std::min(happenings.size(), kMostHappenings));
  choices_ = choices;
  look_at(base);
  lifted_.fill(false);
  filled_.fill(false);
  for (const Happening& h : happenings_) {
    if (h.act == Act::lift) lifted_[h.site] = true;
    if (h.act == Act::set) filled_[h.site] = true;
  }
  all_ = happenings_.size() == kMostHappenings ? ~HappeningSet{0} : bit(happenings_.size()) - 1;

  nodes_.clear();
  queue_.clear();
  found_.clear();
  if (table_.empty() || ++round_ == 0) {
    table_.assign(kTableSize, {});
    round_ = 1;
  }
  best_ = kSuperseded;
  closed_ = false;
  limit_ = kMostNodes;

  Node root;
  root.position = base;
  nodes_.push_back(root);
  consider(0);
  queue_.emplace_back(0.0, 0U);
  while (!queue_.empty() && nodes_.size() < limit_) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const std::uint32_t index = queue_.back().second;
    queue_.pop_back();
    if (nodes_[index].price <= best_ + prices_.margin) expand(index);
  }

  std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.price < b.price; });
  explanations_.clear();
  for (const Found& found : found_) {
    if (found.price > best_ + prices_.margin || explanations_.size() == kMostExplanations) break;
    explanations_.push_back(told(found));
  }
  return explanations_;
}

void Explainer::look_at(const Position& position) {
  const Geometry* board = &geometry(position);
  if (board == board_) return;
  board_ = board;
  hidden_ = aside_;
  for (const SiteInfo& info : board->sites) hidden_[info.site] = hidden_[info.site] || !info.sensed;
}

void Explainer::set_aside(Site site, bool aside) {
  aside_[site] = aside;
  board_ = nullptr;  // look again at the next search
}

bool Explainer::on_the_way(const Position& position, std::span<const Happening> open, int unbegun) {
  look_at(position);
  open = open.first(std::min(open.size(), kMostHappenings - 1));
  budget_ = kMostGlances;
  return leads_on(position, open, bit(open.size()) - 1, unbegun, kMostTurnsAhead, false);
}

/// The happenings that this step accounts for when it has only just begun; none when they cannot be the step's.
HappeningSet Explainer::begun(std::span<const Happening> open, HappeningSet rest, Step step, Player mover) const {
  HappeningSet lifted = 0;
  HappeningSet filled = 0;
  HappeningSet tray = 0;
  for (; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    const Happening& h = open[i];
    if (h.act == Act::lift && h.site == step.from) lifted = bit(i);
    if (h.act == Act::set && h.site == step.to && (h.player == kNoPlayer || h.player == mover)) filled = bit(i);
    if (h.act == Act::tray_out && h.player == mover && step.kind == StepKind::put && tray == 0) tray = bit(i);
    if (h.act == Act::tray_in && h.player == mover && step.kind == StepKind::take && tray == 0) tray = bit(i);
  }
  switch (step.kind) {
    case StepKind::move: return lifted != 0 || hidden_[step.from] ? lifted | filled : 0;
    case StepKind::put: return trays_ && tray == 0 ? 0 : filled | tray;
    case StepKind::take: return lifted != 0 || hidden_[step.from] ? lifted | tray : 0;
    default: return 0;
  }
}

/// `idle`: the mover has so far only steps ahead that have not begun. A removal may be outstanding, but nobody's whole turn is
/// still to come when others have already begun theirs.
bool Explainer::leads_on(const Position& position, std::span<const Happening> open, HappeningSet rest, int unbegun,
                         int turns, bool idle) {
  if (rest == 0) return true;
  if (turns == 0 || budget_ == 0) return false;
  --budget_;
  const Player mover = to_act(position);
  const StepList steps = legal_steps(position);
  // Steps that account for something first: they are few, and most often right.
  for (const bool begin : {true, false}) {
    for (const Step step : steps) {
      const HappeningSet part = step.physical() ? begun(open, rest, step, mover) : 0;
      if ((part != 0) != begin) continue;
      if (part == rest) return true;
      const int left = begin || !step.physical() ? unbegun : unbegun - 1;
      if (left < 0) continue;
      const auto next = apply(position, step);
      if (!next) continue;
      const bool still_idle = !begin && (idle || (step.physical() && step.kind != StepKind::take));
      const bool turn_ends = to_act(*next) != mover;
      if (turn_ends && still_idle) continue;
      if (leads_on(*next, open, rest & ~part, left, turn_ends ? turns - 1 : turns, !turn_ends && still_idle)) return true;
    }
  }
  return false;
}

std::vector<Step> Explainer::steps_to(std::uint32_t index) const {
  std::vector<Step> steps;
  for (; index != 0; index = nodes_[index].parent) steps.push_back(nodes_[index].step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

Explanation Explainer::told(const Found& found) const {
  const Node& last = nodes_[found.node];
  Explanation out;
  out.position = last.position;
  out.price = found.price;
  out.open = found.left.open;
  out.undone = last.undone | found.left.undone;
  out.half_seen = last.half_seen;
  for (std::uint32_t i = found.node; i != 0; i = nodes_[i].parent) {
    if (nodes_[i].rival != 0 && out.other_order.empty()) {
      std::vector<Step> other = steps_to(nodes_[i].rival);
      if (other != steps_to(i)) {
        out.other_order = std::move(other);
        out.other_order.insert(out.other_order.end(), out.steps.rbegin(), out.steps.rend());
      }
    }
    out.steps.push_back(nodes_[i].step);
    out.causes.push_back(nodes_[i].cause);
    out.turn_ends.push_back(nodes_[i].turn_ends ? 1 : 0);
  }
  std::reverse(out.steps.begin(), out.steps.end());
  std::reverse(out.causes.begin(), out.causes.end());
  std::reverse(out.turn_ends.begin(), out.turn_ends.end());
  return out;
}

double Explainer::pair_price(std::size_t first, std::size_t second) const {
  const Time held = happenings_[second].time - happenings_[first].time;
  if (held < prices_.brief) return prices_.brief_pair;
  return held < prices_.brisk ? prices_.short_pair : prices_.long_pair;
}

/// What it costs more that a piece was put back after it had been away for long, just when the player to act had lifted another
/// one for good: that one was rather set down there.
double Explainer::far_pairs(const Node& node, HappeningSet undone) const {
  double price = 0;
  const Player mover = to_act(node.position);
  for (HappeningSet left = undone; left != 0; left &= left - 1) {
    const std::size_t second = lowest(left);
    const Happening& back = happenings_[second];
    if (back.act != Act::set) continue;
    bool away = false;
    bool another = false;
    for (std::size_t i = 0; i < second; ++i) {
      const Happening& h = happenings_[i];
      if (h.act != Act::lift) continue;
      if (h.site == back.site && (undone & bit(i)) != 0) away = back.time - h.time > prices_.away;
      if (h.site != back.site && (undone & bit(i)) == 0 && h.player == mover && back.time - h.time < prices_.hand_most)
        another = true;
    }
    if (away && another) price += prices_.far_pair - prices_.long_pair;
  }
  return price;
}

/// What it costs more that a piece was lifted for good while a step put one from outside a moment later.
double Explainer::moved_not_put(HappeningSet used, std::size_t lift) const {
  if (trays_) return 0;  // the tray would tell
  for (std::size_t i = lift + 1; i < happenings_.size(); ++i) {
    const Happening& h = happenings_[i];
    const Time later = h.time - happenings_[lift].time;
    if (later > prices_.hand_most) break;
    if (h.act == Act::set && (used & bit(i)) != 0 && later >= prices_.hand_least && !came_from_the_board(used, i)) {
      return prices_.moved_not_put;
    }
  }
  return 0;
}

/// A piece was lifted shortly before this setting, and a step has used that.
bool Explainer::came_from_the_board(HappeningSet used, std::size_t set) const {
  for (std::size_t i = set; i-- > 0;) {
    if (happenings_[set].time - happenings_[i].time > prices_.away) return false;
    if (happenings_[i].act == Act::lift && (used & bit(i)) != 0) return true;
  }
  return false;
}

Explainer::Leftover Explainer::leftover(const Node& node) const {
  HappeningSet rest = all_ & ~node.used & ~node.undone;
  Leftover out;
  int lifted = 0;  // pieces in the hand at this point
  while (rest != 0) {
    const std::size_t first = lowest(rest);
    const Happening& head = happenings_[first];
    rest &= rest - 1;
    if (head.act == Act::choice) {
      out.open |= bit(first);
      out.price += prices_.open_choice;
      continue;
    }
    // The next happening at the same place that goes the other way undoes this one.
    HappeningSet others = rest;
    while (others != 0) {
      if (undoes(head, happenings_[lowest(others)])) break;
      others &= others - 1;
    }
    if (others != 0) {
      const std::size_t second = lowest(others);
      rest &= ~bit(second);
      out.undone |= bit(first) | bit(second);
      out.price += pair_price(first, second);
      continue;
    }
    out.open |= bit(first);
    if (head.act == Act::lift) {
      ++lifted;
      out.price += prices_.open_lift + haste(node.used, first) + moved_not_put(node.used, first);
    } else if (head.act == Act::set && lifted > 0) {
      --lifted;
      out.price += prices_.misplaced - prices_.open_lift;
    } else {
      out.price += head.act == Act::set ? prices_.open_set : prices_.open_tray;
    }
  }
  return out;
}

/// A removal is required, and one of the pieces that may be taken was lifted, only to come back.
bool Explainer::removal_undone(const Position& position, HappeningSet undone) const {
  const StepList steps = legal_steps(position);
  if (steps.empty() || steps[steps.size() - 1].kind != StepKind::take || steps[0].kind == StepKind::stop) return false;
  for (; undone != 0; undone &= undone - 1) {
    const Happening& h = happenings_[lowest(undone)];
    if (h.act == Act::lift && std::find(steps.begin(), steps.end(), Step::take(h.site)) != steps.end()) return true;
  }
  return false;
}

void Explainer::consider(std::uint32_t index) {
  const Node& node = nodes_[index];
  // A silent step at the end explains nothing yet; it is played when something follows.
  if (index != 0 && node.cause == 0) return;
  Leftover left = leftover(node);
  if (left.undone != 0) left.price += far_pairs(node, left.undone);
  if (left.undone != 0 && removal_undone(node.position, left.undone)) left.price += prices_.removal_undone;
  const double price = node.price + left.price + (node.half_seen ? prices_.half_seen : 0);
  if (price > best_ + prices_.margin) return;
  best_ = std::min(best_, price);
  if (left.open == 0 && !node.half_seen && !closed_) {
    closed_ = true;
    limit_ = std::min(limit_, nodes_.size() + kMostRivals);
  }
  found_.push_back({price, index, left});
}

/// What it costs that this happening comes before some that earlier steps have used.
double Explainer::inversions(const Node& node, std::size_t happening) const {
  const HappeningSet own = node.turn_ends ? 0 : node.turn;  // used by the same turn
  double price = 0;
  if (const HappeningSet later = own & after(happening); later != 0) {
    // A piece taken before the move is lifted by the other hand; one lifted before a piece is put looks like that piece.
    bool moved = false;
    for (HappeningSet rest = own; rest != 0; rest &= rest - 1) moved = moved || happenings_[lowest(rest)].act == Act::lift;
    price = (moved ? prices_.inversion_in_turn : prices_.inversion_with_put) * std::popcount(later);
  }
  const HappeningSet previous = node.turn_ends ? node.turn : node.before;
  for (HappeningSet later = node.used & ~own & after(happening); later != 0; later &= later - 1) {
    const Time early = happenings_[lowest(later)].time - happenings_[happening].time;
    // Every turn may begin a little before the last one ends, so the one after that twice as much.
    const Time usual = (previous & bit(lowest(later))) != 0 ? prices_.overlap : 2 * prices_.overlap;
    price += prices_.inversion_across;
    if (early > usual) {
      price +=
          std::min(prices_.overlap_most, prices_.overlap_rate * static_cast<double>((early - usual).count()) / 100000.0);
    }
  }
  return price;
}

/// The time from the last of some happenings to the first of others; nothing when there are none.
std::optional<Time> Explainer::pause(HappeningSet before, HappeningSet then) const {
  if (before == 0 || then == 0) return std::nullopt;
  return happenings_[lowest(then)].time - happenings_[highest(before)].time;
}

/// What it costs that two steps follow each other at one site faster than two turns do: a piece lifted when it had hardly been set
/// down, or set down where one had just been lifted, was rather touched or straightened.
double Explainer::haste(HappeningSet used, std::size_t happening) const {
  const Happening& now = happenings_[happening];
  if (now.act != Act::lift && now.act != Act::set) return 0;
  const Time limit = now.act == Act::lift ? prices_.brief : prices_.soon;
  for (std::size_t i = happening; i-- > 0 && now.time - happenings_[i].time < limit;) {
    const Happening& before = happenings_[i];
    if ((before.act == Act::lift || before.act == Act::set) && before.site == now.site) {
      if ((used & bit(i)) == 0 || before.act == now.act) return 0;
      if (now.act == Act::lift) return prices_.touch;
      return now.time - before.time < prices_.at_once ? prices_.return_at_once : prices_.return_soon;
    }
  }
  return 0;
}

bool Explainer::chosen(const Node& node, Step step) const {
  HappeningSet rest = all_ & ~node.used & ~node.undone;
  for (; rest != 0; rest &= rest - 1) {
    const Happening& h = happenings_[lowest(rest)];
    if (h.act != Act::choice) continue;
    const Choice& choice = choices_[h.choice];
    return std::find(choice.begin(), choice.end(), step) != choice.end();
  }
  return false;
}

/// The turn that ends with this node has exactly the chosen steps; removals may be named in any order, but the order named is
/// the likelier one.
Explainer::Naming Explainer::named(std::uint32_t index, const Choice& choice) const {
  std::size_t named = 0;
  Naming naming = Naming::in_order;
  for (std::uint32_t i = index; i != 0; i = nodes_[i].parent) {
    if (i != index && nodes_[i].turn_ends) break;
    const Step step = nodes_[i].step;
    if (step.kind == StepKind::stop) continue;
    if (std::find(choice.begin(), choice.end(), step) == choice.end()) return Naming::otherwise;
    ++named;
    if (named <= choice.size() && choice[choice.size() - named] != step) naming = Naming::in_another_order;
  }
  return named == choice.size() ? naming : Naming::otherwise;
}

std::size_t Explainer::find(HappeningSet rest, Act act, Site site, Player mover, std::array<Match, 2>& out) const {
  std::size_t count = 0;
  int balance = 0;
  Match skipped;
  std::array<std::size_t, kMostHappenings> waiting{};
  std::size_t waits = 0;
  const Happening wanted{.time = {}, .act = act, .site = site, .player = mover, .choice = 0};
  for (; rest != 0 && count < out.size(); rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    const Happening& h = happenings_[i];
    if (!same_place(wanted, h)) continue;
    const bool agrees = act != Act::set || h.player == kNoPlayer || h.player == mover;
    if (balance == 0 && h.act == act && agrees) {
      out[count] = skipped;
      out[count++].used = bit(i);
    }
    // Whatever is passed over on the way to a later candidate must have undone itself.
    skipped.undone |= bit(i);
    if (balance != 0 && (balance > 0) != (direction(h.act) > 0)) {
      skipped.price += pair_price(waiting[--waits], i);
    } else {
      waiting[waits++] = i;
    }
    balance += direction(h.act);
  }
  return count;
}

void Explainer::match_step(std::uint32_t index, Step step, bool may_stop) {
  const Player mover = to_act(nodes_[index].position);
  const HappeningSet rest = all_ & ~nodes_[index].used & ~nodes_[index].undone;
  const auto gain = [this, index, may_stop](Match match) {
    for (HappeningSet used = match.used; used != 0; used &= used - 1) {
      match.price += inversions(nodes_[index], lowest(used)) + haste(nodes_[index].used, lowest(used));
    }
    if (may_stop && pause(nodes_[index].cause, match.used) > prices_.late) match.price += prices_.late_take;
    return match;
  };
  std::array<Match, 2> firsts;
  std::array<Match, 2> seconds;
  const bool lifts = step.from != kNoSite && !hidden_[step.from];
  const bool fills = step.to != kNoSite && !hidden_[step.to];

  // What the sites must have told.
  std::array<Match, 4> sites;
  std::size_t count = 0;
  if (lifts && fills) {
    const std::size_t n = find(rest, Act::lift, step.from, mover, firsts);
    const std::size_t m = n == 0 ? 0 : find(rest, Act::set, step.to, mover, seconds);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        if (firsts[i].used > seconds[j].used) continue;  // a piece is lifted before it is set down
        sites[count++] = {firsts[i].used | seconds[j].used, firsts[i].undone | seconds[j].undone,
                          firsts[i].price + seconds[j].price};
      }
    }
  } else if (lifts || fills) {
    const std::size_t n =
        lifts ? find(rest, Act::lift, step.from, mover, firsts) : find(rest, Act::set, step.to, mover, firsts);
    for (std::size_t i = 0; i < n; ++i) sites[count++] = firsts[i];
  } else {
    count = 1;  // nothing that a site could tell
  }

  // What the tray must have told.
  const bool tray_step = trays_ && (step.kind == StepKind::put || step.kind == StepKind::take);
  for (std::size_t i = 0; i < count; ++i) {
    const Match& site = sites[i];
    if (!tray_step) {
      if (site.used != 0) add(index, step, gain(site));
      continue;
    }
    const Act act = step.kind == StepKind::put ? Act::tray_out : Act::tray_in;
    const std::size_t n = find(rest, act, kNoSite, mover, firsts);
    for (std::size_t j = 0; j < n; ++j) {
      // A piece comes from the tray before it is set down, and goes there after it was lifted.
      const bool tray_first = site.used == 0 || firsts[j].used < site.used;
      const double order = site.used == 0 || tray_first == (step.kind == StepKind::put) ? 0 : prices_.tray_order;
      add(index, step,
          gain({site.used | firsts[j].used, site.undone | firsts[j].undone, site.price + firsts[j].price + order}));
    }
    if (n == 0 && site.used != 0) {
      add(index, step, gain({site.used, site.undone, site.price + prices_.missing_tray}));
    }
  }
}

void Explainer::expand(std::uint32_t index) {
  const Node& node = nodes_[index];
  const HappeningSet rest = all_ & ~node.used & ~node.undone;
  if (rest == 0) return;
  const StepList steps = legal_steps(node.position);
  const bool may_stop = !steps.empty() && steps[0].kind == StepKind::stop;
  for (const Step step : steps) {
    if (!step.physical()) {
      const double price = step.kind == StepKind::forget ? prices_.forget : step.kind == StepKind::stop ? prices_.stop : 0.0;
      add(index, step, {0, 0, price});
      continue;
    }
    const bool lifts = step.from != kNoSite && !hidden_[step.from];
    const bool fills = step.to != kNoSite && !hidden_[step.to];
    if ((lifts && !lifted_[step.from]) || (fills && !filled_[step.to])) continue;
    const bool tray_step = trays_ && step.kind != StepKind::move;
    if (lifts || fills || tray_step) {
      match_step(index, step, may_stop);
    } else if (chosen(nodes_[index], step)) {
      add(index, step, {});
    } else if (!nodes_[index].unseen) {
      add(index, step, {0, 0, prices_.unseen});
    }
  }
}

void Explainer::add(std::uint32_t parent, Step step, const Match& match) {
  const Node& from = nodes_[parent];
  if (from.price + match.price > best_ + prices_.margin || nodes_.size() >= limit_) return;
  const auto next = apply(from.position, step);
  if (!next) return;

  Node node;
  node.position = *next;
  node.parent = parent;
  node.step = step;
  node.cause = match.used;
  node.used = from.used | match.used;
  node.undone = from.undone | match.undone;
  node.price = from.price + match.price;
  const Player mover = to_act(from.position);
  node.turn_ends = to_act(node.position) != mover;
  const bool new_turn = parent == 0 || from.turn_ends;
  if (new_turn) {
    node.before = from.turn;
    node.turn = match.used;
    // Another player acts: what could not be seen before must have been so.
    if (from.half_seen && !from.unseen) {
      const auto paused = pause(from.used, match.used);
      node.price += prices_.half_seen + (paused && *paused < prices_.soon ? prices_.half_seen_soon : 0);
    }
  } else {
    node.before = from.before;
    node.turn = from.turn | match.used;
    node.half_seen = from.half_seen;
    node.unseen = from.unseen;
  }
  const bool hidden_target = step.to != kNoSite && hidden_[step.to];
  const bool hidden_source = step.from != kNoSite && hidden_[step.from];
  const bool is_chosen = (hidden_target || hidden_source) && chosen(from, step);
  if (hidden_target && !is_chosen) node.half_seen = true;
  if ((hidden_target || hidden_source) && match.used == 0 && !is_chosen) node.unseen = node.half_seen = true;

  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);

  // A choice that names exactly this turn is accounted for.
  Node& added = nodes_.back();
  for (HappeningSet rest = all_ & ~added.used & ~added.undone; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if (happenings_[i].act != Act::choice) continue;
    // Nobody names what has yet to happen.
    const Naming naming = (added.turn & after(i)) == 0 ? named(index, choices_[happenings_[i].choice]) : Naming::otherwise;
    if (naming != Naming::otherwise) {
      added.price += inversions(nodes_[parent], i);
      if (naming == Naming::in_another_order) added.price += prices_.named_otherwise;
      added.used |= bit(i);
      added.turn |= bit(i);
      added.cause |= bit(i);
      added.half_seen = added.unseen = false;
    }
    break;
  }

  // The same position from the same happenings is one reading, in whatever order the search came to it: the cheapest stays.
  const std::uint64_t key = hash(added.position) ^ (added.used * 0x9E3779B97F4A7C15U) ^ (added.undone * 0xC2B2AE3D27D4EB4FU);
  std::size_t slot = (key ^ (key >> 32)) & (kTableSize - 1);
  while (table_[slot].round == round_) {
    Node& known = nodes_[table_[slot].node];
    if (known.used == added.used && known.undone == added.undone && known.half_seen == added.half_seen &&
        (known.cause == 0) == (added.cause == 0) && known.position == added.position) {
      const bool rivals = std::abs(known.price - added.price) < prices_.doubt;
      if (known.price <= added.price) {
        if (rivals && known.rival == 0) {
          known.rival = index;
        } else {
          nodes_.pop_back();
        }
        return;
      }
      if (rivals) added.rival = table_[slot].node;
      known.price = kSuperseded;  // it is skipped when its turn in the queue comes
      std::erase_if(found_, [slot, this](const Found& found) { return found.node == table_[slot].node; });
      break;
    }
    slot = (slot + 1) & (kTableSize - 1);
  }
  table_[slot] = {round_, index};

  consider(index);
  const double left = kHaste * std::popcount(all_ & ~added.used & ~added.undone);
  queue_.emplace_back(added.price + left, index);
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
}

}  // namespace merel
