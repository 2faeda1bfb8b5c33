// What every sensor reads, as a board and as a table of what is odd.
#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/sensor_walk.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

/// Why a sensor is in the table; empty for one that is as it should be.
std::string oddity(const WalkedSensor& sensor) {
  if (sensor.verdict == SensorVerdict::flapping) return "flaps";
  if (sensor.verdict == SensorVerdict::aside) return "set aside: the game goes on without it";
  if (sensor.raw != sensor.contents) return "reads " + sensor.raw + ", not settled yet";
  return "";
}

std::string cell(const WalkedSensor& sensor) {
  std::string mark = " ";
  if (sensor.verdict == SensorVerdict::flapping) mark = "~";
  if (sensor.verdict == SensorVerdict::aside) mark = "#";
  if (mark == " " && sensor.raw != sensor.contents) mark = "!";
  return mark + harmless(sensor.contents) + mark;
}

void print(const SensorWalk& walk) {
  if (!walk.source().empty()) std::cout << "Board: " << harmless(walk.source()) << '\n';
  for (const std::string& line : draw_sensors(walk, cell)) std::cout << line << '\n';
  std::cout << "   . empty, o or a letter: a piece; ~ flaps, # set aside, ! not settled\n";
  bool odd = false;
  for (const WalkedSensor& sensor : walk.sensors()) {
    const std::string why = oddity(sensor);
    if (why.empty()) continue;
    if (!odd) std::cout << "\ncell  channel  changes  what\n";
    odd = true;
    std::string line = sensor.cell;
    const auto column = [&line](const std::string& text, std::size_t at) {
      line.resize(std::max(line.size() + 1, at), ' ');
      line += text;
    };
    column(std::to_string(sensor.channel), 6);
    column(std::to_string(sensor.changes), 15);
    column(why, 24);
    std::cout << harmless(line) << '\n';
  }
  if (!odd) std::cout << "\nno sensor is odd\n";
  if (const std::size_t quiet = walk.count(SensorVerdict::untouched); quiet > 0) {
    std::cout << quiet << " of " << walk.sensors().size() << " have not changed since mereld was started (merel selftest)\n";
  }
}

}  // namespace

void add_sensors(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("sensors", "Show what every sensor reads, and which of them are odd");
  const auto link = std::make_shared<DaemonLink>();
  link->add_options(*command);
  command->footer("Example:\n  merel sensors");
  command->callback([link, &exit_code] {
    const auto answer = link->ask("GET", "/api/sensors");
    exit_code = answer ? kDone : answer.error();
    if (!answer) return;
    if (link->json()) return print_answer(*answer);
    SensorWalk walk(true);
    walk.look(read_answer(*answer));
    print(walk);
  });
}

}  // namespace merel
