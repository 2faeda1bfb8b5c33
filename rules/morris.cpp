#include "rules/morris.h"

#include <algorithm>
#include <bit>

#include "rules/position_text.h"

namespace merel {
namespace {

using Board = Morris::Board;

constexpr int kPoints = Morris::kPoints;
constexpr Board kAllPoints = (1U << kPoints) - 1;
constexpr int kFewestMen = 3;  // with fewer a player has lost; with exactly these a player may fly
constexpr int kNoPoint = -1;
constexpr std::size_t kRanks = 7;
constexpr std::string_view kColours = "WB";

constexpr Board bit(int point) { return 1U << point; }

/// The points a bit each, in the order of their names: a1 a4 a7, b2 b4 b6, and so on.
constexpr std::array<Site, kPoints> kSites = [] {
  constexpr std::string_view names = "a1a4a7b2b4b6c3c4c5d1d2d3d5d6d7e3e4e5f2f4f6g1g4g7";
  std::array<Site, kPoints> sites{};
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i] = static_cast<Site>((names[2 * i] - 'a') * 16 + names[2 * i + 1] - '1');
  }
  return sites;
}();

constexpr int file_of(int point) { return kSites[static_cast<std::size_t>(point)] / 16; }
constexpr int rank_of(int point) { return kSites[static_cast<std::size_t>(point)] % 16; }

/// The point of each site, kNoPoint for what is none.
constexpr std::array<std::int8_t, 256> kPointOf = [] {
  std::array<std::int8_t, 256> points{};
  points.fill(kNoPoint);
  for (int i = 0; i < kPoints; ++i) points[kSites[static_cast<std::size_t>(i)]] = static_cast<std::int8_t>(i);
  return points;
}();

constexpr int point_of(Site site) { return kPointOf[site]; }

/// The points rank by rank from the highest, files ascending: the order of the position text.
constexpr std::array<int, kPoints> kTextOrder = [] {
  std::array<int, kPoints> order{};
  std::size_t n = 0;
  for (int rank = kRanks - 1; rank >= 0; --rank) {
    for (int point = 0; point < kPoints; ++point) {
      if (rank_of(point) == rank) order[n++] = point;
    }
  }
  return order;
}();

struct Lines {
  std::array<Board, 16> mills{};                        ///< every line of three
  std::array<std::array<Board, 2>, kPoints> through{};  ///< the two lines of each point
  std::array<Board, kPoints> neighbours{};              ///< along the lines
};

/// Every file and every rank holds one line of three points, and the middle ones (d, 4) hold two. So the points taken file by file,
/// or rank by rank, fall into lines three by three.
constexpr Lines kLines = [] {
  Lines lines;
  std::size_t n = 0;
  for (const std::size_t direction : {0U, 1U}) {
    for (std::size_t i = 0; i < kPoints; i += 3) {
      std::array<int, 3> line{};
      for (std::size_t k = 0; k < line.size(); ++k) {
        line[k] = direction == 0 ? static_cast<int>(i + k) : kTextOrder[i + k];
      }
      const auto [first, middle, last] = line;
      const Board mill = bit(first) | bit(middle) | bit(last);
      lines.mills[n++] = mill;
      for (const int point : line) lines.through[static_cast<std::size_t>(point)][direction] = mill;
      lines.neighbours[static_cast<std::size_t>(first)] |= bit(middle);
      lines.neighbours[static_cast<std::size_t>(middle)] |= bit(first) | bit(last);
      lines.neighbours[static_cast<std::size_t>(last)] |= bit(middle);
    }
  }
  return lines;
}();

constexpr std::array<SiteInfo, kPoints> kSiteInfos = [] {
  std::array<SiteInfo, kPoints> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const int point = kTextOrder[i];
    const int file = file_of(point);
    const int rank = rank_of(point);
    infos[i] = {.site = kSites[static_cast<std::size_t>(point)],
                .letters = {static_cast<char>('a' + file), static_cast<char>('1' + rank)},
                .file = static_cast<std::uint8_t>(file),
                .rank = static_cast<std::uint8_t>(rank)};
  }
  return infos;
}();

constexpr Geometry kGeometry{7, kSiteInfos};

