// Pinuid positions as text: writing, reading, the rule options and the starts.
#include <algorithm>
#include <utility>
#include <vector>

#include "rules/pinuid.h"
#include "rules/position_text.h"

namespace merel {
namespace {

constexpr std::size_t kLeastSize = 5;
constexpr std::size_t kLeastQuatroSize = 7;
constexpr std::size_t kMostSize = 15;
constexpr unsigned kQuatroPins = 9;  // of one colour; nothing returns in Quatro

std::string name_of(Site site) {
  using Board = LatticeBoard<16>;
  return static_cast<char>('a' + Board::file_of(site)) + std::to_string(Board::rank_of(site) + 1);
}

/// The `<ranks>` of a position text; letter(file, rank) gives the pin's letter, or kEmptySite.
template <class Letter>
std::string ranks_text(int size, Letter letter) {
  std::string text;
  for (int rank = size - 1; rank >= 0; --rank) {
    std::string sites;
    for (int file = 0; file < size; ++file) sites += letter(file, rank);
    append_rank(text, sites);
    if (rank > 0) text += '/';
  }
  return text;
}

}  // namespace

template <class Board>
std::string BasicPinuid<Board>::text() const {
  std::string text = ranks_text(size_, [this](int file, int rank) {
    const Player holder = owner(Board::site_at(file, rank));
    return holder == kNoPlayer ? kEmptySite : letters()[holder];
  });
  text += ' ';
  text += letters()[to_act_];
  text += ' ';
  std::string out;
  std::string owed;
  for (Player player = 0; player < seats_; ++player) {
    if (!plays(player) && pins_[player].any()) out += letters()[player];
    const Rows& rows = owed_[player];
    if (!rows.any()) continue;
    if (!owed.empty()) owed += ';';
    owed += letters()[player];
    owed += fresh_ && player == to_act_ ? ':' : '!';
    owed += name_of(moved_[player]);
    char before = ':';
    (rows.h | rows.v).for_each([&](Site hole) {
      for (const auto& [set, letter] : {std::pair(&rows.h, 'h'), std::pair(&rows.v, 'v')}) {
        if (!set->has(hole)) continue;
        owed += before + name_of(hole) + letter;
        before = ',';
      }
    });
  }
  return text + (out.empty() ? "-" : out) + ' ' + (owed.empty() ? "-" : owed);
}

// ---- reading -------------------------------------------------------------------------------------------------------------

namespace {

constexpr std::array<std::string_view, 4> kFields{"ranks", "player to act", "out", "owed"};

using Trouble = std::optional<TextError>;

/// What stands in a text, in a form that every terminal and log can show.
std::string shown(char byte) {
  if (byte > ' ' && byte <= '~') return std::string("'") + byte + "'";
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return std::string("byte 0x") + digits[value >> 4U] + digits[value & 15U];
}

}  // namespace

template <class Board>
struct BasicPinuid<Board>::Reader {
  PinuidGame game;
  BasicPinuid position{};
  std::string_view name{};  // of the field
  TextPart field{};
  std::size_t at = 0;  // in field.text

  [[nodiscard]] TextError wrong(std::size_t where, std::string message) const {
    return {std::string(name), field.column + where, std::move(message)};
  }
  [[nodiscard]] bool at_end() const { return at >= field.text.size(); }
  /// The byte at `at`; 0, which no text may hold, at the end of the field.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : field.text[at]; }
  /// What stands at `at`, for a message.
  [[nodiscard]] std::string found() const { return at_end() ? "the end of the field" : shown(peek()); }

  [[nodiscard]] Player player(char letter) const {
    const std::size_t i = position.letters().find(letter);
    return i == std::string_view::npos ? kNoPlayer : static_cast<Player>(i);
  }
  [[nodiscard]] std::string colour(Player player) const { return std::string(1, position.letters()[player]); }

  /// A decimal number without leading zero, capped far above any board; 0 when there is none.
  int number() {
    int value = 0;
    while (peek() >= (value == 0 ? '1' : '0') && peek() <= '9') value = std::min(value * 10 + (field.text[at++] - '0'), 999);
    return value;
  }
  /// The name of a hole of the board, or kNoSite.
  Site hole() {
    const int file = peek() - 'a';
    ++at;
    const int rank = number() - 1;
    if (file < 0 || file >= position.size_ || rank < 0 || rank >= position.size_) return kNoSite;
    return Board::site_at(file, rank);
  }

