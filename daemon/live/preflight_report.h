#pragma once
#include <string>
#include <vector>

#include "daemon/config/board_profile.h"
#include "daemon/event_json.h"
#include "drivers/preflight.h"

namespace merel {

/// What the preflight finds on this machine for that board, as the user that this process has. Nothing for a virtual board.
[[nodiscard]] std::vector<Finding> findings_of(const BoardProfile& board, const SystemPaths& paths = {});

/// One line: `warning: ` where it is one, the sentence, and the cells that it takes away: `… (a1 to g2)`.
[[nodiscard]] std::string finding_text(const BoardProfile& board, const Finding& finding);

/// `{findings: [{what, warning, cells, where}]}`: `cells` one by one as the players call them, rank by rank; `where` the same for
/// people.
[[nodiscard]] Json findings_json(const BoardProfile& board, const std::vector<Finding>& findings);

}  // namespace merel