constexpr Board neighbours(int point) { return kLines.neighbours[static_cast<std::size_t>(point)]; }

constexpr bool in_mill(Board men, int point) {
  const auto& [along_file, along_rank] = kLines.through[static_cast<std::size_t>(point)];
  return (men & along_file) == along_file || (men & along_rank) == along_rank;
}

/// The men that stand in a mill.
constexpr Board men_in_mills(Board men) {
  Board in_mills = 0;
  for (const Board mill : kLines.mills) {
    if ((men & mill) == mill) in_mills |= mill;
  }
  return in_mills;
}

/// Calls `visit` with each point of the board, in the order of their names.
template <class Visit>
constexpr void for_each_point(Board board, Visit visit) {
  for (; board != 0; board &= board - 1) visit(std::countr_zero(board));
}

constexpr Site site_of(int point) { return kSites[static_cast<std::size_t>(point)]; }

}  // namespace

int Morris::men_in_total(Player player) const { return std::popcount(men_[player]) + hand_[player]; }

Morris::Board Morris::empty() const { return kAllPoints & ~(men_[0] | men_[1]); }

Morris::Board Morris::takable() const {
  const Board men = men_[opponent()];
  const Board in_mills = men_in_mills(men);
  return men == in_mills ? men : men & ~in_mills;
}

bool Morris::flies() const { return flying_ && hand_[act_] == 0 && std::popcount(men_[act_]) == kFewestMen; }

bool Morris::can_move() const {
  if (flies()) return true;
  bool found = false;
  for_each_point(men_[act_], [&](int from) { found = found || (neighbours(from) & empty()) != 0; });
  return found;
}

Outcome Morris::outcome() const {
  if (men_in_total(act_) < kFewestMen) return {Ending::fewer_than_three, opponent()};
  if (!capture_ && hand_[act_] == 0 && !can_move()) return {Ending::cannot_move, opponent()};
  return {};
}

void Morris::legal_steps(StepList& out) const {
  if (men_in_total(act_) < kFewestMen) return;
  if (capture_) {
    for_each_point(takable(), [&](int point) { out.push(Step::take(site_of(point))); });
  } else if (hand_[act_] > 0) {
    for_each_point(empty(), [&](int point) { out.push(Step::put(site_of(point))); });
  } else {
    const bool anywhere = flies();
    for_each_point(men_[act_], [&](int from) {
      const Board targets = anywhere ? empty() : neighbours(from) & empty();
      for_each_point(targets, [&](int to) { out.push(Step::move(site_of(from), site_of(to))); });
    });
  }
}

std::uint64_t Morris::count_steps() const {
  const auto count = [](Board board) { return static_cast<std::uint64_t>(std::popcount(board)); };
  if (men_in_total(act_) < kFewestMen) return 0;
  if (capture_) return count(takable());
  if (hand_[act_] > 0) return count(empty());
  if (flies()) return kFewestMen * count(empty());
  std::uint64_t steps = 0;
  for_each_point(men_[act_], [&](int from) { steps += count(neighbours(from) & empty()); });
  return steps;
}

std::optional<Refusal> Morris::refuse(Step step) const {
  if (outcome().over()) return Refusal::game_over;
  const int from = point_of(step.from);
  const int to = point_of(step.to);
  switch (step.kind) {
    case StepKind::put:
      if (step.from != kNoSite) return Refusal::not_a_step_here;
      if (to == kNoPoint) return Refusal::no_such_site;
      if (capture_) return Refusal::must_capture;
      if (hand_[act_] == 0) return Refusal::no_men_left_to_place;
      if ((empty() & bit(to)) == 0) return Refusal::site_taken;
      return std::nullopt;
    case StepKind::move:
      if (from == kNoPoint || to == kNoPoint) return Refusal::no_such_site;
      if (capture_) return Refusal::must_capture;
      if (hand_[act_] > 0) return Refusal::men_left_to_place;
      if ((empty() & bit(from)) != 0) return Refusal::nothing_there;
      if ((men_[act_] & bit(from)) == 0) return Refusal::not_your_piece;
      if ((empty() & bit(to)) == 0) return Refusal::site_taken;
      if (!flies() && (neighbours(from) & bit(to)) == 0) return Refusal::not_adjacent;
      return std::nullopt;
    case StepKind::take:
      if (step.to != kNoSite) return Refusal::not_a_step_here;
      if (from == kNoPoint) return Refusal::no_such_site;
      if (!capture_) return Refusal::nothing_to_remove;
      if ((empty() & bit(from)) != 0) return Refusal::nothing_there;
      if ((men_[act_] & bit(from)) != 0) return Refusal::own_man;
      if ((takable() & bit(from)) == 0) return Refusal::man_in_mill;
      return std::nullopt;
    case StepKind::forget:
    case StepKind::pass:
    case StepKind::stop: break;
  }
  return capture_ ? Refusal::must_capture : Refusal::not_a_step_here;
}

