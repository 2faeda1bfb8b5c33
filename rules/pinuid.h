#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "rules/geometry.h"
#include "rules/lattice_board.h"
#include "rules/options.h"
#include "rules/outcome.h"
#include "rules/refusal.h"
#include "rules/result.h"
#include "rules/step.h"
#include "rules/text_error.h"

namespace merel {

enum class PinuidGame : std::uint8_t {
  classic,  ///< two players, W and B, odd boards from 5 to 15
  quatro,   ///< four players, R, G, B and Y, odd boards from 7 to 15
  quatro3,  ///< the same with one colour absent
};

/// A position of Pinuid Classic or Quatro (RULES.md, sections 1 and 2). `Board` is a LatticeBoard with room for the board and its
/// guard: one type serves both games, all numbers of players and several board sizes.
template <class Board>
struct BasicPinuid {
 public:
  /// Reads a position text of that game. The board size follows from the number of ranks and must fit `Board`;
  /// read_pinuid chooses.
  static Result<BasicPinuid, TextError> read(PinuidGame game, const Options& options, std::string_view text);

  /// The player to act; after the end the one who would have been next.
  [[nodiscard]] Player to_act() const { return to_act_; }
  /// Appends the legal steps, sorted and unique; none when the game is over.
  void legal_steps(StepList& out) const;
  /// How many legal steps there are.
  [[nodiscard]] std::uint64_t count_steps() const;
  /// Why the rules refuse the step; nothing exactly when it is legal. Any bytes may come in.
  [[nodiscard]] std::optional<Refusal> refuse(Step step) const;
  /// Plays a legal step; legality is not checked.
  void play(Step step);
  [[nodiscard]] Outcome outcome() const { return {outcome_.ending, outcome_.winner, out()}; }
  /// The position text, with `<out>` and `<owed>` in the order of RULES.md.
  [[nodiscard]] std::string text() const;
  /// Covers all that operator== compares.
  [[nodiscard]] std::uint64_t hash() const;
  bool operator==(const BasicPinuid&) const = default;
  [[nodiscard]] const Geometry& geometry() const;
  /// True when every field agrees with what the others say; for tests.
  [[nodiscard]] bool consistent() const;

 private:
  static constexpr std::size_t kSeats = 4;
  static constexpr std::uint8_t kWinningPins = 2;
  static constexpr int kFile = Board::kStride;    // shift from a hole to the same rank of the next file
  static constexpr int kRank = 1;                 // shift to the next rank
  static constexpr int kRising = kFile + kRank;   // next file, next rank
  static constexpr int kFalling = kFile - kRank;  // next file, rank below

  /// A set of rows of exactly three, each as its first hole: along a rank (`h` in the text) or along a file (`v`).
  struct Rows {
    Board h;
    Board v;

    /// All rows of these pins.
    static Rows in(const Board& pins);
    [[nodiscard]] bool any() const { return (h | v).any(); }
    /// The pins of the rows along ranks, and of the rows along files.
    [[nodiscard]] Board pins_h() const { return h | h << kFile | h << 2 * kFile; }
    [[nodiscard]] Board pins_v() const { return v | v << kRank | v << 2 * kRank; }
    /// The first holes of all rows that would contain that hole.
    static Rows through(const Board& hole);
    friend Rows operator&(const Rows& a, const Rows& b) { return {a.h & b.h, a.v & b.v}; }
    friend Rows operator-(const Rows& a, const Rows& b) { return {a.h & ~b.h, a.v & ~b.v}; }
    bool operator==(const Rows&) const = default;
  };

  /// What the player to act has to do.
  enum class Duty : std::uint8_t {
    nothing,     // the game is over
    take,        // rows are owed
    return_pin,  // stagnated (Classic only)
    move,
  };

  /// Reads the fields of a text, one after the other (pinuid_text.cpp).
  struct Reader;

