#include "daemon/live/preflight_report.h"

#include <algorithm>

#include "daemon/live/cell_names.h"
#include "daemon/live/state_json.h"

namespace merel {

std::vector<Finding> findings_of(const BoardProfile& board, const SystemPaths& paths) {
  if (board.wires == Wires{}) return {};
  return preflight(board.wires, board.lights(), paths);
}

std::string finding_text(const BoardProfile& board, const Finding& finding) {
  const std::string where = cells_text(board, finding.channels);
  return (finding.warning ? "warning: " : "") + finding.what + (where.empty() ? "" : " (" + where + ")");
}

Json findings_json(const BoardProfile& board, const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json cells = Json::array();
    for (std::uint8_t rank = 0; rank < board.lattice; ++rank) {
      for (std::uint8_t file = 0; file < board.lattice; ++file) {
        const std::uint16_t channel = board.channel_at(file, rank);
        if (channel == BoardProfile::kNone) continue;
        if (std::binary_search(finding.channels.begin(), finding.channels.end(), channel))
          cells.push_back(cell_name(file, rank));
      }
    }
    list.push_back({{"what", finding.what},
                    {"warning", finding.warning},
                    {"cells", std::move(cells)},
                    {"where", cells_text(board, finding.channels)}});
  }
  return {{"findings", std::move(list)}};
}

}  // namespace merel
