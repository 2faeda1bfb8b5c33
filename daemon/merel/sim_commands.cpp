// The hands of the virtual board: `merel sim …`.
#include <cmath>
#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/whole_file.h"

namespace merel {
namespace {

struct SimArguments {
  DaemonLink link;
  std::string site;
  std::string colour;
  std::string word;
  double seconds = 0.1;
  double speed = 1;
  int count = 0;
};

int lift(const SimArguments& a) { return a.link.order_quietly("/api/sim/lift", {{"site", a.site}}); }

int put(const SimArguments& a) {
  Json body{{"site", a.site}};
  if (!a.colour.empty()) body["colour"] = a.colour;
  return a.link.order_quietly("/api/sim/put", body);
}

int button(const SimArguments& a) {
  const auto hold_ms = std::lround(a.seconds * 1000);
  return a.link.order_quietly("/api/sim/button", {{"player", a.colour}, {"hold_ms", hold_ms}});
}

int tray(const SimArguments& a) { return a.link.order_quietly("/api/sim/tray", {{"player", a.colour}, {"count", a.count}}); }

int fault(const SimArguments& a) {
  Json body{{"kind", a.word}};
  if (!a.site.empty()) body["site"] = a.site;
  return a.link.order_quietly("/api/sim/fault", body);
}

int arrange(const SimArguments& a) { return a.link.order_quietly("/api/sim/arrange", {{"to", a.word}}); }

int play(const SimArguments& a) {
  const auto trace = read_whole_file(a.word);
  if (!trace) return complain(a.word + ": cannot be read", kBadInput);
  const auto answer = a.link.ask("POST", "/api/sim/play?speed=" + Json(a.speed).dump(), *trace, a.word);
  if (!answer) return answer.error();
  if (a.link.json()) {
    print_answer(*answer);
    return kDone;
  }
  std::cout << "the hands are done in " << number_at(read_answer(*answer), "ends_in_s") << " s; merel watch shows them\n";
  return kDone;
}

int look(const SimArguments& a) {
  const auto answer = a.link.ask("GET", "/api/sim");
  if (!answer) return answer.error();
  if (a.link.json()) {
    print_answer(*answer);
    return kDone;
  }
  const Json sim = read_answer(*answer);
  std::vector<std::string> pieces;
  for (const auto& [site, letter] : object_at(sim, "pieces").items()) {
    if (letter.is_string()) pieces.push_back(site + " " + letter.get<std::string>());
  }
  std::cout << "pieces: " << (pieces.empty() ? "none" : joined(pieces, ", ")) << '\n';
  std::vector<std::string> lamps;
  for (const auto& [site, lamp] : object_at(sim, "lamps").items()) {
    std::vector<std::string> parts;
    for (const Json& part : lamp) parts.push_back(part.is_string() ? part.get<std::string>() : part.dump());
    lamps.push_back(site + " " + joined(parts, " "));
  }
  std::cout << "lamps (red green blue effect): " << (lamps.empty() ? "dark" : joined(lamps, ", ")) << '\n';
  std::vector<std::string> faults;
  for (const Json& one : list_at(sim, "faults")) {
    const std::string site = text_at(one, "site");
    faults.push_back((site.empty() ? "" : site + " ") + text_at(one, "kind"));
  }
  std::cout << "faults: " << (faults.empty() ? "none" : joined(faults, ", ")) << '\n';
  return kDone;
}

}  // namespace

void add_sim(CLI::App& app, int& exit_code) {
  CLI::App* sim =
      app.add_subcommand("sim", "The virtual board's hands: move its pieces, press its buttons, break its sensors");
  sim->require_subcommand(1);
  sim->footer("Example:\n  merel sim put d2 W\n\n'merel sim COMMAND --help' shows each command with an example.");
  const auto add = [&](const char* name, const char* what, const char* example, int (*run)(const SimArguments&)) {
    CLI::App* command = sim->add_subcommand(name, what);
    auto arguments = std::make_shared<SimArguments>();
    arguments->link.add_options(*command);
    command->footer(std::string("Example:\n  ") + example);
    command->callback([arguments, run, &exit_code] { exit_code = run(*arguments); });
    return std::pair(command, arguments);
  };
  {
    auto [command, arguments] = add("lift", "Lift the piece from a site", "merel sim lift d2", lift);
    command->add_option("SITE", arguments->site, "a site's name")->required();
  }
  {
    auto [command, arguments] = add("put", "Put a piece on a site", "merel sim put d2 W", put);
    command->add_option("SITE", arguments->site, "a site's name")->required();
    command->add_option("COLOUR", arguments->colour, "its colour letter (default: the piece lifted last)");
  }
  {
    auto [command, arguments] = add("button", "Press a player's button", "merel sim button W --hold 3", button);
    command->add_option("COLOUR", arguments->colour, "the player's colour letter")->required();
    command->add_option("--hold", arguments->seconds, "how long it stays down")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.0, 60.0))
        ->capture_default_str();
  }
  {
    auto [command, arguments] =
        add("tray", "Pylos: so many spheres lie in a player's tray now", "merel sim tray W 14", tray);
    command->add_option("COLOUR", arguments->colour, "the player's colour letter")->required();
    command->add_option("COUNT", arguments->count, "spheres")->required()->check(CLI::Range(0, 255));
  }
  {
    auto [command, arguments] =
        add("fault", "Break a sensor, pull the cable, or mend everything", "merel sim fault stuck d2", fault);
    command->add_option("KIND", arguments->word, "stuck, flapping, dropped, unplugged, or none: all is mended")
        ->required()
        ->check(CLI::IsMember({"stuck", "flapping", "dropped", "unplugged", "none"}));
    command->add_option("SITE", arguments->site, "which sensor, for the first three");
  }
  {
    auto [command, arguments] = add("arrange", "Make the pieces stand as the game's record says, or clear the board",
                                    "merel sim arrange record", arrange);
    command->add_option("record|empty", arguments->word, "what the board is to show")
        ->required()
        ->check(CLI::IsMember({"record", "empty"}));
  }
  {
    auto [command, arguments] = add("play", "Begin the game of a trace and let its hands play it",
                                    "merel sim play tests/traces/morris-l1-occ-101-000.trace --speed 10", play);
    command->add_option("TRACEFILE", arguments->word, "a trace (merel export --format trace)")->required();
    command->add_option("--speed", arguments->speed, "how many times faster than it was played")
        ->type_name("X")
        ->check(CLI::Range(0.01, 1000.0))
        ->capture_default_str();
  }
  add("show", "Show its pieces, lamps and faults", "merel sim show", look);
}

}  // namespace merel
