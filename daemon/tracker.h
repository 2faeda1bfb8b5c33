#pragma once
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/board_image.h"
#include "daemon/explain.h"
#include "daemon/loose_puts.h"
#include "daemon/picture.h"
#include "daemon/referee.h"
#include "rules/record.h"

namespace merel {

// ---- what the tracker says -------------------------------------------------------------------------------------------------

/// A step is committed.
struct StepPlayed {
  Player player;
  Step step;
};
/// The last turn was changed by its player: `removed` were committed and are not any more, `added` are.
struct Amended {
  std::vector<Step> removed;
  std::vector<Step> added;
};
/// The picture cannot come from any legal play and stands still; said once per occurrence.
struct Illegal {
  Complaint complaint;
};
/// The picture is explained again.
struct Resolved {};
/// More than one legal play explains the picture.
struct Ambiguous {
  std::vector<std::vector<Step>> candidates;
};
/// The players took these steps back.
struct TakenBack {
  std::vector<Step> steps;
};
/// Quatro: that player is out.
struct PlayerOut {
  Player player;
};
struct GameOver {
  Outcome outcome;
};
/// A request that does not fit.
struct Ignored {
  std::string event;
  std::string why;
};
/// A sensor misbehaves.
struct FaultFound {
  Fault fault;
};

/// One thing the tracker says, and when.
struct TrackerEvent {
  Time time{};
  std::variant<StepPlayed, Amended, Illegal, Resolved, Ambiguous, TakenBack, PlayerOut, GameOver, Ignored, FaultFound> what;
};

struct TrackerSettings {
  Time settle = std::chrono::milliseconds(300);  ///< how long a picture must stand still before it counts
  Time wrong_placing =
      std::chrono::milliseconds(700);  ///< stillness after which a piece in a wrong place is an illegal picture
  Time wrong_lift = std::chrono::milliseconds(3000);  ///< and after which a piece that should not be lifted is
  Time ask = std::chrono::milliseconds(4000);         ///< and after which the players are asked about what no sensor can see
  Time candidate = std::chrono::milliseconds(1000);   ///< how long each candidate is shown when the board asks
  bool trays = false;                                 ///< Pylos: the trays count their spheres
};

/// What the guide needs to know beyond the record.
struct TrackerView {
  Position position;                          ///< after everything that is explained so far
  std::vector<Site> in_hand;                  ///< lifted, nothing explains them yet
  std::vector<Site> out_of_place;             ///< set down, nothing explains them yet
  std::optional<Complaint> complaint;         ///< while an illegal picture stands
  std::vector<std::vector<Step>> candidates;  ///< while the board asks
  std::vector<Site> missing;                  ///< while pieces are led back: sites that must receive a piece
  std::vector<Site> extra;                    ///< and sites that must be cleared
  bool leading_back = false;
  Time asked{};  ///< since when the candidates are shown
};

/// Works out what the players did. Pure: it never reads a clock; live play, replay and tests run this object alike.
///
/// It keeps the position at which the last turn began and all that has happened since (debounced events, in order), and asks the
/// Explainer what legal play causes exactly these events. Steps are announced as soon as they are certain: when the picture has
/// stood still for `settle`, or when the next player is already acting and every reading agrees. Because the last turn's events are
/// kept, its player can change it until the next player acts.
class Tracker {
 public:
  Tracker(const GameInfo& game, const Options& options, const Position& start, TrackerSettings settings = {});
  /// Goes on from a game that has been played so far; the last turn can no longer be amended, only taken back.
  explicit Tracker(GameRecord record, TrackerSettings settings = {});

  // Inputs, in time order. Each may produce events.
  void feed(const SiteChange& change, Time now);
  /// That many pieces lie in the player's tray now.
  void tray(Player player, int count, Time now);
  /// A person says that these are the steps of this player's turn, all of them but `stop`.
  void choose(const Choice& steps, Time now);
  void button(Player player, Time now);
  void take_back(Time now);
  /// A sensor is reported sick, or well again: its site is left out of account meanwhile.
  void fault(const Fault& fault);
  /// Lets time pass.
  void tick(Time now);
  /// Whatever is pending is decided as if the picture stood still for ever.
  void finish(Time now);
  /// The board does not show the record's position (set-up, power cut): lead the pieces there first. `seen` is what stands there.
  void lead_back(const Picture& seen, Time now);

