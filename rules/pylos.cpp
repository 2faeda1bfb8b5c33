#include "rules/pylos.h"

#include <bit>

#include "rules/position_text.h"

namespace merel {
namespace {

using Board = Pylos::Board;

constexpr int kSeats = Pylos::kSeats;
constexpr int kLevels = 4;
constexpr Board kAllSeats = (1U << kSeats) - 1;
constexpr Board kNever = 1U << 31;  // no sphere is ever there
constexpr std::string_view kColours = "WB";

/// The first seat of each level (counted from 0), and the end.
constexpr std::array<int, kLevels + 1> kFirstSeat{0, 16, 25, 29, kSeats};

constexpr Board bit(int seat) { return 1U << seat; }
constexpr int first_seat(int level) { return kFirstSeat[static_cast<std::size_t>(level)]; }
/// Files, and ranks, of a level.
constexpr int width(int level) { return kLevels - level; }
constexpr int seat_at(int level, int file, int rank) { return first_seat(level) + file * width(level) + rank; }
constexpr Board level_seats(int level) { return bit(first_seat(level + 1)) - bit(first_seat(level)); }
constexpr Board kApexSeat = bit(Pylos::kApex);
constexpr Board kGround = level_seats(0);

/// The 2 x 2 square with that lowest file and rank.
constexpr Board square_at(int level, int file, int rank) {
  return bit(seat_at(level, file, rank)) | bit(seat_at(level, file + 1, rank)) | bit(seat_at(level, file, rank + 1)) |
         bit(seat_at(level, file + 1, rank + 1));
}

/// What the rules say of one seat.
struct Seat {
  Board supports = 0;  ///< the four seats that carry it; none on level 1
  Board carries = 0;   ///< the seats that rest on it
  Board raises = 0;    ///< higher seats to which a sphere from here may go, when open
  std::array<Board, 4> squares{kNever, kNever, kNever, kNever};  ///< on its own level
  std::array<Board, 2> alignments{kNever, kNever};               ///< its whole rank and file, on levels 1 and 2
};

constexpr std::array<Seat, kSeats> kTable = [] {
  std::array<Seat, kSeats> table{};
  for (int level = 0; level < kLevels; ++level) {
    const int n = width(level);
    for (int file = 0; file < n; ++file) {
      for (int rank = 0; rank < n; ++rank) {
        const int number = seat_at(level, file, rank);
        Seat& seat = table[static_cast<std::size_t>(number)];
        if (level > 0) seat.supports = square_at(level - 1, file, rank);
        seat.raises = kAllSeats & ~(bit(first_seat(level + 1)) - 1);
        if (level < 2) {
          seat.alignments = {0, 0};
          for (int i = 0; i < n; ++i) {
            seat.alignments[0] |= bit(seat_at(level, file, i));
            seat.alignments[1] |= bit(seat_at(level, i, rank));
          }
        }
        std::size_t squares = 0;
        for (int x = file - 1; x <= file; ++x) {
          for (int y = rank - 1; y <= rank; ++y) {
            if (x < 0 || y < 0 || x + 1 >= n || y + 1 >= n) continue;
            seat.squares[squares++] = square_at(level, x, y);
            seat.carries |= bit(seat_at(level + 1, x, y));
          }
        }
        seat.raises &= ~seat.carries;
      }
    }
  }
  return table;
}();

constexpr const Seat& seat_info(int seat) { return kTable[static_cast<std::size_t>(seat)]; }

constexpr std::array<SiteInfo, kSeats> kSiteInfos = [] {
  std::array<SiteInfo, kSeats> infos{};
  std::size_t i = 0;
  for (int level = 0; level < kLevels; ++level) {
    // Each level lies half a step further in than the one below it: one site of the lattice.
    for (int rank = width(level) - 1; rank >= 0; --rank) {
      for (int file = 0; file < width(level); ++file) {
        infos[i++] = {
            .site = static_cast<Site>(seat_at(level, file, rank)),
            .letters = {static_cast<char>('1' + level), static_cast<char>('a' + file), static_cast<char>('1' + rank)},
            .file = static_cast<std::uint8_t>(2 * file + level),
            .rank = static_cast<std::uint8_t>(2 * rank + level),
            .level = static_cast<std::uint8_t>(level + 1),
            .sensed = level < 2};
      }
    }
  }
  return infos;
}();

constexpr Geometry kGeometry{7, kSiteInfos};

/// Calls `visit` with each seat of the board, in the order of their names.
template <class Visit>
constexpr void for_each_seat(Board board, Visit visit) {
  for (; board != 0; board &= board - 1) visit(std::countr_zero(board));
}

/// Empty seats on the ground or with all four seats below full.
constexpr Board open_seats(Board occupied) {
  Board carried = kGround;
  for (int level = 0; level + 1 < kLevels; ++level) {
    const int n = width(level);
    const Board plane = (occupied & level_seats(level)) >> first_seat(level);
    // A file of this level is n bits, so these are the seats with full neighbours to the North, East and North-East.
    const Board corners = plane & plane >> 1 & plane >> n & plane >> (n + 1);
    if (corners == 0) break;  // nothing can be any higher
    // One level up a file has one bit less.
    for (int file = 0; file + 1 < n; ++file) {
      carried |= (corners >> file * n & (bit(n - 1) - 1)) << seat_at(level + 1, file, 0);
    }
  }
  return carried & ~occupied;
}

/// Seats under at least one sphere.
constexpr Board covered_seats(Board occupied) {
  Board covered = 0;
  for_each_seat(occupied & ~kGround, [&](int seat) { covered |= seat_info(seat).supports; });
  return covered;
}

/// True when the sphere on that seat stands in a square (or alignment) of these spheres that counts in the variant.
constexpr bool gives_take(Board spheres, int seat, PylosVariant variant) {
  const auto whole = [spheres](Board seats) { return (spheres & seats) == seats; };
  if (variant == PylosVariant::children) return false;
  for (const Board square : seat_info(seat).squares) {
    if (whole(square)) return true;
  }
  if (variant == PylosVariant::standard) return false;
  return whole(seat_info(seat).alignments[0]) || whole(seat_info(seat).alignments[1]);
}

}  // namespace

int Pylos::reserve(Player player) const { return kSpheres - std::popcount(spheres_[player]); }

Pylos::Board Pylos::free_spheres() const { return spheres_[act_] & ~covered_seats(occupied()); }

std::uint64_t Pylos::count_raises(Board open) const {
  std::uint64_t raises = 0;
  if ((open & ~kGround) == 0) return 0;
  for_each_seat(free_spheres(),
                [&](int seat) { raises += static_cast<std::uint64_t>(std::popcount(open & seat_info(seat).raises)); });
  return raises;
}

bool Pylos::out_of_spheres() const {
  return reserve(act_) == 0 && (!raise_on_empty_ || count_raises(open_seats(occupied())) == 0);
}

Outcome Pylos::outcome() const {
  for (const Player player : {Player{0}, Player{1}}) {
    if ((spheres_[player] & kApexSeat) != 0) return {Ending::apex, player};
  }
  if (take_ == Take::none && out_of_spheres()) return {Ending::empty_reserve, opponent()};
  return {};
}

void Pylos::legal_steps(StepList& out) const {
  if ((occupied() & kApexSeat) != 0) return;
  if (take_ != Take::none) {
    if (take_ == Take::optional) out.push({StepKind::stop});
    for_each_seat(free_spheres(), [&](int seat) { out.push(Step::take(static_cast<Site>(seat))); });
    return;
  }
  const bool reserve_empty = reserve(act_) == 0;
  if (reserve_empty && !raise_on_empty_) return;
  const Board open = open_seats(occupied());
  if (!reserve_empty) for_each_seat(open, [&](int seat) { out.push(Step::put(static_cast<Site>(seat))); });
  if ((open & ~kGround) == 0) return;
  for_each_seat(free_spheres(), [&](int from) {
    for_each_seat(open & seat_info(from).raises,
                  [&](int to) { out.push(Step::move(static_cast<Site>(from), static_cast<Site>(to))); });
  });
}

std::uint64_t Pylos::count_steps() const {
  const auto count = [](Board board) { return static_cast<std::uint64_t>(std::popcount(board)); };
  if ((occupied() & kApexSeat) != 0) return 0;
  if (take_ != Take::none) return count(free_spheres()) + (take_ == Take::optional ? 1 : 0);
  const bool reserve_empty = reserve(act_) == 0;
  if (reserve_empty && !raise_on_empty_) return 0;
  const Board open = open_seats(occupied());
  return (reserve_empty ? 0 : count(open)) + count_raises(open);
}

std::optional<Refusal> Pylos::refuse(Step step) const {
  if (outcome().over()) return Refusal::game_over;
  const bool from_is_seat = step.from < kSeats;
  const bool to_is_seat = step.to < kSeats;
  const auto holds = [](Board board, Site seat) { return (board & bit(seat)) != 0; };
  // What stands in the way of lifting a sphere from a seat.
  const auto refuse_lift = [&]() -> std::optional<Refusal> {
    if (!holds(occupied(), step.from)) return Refusal::nothing_there;
    if (!holds(spheres_[act_], step.from)) return Refusal::not_your_piece;
    if (!holds(free_spheres(), step.from)) return Refusal::sphere_carries;
    return std::nullopt;
  };
  const Refusal take_pending = take_ == Take::mandatory ? Refusal::must_take : Refusal::take_or_stop;

  switch (step.kind) {
    case StepKind::put:
      if (step.from != kNoSite) return Refusal::not_a_step_here;
      if (!to_is_seat) return Refusal::no_such_site;
      if (take_ != Take::none) return take_pending;
      if (reserve(act_) == 0) return Refusal::reserve_empty;
      if (holds(occupied(), step.to)) return Refusal::site_taken;
      if (!holds(open_seats(occupied()), step.to)) return Refusal::seat_not_open;
      return std::nullopt;
    case StepKind::move:
      if (!from_is_seat || !to_is_seat) return Refusal::no_such_site;
      if (take_ != Take::none) return take_pending;
      if (const auto refusal = refuse_lift()) return refusal;
      if (holds(occupied(), step.to)) return Refusal::site_taken;
      if (holds(seat_info(step.from).carries, step.to)) return Refusal::carries_target;
      if (!holds(seat_info(step.from).raises, step.to)) return Refusal::not_higher;
      if (!holds(open_seats(occupied()), step.to)) return Refusal::seat_not_open;
      return std::nullopt;
    case StepKind::take:
      if (step.to != kNoSite) return Refusal::not_a_step_here;
      if (!from_is_seat) return Refusal::no_such_site;
      if (take_ == Take::none) return Refusal::nothing_to_remove;
      return refuse_lift();
    case StepKind::stop:
      if (step.physical() || take_ == Take::none) return Refusal::not_a_step_here;
      if (take_ == Take::mandatory) return Refusal::must_take_first;
      return std::nullopt;
    case StepKind::forget:
    case StepKind::pass: break;
  }
  return take_ == Take::none ? Refusal::not_a_step_here : take_pending;
}

void Pylos::end_turn() {
  take_ = Take::none;
  act_ = opponent();
}

void Pylos::play(Step step) {
  Board& own = spheres_[act_];
  switch (step.kind) {
    case StepKind::move: own &= ~bit(step.from); [[fallthrough]];
    case StepKind::put:
      own |= bit(step.to);
      if (!gives_take(own, step.to, variant_)) return end_turn();
      take_ = Take::mandatory;
      return;
    case StepKind::take:
      own &= ~bit(step.from);
      if (take_ == Take::optional) return end_turn();
      take_ = Take::optional;
      return;
    default: return end_turn();
  }
}

std::string Pylos::text() const {
  std::string out;
  std::string rank;
  for (std::size_t i = 0; i < kSeats; ++i) {
    const Board seat = bit(kSiteInfos[i].site);
    rank += (spheres_[0] & seat) != 0 ? kColours[0] : (spheres_[1] & seat) != 0 ? kColours[1] : kEmptySite;
    const bool last = i + 1 == kSeats;
    const bool level_ends = last || kSiteInfos[i + 1].level != kSiteInfos[i].level;
    if (!level_ends && kSiteInfos[i + 1].rank == kSiteInfos[i].rank) continue;
    append_rank(out, rank);
    out += last ? ' ' : level_ends ? '|' : '/';
    rank.clear();
  }
  out += kColours[act_];
  switch (take_) {
    case Take::none: return out + " -";
    case Take::optional: return out + " t1";
    case Take::mandatory: return out + " t2";
  }
  return out;
}

std::uint64_t Pylos::hash() const {
  const auto variant = static_cast<std::uint64_t>(variant_) << 1 | (raise_on_empty_ ? 1U : 0U);
  std::uint64_t bits = spheres_[0];
  bits = bits << kSeats | spheres_[1];
  bits = bits << 2 | static_cast<std::uint64_t>(take_);
  bits = bits << 1 | act_;
  // The 63 bits leave no room for the rules, which are the same throughout a game.
  bits ^= variant * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 29) * 0xd6e8feb86659fd93;
  return bits ^ bits >> 32;
}

