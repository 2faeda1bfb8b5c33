#pragma once
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/explain.h"
#include "daemon/picture.h"
#include "rules/refusal.h"

namespace merel {

/// What is wrong with a picture that is no attempt at a step.
enum class Disorder : std::uint8_t {
  other_players_turn,  ///< a piece of a player who is not to act has been moved
  piece_missing,       ///< pieces have been taken that nothing asked for
  piece_extra,         ///< pieces stand where none should
  several_pieces,      ///< more than one piece is out of place
  board_empty,         ///< nothing is seen any more: a cable rather than a hand
  game_over,           ///< pieces move although the game has ended
};

/// The reason that a referee would give: the rules' own, or disorder on the board.
using Reason = std::variant<Refusal, Disorder>;

/// Short identifier, for programs: `pin_just_played`.
[[nodiscard]] std::string_view name(Reason reason);
/// One plain sentence for players, without a full stop.
[[nodiscard]] std::string_view sentence(Reason reason);

/// What a referee says of a picture that no legal play explains.
struct Complaint {
  Reason reason;
  Player player = kNoPlayer;  ///< who is to act
  std::vector<Site> wrong;    ///< where a piece should not stand, or is missing without having gone anywhere
  std::vector<Site> back;     ///< where a piece must go back to
};

/// Judges what is left unexplained (`open`, only lifts and settings count) at a position; `expected` is that position's picture.
[[nodiscard]] Complaint judge(const Position& position, const Picture& expected, std::span<const Happening> open);

}  // namespace merel
