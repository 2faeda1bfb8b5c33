#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/board_image.h"
#include "daemon/config/board_profile.h"
#include "daemon/game_clock.h"
#include "daemon/guide.h"
#include "daemon/session/buttons.h"
#include "daemon/tracker.h"
#include "daemon/verdict.h"
#include "drivers/sensor_source.h"

namespace merel {

/// Where the board is in a game's life.
enum class Phase : std::uint8_t {
  idle,     ///< no game
  setup,    ///< the pieces are led to the start
  play,     ///<
  restore,  ///< the pieces are led back to the record: power cut, bump, take-back
  over,     ///< the end is shown until the next game
};
[[nodiscard]] std::string_view name(Phase phase);

struct SessionSettings {
  BoardProfile board;
  TrackerSettings tracker;
  DebounceSettings debounce;
  bool help = true;
};

/// A player would agree to a draw.
struct DrawOffered {
  Player player;
};
/// The daemon was restarted within the game.
struct Restarted {};
/// The game is over, by the rules or otherwise.
struct GameClosed {
  Verdict verdict;
};
/// A held button asks for a new game; only the shell can begin one.
struct NewGameWanted {};

/// A button was pressed in play; whatever it led to follows.
struct ButtonPressed {
  Player player;
};
/// A take-back was asked for; whatever it led to follows.
struct TakebackAsked {};

/// One thing that happened, in order.
struct SessionEvent {
  Time time{};
  std::variant<TrackerEvent, DrawOffered, Restarted, GameClosed, NewGameWanted, ButtonPressed, TakebackAsked> what;
  // For a step:
  std::optional<Time> think;  ///< since the turn before was complete, while play was possible
  std::optional<Time> left;   ///< on the player's clock
};

/// One board and the game on it: set-up, play, recovery, the end. Pure: it never reads a clock, and nothing it does waits.
///
/// Readings go in by channel; what has happened comes out of take_events(), what is to be seen out of the other questions.
class Session {
 public:
  /// Done, or one sentence that says why not; nothing has changed then.
  using Answer = Result<std::monostate, std::string>;

  explicit Session(SessionSettings settings);

  // ---- what the board says, in time order ----
  void reading(const Reading& reading);
  void button(std::uint8_t number, bool down, Time now);
  void tray(std::uint8_t number, int count, Time now);
  /// While the source is not well its silence means nothing; when it is well again it tells everything anew.
  void source_well(bool well, Time now);
  /// Of these channels nothing is heard, of all others something is. The game goes on without them as far as it can.
  void channels_lost(const std::vector<std::uint16_t>& lost, Time now);
  void tick(Time now);
  [[nodiscard]] std::optional<Time> deadline() const;

  // ---- what people ask for ----
  /// A new game from `record`'s start; the pieces are led there. Refused while a game runs and where the board is blind.
  Answer begin(GameRecord record, const std::optional<ClockSettings>& clock, Time now);
  /// Why begin() would refuse.
  [[nodiscard]] Answer may_begin(const GameRecord& record) const;
  /// Goes on with a game after a restart: the pieces are compared with the record and led back. `left`: the players' clocks.
  void resume(GameRecord record, const std::optional<ClockSettings>& clock, const std::vector<Time>& left, Time now);
  Answer take_back(Time now);
  Answer choose(const std::vector<Step>& steps, Time now);
  /// Without a player, the one to act.
  Answer resign(std::optional<Player> player, Time now);
  /// Offers or agrees; without a player everybody agrees.
  Answer draw(std::optional<Player> player, Time now);
  Answer abort(Time now);
  void set_help(bool on) { settings_.help = on; }
  /// New delays, help and, when it differs, a new map of the board; the game goes on.
  void configure(SessionSettings settings, Time now);

  // ---- what is so ----
  [[nodiscard]] std::vector<SessionEvent> take_events();
  [[nodiscard]] Phase phase() const;
  /// Null when there is no game.
  [[nodiscard]] const Tracker* tracker() const { return tracker_ ? &*tracker_ : nullptr; }
  [[nodiscard]] const GameClock* clock() const { return clock_ ? &*clock_ : nullptr; }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }
  /// Bit by player: who has offered a draw.
  [[nodiscard]] std::uint8_t draw_offers() const { return offers_; }
  [[nodiscard]] const SessionSettings& settings() const { return settings_; }
  /// What the channel reads, bounces included.
  [[nodiscard]] Contents raw(std::uint16_t channel) const;
  /// How often the channel has changed since the start, bounces included.
  [[nodiscard]] std::uint64_t changes(std::uint16_t channel) const {
    return channel < changes_.size() ? changes_[channel] : 0;
  }
  /// What stands on a site of the running game's board, debounced.
  [[nodiscard]] Contents contents(Site site) const;
  [[nodiscard]] bool flapping(Site site) const;
  /// What the game knows of the board. While the pieces are led to the start, or back to the record, it knows what should lie there, and
  /// that is all; without a game nothing.
  [[nodiscard]] KnownBoard known() const;
  [[nodiscard]] Scene scene() const;
  /// What to do now, as one sentence; empty when nothing is asked for.
  [[nodiscard]] std::string advice() const;

 private:
  [[nodiscard]] bool running() const { return tracker_ && !verdict_.over(); }
  void lay(GameRecord record, const std::optional<ClockSettings>& clock, Time now);
  void sense(Time now);
  void after(Time now);
  void account(SessionEvent& event, Time now);
  void run_clock(Time now);
  void close(const Verdict& verdict, Time now);
  void obey(const GestureMade& made, Time now);
  [[nodiscard]] std::optional<Time> flag() const;
  Picture look(const Geometry& board, Time now);
  Answer told(Time now, std::string_view request);
  void tell(decltype(SessionEvent::what) what, Time now) { events_.push_back({now, std::move(what), {}, {}}); }

  SessionSettings settings_;
  std::vector<Contents> raw_;
  std::vector<std::uint64_t> changes_;  ///< by channel
  std::vector<int> trays_;              ///< by number, -1 where nothing has been told
  std::vector<std::uint16_t> lost_;     ///< channels of which nothing is heard
  bool well_ = true;
  Buttons buttons_;
  BoardImage image_;
  std::optional<Tracker> tracker_;
  std::optional<GameClock> clock_;
  Verdict verdict_;
  bool setting_up_ = false;
  std::uint8_t offers_ = 0;
  Player turn_of_ = kNoPlayer;      ///< whose turn it is as the clocks see it
  std::optional<Time> turn_since_;  ///< while play is possible
  Time thought_{};                  ///< before turn_since_, in this turn
  bool clock_runs_ = false;         ///< from the first complete turn on
  std::vector<SessionEvent> events_;
};

}  // namespace merel
