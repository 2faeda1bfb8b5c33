// The tracker, fed with whatever a board and its people can say: the bytes choose the game, its options and the sensing, then
// hands that play by the rules, hands that do not, trays, buttons, requests, faults and silences.
#include <span>

#include "daemon/guide.h"
#include "daemon/tracker.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/told_game.h"

namespace merel {
namespace {

constexpr int kMostActions = 200;
/// Decisions that fall due in one silence.
constexpr int kMostTicks = 16;

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  /// The next byte, 0 when there is none.
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  std::size_t below(std::size_t n) { return next() % n; }
  bool flag() { return (next() & 1) != 0; }

 private:
  std::span<const std::uint8_t> bytes_;
};

struct Setup {
  const GameInfo* game;
  Options options;
  Position start;
  bool trays;

  explicit Setup(Bytes& bytes) : game(&games()[bytes.below(games().size())]), options(game->defaults()) {
    for (const OptionSpec& spec : game->options) {
      const std::size_t choice = bytes.below(spec.values.size() + (spec.number ? 3 : 0));
      DEMAND(
          options.set(spec.key, choice < spec.values.size() ? std::string(spec.values[choice]) : std::to_string(choice + 2))
              .ok());
    }
    std::string text = game->start(options);
    if (game->name == "pinuid-quatro") {
      const int n = 7 + 2 * static_cast<int>(bytes.below(5));
      text = pinuid_quatro_start_text(n, 0, 'R');
    }
    start = *game->read(options, text);
    trays = game->tray != 0 && bytes.flag();
  }
};

class Scenario {
 public:
  Scenario(const Setup& setup, Bytes& bytes)
      : setup_(setup),
        bytes_(bytes),
        sites_(geometry(setup.start).sites),
        tracker_(*setup.game, setup.options, setup.start, settings(setup)),
        board_(*setup.game, setup.start),
        told_(tracker_.record()),
        sensing_(static_cast<Sensing>(bytes.below(3))) {}

  void run() {
    check();
    for (int i = 0; i < kMostActions && !bytes_.empty(); ++i) {
      act();
      check();
    }
    tracker_.finish(now_);
    check();
  }

 private:
  enum class Sensing : std::uint8_t {
    occupancy,
    colour,
    colour_at_times
  };

  static TrackerSettings settings(const Setup& setup) {
    TrackerSettings out;
    out.trays = setup.trays;
    return out;
  }

  void check() {
    wait(Time{0});
    told_.hear(tracker_.take_events());
    told_.compare(tracker_.record());
    // More happenings than fit in a HappeningSet would show here as a shift that the sanitizer stops.
    DEMAND(tracker_.effort() <= Explainer::kMostNodes);
    const TrackerView view = tracker_.view();
    DEMAND(view.in_hand.size() + view.out_of_place.size() <= kMostHappenings);
    (void)guide(tracker_.record(), view, true);
    (void)guide(tracker_.record(), view, false);
  }

  /// Lets time pass as a daemon would that wakes when it is told to.
  void wait(Time span) {
    const Time until = now_ + span;
    int ticks = 0;
    for (auto due = tracker_.deadline(); due && *due <= until; due = tracker_.deadline()) {
      DEMAND(++ticks <= kMostTicks);
      now_ = std::max(now_, *due);
      tracker_.tick(now_);
    }
    now_ = until;
  }
  void pause() {
    static constexpr std::array kMillis = {0, 1, 20, 70, 110, 140, 250, 350, 450, 800, 1100, 2000, 3500, 4500, 6000, 60000};
    wait(std::chrono::milliseconds(kMillis[bytes_.below(kMillis.size())]));
  }

  [[nodiscard]] Player any_player() { return static_cast<Player>(bytes_.below(setup_.game->colours.size())); }
  [[nodiscard]] const SiteInfo& any_site() { return sites_[bytes_.below(sites_.size())]; }

