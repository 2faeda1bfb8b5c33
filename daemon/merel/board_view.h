#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "daemon/guide.h"

namespace merel {

/// Whether drawings use the terminal's colours. Nothing is lost without them: every role has its own mark.
enum class Ink : std::uint8_t {
  plain,
  colour
};

/// The board as lines of text, seen from South, the levels of a pyramid side by side. A piece is its colour's letter, in lower
/// case where it has been lifted; `o` is a piece that nothing explains yet, a dot an empty site; a lit site has the mark of its
/// role on both sides. 4 columns a site, and 3 for the ranks.
[[nodiscard]] std::vector<std::string> draw_board(const GameInfo& game, const TrackerView& view, const Scene& scene,
                                                  Ink ink);

/// What the marks now on the board mean, in lines of at most `width` columns.
[[nodiscard]] std::vector<std::string> draw_legend(const GameInfo& game, const Scene& scene, std::size_t width, Ink ink);

}  // namespace merel