  [[nodiscard]] bool quatro() const { return seats_ == kSeats; }
  [[nodiscard]] bool plays(Player player) const { return ((playing_ >> player) & 1U) != 0; }
  [[nodiscard]] std::string_view letters() const { return quatro() ? "RGBY" : "WB"; }
  [[nodiscard]] bool on_board(Site site) const { return site >> 4U < size_ && (site & 15U) < size_; }
  [[nodiscard]] Board empty() const;
  [[nodiscard]] Duty duty() const;
  [[nodiscard]] bool can_move() const;
  /// True when all pins of the player are on holes of one parity.
  [[nodiscard]] bool one_parity(Player player) const;
  /// True when all pins of the player stand on the same diagonals, as the option `stagnation` means it.
  [[nodiscard]] bool stagnated(Player player) const;
  /// The empty holes of the back line of the player to act.
  [[nodiscard]] Board return_holes() const;
  /// The pins that may be taken now.
  [[nodiscard]] Board takeable() const;
  [[nodiscard]] bool may_forget() const { return fresh_ && !enforce_; }
  [[nodiscard]] Player owner(Site site) const;
  [[nodiscard]] std::optional<Refusal> refuse_piece(Site site) const;
  [[nodiscard]] std::optional<Refusal> refuse_take(Site site) const;
  [[nodiscard]] std::optional<Refusal> refuse_move(Site from, Site to) const;
  [[nodiscard]] std::optional<Refusal> refuse_return(Site to) const;
  [[nodiscard]] std::optional<Refusal> refuse_pass() const;
  void end_turn();
  /// Players who have pins but no turn any more, a bit each.
  [[nodiscard]] std::uint8_t out() const {
    unsigned out = 0;
    for (Player player = 0; player < seats_; ++player) {
      if (pins_[player].any() && !plays(player)) out |= 1U << player;
    }
    return static_cast<std::uint8_t>(out);
  }
  /// Ending and winner, from all other fields.
  [[nodiscard]] Outcome judge() const;

  std::array<Board, kSeats> pins_{};
  std::array<Rows, kSeats> owed_{};                                     // rows from which a pin is still to be taken
  std::array<Site, kSeats> moved_{kNoSite, kNoSite, kNoSite, kNoSite};  // the pin that made them, which stays
  std::uint8_t size_ = 7;
  std::uint8_t seats_ = 2;    // 2 in Classic, 4 in Quatro, also when one colour is absent
  std::uint8_t playing_ = 0;  // bit a player: in the game, neither absent nor out
  std::uint8_t passes_ = 0;   // in succession, by players still in the game
  Player to_act_ = 0;
  bool fresh_ = false;  // the rows owed by the player to act are those of the move just made
  bool departure_rows_ = true;
  bool shared_pin_ = false;  // true: a pin in two owed rows may be taken
  bool enforce_ = false;     // true: no `forget`
  bool line_ = false;        // true: stagnation only on one single diagonal line
  Outcome outcome_;          // follows from the rest; kept because everybody asks
};

/// Boards with N = 5 and 7: one word a colour.
using Pinuid64 = BasicPinuid<LatticeBoard<8>>;
/// Boards with N = 9 to 15: four words a colour.
using Pinuid256 = BasicPinuid<LatticeBoard<16>>;

extern template struct BasicPinuid<LatticeBoard<8>>;
extern template struct BasicPinuid<LatticeBoard<16>>;

/// Rule options of the three games. `first` and `absent` choose the start and play no part in reading.
[[nodiscard]] std::span<const OptionSpec> pinuid_classic_options();
[[nodiscard]] std::span<const OptionSpec> pinuid_quatro_options();
[[nodiscard]] std::span<const OptionSpec> pinuid_quatro3_options();

/// Texts of the start positions on 7 x 7. When `first` names the absent colour, the next one clockwise begins.
[[nodiscard]] std::string pinuid_classic_start(const Options& options);
[[nodiscard]] std::string pinuid_quatro_start(const Options& options);
[[nodiscard]] std::string pinuid_quatro3_start(const Options& options);

/// The start of Quatro on an n x n board, n odd from 7 to 15, built by the printed steps. `absent` is the letter of the colour
/// that is taken off before play, or 0; `first` is the letter of the player to act.
[[nodiscard]] std::string pinuid_quatro_start_text(int n, char absent, char first);

/// Reads a position text; refuses what cannot occur (RULES.md, "Checks on reading"). Only the options that change play matter.
[[nodiscard]] Result<std::variant<Pinuid64, Pinuid256>, TextError> read_pinuid(PinuidGame game, const Options& options,
                                                                               std::string_view text);

}  // namespace merel
