#include "rules/pinuid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace merel {
namespace {

constexpr std::size_t kLeastSize = 5;
constexpr std::size_t kMostSize = 15;

/// The holes of an N x N board that rules name.
template <class Board>
struct Holes {
  Board all;
  Board even;                       // file + rank even: one of the two kinds of diagonals
  std::array<Board, 2> back_lines;  // of W, of B
};

template <class Board>
constexpr Holes<Board> holes_of(int size) {
  Holes<Board> holes;
  for (int file = 0; file < size; ++file) {
    holes.back_lines[0].flip(Board::site_at(file, 0));
    holes.back_lines[1].flip(Board::site_at(file, size - 1));
    for (int rank = 0; rank < size; ++rank) {
      holes.all.flip(Board::site_at(file, rank));
      if ((file + rank) % 2 == 0) holes.even.flip(Board::site_at(file, rank));
    }
  }
  return holes;
}

/// Indexed by size / 2; the sizes for which the board has no room stay empty.
template <class Board>
constexpr auto kHoles = [] {
  std::array<Holes<Board>, kMostSize / 2 + 1> table{};
  for (std::size_t size = kLeastSize; size < Board::kStride; size += 2) {
    table[size / 2] = holes_of<Board>(static_cast<int>(size));
  }
  return table;
}();

template <std::size_t size>
constexpr std::array<SiteInfo, size * size> kSites = [] {
  std::array<SiteInfo, size * size> sites;
  std::size_t i = 0;
  for (std::size_t rank = size; rank-- > 0;) {
    for (std::size_t file = 0; file < size; ++file) {
      SiteInfo& info = sites[i++];
      info.site = static_cast<Site>(file * 16 + rank);
      info.file = static_cast<std::uint8_t>(file);
      info.rank = static_cast<std::uint8_t>(rank);
      info.letters[0] = static_cast<char>('a' + file);
      const std::size_t number = rank + 1;
      if (number >= 10) info.letters[1] = '1';
      info.letters[number >= 10 ? 2 : 1] = static_cast<char>('0' + number % 10);
    }
  }
  return sites;
}();

template <std::size_t size>
constexpr Geometry kGeometry{static_cast<std::uint8_t>(size), kSites<size>};

/// The first pins of all runs of exactly three pins that are `step` bits apart.
template <int step, class Board>
Board runs_of_three(const Board& pins) {
  return pins & pins >> step & pins >> 2 * step & ~(pins << step) & ~(pins >> 3 * step);
}

}  // namespace

// ---- rows, diagonals, moves ----------------------------------------------------------------------------------------------

template <class Board>
auto BasicPinuid<Board>::Rows::in(const Board& pins) -> Rows {
  return {runs_of_three<kFile>(pins), runs_of_three<kRank>(pins)};
}

template <class Board>
auto BasicPinuid<Board>::Rows::through(const Board& hole) -> Rows {
  return {hole | hole >> kFile | hole >> 2 * kFile, hole | hole >> kRank | hole >> 2 * kRank};
}

template <class Board>
Board BasicPinuid<Board>::empty() const {
  return kHoles<Board>[size_ / 2].all & ~(pins_[0] | pins_[1] | pins_[2] | pins_[3]);
}

template <class Board>
bool BasicPinuid<Board>::one_parity(Player player) const {
  const Board& even = kHoles<Board>[size_ / 2].even;
  return !(pins_[player] & even).any() || !(pins_[player] & ~even).any();
}

template <class Board>
bool BasicPinuid<Board>::stagnated(Player player) const {
  if (!one_parity(player)) return false;
  if (!line_) return true;
  Site first = kNoSite;
  bool rising = true;
  bool falling = true;
  pins_[player].for_each([&](Site pin) {
    if (first == kNoSite) first = pin;
    const int files = Board::file_of(pin) - Board::file_of(first);
    const int ranks = Board::rank_of(pin) - Board::rank_of(first);
    rising = rising && files == ranks;
    falling = falling && files == -ranks;
  });
  return rising || falling;
}

