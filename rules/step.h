#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace merel {

/// A place where a piece can stand. On the lattice games (Pinuid, Morris) it is file * 16 + rank, both from 0, so a1 = 0 and
/// b3 = 18; Pylos counts its 30 seats level by level, file by file (1a1 = 0, 1a2 = 1, … 4a1 = 29). In both the numeric order is
/// the order of the names (up to nine ranks).
using Site = std::uint8_t;
inline constexpr Site kNoSite = 255;

/// A player, as index into the colours of the game in seating order (GameInfo::colours).
using Player = std::uint8_t;
inline constexpr Player kNoPlayer = 255;

/// What a step does to the board; the enumerators are in the bytewise order of their texts.
enum class StepKind : std::uint8_t {
  put,     ///< `+d1`: a piece of the player to act comes from outside the board to `to`
  move,    ///< `c3-d4`: a piece goes from `from` to `to`
  forget,  ///< `forget`: owed removals are left for the next own turn
  pass,    ///< `pass`: no move is possible
  stop,    ///< `stop`: no second removal
  take,    ///< `xd5`: the piece on `from` leaves the board
};

/// One atomic physical action that the rules know (RULES.md, "Words").
struct Step {
  StepKind kind = StepKind::pass;
  Site from = kNoSite;  ///< where a piece is lifted (move, take), else kNoSite
  Site to = kNoSite;    ///< where a piece is set down (put, move), else kNoSite

  static constexpr Step put(Site to) { return {StepKind::put, kNoSite, to}; }
  static constexpr Step move(Site from, Site to) { return {StepKind::move, from, to}; }
  static constexpr Step take(Site from) { return {StepKind::take, from, kNoSite}; }

  /// True when the step lifts or sets down a piece.
  [[nodiscard]] constexpr bool physical() const { return from != kNoSite || to != kNoSite; }

  friend constexpr auto operator<=>(const Step&, const Step&) = default;
};

/// Legal steps, sorted and unique, in fixed room: 15 x 15 holes with 112 pins of one colour have at most 448 diagonal moves.
class StepList {
 public:
  static constexpr std::size_t kCapacity = 512;

  // Nothing is written before it is pushed: filling 1.5 KB would take longer than finding the steps.
  constexpr StepList() {}  // NOLINT(modernize-use-equals-default)

  constexpr void push(Step step) { steps_[size_++] = step; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr const Step* begin() const { return steps_.data(); }
  [[nodiscard]] constexpr const Step* end() const { return steps_.data() + size_; }
  [[nodiscard]] constexpr Step operator[](std::size_t i) const { return steps_[i]; }
  [[nodiscard]] constexpr std::span<const Step> span() const { return {steps_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  union {
    std::array<Step, kCapacity> steps_;
  };
};

}  // namespace merel