  Trouble read_ranks() {
    const std::vector<TextPart> ranks = split(field, '/');
    const std::size_t size = ranks.size();
    const bool classic = game == PinuidGame::classic;
    if (size < (classic ? kLeastSize : kLeastQuatroSize) || size >= Board::kStride || size % 2 == 0) {
      return wrong(0,
                   "has " + std::to_string(size) + " ranks; there must be " + (classic ? "5, " : "") + "7, 9, 11, 13 or 15");
    }
    position.size_ = static_cast<std::uint8_t>(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto sites = read_rank(ranks[i], name, size, position.letters());
      if (!sites) return sites.error();
      for (std::size_t file = 0; file < size; ++file) {
        const Player pin = player((*sites)[file]);
        if (pin == kNoPlayer) continue;
        position.pins_[pin].flip(Board::site_at(static_cast<int>(file), static_cast<int>(size - 1 - i)));
      }
    }
    return check_pins();
  }

  Trouble check_pins() {
    unsigned players = 0;
    Player winner = kNoPlayer;
    for (Player p = 0; p < position.seats_; ++p) {
      const unsigned pins = position.pins_[p].count();
      if (pins == 0 && game == PinuidGame::quatro3) continue;
      if (pins < kWinningPins) {
        return wrong(0, colour(p) + " has " + std::to_string(pins) + " and needs at least 2 pins" +
                            (pins == 0 && position.quatro() ? "; three players play pinuid-quatro3" : ""));
      }
      if (position.quatro() && pins > kQuatroPins) {
        return wrong(0, colour(p) + " has " + std::to_string(pins) + " pins; in Quatro a colour has " +
                            std::to_string(kQuatroPins) + ", and none returns");
      }
      if (pins == kWinningPins && winner != kNoPlayer) {
        return wrong(0, colour(winner) + " and " + colour(p) + " have 2 pins each; the game ends with the first");
      }
      if (pins == kWinningPins) winner = p;
      position.playing_ = static_cast<std::uint8_t>(position.playing_ | 1U << p);
      ++players;
    }
    if (game == PinuidGame::quatro3 && players != 3) {
      return wrong(0, "has pins of " + std::to_string(players) + " colours; exactly three play, the fourth is absent");
    }
    return std::nullopt;
  }

  Trouble read_to_act() {
    const auto to_act = read_player(field, name, position.letters());
    if (!to_act) return to_act.error();
    position.to_act_ = *to_act;
    if (!position.plays(position.to_act_)) return wrong(0, colour(position.to_act_) + " has no pins and is not in the game");
    return std::nullopt;
  }

  Trouble read_out() {
    if (field.text == "-") return std::nullopt;
    if (!position.quatro()) return wrong(0, "nobody goes out in Classic; write -");
    for (; !at_end(); ++at) {
      const Player p = player(peek());
      if (p == kNoPlayer) return wrong(at, found() + " is no player; write - or the letters of the players who are out");
      if (!position.pins_[p].any()) return wrong(at, colour(p) + " has no pins; a colour that does not play is not out");
      if (!position.plays(p)) return wrong(at, colour(p) + " is named twice");
      if (p == position.to_act_) return wrong(at, colour(p) + " is to act and cannot be out");
      if (position.pins_[p].count() == kWinningPins) {
        return wrong(at, colour(p) + " has two pins and has won, so is not out");
      }
      if (!position.one_parity(p)) {
        return wrong(at, colour(p) + " can still make rows; who is out has all pins on the same diagonals");
      }
      position.playing_ = static_cast<std::uint8_t>(position.playing_ & ~(1U << p));
    }
    return std::nullopt;
  }

  Trouble read_owed() {
    if (field.text == "-") return std::nullopt;
    while (true) {
      if (const Trouble trouble = read_entry()) return trouble;
      if (at_end()) return std::nullopt;
      ++at;  // the ; at which the entry ended
    }
  }

  Trouble read_entry() {
    const std::size_t start = at;
    const Player p = player(peek());
    if (p == kNoPlayer) return wrong(at, found() + " is no player; write - or an entry such as W:d4:d4v");
    if (!position.plays(p)) return wrong(at, colour(p) + " is not in the game and owes nothing");
    if (position.owed_[p].any()) return wrong(at, colour(p) + " has two entries; one entry lists all rows, joined by ,");
    ++at;
    if (peek() != ':' && peek() != '!') {
      return wrong(at, found() + " must be : (rows of the move just made) or ! (left from before)");
    }
    const bool fresh = peek() == ':';
    if (fresh && p != position.to_act_) {
      return wrong(at, "only the player to act has rows of the move just made; others have !");
    }
    if (fresh && position.judge().over()) return wrong(at, "the game is over, so no move was just made");
    const std::size_t moved_at = ++at;
    const Site moved = hole();
    if (moved == kNoSite || !position.pins_[p].has(moved)) {
      return wrong(moved_at, "there must stand the hole of the " + colour(p) + " pin that made the rows");
    }
    if (peek() != ':') return wrong(at, found() + " must be : before the rows");
    Rows rows;
    do {
      ++at;  // : or ,
      if (const Trouble trouble = read_row(position.pins_[p], rows)) return trouble;
    } while (peek() == ',');
    if (!at_end() && peek() != ';') return wrong(at, found() + " must be , before another row or ; before another player");
    if (!one_move_makes(rows, moved, fresh)) {
      return wrong(start, "no single move of the pin on " + name_of(moved) + " makes these rows");
    }
    position.owed_[p] = rows;
    position.moved_[p] = moved;
    if (fresh) position.fresh_ = true;
    return std::nullopt;
  }

