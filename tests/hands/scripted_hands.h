#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/record.h"

/// Traces as human hands cause them, for tests: whole random games with every habit and fumble, and single scenes written out.
///
/// What hands do, as counted in recorded games (milliseconds; `a..b` is an even spread; a *calm* turn is one that does not begin
/// into the turn before):
///
///   all levels   pause before a turn: median 1480, 5 % below 560, 5 % above 3900, never below 450; the first after 1000
///                move: lifted, set down 250..1300 later; put in Pylos: tray, set down 250..1000 later
///                take: 350..1400 after the step before; in Pylos the tray 250..800 later
///                turn with an unseen step: `choose` 700 after its last moment, the next pause counts from 300 after that
///                `stop`, `forget`, `pass`: nothing to see. The trace ends 5000 after the game
///   from level 2 each change bounces with 50 %: 3, 5, 7 or 9 toggles, 0.5..6 apart
///                an empty neighbour flickers with 6 %: within 15 of the change, for 3..22
///                before 4 % of the calm turns a piece is straightened: lifted after the pause, put back 120..900 later, and the
///                turn begins 900..2000 later
///   from level 3 in calm turns only:
///                4.5 % of the moves are first tried wrong: lifted, set on an illegal site 600 later, there for 2500..4500, lifted,
///                back after 600; the right move begins 1200..2000 later
///                2 % of moves and puts go to another legal site first for 60..180, another 2 % for 900..2200, and are right
///                150..500 later; the long ones are accepted meanwhile and amended (2.6 % each where another site is there)
///                15 % of the moves with exactly one take (not in Pylos): the taken piece is lifted first, the move 150..900 later
///   level 4      50 % of the turns whose sites are none of the turn before begin 120 before to 180 after its last event, and are
///                quick: lifted, set down 120..400 later, takes after 80..350; inside a turn the order is always kept.
namespace merel {

/// Time in a trace: tenths of a millisecond, so that no rounding of a compiler or library shows.
using Tenths = std::int64_t;

/// Draws that are the same for a seed on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// 0 … n - 1; n at least 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  /// An even spread over both milliseconds and all tenths between them.
  Tenths between(int from_ms, int to_ms);
  bool chance(unsigned per_mille) { return below(1000) < per_mille; }
  /// The pause before a turn.
  Tenths pause();

 private:
  std::uint64_t state_;
};

/// The pieces on the board as colour letters by site, '.' where it is empty; unseen sites included.
using Board = std::array<char, 256>;
[[nodiscard]] Board board_of(const Position& position);

/// One line of a trace after its header: `12.5 a2 .` is {125, "a2 ."}.
struct HandEvent {
  Tenths at = 0;
  std::string what;
};

/// The whole trace file; the events in any order.
[[nodiscard]] std::string trace_text(const GameInfo& game, const Options& options, const Position& start, bool colour,
                                     std::vector<HandEvent> events);

/// A scene written out by hand: each call lets time pass and then adds one event. Nothing is held against the rules.
class Hands {
 public:
  Hands(const GameInfo& game, const Options& options, const Position& start, bool colour = false);

  Hands& wait(int ms);
  /// The piece on that site is lifted.
  Hands& lift(std::string_view site, int after_ms = 500);
  /// The piece lifted last, or one of that colour from outside, is set down.
  Hands& put(std::string_view site, int after_ms = 500, char colour = 0);
  /// Any other event, as in the file: `button W`, `reserve W 14`, `choose +3a1`, `takeback`.
  Hands& say(std::string_view event, int after_ms = 500);
  /// The trace, ending 5000 ms after the last event.
  [[nodiscard]] std::string text() const;

 private:
  const GameInfo* game_;
  Options options_;
  Position start_;
  bool colour_;
  Board board_;
  char in_hand_ = 'o';
  Tenths now_ = 0;
  std::vector<HandEvent> events_;
};

/// How a game is played by hand.
struct Handling {
  int level = 1;        ///< 1 to 4, the table above
  bool colour = false;  ///< sensors tell colours
  bool trays = true;    ///< Pylos: the board has trays
};

/// A trace and what really happened.
struct ScriptedGame {
  std::string trace;
  int illegal = 0;  ///< tries that stood still on an illegal site
  int amends = 0;   ///< steps that were accepted and then changed
};

/// Plays the game by hand. The hands do the same for a seed and level, whatever the sensors.
[[nodiscard]] ScriptedGame play_by_hand(const GameRecord& record, const Handling& handling, std::uint64_t seed);

/// A random game with random options, of at most that many steps: one that ends, if one can be found in a few tries, else the
/// first turns of one.
[[nodiscard]] GameRecord random_game(const GameInfo& game, Dice& dice, std::size_t most_steps);

}  // namespace merel