template <class Board>
bool BasicPinuid<Board>::can_move() const {
  const Board& own = pins_[to_act_];
  const Board free = empty();
  return (own & (free << kRising | free >> kRising | free << kFalling | free >> kFalling)).any();
}

template <class Board>
Board BasicPinuid<Board>::return_holes() const {
  return kHoles<Board>[size_ / 2].back_lines[to_act_] & empty();
}

template <class Board>
Board BasicPinuid<Board>::takeable() const {
  const Board h = owed_[to_act_].pins_h();
  const Board v = owed_[to_act_].pins_v();
  const Board pins = shared_pin_ ? h | v : h ^ v;  // rows of one direction never share a pin
  return pins & ~Board::of(moved_[to_act_]);
}

template <class Board>
auto BasicPinuid<Board>::duty() const -> Duty {
  if (outcome_.over()) return Duty::nothing;
  if (owed_[to_act_].any()) return Duty::take;
  if (!quatro() && stagnated(to_act_)) return Duty::return_pin;
  return Duty::move;
}

template <class Board>
std::uint64_t BasicPinuid<Board>::count_steps() const {
  switch (duty()) {
    case Duty::nothing: return 0;
    case Duty::take: return takeable().count() + (may_forget() ? 1U : 0U);
    case Duty::return_pin: return std::max(1U, return_holes().count());
    case Duty::move: break;
  }
  // Two holes that touch diagonally allow a move when one has an own pin and the other is empty, whichever is which: one bit
  // a pair, at its lower file.
  const Board& own = pins_[to_act_];
  const Board free = empty();
  const Board rising = (own & free >> kRising) | (free & own >> kRising);
  const Board falling = (own & free >> kFalling) | (free & own >> kFalling);
  return std::max(1U, rising.count() + falling.count());
}

template <class Board>
void BasicPinuid<Board>::legal_steps(StepList& out) const {
  switch (duty()) {
    case Duty::nothing: return;
    case Duty::take:
      if (may_forget()) out.push(Step{StepKind::forget});
      takeable().for_each([&out](Site pin) { out.push(Step::take(pin)); });
      return;
    case Duty::return_pin: {
      const Board holes = return_holes();
      holes.for_each([&out](Site hole) { out.push(Step::put(hole)); });
      if (!holes.any()) out.push(Step{StepKind::pass});
      return;
    }
    case Duty::move: break;
  }
  const Board& own = pins_[to_act_];
  const Board free = empty();
  const Board down_left = own & free << kRising;
  const Board up_left = own & free << kFalling;
  const Board down_right = own & free >> kFalling;
  const Board up_right = own & free >> kRising;
  const Board movable = down_left | up_left | down_right | up_right;
  movable.for_each([&](Site pin) {  // a file is 16 sites, a rank one; in the order of the targets
    if (down_left.has(pin)) out.push(Step::move(pin, static_cast<Site>(pin - 17)));
    if (up_left.has(pin)) out.push(Step::move(pin, static_cast<Site>(pin - 15)));
    if (down_right.has(pin)) out.push(Step::move(pin, static_cast<Site>(pin + 15)));
    if (up_right.has(pin)) out.push(Step::move(pin, static_cast<Site>(pin + 17)));
  });
  if (!movable.any()) out.push(Step{StepKind::pass});
}

// ---- why not -------------------------------------------------------------------------------------------------------------

