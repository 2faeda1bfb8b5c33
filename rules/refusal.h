#pragma once
#include <cstdint>
#include <string_view>

namespace merel {

/// Why the rules refuse a step: the reasons a referee would give, one plain sentence each (refusal.cpp).
enum class Refusal : std::uint8_t {
  // any game
  game_over,
  not_a_step_here,  ///< a kind of step that this game or this moment does not know
  no_such_site,
  nothing_there,
  not_your_piece,
  site_taken,         ///< the target is not empty
  must_remove_first,  ///< a removal is owed before anything else
  nothing_to_remove,
  may_still_move,  ///< pass while a move is there
  // Pinuid
  not_diagonal,     ///< a pin moves one hole diagonally
  pin_just_played,  ///< the pin that made the rows may not be taken
  pin_in_no_row,    ///< the pin is in no row that is owed
  run_not_three,    ///< the pin stands in a run that is not exactly three
  shared_pin,       ///< the pin stands in two owed rows
  must_return_pin,  ///< stagnated: a pin returns, no move
  not_back_line,    ///< a pin returns on the own back line
  not_stagnated,    ///< no pin may return now
  must_remove_now,  ///< owed from before: forget is not possible again, or the option says enforce
  player_is_out,    ///< a player who is out neither moves nor loses pins
  // Pylos
  seat_not_open,   ///< a sphere rests on four others
  sphere_carries,  ///< a sphere that carries another stays
  not_higher,      ///< a raised sphere goes to a higher level
  carries_target,  ///< the raised sphere is one of the four that would carry it
  reserve_empty,
  must_take,        ///< a square was made: one or two own spheres come off first
  must_take_first,  ///< stop before the first take
  take_or_stop,     ///< after the first take: a second one, or stop
  // Morris
  men_left_to_place,  ///< no man moves while men are in hand
  no_men_left_to_place,
  not_adjacent,  ///< a man moves along a line to the next point
  man_in_mill,   ///< a man in a mill stays while others are free
  must_capture,  ///< a mill was made: an opposing man comes off first
  own_man,       ///< the man to take is the opponent's
};

/// Short identifier, for programs: `not_diagonal`.
[[nodiscard]] std::string_view name(Refusal refusal);
/// One plain sentence for players, without a full stop.
[[nodiscard]] std::string_view sentence(Refusal refusal);

}  // namespace merel
