#include "tests/hands/scripted_hands.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace merel {
namespace {

constexpr Tenths kMs = 10;

bool is_move(Step step) { return step.kind == StepKind::move; }

/// A change at a sensed site.
struct Touch {
  Tenths at = 0;
  Site site = kNoSite;
  char reading = '.';
};

int distance(const SiteInfo& a, const SiteInfo& b) { return std::abs(a.file - b.file) + std::abs(a.rank - b.rank); }

/// True when a piece on `upper` rests on `lower` (Pylos).
bool rests_on(const SiteInfo& upper, const SiteInfo& lower) {
  return upper.level == lower.level + 1 && std::abs(upper.file - lower.file) == 1 && std::abs(upper.rank - lower.rank) == 1;
}

/// The hands of all players, turn after turn.
class Script {
 public:
  Script(const GameRecord& record, const Handling& handling, std::uint64_t seed)
      : record_(record),
        handling_(handling),
        geometry_(geometry(record.start())),
        dice_(seed),
        board_(board_of(record.start())),
        trays_(record.game().tray > 0) {
    for (std::size_t player = 0; player < record.game().colours.size(); ++player) {
      tray_.push_back(record.game().tray -
                      static_cast<int>(std::count(board_.begin(), board_.end(), record.game().colours[player])));
    }
    last_touch_.fill(-1000 * kMs);
  }

  ScriptedGame play() {
    const std::size_t count = record_.steps().size();
    for (std::size_t first = 0; first < count;) {
      std::size_t last = first + 1;
      while (last < count && to_act(record_.position(last)) == to_act(record_.position(first))) ++last;
      turn(first, last);
      first = last;
    }
    say(now_ + 5000 * kMs, "end");
    write_touches();
    result_.trace = trace_text(record_.game(), record_.options(), record_.start(), handling_.colour, std::move(events_));
    return std::move(result_);
  }

 private:
  void say(Tenths at, std::string what) { events_.push_back({at, std::move(what)}); }

  /// The site reads that from now on, if it has a sensor; else the turn has a step that nobody sees.
  void touch(Site site, char reading) {
    board_[site] = reading;
    if (!geometry_.info(site).sensed) {
      unseen_ = true;
      return;
    }
    touches_.push_back({now_, site, reading});
    last_touch_[site] = now_;
  }

  void tray(Player player, int change) {
    tray_[player] += change;
    if (handling_.trays) say(now_, std::string("reserve ") + letter(player) + ' ' + std::to_string(tray_[player]));
  }

  [[nodiscard]] char letter(Player player) const { return record_.game().colours[player]; }
  [[nodiscard]] bool free_of_load(const SiteInfo& site) const {
    return std::none_of(geometry_.sites.begin(), geometry_.sites.end(),
                        [&](const SiteInfo& upper) { return board_[upper.site] != '.' && rests_on(upper, site); });
  }
  /// True when a piece can lie there once `lifted` is off the board.
  [[nodiscard]] bool carried(const SiteInfo& site, Site lifted) const {
    return site.level == 1 || std::count_if(geometry_.sites.begin(), geometry_.sites.end(), [&](const SiteInfo& lower) {
                                return board_[lower.site] != '.' && lower.site != lifted && rests_on(site, lower);
                              }) == 4;
  }

  [[nodiscard]] std::vector<Site> sensed_sites(std::size_t first, std::size_t last) const {
    std::vector<Site> sites;
    for (std::size_t i = first; i < last; ++i) {
      for (const Site site : {record_.steps()[i].from, record_.steps()[i].to}) {
        if (site != kNoSite && geometry_.info(site).sensed) sites.push_back(site);
      }
    }
    return sites;
  }

