// What people ask of the game on the board: how it stands, new, take-back, choice, the ways to end it, and its two switches.
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

/// A command whose only arguments are at most a few words.
struct Order {
  DaemonLink link;
  std::string player;
  std::string on;
  std::vector<std::string> steps;
};

std::shared_ptr<Order> add_order(CLI::App& app, const char* name, const char* what, const char* example,
                                 CLI::App*& command) {
  const auto order = std::make_shared<Order>();
  command = app.add_subcommand(name, what);
  order->link.add_options(*command);
  command->footer(std::string("Example:\n  ") + example);
  return order;
}

Json player_body(const std::string& player) { return player.empty() ? Json::object() : Json{{"player", player}}; }

// ---- new -------------------------------------------------------------------------------------------------------------------

struct NewGameArguments {
  DaemonLink link;
  std::string game;
  std::vector<std::string> options;
  std::optional<std::string> position;
  std::vector<std::string> players;
  std::string clock;
  bool no_clock = false;

  int run() const;
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

/// `MINUTES` or `MINUTES+SECONDS`.
std::optional<Json> read_clock(std::string_view text) {
  const std::size_t plus = text.find('+');
  const auto minutes = number(text.substr(0, plus));
  const auto seconds = plus == std::string_view::npos ? std::optional(0.0) : number(text.substr(plus + 1));
  if (!minutes || !seconds) return std::nullopt;
  return Json{{"initial_s", *minutes * 60}, {"increment_s", *seconds}};
}

int NewGameArguments::run() const {
  Json body = Json::object();
  if (!game.empty()) body["game"] = game;
  for (const std::string& pair : options) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return complain("new: --option '" + pair + "' must be KEY=VALUE, like flying=false", kBadInput);
    }
    body["options"][pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  if (position) body["position"] = *position;
  if (!players.empty()) body["players"] = players;
  if (no_clock) body["clock"] = nullptr;
  if (!clock.empty()) {
    const auto read = read_clock(clock);
    if (!read) return complain("new: --clock '" + clock + "' must be MINUTES+SECONDS, like 10+5, or MINUTES", kBadInput);
    body["clock"] = *read;
  }
  return link.order("/api/game", body);
}

void add_new(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("new", "Begin a new game; the lights lead the pieces to its start");
  const auto arguments = std::make_shared<NewGameArguments>();
  command->add_option("GAME", arguments->game, "pinuid-classic, morris, … (default: the configured game)");
  command->add_option("--option", arguments->options, "a rule option; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--position", arguments->position, "the position to begin from instead of the game's start");
  command->add_option("--player", arguments->players, "a player's name, in seating order; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  auto* clock = command->add_option("--clock", arguments->clock, "a clock for each player, and what a turn adds")
                    ->type_name("MINUTES+SECONDS");
  command->add_flag("--no-clock", arguments->no_clock, "no clock, whatever the configuration says")->excludes(clock);
  arguments->link.add_options(*command);
  command->footer("Example:\n  merel new morris --player Anna --player Ben --clock 10+5");
  command->callback([arguments, &exit_code] { exit_code = arguments->run(); });
}

/// `help-lights` and `record`.
void add_switch(CLI::App& app, int& exit_code, const char* name, const char* what, const char* example, const char* target) {
  CLI::App* command = nullptr;
  const auto order = add_order(app, name, what, example, command);
  command->add_option("on|off", order->on, "on or off")->required()->check(CLI::IsMember({"on", "off"}));
  command->callback([order, target, &exit_code] { exit_code = order->link.order(target, {{"on", order->on == "on"}}); });
}

/// `takeback` and `abort`: nothing but the wish.
void add_wish(CLI::App& app, int& exit_code, const char* name, const char* what, const char* example, const char* target) {
  CLI::App* command = nullptr;
  const auto order = add_order(app, name, what, example, command);
  command->callback([order, target, &exit_code] { exit_code = order->link.order(target, Json::object()); });
}

/// `resign` and `draw`: a player may be named.
void add_players_wish(CLI::App& app, int& exit_code, const char* name, const char* what, const char* example,
                      const char* target, const char* whose) {
  CLI::App* command = nullptr;
  const auto order = add_order(app, name, what, example, command);
  command->add_option("PLAYER", order->player, whose);
  command->callback([order, target, &exit_code] { exit_code = order->link.order(target, player_body(order->player)); });
}

}  // namespace

void add_status(CLI::App& app, int& exit_code) {
  CLI::App* command = nullptr;
  const auto order =
      add_order(app, "status", "Say how the game on the board stands and what to do now", "merel status", command);
  command->callback([order, &exit_code] {
    const auto answer = order->link.ask("GET", "/api/state");
    exit_code = answer ? kDone : answer.error();
    if (!answer) return;
    if (order->link.json()) return print_answer(*answer);
    for (const std::string& line : status_lines(read_answer(*answer))) std::cout << line << '\n';
  });
}

void add_game_commands(CLI::App& app, int& exit_code) {
  add_new(app, exit_code);
  add_wish(app, exit_code, "takeback", "Take the last turn back; the lights lead the pieces back", "merel takeback",
           "/api/game/takeback");
  CLI::App* command = nullptr;
  const auto choice = add_order(app, "choose", "Say which steps this player has made in this turn, when the board asks",
                                "merel choose d3-d2 xg4", command);
  command->add_option("STEP", choice->steps, "steps such as +d2, d2-d3 or xg4")->required();
  command->callback([choice, &exit_code] {
    exit_code = choice->link.order("/api/game/choose", {{"steps", choice->steps}});
  });
  add_players_wish(app, exit_code, "resign", "Give a game up", "merel resign W", "/api/game/resign",
                   "the colour letter of who gives up (default: the player to act)");
  add_players_wish(app, exit_code, "draw", "Offer a draw, or agree to one", "merel draw B", "/api/game/draw",
                   "the colour letter of who offers (default: all players agree)");
  add_wish(app, exit_code, "abort", "Stop the game without a result; it stays in the archive", "merel abort",
           "/api/game/abort");
  add_switch(app, exit_code, "help-lights", "Switch the lights that show possible moves on or off", "merel help-lights off",
             "/api/help");
}

void add_record(CLI::App& app, int& exit_code) {
  add_switch(app, exit_code, "record", "Record what the sensors say in this and every further game, or no longer",
             "merel record on", "/api/record");
}

}  // namespace merel
