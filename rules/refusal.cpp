#include "rules/refusal.h"

namespace merel {
namespace {

struct Row {
  std::string_view name;
  std::string_view sentence;
};

constexpr Row row(Refusal refusal) {
  switch (refusal) {
    // any game
    case Refusal::game_over: return {"game_over", "the game is over"};
    case Refusal::not_a_step_here: return {"not_a_step_here", "that step does not exist here"};
    case Refusal::no_such_site: return {"no_such_site", "the board has no such site"};
    case Refusal::nothing_there: return {"nothing_there", "there is no piece on that site"};
    case Refusal::not_your_piece: return {"not_your_piece", "that piece belongs to another player"};
    case Refusal::site_taken: return {"site_taken", "that site is not empty"};
    case Refusal::must_remove_first: return {"must_remove_first", "a removal is owed first"};
    case Refusal::nothing_to_remove: return {"nothing_to_remove", "nothing is to be removed now"};
    case Refusal::may_still_move: return {"may_still_move", "a player who can move may not pass"};
    // Pinuid
    case Refusal::not_diagonal: return {"not_diagonal", "a pin moves one hole diagonally"};
    case Refusal::pin_just_played: return {"pin_just_played", "the pin just played may not be taken"};
    case Refusal::pin_in_no_row: return {"pin_in_no_row", "that pin is in none of the rows just made"};
    case Refusal::run_not_three: return {"run_not_three", "that run does not have exactly three pins"};
    case Refusal::shared_pin: return {"shared_pin", "that pin stands in two rows, and taking it would spoil the other"};
    case Refusal::must_return_pin:
      return {"must_return_pin", "all pins stand on the same diagonals: a pin returns to the back line"};
    case Refusal::not_back_line: return {"not_back_line", "a pin returns on the player's own back line"};
    case Refusal::not_stagnated: return {"not_stagnated", "no pin may return while rows are still possible"};
    case Refusal::must_remove_now: return {"must_remove_now", "the removal may not be put off"};
    case Refusal::player_is_out: return {"player_is_out", "that player is out, and those pins stay where they are"};
    // Pylos
    case Refusal::seat_not_open: return {"seat_not_open", "a sphere must rest on four others"};
    case Refusal::sphere_carries: return {"sphere_carries", "the sphere carries another and must stay"};
    case Refusal::not_higher: return {"not_higher", "a sphere can only be raised to a higher level"};
    case Refusal::carries_target: return {"carries_target", "the raised sphere would have to carry itself"};
    case Refusal::reserve_empty: return {"reserve_empty", "there is no sphere left in the reserve"};
    case Refusal::must_take: return {"must_take", "a square is complete: one or two own spheres are taken back first"};
    case Refusal::must_take_first: return {"must_take_first", "at least one sphere must be taken back"};
    case Refusal::take_or_stop: return {"take_or_stop", "a second sphere may be taken back, or the turn ends with stop"};
    // Morris
    case Refusal::men_left_to_place: return {"men_left_to_place", "no man moves before all men are placed"};
    case Refusal::no_men_left_to_place: return {"no_men_left_to_place", "all men have been placed"};
    case Refusal::not_adjacent: return {"not_adjacent", "a man moves along a line to the next point"};
    case Refusal::man_in_mill: return {"man_in_mill", "a man in a mill may not be taken while others are free"};
    case Refusal::must_capture: return {"must_capture", "a mill is closed: an opposing man is taken first"};
    case Refusal::own_man: return {"own_man", "the man to be taken is the opponent's"};
  }
  return {"", ""};
}

}  // namespace

std::string_view name(Refusal refusal) { return row(refusal).name; }
std::string_view sentence(Refusal refusal) { return row(refusal).sentence; }

}  // namespace merel