  void turn(std::size_t first, std::size_t last) {
    std::vector<Site> sites = sensed_sites(first, last);
    quick_ = false;
    if (handling_.level >= 4 && dice_.chance(500)) {
      const Tenths start = now_ + dice_.between(-120, 180);
      quick_ = std::none_of(sites.begin(), sites.end(), [&](Site site) {
        return std::count(previous_sites_.begin(), previous_sites_.end(), site) > 0 || last_touch_[site] > start - 100 * kMs;
      });
      if (quick_) now_ = start;
    }
    if (!quick_) {
      now_ += dice_.pause();
      if (handling_.level >= 2 && dice_.chance(40)) straighten();
    }
    previous_sites_ = std::move(sites);

    unseen_ = false;
    const Step opening = record_.steps()[first];
    const bool clumsy = handling_.level >= 3 && !quick_;
    if (clumsy && is_move(opening) && dice_.chance(45)) try_illegally(first);
    if (clumsy && !trays_ && is_move(opening) && last == first + 2 && record_.steps()[first + 1].kind == StepKind::take &&
        dice_.chance(150)) {
      touch(record_.steps()[first + 1].from, '.');
      now_ += dice_.between(150, 900);
      move_or_put(first, std::nullopt);
    } else {
      for (std::size_t i = first; i < last; ++i) {
        const Step step = record_.steps()[i];
        if (step.kind == StepKind::take) {
          take(i, i > first);
        } else if (step.physical()) {
          move_or_put(i, clumsy ? second_thought(i) : std::nullopt);
        }
      }
    }
    if (unseen_) {
      std::string choose = "choose";
      for (std::size_t i = first; i < last; ++i) {
        if (record_.steps()[i].kind != StepKind::stop) choose += ' ' + text(record_.start(), record_.steps()[i]);
      }
      say(now_ + 700 * kMs, std::move(choose));
      now_ += 1000 * kMs;
    }
  }

  void straighten() {
    std::vector<Site> loose;
    for (const SiteInfo& site : geometry_.sites) {
      if (site.sensed && board_[site.site] != '.' && free_of_load(site)) loose.push_back(site.site);
    }
    if (loose.empty()) return;
    const Site site = loose[dice_.below(loose.size())];
    const char piece = board_[site];
    touch(site, '.');
    now_ += dice_.between(120, 900);
    touch(site, piece);
    now_ += dice_.between(900, 2000);
  }

  /// Sites that the rules allow the piece of step `i` to go to.
  [[nodiscard]] std::vector<Site> legal_targets(std::size_t i) const {
    const Step step = record_.steps()[i];
    std::vector<Site> targets;
    for (const Step legal : legal_steps(record_.position(i))) {
      if (legal.kind == step.kind && legal.from == step.from) targets.push_back(legal.to);
    }
    return targets;
  }

  /// The piece of the coming move is set where it may not go, and brought back.
  void try_illegally(std::size_t i) {
    const Step step = record_.steps()[i];
    const SiteInfo& origin = geometry_.info(step.from);
    const std::vector<Site> legal = legal_targets(i);
    std::vector<Site> wrong;
    for (const SiteInfo& site : geometry_.sites) {
      if (site.sensed && board_[site.site] == '.' && site.level <= origin.level && carried(site, step.from) &&
          std::count(legal.begin(), legal.end(), site.site) == 0) {
        wrong.push_back(site.site);
      }
    }
    if (!origin.sensed || wrong.empty()) return;
    // Pins go wrong near their hole, men and spheres anywhere.
    std::stable_sort(wrong.begin(), wrong.end(), [&](Site a, Site b) {
      return distance(geometry_.info(a), origin) < distance(geometry_.info(b), origin);
    });
    const bool pins = record_.game().piece == "pin";
    const Site site = wrong[dice_.below(pins ? 1 + dice_.below(std::min<std::size_t>(wrong.size(), 6)) : wrong.size())];
    const char piece = board_[step.from];
    touch(step.from, '.');
    now_ += 600 * kMs;
    touch(site, piece);
    now_ += dice_.between(2500, 4500);
    touch(site, '.');
    now_ += 600 * kMs;
    touch(step.from, piece);
    now_ += dice_.between(1200, 2000);
    ++result_.illegal;
  }

  struct Detour {
    Site site;
    Tenths stay;
  };

  /// Another legal target where the piece of step `i` stands for a while first.
  std::optional<Detour> second_thought(std::size_t i) {
    const unsigned draw = static_cast<unsigned>(dice_.below(1000));
    if (draw >= 52) return std::nullopt;
    std::vector<Site> others = legal_targets(i);
    std::erase_if(others, [&](Site site) { return site == record_.steps()[i].to || !geometry_.info(site).sensed; });
    if (others.empty()) return std::nullopt;
    const Site site = others[dice_.below(others.size())];
    if (draw < 26) return Detour{site, dice_.between(60, 180)};
    ++result_.amends;
    return Detour{site, dice_.between(900, 2200)};
  }

  void move_or_put(std::size_t i, std::optional<Detour> detour) {
    const Step step = record_.steps()[i];
    const Player player = to_act(record_.position(i));
    if (is_move(step)) {
      touch(step.from, '.');
      now_ += quick_ ? dice_.between(120, 400) : dice_.between(250, 1300);
    } else if (trays_) {
      tray(player, -1);
      now_ += dice_.between(250, 1000);
    }
    if (detour) {
      touch(detour->site, letter(player));
      now_ += detour->stay;
      touch(detour->site, '.');
      now_ += dice_.between(150, 500);
    }
    touch(step.to, letter(player));
  }

