// The self-test: somebody puts a piece on each cell and lifts it again, one screen shows what the sensors make of it. Without a
// daemon it says why there is none.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "daemon/client/daemon_client.h"
#include "daemon/merel/child_process.h"
#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/screen.h"
#include "daemon/merel/sensor_walk.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

constexpr int kLookEvery = 100;  // milliseconds
constexpr std::size_t kLevelWidth = 10;

std::string cell(const WalkedSensor& sensor) {
  switch (sensor.verdict) {
    case SensorVerdict::untouched: return " . ";
    case SensorVerdict::half: return " - ";
    case SensorVerdict::seen: return " + ";
    case SensorVerdict::together: return "=" + sensor.partner;
    case SensorVerdict::aside: return " # ";
    case SensorVerdict::flapping: return " ~ ";
  }
  return "";
}

std::string cells(const SensorWalk& walk, SensorVerdict verdict) {
  std::vector<std::string> out;
  for (const WalkedSensor& sensor : walk.sensors()) {
    if (sensor.verdict != verdict) continue;
    out.push_back(sensor.cell + (sensor.partner.empty() ? "" : " with " + sensor.partner));
  }
  return joined(out, ", ");
}

/// What stands in the way of the board's wires, as the daemon sees it; empty when it cannot tell.
Json findings(const DaemonLink& link) {
  const auto answer = DaemonClient(link.socket()).call("GET", "/api/preflight");
  return answer && answer->status == 200 ? list_at(read_answer(answer->body), "findings") : Json::array();
}

/// More than a warning.
bool in_the_way(const Json& found) {
  return std::any_of(found.begin(), found.end(), [](const Json& finding) { return !flag_at(finding, "warning"); });
}

/// What was found on the wires, the board, and below it what its sensors did, sentence by sentence.
std::vector<std::string> report(const SensorWalk& walk, const Json& found) {
  std::vector<std::string> out;
  for (const Json& finding : found) {
    const std::string where = text_at(finding, "where");
    out.push_back(harmless((flag_at(finding, "warning") ? "Warning: " : "Wires: ") + text_at(finding, "what") +
                           (where.empty() ? "" : " (" + where + ")")));
  }
  if (!walk.source().empty()) out.push_back("Board: " + harmless(walk.source()));
  for (std::string& line : draw_sensors(walk, cell)) out.push_back(harmless(line));
  out.emplace_back("   + seen, - only once, . never changed, = together with, ~ flapping, # set aside by the game");
  const bool levels =
      std::any_of(walk.sensors().begin(), walk.sensors().end(), [](const auto& s) { return !s.level.empty(); });
  if (levels) {
    const auto level = [](const WalkedSensor& sensor) { return sensor.level; };
    for (std::string& line : draw_sensors(walk, level, kLevelWidth)) out.push_back(harmless(line));
    out.emplace_back("   N or S: which pole is up (small: weak), deviation / margin in counts of 0.027 mT");
  }
  out.push_back(std::to_string(walk.count(SensorVerdict::seen)) + " of " + std::to_string(walk.sensors().size()) +
                " sensors seen");
  const auto name = [&](const char* what, SensorVerdict verdict) {
    const std::string which = cells(walk, verdict);
    if (!which.empty()) out.push_back(what + harmless(which));
  };
  name("Never changed: ", SensorVerdict::untouched);
  name("Changed only once: ", SensorVerdict::half);
  name("Changed together: ", SensorVerdict::together);
  name("Flapping: ", SensorVerdict::flapping);
  name("Set aside by the game: ", SensorVerdict::aside);
  return out;
}

bool sick(const SensorWalk& walk) {
  return !walk.source().empty() ||
         walk.count(SensorVerdict::together) + walk.count(SensorVerdict::flapping) + walk.count(SensorVerdict::aside) > 0;
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::cout << line << '\n';
}

/// Without a daemon: why it does not answer, and what its own check says.
int without_daemon(const std::string& why) {
  std::cout << harmless(why) << '\n';
  const ChildEnd check = run_program({mereld_program(), "--check"}, std::chrono::seconds(10));
  if (check.started) {
    std::cout << "\nmereld --check says:\n" << harmless(check.output, true);
  } else {
    std::cout << "\nmereld is not installed here\n";
  }
  return kNo;
}

int once(const DaemonLink& link) {
  const auto answer = link.ask("GET", "/api/sensors");
  if (!answer) return answer.error();
  SensorWalk walk(true);
  walk.look(read_answer(*answer));
  const Json found = findings(link);
  if (link.json()) {
    Json all = read_answer(*answer);
    if (all.is_object()) all["findings"] = found;
    print_answer(written(all));
  } else {
    print(report(walk, found));
  }
  return sick(walk) || in_the_way(found) ? kNo : kDone;
}

/// Until somebody presses q or every sensor has been judged.
int walk_the_board(const DaemonLink& link) {
  const DaemonClient client(link.socket());
  const Json found = findings(link);
  SensorWalk walk;
  std::string lost;
  {
    Screen screen;
    const Keys keys;
    for (bool more = true; more;) {
      const auto answer = client.call("GET", "/api/sensors");
      lost = answer ? "" : answer.error();
      if (!lost.empty()) break;
      walk.look(read_answer(answer->body));
      std::vector<std::string> picture{"Put a piece on every cell and lift it again, in any order. q ends.", ""};
      for (std::string& line : report(walk, found)) picture.push_back(std::move(line));
      picture.resize(std::min(picture.size(), Screen::size().first));
      screen.show(picture);
      more = walk.count(SensorVerdict::untouched) + walk.count(SensorVerdict::half) > 0;
      pollfd ready{keys.fd(), POLLIN, 0};
      poll(&ready, 1, kLookEvery);
      for (char key = keys.next(); key != 0; key = keys.next()) more = more && key != 'q' && key != '\x04';
    }
    screen.leave();
  }
  if (!lost.empty()) return without_daemon(lost);
  return sick(walk) || in_the_way(found) || walk.count(SensorVerdict::seen) < walk.sensors().size() ? kNo : kDone;
}

int run(const DaemonLink& link, bool only_once) {
  const auto state = DaemonClient(link.socket()).call("GET", "/api/state");
  if (!state) {
    if (link.json()) return complain(state.error(), kBadInput);
    return without_daemon(state.error());
  }
  if (only_once || link.json()) return once(link);
  if (!on_terminal() || isatty(STDIN_FILENO) != 1) {
    return complain("selftest: the walk over the board needs a terminal; --once prints what is known now", kBadInput);
  }
  const std::string phase = text_at(read_answer(state->body), "phase");
  if (phase == "setup" || phase == "play" || phase == "restore") {
    return complain("selftest: a game is on the board; end it first (merel abort), or use --once", kNo);
  }
  return walk_the_board(link);
}

}  // namespace

void add_selftest(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("selftest", "Try every sensor: put a piece on each cell, lift it, and see what was noticed");
  const auto link = std::make_shared<DaemonLink>();
  const auto only_once = std::make_shared<bool>(false);
  command->add_flag("--once", *only_once, "print what is known since mereld was started, ask for nothing");
  link->add_options(*command);
  command->footer(
      "Example:\n  merel selftest\n\nWhere mereld does not answer, its own check of the configuration is shown instead.");
  command->callback([link, only_once, &exit_code] { exit_code = run(*link, *only_once); });
}

}  // namespace merel
