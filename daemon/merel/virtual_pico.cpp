// `merel virtual-pico`: a board with a Pico for those who have none yet, behind a port of its own and with hands in words.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "drivers/hall/hand_words.h"
#include "firmware/core/senses.h"
#include "firmware/native/virtual_pico.h"

namespace merel {
namespace {

constexpr std::string_view kOwnWords =
    "press 1                the first player's button goes down\n"
    "release 1              and up\n"
    "lights                 what each cell's light shows, as RRGGBB\n"
    "levels                 what each cell's sensor reads now, in counts of the converter\n"
    "unplug                 the cable is pulled\n"
    "plug                   and put in again\n"
    "wait 0.5               so many seconds, for scripts\n"
    "help                   these lines\n"
    "quit                   the end; so is the end of the input\n";

struct PicoArguments {
  std::string port;
  std::uint64_t seed = 1;
  bool ideal = false;
};

/// A value a cell, the highest rank on top.
template <typename Text>
std::string grid(Text&& text) {
  std::string out;
  for (std::size_t rank = lattice7::kFiles; rank-- > 0;) {
    for (std::size_t file = 0; file < lattice7::kFiles; ++file) {
      out += (file == 0 ? "" : " ") + text(rank * lattice7::kFiles + file);
    }
    out += '\n';
  }
  return out;
}

std::string lights_text(VirtualPico& pico) {
  const std::vector<std::uint32_t> lights = pico.lights();
  return grid([&](std::size_t place) {
    std::array<char, 8> hex{};
    const std::uint32_t light = place < lights.size() ? lights[place] : 0;
    std::snprintf(hex.data(), hex.size(), light == 0 ? "     ." : "%06X", light);
    return std::string(hex.data());
  });
}

std::string levels_text(VirtualPico& pico) {
  AnalogueBoard::Levels levels{};
  pico.at_board([&](AnalogueBoard& board) { levels = board.levels(); });
  return grid([&](std::size_t channel) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%4u", levels[channel]);
    return std::string(text.data());
  });
}

/// What is to be said to a line; nothing when it is the end.
std::optional<std::string> answer(VirtualPico& pico, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  if (!(words >> command)) return "";
  const auto complaint = [](const std::string& what) { return "? " + what + "; help lists the commands\n"; };
  if (command == "quit") return std::nullopt;
  if (command == "help") return std::string(kHandWords) + std::string(kOwnWords);
  if (command == "lights") return lights_text(pico);
  if (command == "levels") return levels_text(pico);
  if (command == "unplug") {
    pico.unplug();
    return "";
  }
  if (command == "plug") {
    const auto plugged = pico.plug();
    return plugged ? "" : "? " + plugged.error() + "\n";
  }
  if (command == "press" || command == "release") {
    int button = 0;
    if (!(words >> button) || button < 1 || button > static_cast<int>(firmware::Senses::kButtons)) {
      return complaint(command + " wants the number of a button, 1 to " + std::to_string(firmware::Senses::kButtons));
    }
    pico.press(static_cast<std::uint8_t>(button - 1), command == "press");
    return "";
  }
  if (command == "wait") {
    double seconds = -1;
    if (!(words >> seconds) || !(seconds >= 0 && seconds <= 3600)) return complaint("wait wants seconds, 0 to 3600");
    std::this_thread::sleep_for(std::chrono::milliseconds(std::lround(seconds * 1000)));
    return "";
  }
  std::optional<std::string> wrong;
  pico.at_board([&](AnalogueBoard& board) { wrong = obey(board, line); });
  return wrong ? complaint(*wrong) : "";
}

int run(const PicoArguments& arguments) {
  VirtualPico pico(arguments.port, arguments.ideal ? kIdealParts : PartSpread{}, arguments.seed);
  if (const auto plugged = pico.plug(); !plugged) return complain(plugged.error(), kBadInput);
  const bool people = isatty(STDIN_FILENO) != 0;
  const auto say = [](const std::string& text) { std::cout << text << std::flush; };
  say("A board with a Pico is at " + arguments.port +
      (people ? ": name it as `device` in a copy of boards/lattice7-pico.toml, start mereld with that\n"
                "profile, and put pieces here; help lists the commands.\n"
              : ".\n"));
  for (std::string line;;) {
    if (people) say("> ");
    if (!std::getline(std::cin, line)) break;
    const auto said = answer(pico, line);
    if (!said) return kDone;
    say(*said);
  }
  if (people) say("\n");
  return kDone;
}

}  // namespace

void add_virtual_pico(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<PicoArguments>();
  CLI::App* command = app.add_subcommand(
      "virtual-pico", "Stand in for a board with a Pico: its firmware, with simulated sensors and magnets");
  command->add_option("port", arguments->port, "The path that its port shall have")->required()->type_name("PORT");
  command->add_option("--seed", arguments->seed, "Other sensors and magnets: each number another board")
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--ideal", arguments->ideal, "Sensors and magnets without spread and noise");
  command->footer(
      "The firmware itself, with simulated sensors and magnets as uneven as real ones. It does all that a\n"
      "board on a cable does, calibration included, which it forgets when it ends.\n\n"
      "Commands come from standard input, a line each; `help` lists them.\n\n"
      "Example:\n  merel virtual-pico ~/pico-board");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace merel
