#pragma once
#include <boost/container/flat_map.hpp>
#include <string>
#include <string_view>

#include "daemon/tracker.h"
#include "daemon/verdict.h"
#include "drivers/light_sink.h"

namespace merel {

/// What a light means; see DESIGN: every role differs from every other by effect as well as by colour.
enum class Role : std::uint8_t {
  last,      ///< from and to of the last turn
  origin,    ///< where the piece in the hand came from
  target,    ///< where it may go (help)
  remove,    ///< a piece that may be taken while a removal is required
  put,       ///< a site that must or may receive a piece
  illegal,   ///< the offending site
  back,      ///< where a piece must go back to
  take_off,  ///< a piece that should not be there (set-up, restore)
  choose,    ///< a candidate while the board asks
  out,       ///< Quatro: pins of a player who is out
  pass,      ///< pins of a player who had to pass
  win,       ///< the winner's pieces
  turn,      ///< pieces that can move (help)
};
enum class Hue : std::uint8_t {
  white,
  blue,
  green,
  amber,
  red,
  cyan,
  violet,
  player
};
enum class Brightness : std::uint8_t {
  full,
  dim,
  faint
};

struct Light {
  Role role = Role::last;
  Hue hue = Hue::white;
  Player player = kNoPlayer;  ///< whose colour, for Hue::player
  Brightness brightness = Brightness::full;
  Effect effect = Effect::solid;
  std::uint8_t turn = 0;  ///< for Effect::taking_turns: which candidate it belongs to
  friend bool operator==(const Light&, const Light&) = default;
};

/// All lit sites.
using Scene = boost::container::flat_map<Site, Light>;

[[nodiscard]] std::string_view name(Role role);
[[nodiscard]] std::string_view name(Effect effect);
/// `dim-white`, or for a player's own colour `faint-W`.
[[nodiscard]] std::string colour_name(const Light& light, std::string_view colours);

/// What the lights say at this moment: pure, from the record and the tracker's state. While something is required, only its lights
/// show (and the pins of players who are out); `help` adds targets and whose turn it is. The end of a game shows its winner's pieces,
/// or one slow wave over everybody's for a draw; a game that has no result goes dark.
[[nodiscard]] Scene guide(const GameRecord& record, const TrackerView& view, bool help = true, const Verdict& verdict = {});

}  // namespace merel