void Morris::arrive(int point) {
  men_[act_] |= bit(point);
  capture_ = in_mill(men_[act_], point);
  if (!capture_) end_turn();
}

void Morris::play(Step step) {
  if (step.kind == StepKind::take) {
    men_[opponent()] &= ~bit(point_of(step.from));
    capture_ = false;
    end_turn();
    return;
  }
  if (step.kind == StepKind::move) {
    men_[act_] &= ~bit(point_of(step.from));
  } else {
    --hand_[act_];
  }
  arrive(point_of(step.to));
}

std::string Morris::text() const {
  std::string out;
  std::string rank;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Board point = bit(kTextOrder[i]);
    rank += (men_[0] & point) != 0 ? kColours[0] : (men_[1] & point) != 0 ? kColours[1] : kEmptySite;
    const bool last = i + 1 == kPoints;
    if (!last && kSiteInfos[i + 1].rank == kSiteInfos[i].rank) continue;
    append_rank(out, rank);
    out += last ? ' ' : '/';
    rank.clear();
  }
  out += kColours[act_];
  for (const std::uint8_t hand : hand_) out += ' ' + std::to_string(hand);
  out += capture_ ? " x" : " -";
  return out;
}

std::uint64_t Morris::hash() const {
  std::uint64_t bits = men_[0];
  bits = bits << 24 | men_[1];
  bits = bits << 4 | hand_[0];
  bits = bits << 4 | hand_[1];
  bits = bits << 3 | static_cast<std::uint64_t>(act_ << 2 | (capture_ ? 2 : 0) | (flying_ ? 1 : 0));
  // Each line can be undone, so that no two positions meet; together they carry every bit to every other.
  bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 29) * 0xd6e8feb86659fd93;
  return bits ^ bits >> 32;
}

const Geometry& Morris::geometry() const { return kGeometry; }

bool Morris::consistent() const {
  if ((men_[0] & men_[1]) != 0 || ((men_[0] | men_[1]) & ~kAllPoints) != 0 || act_ > 1) return false;
  for (const Player player : {Player{0}, Player{1}}) {
    if (hand_[player] > kMen || men_in_total(player) > kMen) return false;
  }
  return !capture_ || (men_in_mills(men_[act_]) != 0 && men_[opponent()] != 0);
}

namespace {

constexpr std::array<std::string_view, 2> kFlyingValues{"true", "false"};
constexpr std::array<std::string_view, 1> kRepetitionValues{"off"};
constexpr std::array<OptionSpec, 2> kOptions{
    OptionSpec{"flying", kFlyingValues, false, "a player with three men left may move to any empty point"},
    OptionSpec{"repetition", kRepetitionValues, true, "the game is a draw when a position occurs this often"},
};

constexpr std::array<std::string_view, 5> kFields{"ranks", "player to act", "W in hand", "B in hand", "capture"};
enum Field : std::size_t {
  kRanksField,
  kActField,
  kHandField,
  kCaptureField = 4
};

}  // namespace

std::span<const OptionSpec> morris_options() { return kOptions; }

std::string morris_start(const Options&) { return Morris().text(); }

