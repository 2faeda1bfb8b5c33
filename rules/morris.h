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

/// A position of Nine Men's Morris (RULES.md, section 4). Sites are file * 16 + rank on the 7 x 7 lattice, of which 24 are
/// points. Inside, a point is a bit from 0 to 23 in the order of the names (a1 a4 a7 b2 …), so that steps come out sorted.
class Morris {
 public:
  /// One bit a point.
  using Board = std::uint32_t;

  static constexpr int kPoints = 24;
  static constexpr std::uint8_t kMen = 9;  ///< a player's men at the start, all in hand

  /// The start of the game: empty board, W to act, nine men in hand each, flying allowed.
  constexpr Morris() = default;

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
  /// Ends: fewer_than_three (at once, men in hand counted) and cannot_move.
  [[nodiscard]] Outcome outcome() const;
  /// `<ranks 7..1> <player to act> <W in hand> <B in hand> <capture>`, normalised.
  [[nodiscard]] std::string text() const;
  /// Equal positions hash equal, and different ones differ: everything fits in the 64 bits.
  [[nodiscard]] std::uint64_t hash() const;
  bool operator==(const Morris&) const = default;
  /// The 24 points, ranks from the highest, files ascending.
  [[nodiscard]] const Geometry& geometry() const;
  /// Nothing here is redundant: true when no two men share a point, nobody has too many men, and all values are in range.
  [[nodiscard]] bool consistent() const;

  /// Men in hand, 0 to 9.
  [[nodiscard]] int in_hand(Player player) const { return hand_[player]; }
  /// True when a mill was made and the player to act takes an opposing man next.
  [[nodiscard]] bool capture_owed() const { return capture_; }

 private:
  friend Result<Morris, TextError> read_morris(const Options& options, std::string_view text);

  [[nodiscard]] Player opponent() const { return static_cast<Player>(1 - act_); }
  /// Men on the board and in hand.
  [[nodiscard]] int men_in_total(Player player) const;
  [[nodiscard]] Board empty() const;
  /// Opposing men that may be taken when a capture is owed.
  [[nodiscard]] Board takable() const;
  /// True when the player to act may move a man to any empty point.
  [[nodiscard]] bool flies() const;
  [[nodiscard]] bool can_move() const;
  /// What follows when the player to act has set a man down there: a capture is owed, or the turn ends.
  void arrive(int point);
  void end_turn() { act_ = opponent(); }

  std::array<Board, 2> men_{};
  std::array<std::uint8_t, 2> hand_{kMen, kMen};
  Player act_ = 0;
  bool capture_ = false;
  bool flying_ = true;  ///< option `flying`
};

/// The options `flying` (default true) and `repetition`.
[[nodiscard]] std::span<const OptionSpec> morris_options();
/// Text of the start position; no option changes it.
[[nodiscard]] std::string morris_start(const Options& options);
/// Reads a position text; refuses what cannot occur, with field and column.
[[nodiscard]] Result<Morris, TextError> read_morris(const Options& options, std::string_view text);

}  // namespace merel