const Geometry& Pylos::geometry() const { return kGeometry; }

bool Pylos::consistent() const {
  if ((spheres_[0] & spheres_[1]) != 0 || (occupied() & ~kAllSeats) != 0 || act_ > 1) return false;
  if (reserve(0) < 0 || reserve(1) < 0 || variant_ > PylosVariant::expert || take_ > Take::mandatory) return false;
  bool carried = true;
  for_each_seat(occupied(), [&](int seat) { carried = carried && (seat_info(seat).supports & ~occupied()) == 0; });
  return carried && (take_ == Take::none || (variant_ != PylosVariant::children && (occupied() & kApexSeat) == 0));
}

namespace {

constexpr std::array<std::string_view, 2> kEmptyReserveValues{"loses", "raise"};
constexpr std::array<std::string_view, 1> kRepetitionValues{"off"};
constexpr std::array<OptionSpec, 2> kOptions{
    OptionSpec{"empty_reserve", kEmptyReserveValues, false,
               "a player who begins a turn without a sphere loses, or may raise"},
    OptionSpec{"repetition", kRepetitionValues, true, "the game is a draw when a position occurs this often"},
};

constexpr std::array<std::string_view, 3> kFields{"levels", "player to act", "take"};
enum Field : std::size_t {
  kLevelsField,
  kActField,
  kTakeField
};

/// True when a free sphere of these stands in a square (or alignment) that counts: the one that may have just been played.
bool just_completed(Board own, Board occupied, PylosVariant variant) {
  bool completed = false;
  for_each_seat(own & ~covered_seats(occupied), [&](int seat) { completed = completed || gives_take(own, seat, variant); });
  return completed;
}

/// True when a sphere could have been taken from somewhere just after it, or another, completed a square (or alignment).
bool just_taken(Board own, Board occupied, PylosVariant variant) {
  bool taken = false;
  for_each_seat(open_seats(occupied) & ~kApexSeat,
                [&](int seat) { taken = taken || just_completed(own | bit(seat), occupied | bit(seat), variant); });
  return taken;
}

}  // namespace