Result<Morris, TextError> read_morris(const Options& options, std::string_view text) {
  const auto parts = split_fields(text, kFields);
  if (!parts) return parts.error();
  const auto wrong = [&parts](std::size_t field, std::string message) {
    return TextError{std::string(kFields[field]), (*parts)[field].column, std::move(message)};
  };

  Morris position;
  position.flying_ = options.is("flying", "true");
  const auto ranks = split_field((*parts)[kRanksField], '/', kRanks, kFields[kRanksField], "ranks");
  if (!ranks) return ranks.error();
  std::size_t next = 0;  // in the order of the text
  for (const TextPart& rank : *ranks) {
    const auto first = kSiteInfos[next].rank;
    const auto width =
        std::count_if(kSiteInfos.begin(), kSiteInfos.end(), [=](const SiteInfo& s) { return s.rank == first; });
    const auto sites = read_rank(rank, kFields[kRanksField], static_cast<std::size_t>(width), kColours);
    if (!sites) return sites.error();
    for (const char site : *sites) {
      const Board point = bit(kTextOrder[next++]);
      if (site != kEmptySite) position.men_[kColours.find(site)] |= point;
    }
  }

  const auto act = read_player((*parts)[kActField], kFields[kActField], kColours);
  if (!act) return act.error();
  position.act_ = *act;

  for (const std::size_t player : {0U, 1U}) {
    const std::string_view digits = (*parts)[kHandField + player].text;
    if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9') {
      return wrong(kHandField + player, "must be a number from 0 to 9");
    }
    position.hand_[player] = static_cast<std::uint8_t>(digits[0] - '0');
  }

  const std::string_view capture = (*parts)[kCaptureField].text;
  if (capture != "x" && capture != "-") return wrong(kCaptureField, "must be x (a man is to be taken) or -");
  position.capture_ = capture == "x";

  // From here on: what is well formed but cannot occur.
  const std::array<std::string, 2> name{"W", "B"};
  const Player mover = position.act_;
  const Player other = position.opponent();
  const auto& hand = position.hand_;
  for (const Player player : {Player{0}, Player{1}}) {
    if (position.men_in_total(player) > Morris::kMen) {
      return wrong(kHandField + player, name[player] + " has " + std::to_string(position.men_in_total(player)) +
                                            " men on the board and in hand, but there are 9");
    }
  }

  // W places first and the players take turns, so W is one man ahead from setting one down until B has done the same. With no
  // man left in hand, either may be the one to move.
  const bool all_placed = hand[0] == 0 && hand[1] == 0;
  const bool w_ahead = (mover == 0) == position.capture_;
  if (!all_placed && hand[1] != hand[0] + (w_ahead ? 1 : 0)) {
    return wrong(kHandField + 1, std::string("must be ") + (w_ahead ? "one more than" : "the same as") + " W in hand when " +
                                     name[mover] + (position.capture_ ? " has just placed a man" : " is to act"));
  }

  if (position.capture_ && men_in_mills(position.men_[mover]) == 0) {
    return wrong(kCaptureField, "must be -, since " + name[mover] + " has no mill");
  }
  if (position.capture_ && position.men_[other] == 0) {
    return wrong(kCaptureField, "must be -, since " + name[other] + " has no man on the board");
  }

  // The game ends when a player has two men, and then that player would have been next.
  const int least = position.capture_ ? kFewestMen : kFewestMen - 1;
  for (const auto& [player, fewest] : {std::pair{mover, least}, std::pair{other, kFewestMen}}) {
    if (position.men_in_total(player) < fewest) {
      return wrong(kHandField + player, name[player] + " must have at least " + std::to_string(fewest) +
                                            " men on the board and in hand when " + name[mover] + " is to act");
    }
  }

  // While men are placed, each man taken needs a man put to close the mill, and a player's first two men close none.
  for (const Player player : {Player{0}, Player{1}}) {
    const Player victim = static_cast<Player>(1 - player);
    const int closed = Morris::kMen - position.men_in_total(victim) + (position.capture_ && player == mover ? 1 : 0);
    const int placed = Morris::kMen - hand[player];
    if (!all_placed && closed > std::max(0, placed - 2)) {
      return wrong(kRanksField, name[victim] + " has lost more men than " + name[player] + " can have taken with " +
                                    std::to_string(placed) + " men placed");
    }
  }
  return position;
}

}  // namespace merel
