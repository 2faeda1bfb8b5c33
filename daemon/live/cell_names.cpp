#include "daemon/live/cell_names.h"

#include <algorithm>
#include <vector>

#include "daemon/live/state_json.h"

namespace merel {

std::string cells_text(const BoardProfile& board, std::span<const std::uint16_t> channels) {
  // Along the ranks, as one reads the board; a run of three or more is told by its ends.
  std::string out;
  std::vector<std::string> run;
  const auto end_run = [&] {
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run.size() > 2 && i > 0 && i + 1 < run.size()) continue;
      const bool last_of_range = run.size() > 2 && i > 0;
      out.append(out.empty() ? "" : last_of_range ? " to " : ", ").append(run[i]);
    }
    run.clear();
  };
  for (std::uint8_t rank = 0; rank < board.lattice; ++rank) {
    for (std::uint8_t file = 0; file < board.lattice; ++file) {
      const std::uint16_t channel = board.channel_at(file, rank);
      if (channel == BoardProfile::kNone) continue;
      if (std::find(channels.begin(), channels.end(), channel) == channels.end()) {
        end_run();
      } else {
        run.push_back(cell_name(file, rank));
      }
    }
  }
  end_run();
  return out;
}

}  // namespace merel
