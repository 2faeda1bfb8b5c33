// Watches games in the terminal: traces go through the same code as live play, at the pace of a person who looks on.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/event_words.h"
#include "daemon/merel/board_view.h"
#include "daemon/merel/commands.h"
#include "daemon/merel/screen.h"
#include "daemon/merel/trace_files.h"
#include "daemon/playback.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kUsualLength{30};  // of a game, when no speed is given
constexpr std::chrono::seconds kReadingTime{6};   // for the record, before the next game begins

struct DemoArguments {
  std::vector<std::string> files;
  bool fast = false;
  std::optional<double> speed;
};

/// `1:02.5`; hours run on in the minutes.
std::string clock_text(Time time) {
  const auto tenths = time.count() / 100'000;
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%3lld:%02d.%d", static_cast<long long>(tenths / 600),
                static_cast<int>(tenths / 10 % 60), static_cast<int>(tenths % 10));
  return out.data();
}

constexpr std::size_t kRowsAboveEvents = 12;  // at least, so that events do not jump while lights come and go

// ---- a game ----------------------------------------------------------------------------------------------------------------

/// One game as people see it.
class Show {
 public:
  /// Keeps a reference to the trace. `speed` is virtual time over time, 0 for no waiting at all.
  Show(const Trace& trace, std::string file, double speed)
      : game_(*trace.game), playback_(trace), length_(trace.events.back().time), file_(std::move(file)), speed_(speed) {}

  void in_lines() {
    std::cout << game_.title << " (" << file_ << ")\n";
    for (std::size_t told = 0; advance();) {
      for (; told < said_.size(); ++told) std::cout << said_[told] << '\n';
      if (speed_ > 0) std::cout << std::flush;
    }
    std::cout << '\n';
    for (const std::string& line : board(Ink::plain, 80)) std::cout << line << '\n';
    std::cout << '\n' << movetext(playback_.tracker().record()) << std::flush;
  }

  void on(Screen& screen) {
    screen.show(picture());
    while (advance()) screen.show(picture());
    screen.leave();
    std::cout << '\n' << movetext(playback_.tracker().record()) << std::flush;
  }

 private:
  /// Waits for the next moment and goes there; false when the game is over.
  bool advance() {
    const auto next = playback_.next();
    if (!next) return false;
    if (speed_ > 0) {
      const std::chrono::duration<double, Time::period> since_began(static_cast<double>(next->count()) / speed_);
      std::this_thread::sleep_until(began_ + std::chrono::duration_cast<Clock::duration>(since_began));
    }
    for (const TrackerEvent& event : playback_.advance()) {
      said_.push_back(clock_text(event.time) + "  " + sentence(event, game_, playback_.trace().start));
    }
    return true;
  }

  /// The board and below it what its lights mean.
  [[nodiscard]] std::vector<std::string> board(Ink ink, std::size_t columns) const {
    const Scene scene = playback_.scene();
    std::vector<std::string> out = draw_board(game_, playback_.tracker().view(), scene, ink);
    for (std::string& line : draw_legend(game_, scene, columns, ink)) out.push_back(std::move(line));
    return out;
  }

  [[nodiscard]] std::string headline() const {
    const Position& position = playback_.tracker().record().position();
    std::string out = std::string(game_.title) + " " + clock_text(playback_.now()) + " of" + clock_text(length_);
    if (!playback_.tracker().record().outcome().over()) out += "   " + colour_word(game_, to_act(position)) + " to act";
    if (game_.tray != 0) out += "   reserve" + reserves(position);
    return out + "   " + file_;
  }

  /// ` W 12 B 11`
  [[nodiscard]] std::string reserves(const Position& position) const {
    std::vector<int> left(game_.colours.size(), game_.tray);
    const Picture picture(game_, position);
    for (const SiteInfo& info : geometry(position).sites) {
      if (!picture[info.site].is_empty()) --left[picture[info.site].player()];
    }
    std::string out;
    for (std::size_t i = 0; i < left.size(); ++i) out += std::string(" ") + game_.colours[i] + " " + std::to_string(left[i]);
    return out;
  }

  /// What fits on the screen: the headline, the board, what the lights mean, and the latest events.
  [[nodiscard]] std::vector<std::string> picture() const {
    const auto [rows, columns] = Screen::size();
    std::vector<std::string> out{headline().substr(0, columns), ""};
    for (std::string& line : board(terminal_ink(), columns)) out.push_back(std::move(line));
    while (out.size() < kRowsAboveEvents) out.emplace_back();
    out.emplace_back();
    out.resize(std::min(out.size(), rows - 1));
    const std::size_t most = rows - out.size();
    for (std::size_t i = said_.size() - std::min(most, said_.size()); i < said_.size(); ++i) {
      out.push_back(said_[i].substr(0, columns));
    }
    return out;
  }

  const GameInfo& game_;
  Playback playback_;
  Time length_;
  std::string file_;
  double speed_;
  Clock::time_point began_ = Clock::now();
  std::vector<std::string> said_;
};

double speed_for(const Trace& trace, const DemoArguments& arguments, bool terminal) {
  if (arguments.speed) return *arguments.speed;
  if (arguments.fast || !terminal) return 0;
  const auto length = trace.events.back().time;
  return std::max(1.0, static_cast<double>(length.count()) / static_cast<double>(Time(kUsualLength).count()));
}

int run(const DemoArguments& arguments) {
  const auto traces = read_trace_files(arguments.files);
  if (!traces) return kBadInput;
  std::optional<Screen> screen;
  if (on_terminal()) screen.emplace();
  for (std::size_t i = 0; i < traces->size(); ++i) {
    if (i > 0) std::cout << std::endl;
    if (i > 0 && screen && !arguments.fast) std::this_thread::sleep_for(kReadingTime);
    Show show((*traces)[i], std::filesystem::path(arguments.files[i]).filename(),
              speed_for((*traces)[i], arguments, screen.has_value()));
    if (screen) {
      show.on(*screen);
    } else {
      show.in_lines();
    }
  }
  return kDone;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "demo", "Watch games from trace files: the board, its lights and what happens, then the game record");
  const auto arguments = std::make_shared<DemoArguments>();
  command->add_option("FILE", arguments->files, "Trace files")->required();
  auto* fast = command->add_flag("--fast", arguments->fast, "Do not wait");
  command
      ->add_option("--speed", arguments->speed,
                   "How many times faster than it was played (default: a game takes half a minute;\n"
                   "without a terminal there is no waiting)")
      ->type_name("X")
      ->check(CLI::Range(0.01, 1e6))
      ->excludes(fast);
  command->footer("Example:\n  merel demo tests/traces/morris-l1-occ-101-000.trace");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace merel
