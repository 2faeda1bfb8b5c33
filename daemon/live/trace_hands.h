#pragma once
#include <functional>
#include <vector>

#include "daemon/config/board_profile.h"
#include "daemon/live/daemon.h"
#include "drivers/sim_driver.h"
#include "drivers/trace.h"

namespace merel {

/// The game that a trace begins, to be asked for.
[[nodiscard]] NewGame game_of(const Trace& trace);

/// The hands of a trace as a script for this board's channels. `choose` and `take_back` are called where a person said so.
[[nodiscard]] std::vector<HandAct> hands_of(const Trace& trace, const BoardProfile& profile,
                                            const std::function<void(const std::vector<Step>&)>& choose,
                                            const std::function<void()>& take_back);

}  // namespace merel
