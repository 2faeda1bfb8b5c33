#include "drivers/trace_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace merel {

TraceWriter::TraceWriter(const GameInfo& game, const Options& options, const Position& position, bool colour, Time settle,
                         Time begin)
    : game_(&game), board_(position), begin_(begin) {
  text_ = "merel-trace 1\ngame " + std::string(game.name) + "\n";
  for (const OptionSpec& spec : options.specs()) {
    if (options.changed(spec.key)) text_ += "option " + std::string(spec.key) + "=" + options.get(spec.key) + "\n";
  }
  text_ += std::string("sensing ") + (colour ? "colour" : "occupancy") + "\nposition " + text(position) + "\nsettle " +
           std::to_string(settle / std::chrono::milliseconds(1)) + "\n---\n";
}

void TraceWriter::line(Time now, std::string_view what) {
  last_ = std::max(last_, now - begin_);
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.3f ", static_cast<double>(last_.count()) / 1000.0);
  text_.append(time.data()).append(what).append("\n");
}

void TraceWriter::site(std::string_view site, Contents contents, Time now) {
  const char what = contents.is_empty() ? '.' : contents.player() == kNoPlayer ? 'o' : letter(contents.player());
  line(now, std::string(site) + " " + what);
}

void TraceWriter::tray(Player player, int count, Time now) {
  line(now, std::string("reserve ") + letter(player) + " " + std::to_string(count));
}

void TraceWriter::button(Player player, Time now) { line(now, std::string("button ") + letter(player)); }

void TraceWriter::choose(std::span<const Step> steps, Time now) {
  std::string words = "choose";
  for (const Step step : steps) words += " " + text(board_, step);
  line(now, words);
}

void TraceWriter::take_back(Time now) { line(now, "takeback"); }

void TraceWriter::end(Time now) { line(now, "end"); }

std::string TraceWriter::take() { return std::exchange(text_, {}); }

}  // namespace merel