  void take(std::size_t i, bool follows) {
    if (follows) now_ += quick_ ? dice_.between(80, 350) : dice_.between(350, 1400);
    touch(record_.steps()[i].from, '.');
    if (trays_) {
      now_ += dice_.between(250, 800);
      tray(to_act(record_.position(i)), +1);
    }
  }

  /// From one toggle of a bouncing contact to the next.
  Tenths bounce() { return 5 + static_cast<Tenths>(dice_.below(56)); }

  void write(Tenths at, Site site, char reading) {
    const bool coded = reading == '.' || handling_.colour;
    say(at, std::string(geometry_.info(site).name()) + ' ' + (coded ? reading : 'o'));
  }

  /// The touches as events, from level 2 on with bounces and flickering neighbours.
  void write_touches() {
    std::stable_sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) { return a.at < b.at; });
    Board reads = board_of(record_.start());
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const Touch& touch = touches_[i];
      const char before = std::exchange(reads[touch.site], touch.reading);
      write(touch.at, touch.site, touch.reading);
      if (handling_.level < 2) continue;
      if (dice_.chance(500)) {
        Tenths at = touch.at;
        for (std::size_t pairs = 1 + dice_.below(4); pairs > 0; --pairs) {
          write(at += bounce(), touch.site, before);
          write(at += bounce(), touch.site, touch.reading);
        }
      }
      if (dice_.chance(60)) flicker(i, touch.reading == '.' ? before : touch.reading, reads);
    }
  }

  /// A neighbour that is empty, and stays so for a while, sees the piece pass.
  void flicker(std::size_t i, char piece, const Board& reads) {
    const Touch& touch = touches_[i];
    const SiteInfo& here = geometry_.info(touch.site);
    const int reach = trays_ ? 2 : 1;  // seats of one level are two lattice lines apart
    std::vector<Site> empty;
    for (const SiteInfo& site : geometry_.sites) {
      if (site.sensed && site.level == here.level && site.site != here.site && reads[site.site] == '.' &&
          std::abs(site.file - here.file) <= reach && std::abs(site.rank - here.rank) <= reach &&
          std::none_of(touches_.begin(), touches_.end(), [&](const Touch& other) {
            return other.site == site.site && std::abs(other.at - touch.at) < 100 * kMs;
          })) {
        empty.push_back(site.site);
      }
    }
    if (empty.empty()) return;
    const Site site = empty[dice_.below(empty.size())];
    const Tenths at = touch.at + dice_.between(-15, 15);
    write(at, site, piece);
    write(at + dice_.between(3, 22), site, '.');
  }

  const GameRecord& record_;
  Handling handling_;
  const Geometry& geometry_;
  Dice dice_;
  Board board_;  ///< as the hands have left it, in the order of the turns
  bool trays_;   ///< pieces come from trays, so that spheres rest on spheres: Pylos
  std::vector<int> tray_;
  Tenths now_ = 1000 * kMs;
  bool quick_ = false;   ///< the turn in play began before the last one was over
  bool unseen_ = false;  ///< the turn in play has a step that no sensor sees
  std::vector<Site> previous_sites_;
  std::array<Tenths, 256> last_touch_{};
  std::vector<Touch> touches_;
  std::vector<HandEvent> events_;
  ScriptedGame result_;
};

/// Options as people choose them: mostly none, else one, seldom all that the game has.
Options random_options(const GameInfo& game, Dice& dice) {
  Options options = game.defaults();
  const bool all = dice.chance(70);
  const std::size_t one = dice.chance(500) ? dice.below(game.options.size()) : game.options.size();
  for (std::size_t i = 0; i < game.options.size(); ++i) {
    const OptionSpec& spec = game.options[i];
    if (!(spec.number ? i == one : all || i == one)) continue;
    if (spec.number) {
      (void)options.set(spec.key, "2");
    } else {
      (void)options.set(spec.key, spec.values[1 + dice.below(spec.values.size() - 1)]);
    }
  }
  return options;
}

/// A legal step by chance. Players like rows, mills and squares: of three steps drawn, one with a take to follow is played.
/// Leaving removals owed and stopping early are about as rare as among people.
Step random_step(const Position& position, Dice& dice) {
  const StepList legal = legal_steps(position);
  std::vector<Step> steps(legal.begin(), legal.end());
  for (const auto& [kind, per_mille] : {std::pair{StepKind::forget, 100U}, std::pair{StepKind::stop, 180U}}) {
    const auto at = std::find_if(steps.begin(), steps.end(), [k = kind](Step step) { return step.kind == k; });
    if (at == steps.end() || steps.size() == 1) continue;
    if (dice.chance(per_mille)) return *at;
    steps.erase(at);
  }
  Step step = steps[dice.below(steps.size())];
  for (int i = 0; i < 2 && to_act(*apply(position, step)) != to_act(position); ++i) step = steps[dice.below(steps.size())];
  return step;
}

}  // namespace

