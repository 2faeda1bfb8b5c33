#include "daemon/tracker.h"

#include <algorithm>
#include <bit>

namespace merel {
namespace {

constexpr double kCertain = 2.0;                             // a rival dearer than this does not hold up an announcement
constexpr Time kOvertaken = std::chrono::milliseconds(700);  // a hand that others overtake by more than this is no hand
constexpr Time kOneTurn = std::chrono::milliseconds(2000);   // what is further apart was not one turn
constexpr Time kAtOnce = std::chrono::milliseconds(150);
constexpr int kTooMany = 4;                // nobody plays with so many pieces in the air: a cable, a bump, a cleared board
constexpr int kAllBundles = 100;           // more than a game can have
constexpr std::size_t kMostRepairs = 100;  // other orders that one repair looks at
constexpr std::size_t kLongWindow = 20;    // happenings kept while play never pauses

bool physical(std::span<const Step> steps) {
  return std::any_of(steps.begin(), steps.end(), [](Step step) { return step.physical(); });
}

/// Index of the first step of the turn that step `i` belongs to.
std::size_t turn_start(const Explanation& explanation, std::size_t i) {
  while (i > 0 && explanation.turn_ends[i - 1] == 0) --i;
  return i;
}

std::size_t common_prefix(std::span<const Step> a, std::span<const Step> b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

Tracker::Tracker(const GameInfo& game, const Options& options, const Position& start, TrackerSettings settings)
    : Tracker(GameRecord(game, options, start), settings) {}

Tracker::Tracker(GameRecord record, TrackerSettings settings)
    : settings_(settings), record_(std::move(record)), base_(record_.steps().size()), seen_(picture()) {
  explainer_.use_trays(settings.trays);
  trays_ = full_trays();
  said_out_ = record_.outcome().out;
  said_outcome_ = record_.outcome();
  search();
}

// ---- saying ----------------------------------------------------------------------------------------------------------------

void Tracker::say(Time time, decltype(TrackerEvent::what) what) { events_.push_back({time, std::move(what)}); }

void Tracker::ignore(Time now, std::string event, std::string why) { say(now, Ignored{std::move(event), std::move(why)}); }

std::vector<TrackerEvent> Tracker::take_events() { return std::exchange(events_, {}); }

std::optional<Time> Tracker::deadline() const { return due_; }

/// Tells who has gone out and whether the game has ended, where that has not been told yet.
void Tracker::say_state(Time now) {
  const Outcome outcome = record_.outcome();
  const auto gone = static_cast<std::uint8_t>(outcome.out & ~said_out_);
  for (Player player = 0; player < 8; ++player) {
    if ((gone >> player & 1) != 0) say(now, PlayerOut{player});
  }
  said_out_ = outcome.out;
  if (outcome.over() && !said_outcome_.over()) say(now, GameOver{outcome});
  said_outcome_ = outcome;
}

void Tracker::resolve(Time now) {
  if (complaint_) say(now, Resolved{});
  complaint_.reset();
  candidates_.clear();
  asked_.clear();
}

void Tracker::set_delays(TrackerSettings settings) {
  settings.trays = settings_.trays;
  settings_ = settings;
}

// ---- the window of happenings ----------------------------------------------------------------------------------------------

void Tracker::touch(Time when) {
  last_change_ = std::max(last_change_, when);
  due_ = last_change_ + settings_.settle;
}

void Tracker::make_room() {
  if (happenings_.size() + 2 >= kMostHappenings) collapse();
}

void Tracker::insert(const Happening& happening) {
  make_room();
  const auto at = std::upper_bound(happenings_.begin(), happenings_.end(), happening.time,
                                   [](Time time, const Happening& h) { return time < h.time; });
  happenings_.insert(at, happening);
  candidates_.clear();
  asked_.clear();
  touch(happening.time);
}

void Tracker::search() { explanations_ = explainer_.search(record_.position(base_), happenings_, choices_); }

std::vector<Happening> Tracker::pick(HappeningSet set) const {
  std::vector<Happening> out;
  for (; set != 0; set &= set - 1) out.push_back(happenings_[lowest(set)]);
  return out;
}

void Tracker::keep(HappeningSet kept) {
  std::vector<Happening> rest = pick(kept);
  happenings_.swap(rest);
  const bool choice =
      std::any_of(happenings_.begin(), happenings_.end(), [](const Happening& h) { return h.act == Act::choice; });
  if (!choice) choices_.clear();
}

void Tracker::start_afresh() {
  base_ = record_.steps().size();
  happenings_.clear();
  choices_.clear();
  doubts_.clear();
  due_.reset();
  search();
}

/// Moves the base on by some steps of the explanation and drops what they explain. When the picture has settled, what undid
/// itself is dropped as well; otherwise only what undid itself before the dropped steps ended.
void Tracker::rebase(const Explanation& explanation, std::size_t steps, bool settled) {
  HappeningSet gone = settled ? explanation.undone : 0;
  for (std::size_t i = 0; i < steps; ++i) gone |= explanation.causes[i];
  if (!settled && gone != 0) {
    const HappeningSet past = ~HappeningSet{0} >> std::countl_zero(gone);
    for (HappeningSet left = explanation.undone; left != 0;) {
      const auto first = lowest(left);
      left &= left - 1;
      HappeningSet others = left;
      while (others != 0 && !undoes(happenings_[first], happenings_[lowest(others)])) {
        others &= others - 1;
      }
      const HappeningSet second = others & (~others + 1);
      left &= ~second;
      if ((second & past) != 0) gone |= bit(first) | second;
    }
  }
  base_ += steps;
  HappeningSet all = 0;
  for (std::size_t i = 0; i < happenings_.size(); ++i) all |= bit(i);
  keep(all & ~gone);
  search();
}

/// Too much has happened to be told apart: what remains is the difference between the board and the record.
void Tracker::collapse() {
  const Time now = last_change_;
  start_afresh();
  const Picture expected = picture();
  for (const Site site : differences()) {
    if (!expected[site].is_empty()) happenings_.push_back({now, Act::lift, site, kNoPlayer, 0});
    if (!seen_[site].is_empty()) happenings_.push_back({now, Act::set, site, seen_[site].player(), 0});
    if (happenings_.size() + 4 >= kMostHappenings) break;
  }
}

std::vector<Site> Tracker::differences() const {
  std::vector<Site> out;
  const Picture expected = picture();
  for (const SiteInfo& info : geometry(record_.position()).sites) {
    const bool told = info.sensed && !explainer_.aside(info.site);
    if (told && !expected[info.site].agrees(seen_[info.site])) out.push_back(info.site);
  }
  return out;
}

// ---- inputs ----------------------------------------------------------------------------------------------------------------

void Tracker::feed(const SiteChange& change, Time now) {
  const Contents before = seen_[change.site];
  if (before == change.contents) return;
  seen_.set(change.site, change.contents);
  if (leading_back_) return compare(now);
  if (explainer_.aside(change.site)) return;
  if (!before.is_empty()) {
    const Contents expected = picture()[change.site];
    insert({change.time, Act::lift, change.site, before.player() != kNoPlayer ? before.player() : expected.player(), 0});
  }
  if (!change.contents.is_empty()) insert({change.time, Act::set, change.site, change.contents.player(), 0});
  search();
  announce_certain(now);
}

void Tracker::tray(Player player, int count, Time now) {
  if (player >= trays_.size()) return;
  int change = count - trays_[player];
  trays_[player] = count;
  if (leading_back_) return expect_trays();
  int& due = tray_due_[player];
  const int returned = change > 0 ? std::clamp(due, 0, change) : std::clamp(due, change, 0);
  due -= returned;
  change -= returned;
  if (change == 0) return;
  for (int i = 0; i < std::abs(change); ++i) insert({now, change < 0 ? Act::tray_out : Act::tray_in, kNoSite, player, 0});
  search();
  announce_certain(now);
}

bool Tracker::accept_choice(const Choice& steps, Time now, bool may_repair) {
  make_room();  // before the choice is counted, for it forgets all choices
  if (choices_.size() >= kMostHappenings) return false;
  choices_.push_back(steps);
  insert({now, Act::choice, kNoSite, kNoPlayer, static_cast<std::uint16_t>(choices_.size() - 1)});
  search();
  const auto unheard = [this](const Happening& h) { return h.act == Act::choice && h.choice + 1U == choices_.size(); };
  for (const Explanation& explanation : explanations_) {
    const std::vector<Happening> open = pick(explanation.open);
    if (std::any_of(open.begin(), open.end(), unheard)) continue;
    if (explanation.complete()) commit(Explanation(explanation), now);
    return true;
  }
  if (may_repair && repair(now)) {
    decide(now, false);
    return true;
  }
  std::erase_if(happenings_, unheard);
  choices_.pop_back();
  search();
  return false;
}

void Tracker::choose(const Choice& steps, Time now) {
  const std::string event = "choose";
  if (leading_back_) return ignore(now, event, "the pieces are being led back first");
  if (steps.empty()) return ignore(now, event, "no step was named");
  const Geometry& board = geometry(record_.position());
  for (const Step step : steps) {
    for (const Site site : {step.from, step.to}) {
      if (site != kNoSite && !board.has(site)) return ignore(now, event, "this board has no such site");
    }
  }
  // An answer to a question: it is, or ends, exactly one of the candidates.
  const auto answers = [&steps](const std::vector<Step>& candidate) {
    return candidate.size() >= steps.size() && std::equal(steps.rbegin(), steps.rend(), candidate.rbegin());
  };
  if (std::count_if(candidates_.begin(), candidates_.end(), answers) == 1) {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(), answers);
    return adopt(asked_base_, asked_[static_cast<std::size_t>(at - candidates_.begin())], now);
  }
  const bool contradicted = !explanations_.front().complete();
  if (accept_choice(steps, now, true)) return;
  // The picture may contradict the players because a sensor is stuck: one site that, left out of account, makes them right.
  for (const Step step : contradicted ? steps : Choice{}) {
    for (const Site site : {step.from, step.to}) {
      if (site == kNoSite || explainer_.aside(site) || !board.info(site).sensed) continue;
      explainer_.set_aside(site, true);
      std::vector<Happening> others = happenings_;
      std::erase_if(others, [site](const Happening& h) { return h.site == site; });
      happenings_.swap(others);
      if (accept_choice(steps, now, false)) {
        say(now, FaultFound{{now, site, FaultKind::stuck}});
        return;
      }
      happenings_.swap(others);
      explainer_.set_aside(site, false);
    }
  }
  search();
  ignore(now, event, "these steps do not explain what stands on the board");
}

void Tracker::button(Player player, Time now) {
  if (leading_back_) return ignore(now, "button", "the pieces are being led back first");
  if (!asked_.empty()) {
    const auto shown = static_cast<std::size_t>((now - asked_since_) / settings_.candidate) % asked_.size();
    return adopt(asked_base_, asked_[shown], now);
  }
  // A turn that needs no hand any more ends with its player's button.
  const Explanation& best = explanations_.front();
  if (best.complete() && to_act(best.position) == player) {
    const auto steps = legal_steps(best.position);
    if (std::find(steps.begin(), steps.end(), Step{StepKind::stop}) != steps.end()) {
      std::vector<Step> ended = best.steps;
      ended.push_back(Step{StepKind::stop});
      return adopt(base_, std::move(ended), now);
    }
  }
  // A piece went where no sensor reaches, and only one place is possible.
  if (best.open == 0 && best.half_seen) {
    const auto rival = [&best](const Explanation& e) { return e.open == 0 && e.half_seen && e.position != best.position; };
    if (std::none_of(explanations_.begin(), explanations_.end(), rival)) return adopt(base_, best.steps, now);
  }
  ignore(now, "button", "nothing waits for a button");
}

void Tracker::take_back(Time now) {
  // What has just been set down is played before it is taken back.
  if (explanations_.front().complete() && !takes_back(explanations_.front()))
    commit(Explanation(explanations_.front()), now);
  if (record_.steps().empty()) return ignore(now, "takeback", "nothing has been played");
  std::vector<Step> steps;
  // Turns that moved nothing were played by the board itself and go with the turn before.
  while (!record_.steps().empty() && !physical(steps)) {
    for (std::size_t first = record_.last_turn(); record_.steps().size() > first; record_.undo()) {
      steps.insert(steps.begin(), record_.steps().back());
    }
  }
  complaint_.reset();
  candidates_.clear();
  asked_.clear();
  said_out_ = record_.outcome().out;
  said_outcome_ = record_.outcome();
  say(now, TakenBack{std::move(steps)});
  start_afresh();
  expect_trays();
  leading_back_ = !differences().empty();
}

/// Pieces that go back with a turn that was taken back return to their trays, sooner or later: that is no new turn.
void Tracker::expect_trays() {
  const std::array<int, 4> expected = full_trays();
  for (std::size_t i = 0; i < expected.size(); ++i) tray_due_[i] = expected[i] - trays_[i];
}

/// What lies in each tray when all that is not on the record's board is back.
std::array<int, 4> Tracker::full_trays() const {
  std::array<int, 4> trays{};
  trays.fill(record_.game().tray);
  const Picture expected = picture();
  for (const SiteInfo& info : geometry(record_.position()).sites) {
    const Player player = expected[info.site].player();
    if (player < trays.size()) --trays[player];
  }
  return trays;
}

void Tracker::fault(const Fault& fault) {
  if (fault.kind != FaultKind::recovered) {
    if (explainer_.aside(fault.site)) return;
    // Whole chips are lost at once; the source tells of that in one sentence.
    if (fault.kind != FaultKind::lost) say(fault.time, FaultFound{fault});
    // What the sensor has said so far counts where it makes sense; from now on it is not listened to.
    if (explanations_.front().complete()) {
      commit(Explanation(explanations_.front()), fault.time);
      start_afresh();
    }
    explainer_.set_aside(fault.site, true);
    std::erase_if(happenings_, [&fault](const Happening& h) { return h.site == fault.site; });
  } else {
    explainer_.set_aside(fault.site, false);
    // What an explanation has it do unseen since then must be heard now, or is not so.
    const Contents expected = Picture(record_.game(), record_.position(base_))[fault.site];
    const Contents seen = seen_[fault.site];
    if (!leading_back_ && !expected.agrees(seen)) {
      // Of sites that are heard again together nobody knows the order: what was lifted was lifted first.
      if (!expected.is_empty()) insert({fault.time - Time(1), Act::lift, fault.site, kNoPlayer, 0});
      if (!seen.is_empty()) insert({fault.time, Act::set, fault.site, seen.player(), 0});
    }
  }
  if (leading_back_) return compare(fault.time);
  search();
}

/// While pieces are led back: is everything in its place now?
void Tracker::compare(Time now) {
  leading_back_ = !differences().empty();
  if (leading_back_) return;
  resolve(now);
  start_afresh();
}

void Tracker::lead_back(const Picture& seen, Time now) {
  seen_ = seen;
  resolve(now);
  start_afresh();
  expect_trays();
  leading_back_ = !differences().empty();
}

// ---- deciding --------------------------------------------------------------------------------------------------------------

void Tracker::tick(Time now) {
  if (due_ && *due_ <= now) decide(now, false);
}

void Tracker::finish(Time now) {
  if (leading_back_) return;
  if (!happenings_.empty()) decide(now, true);
  // Nobody takes a second piece any more.
  const StepList steps = legal_steps(record_.position());
  const auto stop = std::find(steps.begin(), steps.end(), Step{StepKind::stop});
  if (stop != steps.end() && explanations_.front().complete() && !record_.outcome().over()) play(*stop, now, nullptr);
}

void Tracker::decide(Time now, bool for_ever) {
  due_.reset();
  if (complaint_ && !explanations_.front().complete() && differences().empty()) {
    // However it came about, the board shows the record again.
    resolve(now);
    return start_afresh();
  }
  if (!explanations_.front().complete() && (too_early_but_legal(now) || somebody_is_at_it(now, for_ever))) return;
  auto whole = std::find_if(explanations_.begin(), explanations_.end(), [](const Explanation& e) { return e.complete(); });
  // Of two that are as likely, the one that was announced stays.
  const auto as_announced = std::find_if(whole, explanations_.end(), [this, whole](const Explanation& e) {
    return e.complete() && e.price <= whole->price + kAsLikely && !takes_back(e);
  });
  if (as_announced != explanations_.end()) whole = as_announced;
  if (whole == explanations_.end() || whole->price > explanations_.front().price + kCertain) return complain(now, for_ever);
  // A piece set down in a wrong place is likelier that than something far-fetched.
  const auto open = pick(explanations_.front().open);
  if (whole->price > explanations_.front().price + kAsLikely && open.size() == 2 && open[0].act == Act::lift &&
      open[1].act == Act::set) {
    return complain(now, for_ever);
  }
  if (takes_back(*whole) && still_going_on(now, for_ever)) return;
  decide_among(Explanation(*whole), now);
}

/// The explanation does without a step that was announced.
bool Tracker::takes_back(const Explanation& explanation) const {
  const auto announced = std::span(record_.steps()).subspan(base_);
  return physical(announced.subspan(common_prefix(announced, explanation.steps)));
}

/// A piece that was just played is lifted again: before the step is withdrawn, its player or the one who takes it gets time.
bool Tracker::still_going_on(Time now, bool for_ever) {
  const HappeningSet latest = bit(happenings_.size() - 1);
  for (const Explanation& e : explanations_) {
    if (e.open == latest && !takes_back(e) && explainer_.on_the_way(e.position, pick(e.open), 1)) {
      return wait(settings_.wrong_lift, now, for_ever);
    }
  }
  return false;
}

/// Everything is accounted for; where there is more than one way to do it, the likeliest is taken and the players are asked.
void Tracker::decide_among(const Explanation& best, Time now) {
  std::vector<Explanation> rivals{best};
  bool open_doubt = false;
  const auto doubt = [&](const Explanation& rival) {
    if (!already_asked(best, rival)) rivals.push_back(rival);
  };
  for (const Explanation& e : explanations_) {
    if (!e.complete() || e.price > best.price + kAsLikely || e.position == best.position) continue;
    // Whose turn came first is found out by repair(), however late; other doubts need the happenings.
    open_doubt = open_doubt || !std::is_permutation(e.steps.begin(), e.steps.end(), best.steps.begin(), best.steps.end());
    doubt(e);
  }
  if (!best.other_order.empty()) {
    Explanation other = best;
    other.steps = best.other_order;
    doubt(other);
  }
  const std::size_t base = base_;
  commit(best, now, open_doubt);
  if (rivals.size() > 1) ask(base, rivals, now);
}

bool Tracker::already_asked(const Explanation& best, const Explanation& rival) {
  const std::size_t at = common_prefix(best.steps, rival.steps);
  std::uint64_t doubt = base_ + at;
  for (const Explanation* e : {&best, &rival}) {
    const Step step = at < e->steps.size() ? e->steps[at] : Step{};
    doubt = doubt << 20 | static_cast<std::uint64_t>(step.kind) << 16 | static_cast<std::uint64_t>(step.from) << 8 | step.to;
  }
  if (std::find(doubts_.begin(), doubts_.end(), doubt) != doubts_.end()) return true;
  doubts_.push_back(doubt);
  return false;
}

/// Something that nothing explains was left behind: others have long played on.
bool Tracker::overtaken(const Explanation& explanation) const {
  HappeningSet used = 0;
  for (const HappeningSet cause : explanation.causes) used |= cause;
  if (used == 0 || explanation.open == 0) return false;
  const Happening& first_open = happenings_[lowest(explanation.open)];
  const Happening& last_used = happenings_[highest(used)];
  return last_used.time - first_open.time > kOvertaken;
}

/// Comes back when the picture has stood still for that long; false when it has.
bool Tracker::wait(Time delay, Time now, bool for_ever) {
  if (for_ever || now - last_change_ >= delay) return false;
  due_ = last_change_ + delay;
  return true;
}

/// True when the picture is part of something that the rules allow, or was dealt with as a piece that no sensor sees.
bool Tracker::somebody_is_at_it(Time now, bool for_ever) {
  const double near = explanations_.front().price + kAsLikely;
  std::vector<Explanation> unseen;
  for (const Explanation& e : explanations_) {
    const auto same = [&e](const Explanation& other) { return other.position == e.position; };
    if (e.open == 0 && e.half_seen && std::none_of(unseen.begin(), unseen.end(), same)) unseen.push_back(e);
  }
  if (!unseen.empty()) {
    if (wait(settings_.ask, now, for_ever)) return true;
    if (unseen.size() > 1) {
      if (candidates_.empty()) ask(base_, unseen, now);
    } else if (for_ever) {
      commit(unseen.front(), now);
    }
    return true;
  }
  // The longer a picture stands still, the less is believed of hands in the air: at first that somebody may still have a step to
  // make before this one, then that others have already set something down, at last everything that needs no hand.
  const Time still = for_ever ? Time::max() : now - last_change_;
  const bool whole =
      std::any_of(explanations_.begin(), explanations_.end(), [](const Explanation& e) { return e.complete(); });
  if (whole && still >= settings_.ask) return false;
  for (const Explanation& e : explanations_) {
    if (e.price > near || overtaken(e)) continue;
    const std::vector<Happening> open = pick(e.open);
    const bool placed = std::any_of(open.begin(), open.end(), [](const Happening& h) { return h.act == Act::set; });
    const Time patience = placed ? settings_.wrong_placing : settings_.wrong_lift;
    const bool begun = explainer_.on_the_way(e.position, open, 0);
    if (!begun && !(still < patience && explainer_.on_the_way(e.position, open, 1))) continue;
    if (placed && still >= patience) continue;
    if (placed || !begun) {
      due_ = last_change_ + patience;
    } else if (whole) {
      due_ = last_change_ + settings_.ask;
    }
    return true;
  }
  return false;
}

/// What was played before its turn is legal by now: the other player has caught up.
bool Tracker::too_early_but_legal(Time now) {
  const Explanation best = explanations_.front();
  const std::vector<Happening> open = pick(best.open);
  if (best.steps.empty() || open.empty() || takes_back(best) || open.back().time - open.front().time > kOneTurn)
    return false;
  const Explanation later = explainer_.search(best.position, open, choices_).front();
  if (later.steps.empty() || !later.complete() || later.price > kCertain) return false;
  std::vector<Step> steps = best.steps;
  steps.insert(steps.end(), later.steps.begin(), later.steps.end());
  adopt(base_, std::move(steps), now);
  return true;
}

/// Nothing legal leads to this picture.
void Tracker::complain(Time now, bool for_ever) {
  if (complaint_ || record_.outcome().over()) return;
  const Explanation& best = explanations_.front();
  const std::vector<Happening> open = pick(best.open);
  const bool placed = std::any_of(open.begin(), open.end(), [](const Happening& h) { return h.act == Act::set; });
  if (overtaken(best) && repair(now)) return decide(now, for_ever);
  const bool disorder = std::popcount(best.open) >= kTooMany;
  if (wait(placed || disorder ? settings_.wrong_placing : settings_.wrong_lift, now, for_ever)) return;
  if (repair(now)) return decide(now, for_ever);
  complaint_ = judge(best.position, Picture(record_.game(), best.position), open);
  say(now, Illegal{*complaint_});
  if (!disorder) return;
  // Whatever happened to so many pieces, it was no play: from here on the board is led back to the record.
  start_afresh();
  expect_trays();
  leading_back_ = !differences().empty();
}

/// While hands are moving: turns on which all readings agree are announced as soon as somebody goes on from them.
void Tracker::announce_certain(Time now) {
  const Explanation& best = explanations_.front();
  if (complaint_ && best.complete()) resolve(now);
  const auto just_lifted = [now](const Happening& h) { return h.act == Act::lift && now - h.time < kAtOnce; };
  if (std::count_if(happenings_.begin(), happenings_.end(), just_lifted) > 1)
    return;  // a cable, perhaps: what comes next will tell
  std::size_t agreed = best.steps.size();
  for (const Explanation& e : explanations_) {
    if (e.price <= best.price + kCertain) agreed = std::min(agreed, common_prefix(best.steps, e.steps));
  }
  while (agreed > 0 && best.turn_ends[agreed - 1] == 0) --agreed;
  if (agreed == best.steps.size() && best.open == 0) {
    // Nobody has gone on from the last turn yet.
    agreed = agreed == 0 ? 0 : turn_start(best, agreed - 1);
  }
  if (agreed == 0) return;
  if (base_ + agreed > record_.steps().size()) reconcile(std::span(best.steps).first(agreed), now, false);

  if (happenings_.size() < kLongWindow || base_ + agreed > record_.steps().size()) return;
  // Play never pauses: what lies two turns back is settled.
  std::size_t first = agreed;
  for (int turns = 0; turns < 2 && first > 0; ++turns) first = turn_start(best, first - 1);
  if (first > 0 && common_prefix(best.steps, std::span(record_.steps()).subspan(base_)) >= first) {
    const Explanation settled = best;
    note_loose(settled);
    rebase(settled, first, false);
  }
}

void Tracker::ask(std::size_t base, const std::vector<Explanation>& rivals, Time now) {
  candidates_ = tails(rivals);
  asked_.clear();
  for (const Explanation& rival : rivals) asked_.push_back(rival.steps);
  asked_base_ = base;
  asked_since_ = now;
  say(now, Ambiguous{candidates_});
}

/// The steps in which the rivals differ, each from the start of the turn where the difference begins.
std::vector<std::vector<Step>> Tracker::tails(const std::vector<Explanation>& rivals) const {
  std::size_t common = rivals.front().steps.size();
  for (const Explanation& rival : rivals) common = std::min(common, common_prefix(rivals.front().steps, rival.steps));
  common = turn_start(rivals.front(), common);
  std::vector<std::vector<Step>> out;
  out.reserve(rivals.size());
  for (const Explanation& rival : rivals) {
    out.emplace_back(rival.steps.begin() + static_cast<std::ptrdiff_t>(common), rival.steps.end());
  }
  return out;
}

// ---- whose piece it was ----------------------------------------------------------------------------------------------------

void Tracker::note_loose(const Explanation& explanation) {
  std::vector<LoosePuts::Put> puts;
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    if (explanation.steps[i].kind != StepKind::put) continue;
    for (const Happening& h : pick(explanation.causes[i])) {
      if (h.act == Act::set && h.player == kNoPlayer) puts.push_back({base_ + i, h.site, h.time});
    }
  }
  loose_.note(puts);
}

/// Something has happened that is impossible after the record. If it makes sense once pieces that two players put nearly at once
/// are given to the other player, that is how it was.
bool Tracker::repair(Time now) {
  loose_.match(record_);
  if (loose_.empty()) return false;
  double best = explanations_.front().price - kCertain;  // a repair must explain more than it upsets
  std::optional<LoosePuts::Alternative> repaired;
  std::size_t searches = 0;
  for (const int bundles : {1, 2, kAllBundles}) {
    for (LoosePuts::Alternative& other : loose_.alternatives(record_, base_, bundles)) {
      if (++searches > kMostRepairs) break;
      const Explanation& first = explainer_.search(other.position, happenings_, choices_).front();
      if (!first.complete() || first.price + other.price >= best) continue;
      best = first.price + other.price;
      repaired = std::move(other);
    }
    if (repaired) break;
  }
  if (!repaired) return false;

  const std::size_t same = common_prefix(record_.steps(), repaired->steps);
  std::vector<Step> removed(record_.steps().begin() + static_cast<std::ptrdiff_t>(same), record_.steps().end());
  std::vector<Step> added(repaired->steps.begin() + static_cast<std::ptrdiff_t>(same), repaired->steps.end());
  while (record_.steps().size() > same) record_.undo();
  for (const Step step : added) {
    if (!record_.play(step)) break;
  }
  loose_.adopt(record_.steps());
  doubts_.clear();
  said_out_ = record_.outcome().out;
  said_outcome_ = record_.outcome();
  say(now, Amended{std::move(removed), std::move(added)});
  search();
  return true;
}

// ---- committing ------------------------------------------------------------------------------------------------------------

/// The settled picture has this explanation: it is announced, and its last turn stays open to second thoughts.
/// While another reading is as likely, everything that may yet decide is kept.
void Tracker::commit(const Explanation& explanation, Time now, bool in_doubt) {
  const Explanation chosen = explanation;  // may live in explanations_, which rebase() renews
  resolve(now);
  due_.reset();
  reconcile(chosen.steps, now, true);
  note_loose(chosen);
  const std::size_t last = chosen.steps.empty() ? 0 : turn_start(chosen, chosen.steps.size() - 1);
  if (base_ + chosen.steps.size() > record_.steps().size()) return start_afresh();  // the record ended first (repetition)
  // While a reading with a step that no sensor sees is still possible, nothing that speaks for it is forgotten.
  const auto unseen = [](const Explanation& e) { return e.open == 0 && e.half_seen; };
  if (in_doubt || std::any_of(explanations_.begin(), explanations_.end(), unseen)) return;
  rebase(chosen, last, true);
}

/// A person has decided: after its first `base` steps, the game went like this, for good.
void Tracker::adopt(std::size_t base, std::vector<Step> steps, Time now) {
  resolve(now);
  base_ = base;
  reconcile(steps, now, true);
  start_afresh();
}

bool Tracker::play(Step step, Time now, std::vector<Step>* quietly) {
  const Player player = to_act(record_.position());
  if (!record_.play(step)) return false;
  if (quietly != nullptr) {
    quietly->push_back(step);
  } else {
    say(now, StepPlayed{player, step});
    say_state(now);
  }
  return true;
}

/// A step that is the only legal one and moves nothing needs no hand.
void Tracker::play_forced(Time now, std::vector<Step>* quietly) {
  while (!record_.outcome().over()) {
    const StepList steps = legal_steps(record_.position());
    if (steps.size() != 1 || steps[0].physical() || !play(steps[0], now, quietly)) return;
  }
}

/// Makes the record say `steps` after the base. Steps that were announced otherwise are amended, but only for a complete reading:
/// while hands move, the record is only ever continued.
void Tracker::reconcile(std::span<const Step> steps, Time now, bool complete) {
  const auto announced = std::span(record_.steps()).subspan(base_);
  const std::size_t same = common_prefix(announced, steps);
  std::vector<Step> removed(announced.begin() + static_cast<std::ptrdiff_t>(same), announced.end());
  if (same == steps.size() && !physical(removed)) return;  // at most the board's own steps are ahead
  if (!removed.empty() && !complete) return;

  std::vector<Step> added;
  std::vector<Step>* quietly = removed.empty() ? nullptr : &added;
  for (std::size_t i = 0; i < removed.size(); ++i) record_.undo();
  if (!removed.empty()) {
    said_out_ = record_.outcome().out;
    said_outcome_ = record_.outcome();
  }
  for (const Step step : steps.subspan(same)) {
    if (!play(step, now, quietly)) break;
  }
  if (complete) play_forced(now, quietly);
  if (quietly != nullptr) {
    say(now, Amended{std::move(removed), std::move(added)});
    say_state(now);
  }
}

TrackerView Tracker::view() const {
  TrackerView out;
  const Explanation& best = explanations_.front();
  out.position = record_.steps().size() > base_ + best.steps.size() ? record_.position() : best.position;
  out.complaint = complaint_;
  out.candidates = candidates_;
  out.asked = asked_since_;
  out.leading_back = leading_back_;
  if (leading_back_) {
    for (const Site site : differences()) (seen_[site].is_empty() ? out.missing : out.extra).push_back(site);
    return out;
  }
  for (const Happening& h : pick(best.open)) {
    if (h.act == Act::lift) out.in_hand.push_back(h.site);
    if (h.act == Act::set) out.out_of_place.push_back(h.site);
  }
  return out;
}

}  // namespace merel