  Trouble read_row(const Board& pins, Rows& rows) {
    const std::size_t start = at;
    const Site first = hole();
    if (first == kNoSite) return wrong(start, "there must stand the first hole of a row, a1 to " + last_hole());
    const char direction = peek();
    if (direction != 'h' && direction != 'v') {
      return wrong(at, found() + " must be h (along the rank) or v (along the file)");
    }
    ++at;
    const Rows all = Rows::in(pins);
    Board& row = direction == 'h' ? rows.h : rows.v;
    if (!(direction == 'h' ? all.h : all.v).has(first)) {
      return wrong(start, name_of(first) + direction + " is not a row of exactly three pins of this player");
    }
    if (row.has(first)) return wrong(start, name_of(first) + direction + " is listed twice");
    row.flip(first);
    return std::nullopt;
  }
  [[nodiscard]] std::string last_hole() const { return name_of(Board::site_at(position.size_ - 1, position.size_ - 1)); }

  /// True when the rows can come from one move that ended on `moved`: each holds that pin, or is what was left of a longer run
  /// when the pin went. `fresh`: the hole that it left is still empty.
  [[nodiscard]] bool one_move_makes(const Rows& rows, Site moved, bool fresh) const {
    for (const int files : {-1, 1}) {
      for (const int ranks : {-1, 1}) {
        const int file = Board::file_of(moved) + files;
        const int rank = Board::rank_of(moved) + ranks;
        if (file < 0 || file >= position.size_ || rank < 0 || rank >= position.size_) continue;
        const Board from = Board::of(Board::site_at(file, rank));
        if (fresh && !(from & position.empty()).any()) continue;
        const Rows beside{from << kFile | from >> 3 * kFile, from << kRank | from >> 3 * kRank};
        if (!(rows - Rows::through(Board::of(moved)) - beside).any()) return true;
      }
    }
    return false;
  }
};

template <class Board>
Result<BasicPinuid<Board>, TextError> BasicPinuid<Board>::read(PinuidGame game, const Options& options,
                                                               std::string_view text) {
  const auto fields = split_fields(text, kFields);
  if (!fields) return fields.error();
  Reader reader{game};
  BasicPinuid& position = reader.position;
  position.seats_ = game == PinuidGame::classic ? 2 : kSeats;
  position.departure_rows_ = !options.is("departure_rows", "false");
  position.shared_pin_ = options.is("shared_pin", "allow");
  position.enforce_ = options.is("forgotten_removal", "enforce");
  position.line_ = options.is("stagnation", "line");
  constexpr std::array parts{&Reader::read_ranks, &Reader::read_to_act, &Reader::read_out, &Reader::read_owed};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    reader.name = kFields[i];
    reader.field = (*fields)[i];
    reader.at = 0;
    if (const Trouble trouble = (reader.*parts[i])()) return *trouble;
  }
  position.outcome_ = position.judge();
  return position;
}

template std::string BasicPinuid<LatticeBoard<8>>::text() const;
template std::string BasicPinuid<LatticeBoard<16>>::text() const;
template Result<Pinuid64, TextError> BasicPinuid<LatticeBoard<8>>::read(PinuidGame, const Options&, std::string_view);
template Result<Pinuid256, TextError> BasicPinuid<LatticeBoard<16>>::read(PinuidGame, const Options&, std::string_view);

Result<std::variant<Pinuid64, Pinuid256>, TextError> read_pinuid(PinuidGame game, const Options& options,
                                                                 std::string_view text) {
  using Either = std::variant<Pinuid64, Pinuid256>;
  const std::string_view ranks = text.substr(0, text.find(' '));
  if (std::count(ranks.begin(), ranks.end(), '/') < LatticeBoard<8>::kStride - 1) {
    const auto position = Pinuid64::read(game, options, text);
    if (!position) return position.error();
    return Either(*position);
  }
  const auto position = Pinuid256::read(game, options, text);
  if (!position) return position.error();
  return Either(*position);
}

// ---- options and starts --------------------------------------------------------------------------------------------------

