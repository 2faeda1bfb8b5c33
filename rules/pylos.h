#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/geometry.h"
#include "rules/options.h"
#include "rules/outcome.h"
#include "rules/refusal.h"
#include "rules/result.h"
#include "rules/step.h"
#include "rules/text_error.h"

namespace merel {

/// What gives a player spheres back (RULES.md, section 3).
enum class PylosVariant : std::uint8_t {
  children,  ///< nothing
  standard,  ///< a 2 x 2 square of the own colour
  expert,    ///< a square or, on levels 1 and 2, a full rank or file
};

/// A position of Pylos (RULES.md, section 3). A site is a seat from 0 to 29, in the order of the names (1a1 1a2 … 1d4 2a1 … 4a1),
/// and the same number is its bit, so that steps come out sorted. The reserves follow from the board.
class Pylos {
 public:
  /// One bit a seat.
  using Board = std::uint32_t;

  static constexpr int kSeats = 30;
  static constexpr int kSpheres = 15;  ///< a player's spheres, board and reserve together
  static constexpr Site kApex = 29;

  /// The start of `standard`: an empty pyramid, W to act.
  constexpr Pylos() = default;

  /// The player to act; after the end the one who would have been next.
  [[nodiscard]] Player to_act() const { return act_; }
  /// Appends the legal steps, sorted and unique; none when the game is over.
  void legal_steps(StepList& out) const;
  /// The number of legal steps, without making them.
  [[nodiscard]] std::uint64_t count_steps() const;
  /// Why the rules refuse the step, whatever its bytes; nothing exactly when it is one of legal_steps.
  [[nodiscard]] std::optional<Refusal> refuse(Step step) const;
  /// Plays a legal step; what is not legal must not be given.
  void play(Step step);
  /// Ends: apex (at once) and empty_reserve (at the beginning of a turn).
  [[nodiscard]] Outcome outcome() const;
  /// `<level1>|<level2>|<level3>|<level4> <player to act> <take>`, normalised.
  [[nodiscard]] std::string text() const;
  /// Equal positions hash equal.
  [[nodiscard]] std::uint64_t hash() const;
  bool operator==(const Pylos&) const = default;
  /// The 30 seats, level by level, ranks from the highest, files ascending.
  [[nodiscard]] const Geometry& geometry() const;
  /// Nothing here is redundant: true when no two spheres share a seat, none is in the air, nobody has too many, and all values
  /// are in range.
  [[nodiscard]] bool consistent() const;

  /// Spheres in the player's reserve, 0 to 15.
  [[nodiscard]] int reserve(Player player) const;
  [[nodiscard]] PylosVariant variant() const { return variant_; }

 private:
  /// What the player to act still has to take back after a square (or alignment).
  enum class Take : std::uint8_t {
    none,
    optional,   ///< `t1`: one is taken, another may be
    mandatory,  ///< `t2`: one must be taken, two may be
  };

  friend Result<Pylos, TextError> read_pylos(PylosVariant variant, const Options& options, std::string_view text);

  [[nodiscard]] Player opponent() const { return static_cast<Player>(1 - act_); }
  [[nodiscard]] Board occupied() const { return spheres_[0] | spheres_[1]; }
  /// The spheres of the player to act on which no sphere rests.
  [[nodiscard]] Board free_spheres() const;
  /// The number of ways to raise a sphere at the beginning of a turn.
  [[nodiscard]] std::uint64_t count_raises(Board open) const;
  /// True when the player to act, who has nothing to take, has an empty reserve and may not or cannot raise.
  [[nodiscard]] bool out_of_spheres() const;
  void end_turn();

  std::array<Board, 2> spheres_{};
  Player act_ = 0;
  Take take_ = Take::none;
  PylosVariant variant_ = PylosVariant::standard;
  bool raise_on_empty_ = false;  ///< option `empty_reserve` = `raise`
};

/// The options `empty_reserve` (loses, raise) and `repetition`.
[[nodiscard]] std::span<const OptionSpec> pylos_options();
/// Text of the start position; no option changes it.
[[nodiscard]] std::string pylos_start(const Options& options);
/// Reads a position text of that variant; refuses what cannot occur, with field and column.
[[nodiscard]] Result<Pylos, TextError> read_pylos(PylosVariant variant, const Options& options, std::string_view text);

}  // namespace merel