template <class Board>
Player BasicPinuid<Board>::owner(Site site) const {
  for (Player player = 0; player < seats_; ++player) {
    if (pins_[player].has(site)) return player;
  }
  return kNoPlayer;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse_piece(Site site) const {
  const Player holder = owner(site);
  if (holder == kNoPlayer) return Refusal::nothing_there;
  if (holder == to_act_) return std::nullopt;
  return plays(holder) ? Refusal::not_your_piece : Refusal::player_is_out;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse_take(Site site) const {
  if (const auto refusal = refuse_piece(site)) return refusal;
  const Rows& owed = owed_[to_act_];
  if (owed.any() && site == moved_[to_act_]) return Refusal::pin_just_played;
  const bool in_h = owed.pins_h().has(site);
  const bool in_v = owed.pins_v().has(site);
  if (in_h && in_v && !shared_pin_) return Refusal::shared_pin;
  if (in_h || in_v) return std::nullopt;
  const Board& own = pins_[to_act_];
  const auto in_long_run = [&own, site](int step) {
    const Board four = own & own >> step & own >> 2 * step & own >> 3 * step;
    return (four | four << step | four << 2 * step | four << 3 * step).has(site);
  };
  if (in_long_run(kFile) || in_long_run(kRank)) return Refusal::run_not_three;
  return owed.any() ? Refusal::pin_in_no_row : Refusal::nothing_to_remove;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse_move(Site from, Site to) const {
  if (duty() == Duty::take) return Refusal::must_remove_first;
  if (const auto refusal = refuse_piece(from)) return refusal;
  if (duty() == Duty::return_pin) return Refusal::must_return_pin;
  if (std::abs(Board::file_of(to) - Board::file_of(from)) != 1 || std::abs(Board::rank_of(to) - Board::rank_of(from)) != 1) {
    return Refusal::not_diagonal;
  }
  if (owner(to) != kNoPlayer) return Refusal::site_taken;
  return std::nullopt;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse_return(Site to) const {
  if (quatro()) return Refusal::not_a_step_here;
  if (duty() == Duty::take) return Refusal::must_remove_first;
  if (duty() == Duty::move) return Refusal::not_stagnated;
  if (!kHoles<Board>[size_ / 2].back_lines[to_act_].has(to)) return Refusal::not_back_line;
  if (owner(to) != kNoPlayer) return Refusal::site_taken;
  return std::nullopt;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse_pass() const {
  switch (duty()) {
    case Duty::nothing: return Refusal::game_over;
    case Duty::take: return Refusal::must_remove_first;
    case Duty::return_pin: return return_holes().any() ? std::optional(Refusal::must_return_pin) : std::nullopt;
    case Duty::move: break;
  }
  return can_move() ? std::optional(Refusal::may_still_move) : std::nullopt;
}

template <class Board>
std::optional<Refusal> BasicPinuid<Board>::refuse(Step step) const {
  if (outcome_.over()) return Refusal::game_over;
  const bool from = step.kind == StepKind::move || step.kind == StepKind::take;
  const bool to = step.kind == StepKind::move || step.kind == StepKind::put;
  if ((!from && step.from != kNoSite) || (!to && step.to != kNoSite)) return Refusal::not_a_step_here;
  if ((from && !on_board(step.from)) || (to && !on_board(step.to))) return Refusal::no_such_site;
  switch (step.kind) {
    case StepKind::put: return refuse_return(step.to);
    case StepKind::move: return refuse_move(step.from, step.to);
    case StepKind::forget:
      if (duty() != Duty::take) return Refusal::nothing_to_remove;
      return may_forget() ? std::nullopt : std::optional(Refusal::must_remove_now);
    case StepKind::pass: return refuse_pass();
    case StepKind::stop: break;
    case StepKind::take: return refuse_take(step.from);
  }
  return Refusal::not_a_step_here;
}

// ---- playing -------------------------------------------------------------------------------------------------------------

template <class Board>
void BasicPinuid<Board>::play(Step step) {
  const Player mover = to_act_;
  Board& pins = pins_[mover];
  Rows& owed = owed_[mover];
  bool turn_over = true;
  if (step.kind != StepKind::pass) passes_ = 0;
  switch (step.kind) {
    case StepKind::put: pins.flip(step.to); break;
    case StepKind::move: {
      const Board before = pins;
      pins.flip(step.from);
      pins.flip(step.to);
      Rows made = Rows::in(pins);
      if (!made.any()) break;  // most moves
      made = made - Rows::in(before);
      if (!departure_rows_) made = made & Rows::through(Board::of(step.to));
      if (!made.any()) break;
      owed = made;
      moved_[mover] = step.to;
      fresh_ = true;
      turn_over = false;
      break;
    }
    case StepKind::take:
      pins.flip(step.from);
      owed = owed - Rows::through(Board::of(step.from));
      turn_over = !owed.any();
      if (turn_over) moved_[mover] = kNoSite;
      if (pins.count() == kWinningPins) {
        outcome_ = {Ending::two_left, mover};
        return end_turn();
      }
      break;
    case StepKind::forget:
    case StepKind::pass:
    case StepKind::stop: break;
  }
  if (quatro() && stagnated(mover)) {  // looked at after every own step, a pass too
    playing_ = static_cast<std::uint8_t>(playing_ & ~(1U << mover));
    owed = {};
    moved_[mover] = kNoSite;
    turn_over = true;
  }
  if (step.kind == StepKind::pass && plays(mover)) ++passes_;  // who is out by now is not waited for
  if (turn_over) end_turn();
}

template <class Board>
void BasicPinuid<Board>::end_turn() {
  fresh_ = false;
  do {
    to_act_ = static_cast<Player>((to_act_ + 1U) & (seats_ - 1U));  // seats_ is 2 or 4
  } while (!plays(to_act_));
  if (outcome_.over()) return;
  const auto players = static_cast<unsigned>(std::popcount(playing_));
  if (players == 1) {
    outcome_ = {Ending::last_player, to_act_};
  } else if (passes_ >= players) {
    outcome_ = {Ending::blocked, kNoPlayer};
  }
}

template <class Board>
Outcome BasicPinuid<Board>::judge() const {
  for (Player player = 0; player < seats_; ++player) {
    if (pins_[player].count() == kWinningPins) return {Ending::two_left, player};
  }
  const auto players = static_cast<unsigned>(std::popcount(playing_));
  if (players == 1) return {Ending::last_player, static_cast<Player>(std::countr_zero(playing_))};
  if (passes_ >= players) return {Ending::blocked, kNoPlayer};
  return {};
}

// ---- hash, table ---------------------------------------------------------------------------------------------------------

template <class Board>
std::uint64_t BasicPinuid<Board>::hash() const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  };
  const auto mix_board = [&mix](const Board& board) {
    for (const std::uint64_t word : board.words) mix(word);
  };
  std::uint64_t moved = 0;
  for (Player player = 0; player < kSeats; ++player) {
    mix_board(pins_[player]);
    mix_board(owed_[player].h);
    mix_board(owed_[player].v);
    moved = moved << 8U | moved_[player];
  }
  std::uint64_t rest = 0;
  for (const unsigned byte : {unsigned{size_}, unsigned{seats_}, unsigned{playing_}, unsigned{passes_}, unsigned{to_act_},
                              static_cast<unsigned>(outcome_.ending), unsigned{outcome_.winner}}) {
    rest = rest << 8U | byte;
  }
  const std::uint64_t flags =
      (fresh_ ? 1U : 0U) | (departure_rows_ ? 2U : 0U) | (shared_pin_ ? 4U : 0U) | (enforce_ ? 8U : 0U) | (line_ ? 16U : 0U);
  mix(moved << 8U | flags);
  mix(rest);
  return hash;
}

template <class Board>
const Geometry& BasicPinuid<Board>::geometry() const {
  switch (size_) {
    case 5: return kGeometry<5>;
    case 9: return kGeometry<9>;
    case 11: return kGeometry<11>;
    case 13: return kGeometry<13>;
    case 15: return kGeometry<15>;
    default: return kGeometry<7>;
  }
}

template <class Board>
bool BasicPinuid<Board>::consistent() const {
  Board all;
  unsigned pins = 0;
  bool right = plays(to_act_) && outcome_ == judge() && (!fresh_ || owed_[to_act_].any());
  for (Player player = 0; player < kSeats; ++player) {
    all = all | pins_[player];
    pins += pins_[player].count();
    const bool owes = owed_[player].any();
    right = right && (!plays(player) || pins_[player].any()) && (!owes || plays(player)) &&
            !(owed_[player] - Rows::in(pins_[player])).any() && owes == (moved_[player] != kNoSite) &&
            (!owes || pins_[player].has(moved_[player]));
  }
  return right && pins == all.count() && !(all & ~kHoles<Board>[size_ / 2].all).any();
}

template struct BasicPinuid<LatticeBoard<8>>;
template struct BasicPinuid<LatticeBoard<16>>;

}  // namespace merel
