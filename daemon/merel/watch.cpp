// The live board and its lights in the terminal, or what happens line by line, from the daemon's event stream.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/event_feed.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/live_state.h"
#include "daemon/merel/screen.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRowsAboveEvents = 14;  // at least, so that events do not jump while lights come and go
constexpr std::size_t kKept = 200;            // events for the largest screen

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// When an event happened: the game's own events say so.
std::string when(const Json& event) {
  const std::int64_t at = number_at(event, "at");
  return time_of_day(at > 0 ? at : unix_ms());
}

/// What is watched, in words and as a picture.
class Watched {  // NOLINT(bugprone-exception-escape): as for LiveState
 public:
  /// Takes in what came; gives the sentences that are new.
  std::vector<std::string> take(const EventFeed::Item& item) {
    if (item.broken) {
      if (std::exchange(broken_, true)) return {};
      return {time_of_day(unix_ms()) + "  " + harmless(item.text) + "; trying again"};
    }
    const Json message = read_answer(item.text);
    const bool whole = text_at(message, "type") == "state";
    std::vector<std::string> out;
    if (whole && std::exchange(broken_, false)) out.push_back(time_of_day(unix_ms()) + "  Connected again");
    live_.apply(message);
    if (whole || text_at(message, "type") == "clock") told_ = Clock::now();
    if (whole) {
      for (const std::string& line : status_lines(live_.state())) out.push_back(time_of_day(unix_ms()) + "  " + line);
    } else if (const std::string line = event_line(message, game_of(live_.state())); !line.empty()) {
      out.push_back(when(message) + "  " + line);
    }
    return out;
  }

  [[nodiscard]] bool clock_runs() const { return !broken_ && !text_at(at(live_.state(), "clock"), "running").empty(); }

  /// As much as fits on the screen, the latest of `said` at the bottom.
  [[nodiscard]] std::vector<std::string> picture(const std::vector<std::string>& said) const {
    const auto [rows, columns] = Screen::size();
    const Json& state = live_.state();
    const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - told_).count();
    std::vector<std::string> out{(headline(state) + "   " + clock_words(state, clock_runs() ? gone : 0)).substr(0, columns),
                                 ""};
    for (std::string& line : draw_state(state, columns, terminal_ink())) out.push_back(std::move(line));
    out.emplace_back();
    out.push_back(harmless(text_at(at(state, "view"), "advice")));
    for (std::string& line : fault_lines(state)) out.push_back(std::move(line));
    if (broken_) out.emplace_back("mereld does not answer; this is how the board stood");
    while (out.size() < kRowsAboveEvents) out.emplace_back();
    out.emplace_back();
    out.resize(std::min(out.size(), rows - 1));
    const std::size_t most = std::min(rows - out.size(), said.size());
    out.insert(out.end(), said.end() - static_cast<std::ptrdiff_t>(most), said.end());
    return out;
  }

 private:
  LiveState live_;
  Clock::time_point told_ = Clock::now();  ///< when the clocks were told
  bool broken_ = false;
};

/// Waits for input on either, at most so long; -1: without end.
void wait_for(int feed, int keys, int milliseconds) {
  std::array<pollfd, 2> inputs{pollfd{feed, POLLIN, 0}, pollfd{keys, POLLIN, 0}};
  poll(inputs.data(), inputs.size(), milliseconds);
}

/// Until q. Only the daemon's first refusal is an error.
int on_screen(EventFeed& feed) {
  Watched watched;
  std::vector<std::string> said;
  std::optional<Screen> screen;
  std::optional<Keys> keys;
  for (;;) {
    for (const EventFeed::Item& item : feed.take()) {
      if (!screen && item.broken) return complain(item.text, kBadInput);
      if (!screen) {
        screen.emplace();
        keys.emplace();
      }
      for (std::string& line : watched.take(item)) said.push_back(std::move(line));
      if (said.size() > kKept) said.erase(said.begin(), said.end() - kKept);
    }
    if (screen) screen->show(watched.picture(said));
    wait_for(feed.fd(), keys ? keys->fd() : -1, watched.clock_runs() ? 1000 : -1);
    if (!keys) continue;
    for (char key = keys->next(); key != 0; key = keys->next()) {
      if (key == 'q' || key == '\x04') return kDone;
    }
  }
}

/// Until a signal, or until nobody reads any more.
int in_lines(EventFeed& feed, bool json) {
  Watched watched;
  for (bool first = true;;) {
    wait_for(feed.fd(), -1, -1);
    for (const EventFeed::Item& item : feed.take()) {
      if (first && item.broken) return complain(item.text, kBadInput);
      first = false;
      const std::vector<std::string> lines = watched.take(item);
      if (json && item.broken) {
        if (!lines.empty()) complain(item.text + "; trying again", kDone);
      } else if (json) {
        std::cout << item.text << '\n';
      } else {
        for (const std::string& line : lines) std::cout << line << '\n';
      }
    }
    if (!std::cout.flush()) return complain("standard output: cannot be written", kBadInput);
  }
}

}  // namespace

void add_watch(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("watch", "Watch the live board and its lights; q ends");
  const auto link = std::make_shared<DaemonLink>();
  const auto lines = std::make_shared<bool>(false);
  command->add_flag("--lines", *lines, "one sentence a line for what happens, no picture (so it is without a terminal)");
  link->add_options(*command);
  command->footer("Example:\n  merel watch");
  command->callback([link, lines, &exit_code] {
    EventFeed feed(link->socket());
    const bool picture = !*lines && !link->json() && on_terminal();
    exit_code = picture ? on_screen(feed) : in_lines(feed, link->json());
  });
}

}  // namespace merel