  /// What has been said since the last call, in order.
  [[nodiscard]] std::vector<TrackerEvent> take_events();
  /// When tick() has something to decide next; nothing while all is quiet.
  [[nodiscard]] std::optional<Time> deadline() const;

  /// The game as announced.
  [[nodiscard]] const GameRecord& record() const { return record_; }
  [[nodiscard]] TrackerView view() const;
  /// True while that site's sensor is left out of account.
  [[nodiscard]] bool aside(Site site) const { return explainer_.aside(site); }
  /// While the pieces are being led to the record's position.
  [[nodiscard]] bool leading_back() const { return leading_back_; }
  [[nodiscard]] const TrackerSettings& settings() const { return settings_; }
  /// Other delays from now on; what the board has (trays) stays as it is.
  void set_delays(TrackerSettings settings);
  /// When the hands last did something, so that clocks can be switched at the moment of a step and not when it was understood.
  [[nodiscard]] Time last_change() const { return last_change_; }
  /// Nodes looked at by the last search, for measurements.
  [[nodiscard]] std::size_t effort() const { return explainer_.nodes(); }

 private:
  void say(Time time, decltype(TrackerEvent::what) what);
  void ignore(Time now, std::string event, std::string why);
  /// Collapses the happenings when they are too many for one more.
  void make_room();
  void insert(const Happening& happening);
  void search();
  void decide(Time now, bool for_ever);
  [[nodiscard]] bool takes_back(const Explanation& explanation) const;
  bool still_going_on(Time now, bool for_ever);
  void decide_among(const Explanation& best, Time now);
  [[nodiscard]] bool overtaken(const Explanation& explanation) const;
  bool somebody_is_at_it(Time now, bool for_ever);
  bool too_early_but_legal(Time now);
  void complain(Time now, bool for_ever);
  bool wait(Time delay, Time now, bool for_ever);
  void announce_certain(Time now);
  void commit(const Explanation& explanation, Time now, bool in_doubt = false);
  void adopt(std::size_t base, std::vector<Step> steps, Time now);
  void reconcile(std::span<const Step> steps, Time now, bool complete);
  /// Plays on the record; false when the record refuses.
  bool play(Step step, Time now, std::vector<Step>* quietly);
  void play_forced(Time now, std::vector<Step>* quietly);
  void say_state(Time now);
  void ask(std::size_t base, const std::vector<Explanation>& rivals, Time now);
  [[nodiscard]] bool already_asked(const Explanation& best, const Explanation& rival);
  void resolve(Time now);
  void compare(Time now);
  void touch(Time when);
  void rebase(const Explanation& explanation, std::size_t steps, bool settled);
  void keep(HappeningSet kept);
  void start_afresh();
  void expect_trays();
  [[nodiscard]] std::array<int, 4> full_trays() const;
  void collapse();
  bool accept_choice(const Choice& steps, Time now, bool may_repair);
  [[nodiscard]] std::vector<std::vector<Step>> tails(const std::vector<Explanation>& rivals) const;
  [[nodiscard]] std::vector<Happening> pick(HappeningSet set) const;
  [[nodiscard]] Picture picture() const { return Picture(record_.game(), record_.position()); }
  /// Sensed sites at which the board does not show the record's position.
  [[nodiscard]] std::vector<Site> differences() const;

  TrackerSettings settings_;
  GameRecord record_;                  ///< announced
  std::size_t base_ = 0;               ///< number of its steps that are settled for good
  Picture seen_;                       ///< what the sensors show
  std::vector<Happening> happenings_;  ///< since base_
  std::vector<Choice> choices_;
  std::array<int, 4> trays_{};
  std::array<int, 4> tray_due_{};  ///< pieces that will come back to (or leave) a tray without a turn
  Explainer explainer_;
  std::vector<Explanation> explanations_;
  Time last_change_{};
  std::optional<Time> due_;  ///< when there is something to decide
  std::optional<Complaint> complaint_;
  std::vector<std::vector<Step>> candidates_;
  std::vector<std::vector<Step>> asked_;  ///< behind each candidate, all steps since asked_base_
  std::size_t asked_base_ = 0;
  void note_loose(const Explanation& explanation);
  bool repair(Time now);

  LoosePuts loose_;
  std::vector<std::uint64_t> doubts_;  ///< where readings were found to part, so that each doubt is told once
  Time asked_since_{};
  bool leading_back_ = false;
  std::uint8_t said_out_ = 0;
  Outcome said_outcome_;
  std::vector<TrackerEvent> events_;
};

}  // namespace merel