std::uint64_t Dice::next() {
  // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

Tenths Dice::between(int from_ms, int to_ms) {
  return from_ms * kMs + static_cast<Tenths>(below(static_cast<std::size_t>((to_ms - from_ms) * kMs + 1)));
}

Tenths Dice::pause() {
  // The pauses counted, in milliseconds: the shortest, then what 5 %, 10 % … 95 %, and 99 % stay below.
  constexpr std::array kPauses = {450,  565,  720,  830,  930,  1000, 1085, 1180, 1275, 1370, 1480,
                                  1600, 1730, 1880, 2070, 2300, 2550, 2880, 3300, 3900, 6000};
  if (chance(5)) return between(6000, 16000);
  const std::size_t part = below(kPauses.size() - 1);
  return between(kPauses[part], kPauses[part + 1]);
}

Board board_of(const Position& position) {
  Board board;
  board.fill('.');
  const Geometry& sites = geometry(position);
  const std::string ranks = text(position);
  std::size_t next = 0;
  std::size_t number = 0;
  for (const char c : ranks) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<std::size_t>(c - '0');
      continue;
    }
    next += std::exchange(number, 0);
    if (c == ' ') break;
    if (c >= 'A' && c <= 'Z') board[sites.sites[next++].site] = c;
  }
  return board;
}

std::string trace_text(const GameInfo& game, const Options& options, const Position& start, bool colour,
                       std::vector<HandEvent> events) {
  std::stable_sort(events.begin(), events.end(), [](const HandEvent& a, const HandEvent& b) { return a.at < b.at; });
  std::string trace = "merel-trace 1\ngame " + std::string(game.name) + '\n';
  for (const OptionSpec& spec : options.specs()) {
    if (options.changed(spec.key)) trace += "option " + std::string(spec.key) + '=' + options.get(spec.key) + '\n';
  }
  trace += std::string("sensing ") + (colour ? "colour" : "occupancy") + "\nposition " + text(start) + "\n---\n";
  for (const HandEvent& event : events) {
    trace += std::to_string(event.at / kMs) + '.' + std::to_string(event.at % kMs) + ' ' + event.what + '\n';
  }
  return trace;
}

Hands::Hands(const GameInfo& game, const Options& options, const Position& start, bool colour)
    : game_(&game), options_(options), start_(start), colour_(colour), board_(board_of(start)) {}

Hands& Hands::wait(int ms) {
  now_ += ms * kMs;
  return *this;
}

Hands& Hands::lift(std::string_view site, int after_ms) {
  in_hand_ = std::exchange(board_[geometry(start_).find(site)], '.');
  return say(std::string(site) + " .", after_ms);
}

Hands& Hands::put(std::string_view site, int after_ms, char colour) {
  const char piece = colour != 0 ? colour : in_hand_;
  board_[geometry(start_).find(site)] = piece;
  return say(std::string(site) + ' ' + (colour_ ? piece : 'o'), after_ms);
}

Hands& Hands::say(std::string_view event, int after_ms) {
  wait(after_ms);
  events_.push_back({now_, std::string(event)});
  return *this;
}

std::string Hands::text() const {
  std::vector<HandEvent> events = events_;
  events.push_back({now_ + 5000 * kMs, "end"});
  return trace_text(*game_, options_, start_, colour_, std::move(events));
}

ScriptedGame play_by_hand(const GameRecord& record, const Handling& handling, std::uint64_t seed) {
  return Script(record, handling, seed).play();
}

GameRecord random_game(const GameInfo& game, Dice& dice, std::size_t most_steps) {
  constexpr int kTries = 30;
  for (int i = 1;; ++i) {
    const Options options = random_options(game, dice);
    GameRecord record(game, options, *game.read(options, game.start(options)));
    while (!record.outcome().over() && record.steps().size() < most_steps) {
      (void)record.play(random_step(record.position(), dice));
    }
    if (record.outcome().over()) return record;
    if (i == kTries) {
      // Its last turn may be cut off.
      for (std::size_t whole = record.last_turn(); record.steps().size() > whole;) record.undo();
      return record;
    }
  }
}

}  // namespace merel
