#include "rules/outcome.h"

namespace merel {

std::string_view sentence(Ending ending) {
  switch (ending) {
    case Ending::none: return "the game goes on";
    case Ending::two_left: return "only two of the winner's pins are left";
    case Ending::last_player: return "all the others are out";
    case Ending::blocked: return "no player can move";
    case Ending::apex: return "the winner set the sphere on top";
    case Ending::empty_reserve: return "the other player has no sphere left to play";
    case Ending::fewer_than_three: return "the other player has only two men left";
    case Ending::cannot_move: return "the other player cannot move";
    case Ending::repetition: return "the same position has come back too often";
  }
  return "";
}

}  // namespace merel