std::span<const OptionSpec> pylos_options() { return kOptions; }

std::string pylos_start(const Options&) { return Pylos().text(); }

Result<Pylos, TextError> read_pylos(PylosVariant variant, const Options& options, std::string_view text) {
  const auto parts = split_fields(text, kFields);
  if (!parts) return parts.error();
  const auto wrong = [&parts](std::size_t field, std::string message) {
    return TextError{std::string(kFields[field]), (*parts)[field].column, std::move(message)};
  };

  Pylos position;
  position.variant_ = variant;
  position.raise_on_empty_ = options.is("empty_reserve", "raise");
  const auto levels = split_field((*parts)[kLevelsField], '|', kLevels, kFields[kLevelsField], "levels");
  if (!levels) return levels.error();
  std::size_t next = 0;  // in the order of the text
  for (int level = 0; level < kLevels; ++level) {
    const std::string field = "level " + std::to_string(level + 1);
    const auto n = static_cast<std::size_t>(width(level));
    const auto ranks = split_field((*levels)[static_cast<std::size_t>(level)], '/', n, field, "ranks");
    if (!ranks) return ranks.error();
    for (const TextPart& rank : *ranks) {
      const auto sites = read_rank(rank, field, n, kColours);
      if (!sites) return sites.error();
      for (const char site : *sites) {
        const SiteInfo& info = kSiteInfos[next++];
        if (site == kEmptySite) continue;
        const Board missing = seat_info(info.site).supports & ~position.occupied();
        if (missing != 0) {
          const Site below = static_cast<Site>(std::countr_zero(missing));
          return TextError{field, rank.column,
                           "the sphere on " + std::string(info.name()) + " is in the air; a sphere must be on " +
                               std::string(kGeometry.info(below).name())};
        }
        position.spheres_[kColours.find(site)] |= bit(info.site);
      }
    }
  }

  const auto act = read_player((*parts)[kActField], kFields[kActField], kColours);
  if (!act) return act.error();
  position.act_ = *act;
  const Player mover = position.act_;
  const std::array<std::string, 2> name{"W", "B"};

  const std::string_view take = (*parts)[kTakeField].text;
  if (take != "-" && take != "t1" && take != "t2") {
    return wrong(kTakeField, "must be -, t2 (one sphere must be taken) or t1 (another may be taken)");
  }
  if (take != "-") position.take_ = take == "t2" ? Pylos::Take::mandatory : Pylos::Take::optional;

  // From here on: what is well formed but cannot occur.
  for (const Player player : {Player{0}, Player{1}}) {
    if (position.reserve(player) < 0) {
      return wrong(kLevelsField, name[player] + " has " + std::to_string(std::popcount(position.spheres_[player])) +
                                     " spheres on the board, but there are 15");
    }
  }
  if ((position.spheres_[mover] & kApexSeat) != 0) {
    return wrong(kActField, "must be " + name[position.opponent()] + ", since " + name[mover] + " has set the top sphere");
  }
  if (position.occupied() == 0 && mover != 0) return wrong(kActField, "must be W, who begins");
  if (position.take_ == Pylos::Take::none) return position;
  if (variant == PylosVariant::children) return wrong(kTakeField, "must be -, since children play without takes");
  if ((position.occupied() & kApexSeat) != 0) return wrong(kTakeField, "must be -, since the top sphere is set");
  const std::string group = variant == PylosVariant::expert ? "square or alignment" : "square";
  if (position.take_ == Pylos::Take::mandatory) {
    if (!just_completed(position.spheres_[mover], position.occupied(), variant)) {
      return wrong(kTakeField, "must be -, since " + name[mover] + " has no " + group + " with a free sphere in it");
    }
    return position;
  }
  if (position.reserve(mover) == 0) {
    return wrong(kTakeField, "must be -, since the reserve of " + name[mover] + " is empty and nothing was taken back");
  }
  if (!just_taken(position.spheres_[mover], position.occupied(), variant)) {
    return wrong(kTakeField, "must be -, since no sphere can have just left a " + group + " of " + name[mover]);
  }
  return position;
}

}  // namespace merel