namespace {

using Values = std::string_view;
constexpr std::array<Values, 2> kClassicFirst{"W", "B"};
constexpr std::array<Values, 4> kQuatroFirst{"R", "G", "B", "Y"};
constexpr std::array<Values, 4> kAbsent{"Y", "R", "G", "B"};
constexpr std::array<Values, 2> kDepartureRows{"true", "false"};
constexpr std::array<Values, 2> kSharedPin{"forbid", "allow"};
constexpr std::array<Values, 2> kForgottenRemoval{"debt", "enforce"};
constexpr std::array<Values, 2> kStagnation{"parity", "line"};
constexpr std::array<Values, 1> kRepetition{"off"};

constexpr OptionSpec first_option(std::span<const Values> colours) {
  return {"first", colours, false, "the colour that begins"};
}
constexpr OptionSpec kAbsentOption{"absent", kAbsent, false, "the colour that is taken off before play"};
constexpr OptionSpec kDepartureOption{"departure_rows", kDepartureRows, false,
                                      "whether rows count that appear because the pin left a longer run"};
constexpr OptionSpec kSharedOption{"shared_pin", kSharedPin, false,
                                   "whether a pin that stands in two owed rows may be taken and serves both"};
constexpr OptionSpec kForgottenOption{"forgotten_removal", kForgottenRemoval, false,
                                      "whether a removal may be left for the next own turn, or the board waits"};
constexpr OptionSpec kStagnationOption{
    "stagnation", kStagnation, false,
    "when no row is possible any more: all pins on one colour of diagonals, or on one line"};
constexpr OptionSpec kRepetitionOption{"repetition", kRepetition, true, "how often the same position must occur for a draw"};

constexpr std::array kClassicOptions{first_option(kClassicFirst), kDepartureOption, kSharedOption, kForgottenOption,
                                     kStagnationOption,           kRepetitionOption};
constexpr std::array kQuatroOptions{first_option(kQuatroFirst), kDepartureOption,  kSharedOption,
                                    kForgottenOption,           kStagnationOption, kRepetitionOption};
constexpr std::array kQuatro3Options{first_option(kQuatroFirst), kAbsentOption,     kDepartureOption, kSharedOption,
                                     kForgottenOption,           kStagnationOption, kRepetitionOption};

constexpr int kUsualSize = 7;

}  // namespace

std::span<const OptionSpec> pinuid_classic_options() { return kClassicOptions; }
std::span<const OptionSpec> pinuid_quatro_options() { return kQuatroOptions; }
std::span<const OptionSpec> pinuid_quatro3_options() { return kQuatro3Options; }

std::string pinuid_classic_start(const Options& options) {
  return "BB1B1BB/B2B2B/7/7/7/W2W2W/WW1W1WW " + options.get("first") + " - -";
}

std::string pinuid_quatro_start(const Options& options) {
  return pinuid_quatro_start_text(kUsualSize, '\0', options.get("first").front());
}

std::string pinuid_quatro3_start(const Options& options) {
  constexpr std::string_view seating = "RGBY";
  const char absent = options.get("absent").front();
  char first = options.get("first").front();
  if (first == absent) first = seating[(seating.find(first) + 1) % seating.size()];
  return pinuid_quatro_start_text(kUsualSize, absent, first);
}

std::string pinuid_quatro_start_text(int n, char absent, char first) {
  struct Corner {
    char colour;
    int file;  // of the middle hole
    int rank;
  };
  const int far = n - 2;
  const std::array corners{Corner{'R', 1, 1}, Corner{'G', 1, far}, Corner{'B', far, far}, Corner{'Y', far, 1}};
  std::array<std::array<char, kMostSize>, kMostSize> board;  // by file, then rank
  for (auto& file : board) file.fill(kEmptySite);
  const auto set = [&board](int file, int rank, char colour) {
    board[static_cast<std::size_t>(file)][static_cast<std::size_t>(rank)] = colour;
  };
  for (const Corner& home : corners) {
    if (home.colour == absent) continue;
    const int slope = home.file == home.rank ? 1 : -1;  // of the colour's long diagonal
    for (const Corner& corner : corners) {
      const bool same_file = corner.file == home.file;
      const bool same_rank = corner.rank == home.rank;
      if (same_file && same_rank) set(home.file, home.rank, home.colour);
      for (const int side : {-1, 1}) {
        if (same_file && same_rank) {
          set(corner.file + side, corner.rank - side * slope, home.colour);
        } else if (same_rank) {
          set(corner.file + side, corner.rank, home.colour);
        } else if (same_file) {
          set(corner.file, corner.rank + side, home.colour);
        } else {
          set(corner.file + side, corner.rank + side * slope, home.colour);
        }
      }
    }
  }
  return ranks_text(n,
                    [&board](int file, int rank) {
                      return board[static_cast<std::size_t>(file)][static_cast<std::size_t>(rank)];
                    }) +
         ' ' + first + " - -";
}

}  // namespace merel