  void change(const SiteInfo& site, Contents contents) {
    board_.set(site.site, contents);
    if (!site.sensed) return;
    const bool blind = sensing_ == Sensing::occupancy || (sensing_ == Sensing::colour_at_times && bytes_.flag());
    if (blind && !contents.is_empty()) contents = Contents::occupied();
    // Debounced changes come late, dated to their first contact.
    tracker_.feed({std::max(Time{0}, now_ - std::chrono::milliseconds(12 + bytes_.below(32))), site.site, contents}, now_);
  }
  void lift(Site site) { change(geometry(setup_.start).info(site), Contents::empty()); }
  void set(Site site, Player player) { change(geometry(setup_.start).info(site), Contents::piece(player)); }
  void tray(Player player, int by) {
    if (!setup_.trays) return;
    trays_[player] = std::clamp(trays_[player] + by, 0, int{setup_.game->tray});
    tracker_.tray(player, trays_[player], now_);
  }

  /// Hands make a step that the rules allow now, as far as anybody can tell.
  void play() {
    const Position position = tracker_.view().position;
    const StepList steps = legal_steps(position);
    if (steps.empty()) return;
    const Player player = to_act(position);
    const Step step = steps[bytes_.below(steps.size())];
    if (!step.physical()) return tracker_.button(player, now_);
    if (step.kind == StepKind::put) tray(player, -1);
    if (step.from != kNoSite) lift(step.from);
    if (step.kind == StepKind::take) tray(player, 1);
    if (step.to == kNoSite) return;
    pause();
    set(step.to, player);
  }

  Step any_step() {
    switch (bytes_.below(8)) {
      case 0: return Step{StepKind::stop};
      case 1: return Step{StepKind::forget};
      case 2: return Step{StepKind::pass};
      case 3: return Step::take(any_site().site);
      case 4: return Step::move(any_site().site, any_site().site);
      default: return Step::put(any_site().site);
    }
  }

  /// Somebody names steps: possible ones from the last turn or from now on, or any.
  void choose() {
    Choice choice;
    const std::uint8_t how = bytes_.next();
    Position position =
        (how & 1) != 0 ? tracker_.record().position(tracker_.record().last_turn()) : tracker_.record().position();
    for (int more = how >> 1 & 3; more >= 0; --more) {
      const StepList steps = legal_steps(position);
      const Step step = (how & 8) != 0 || steps.empty() ? any_step() : steps[bytes_.below(steps.size())];
      choice.push_back(step);
      if (const auto next = merel::apply(position, step)) position = *next;
    }
    tracker_.choose(choice, now_);
  }

  void fault() {
    const SiteInfo& site = any_site();
    const auto kind = static_cast<FaultKind>(bytes_.below(3));
    if (site.sensed) tracker_.fault({now_, site.site, kind});
  }

  void act() {
    const std::uint8_t action = bytes_.next() % 24;
    if (action < 10) {
      play();
      pause();
      return;
    }
    switch (action) {
      case 10: return lift(any_site().site);
      case 11: return set(any_site().site, any_player());
      case 12: {
        const SiteInfo& site = any_site();
        const Contents there = board_[site.site];
        change(site, Contents::empty());
        pause();
        return change(site, there);
      }
      case 13: return tray(any_player(), static_cast<int>(bytes_.below(7)) - 3);
      case 14: return choose();
      case 15: return tracker_.button(any_player(), now_);
      case 16: return tracker_.take_back(now_);
      case 17: return fault();
      case 18: return tracker_.finish(now_);
      case 19: return tracker_.lead_back(board_, now_);
      case 20: return tracker_.lead_back(Picture(*setup_.game, tracker_.record().position()), now_);
      default: return pause();
    }
  }

  const Setup& setup_;
  Bytes& bytes_;
  std::span<const SiteInfo> sites_;
  Tracker tracker_;
  Picture board_;  ///< what really stands there
  ToldGame told_;
  Sensing sensing_;
  std::array<int, 4> trays_{setup_.game->tray, setup_.game->tray, setup_.game->tray, setup_.game->tray};
  Time now_ = std::chrono::seconds(1);
};

}  // namespace
}  // namespace merel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  merel::Bytes bytes({data, size});
  const merel::Setup setup(bytes);
  merel::Scenario(setup, bytes).run();
  return 0;
}
