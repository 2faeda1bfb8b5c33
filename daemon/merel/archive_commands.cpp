// The archive of games: list, show, export, import, delete.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/live_state.h"
#include "daemon/merel/state_words.h"
#include "daemon/merel/whole_file.h"

namespace merel {
namespace {

struct ArchiveArguments {
  DaemonLink link;
  std::string id = "latest";
  std::vector<std::string> many;  // files or ids
  int limit = 50;
  std::string before;
  std::string format = "json";
  std::string file;
  bool yes = false;
};

std::string game_target(const std::string& id, const std::string& format = "json") {
  return "/api/games/" + encoded(id) + "?format=" + format;
}

// ---- games -----------------------------------------------------------------------------------------------------------------

/// Columns that a UTF-8 text takes, as long as it holds no wide characters.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string result_words(const Json& game, const GameInfo* info) {
  const std::string state = text_at(game, "state");
  if (state == "running" || state == "aborted") return state;
  const std::string result = text_at(game, "result");
  if (result == "draw" || result == "unfinished") return result;
  return player_word(info, result) + " won";
}

int list(const ArchiveArguments& arguments) {
  std::string target = "/api/games?limit=" + std::to_string(arguments.limit);
  if (!arguments.before.empty()) target += "&before=" + encoded(arguments.before);
  const auto answer = arguments.link.ask("GET", target);
  if (!answer) return answer.error();
  if (arguments.link.json()) {
    print_answer(*answer);
    return kDone;
  }
  using Row = std::array<std::string, 6>;
  std::vector<Row> rows{{"begun", "game", "players", "result", "steps", "id"}};
  const Json games = read_answer(*answer);
  for (const Json& game : list_at(games, "games")) {
    const GameInfo* info = find_game(text_at(game, "game"));
    rows.push_back({date_and_time(number_at(game, "started_ms")),
                    info == nullptr ? harmless(text_at(game, "game")) : std::string(info->title),
                    harmless(joined(texts_at(game, "players"), ", ")), result_words(game, info),
                    std::to_string(number_at(game, "steps")), harmless(text_at(game, "id"))});
  }
  if (rows.size() == 1) {
    std::cout << "no games\n";
    return kDone;
  }
  std::array<std::size_t, 6> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) line += row[i] + std::string(widths[i] - columns(row[i]) + 2, ' ');
    std::cout << line + row.back() << '\n';
  }
  return kDone;
}

// ---- show and export -------------------------------------------------------------------------------------------------------

int show(const ArchiveArguments& arguments) {
  const auto answer = arguments.link.ask("GET", game_target(arguments.id));
  if (!answer) return answer.error();
  if (arguments.link.json()) {
    print_answer(*answer);
    return kDone;
  }
  const Json game = read_answer(*answer);
  const auto words = arguments.link.ask("GET", game_target(text_at(game, "id"), "text"));
  if (!words) return words.error();
  if (const auto record = record_of(game)) {
    TrackerView view;
    view.position = record->position();
    for (const std::string& line : draw_board(record->game(), view, {}, Ink::plain)) std::cout << line << '\n';
    std::cout << '\n';
  }
  std::cout << harmless(*words, true) << '\n';
  const std::string ending = text_at(game, "ending");
  std::cout << (ending.empty() ? "The game goes on" : harmless(ending)) << '\n';
  return kDone;
}

int save(const ArchiveArguments& arguments) {
  if (arguments.link.json() && arguments.format != "json") {
    return complain("export: --json and --format " + arguments.format + " exclude each other", kBadInput);
  }
  const auto answer = arguments.link.ask("GET", game_target(arguments.id, arguments.format));
  if (!answer) return answer.error();
  if (arguments.file.empty()) {
    std::cout << *answer;
    return kDone;
  }
  const std::string problem = write_whole_file(arguments.file, *answer);
  return problem.empty() ? kDone : complain(problem, kBadInput);
}

// ---- import and delete -----------------------------------------------------------------------------------------------------

int import(const ArchiveArguments& arguments) {
  std::vector<std::string> games;
  for (const std::string& file : arguments.many) {
    auto game = read_whole_file(file);
    if (!game) return complain(file + ": cannot be read", kBadInput);
    games.push_back(std::move(*game));
  }
  int exit_code = kDone;
  for (std::size_t i = 0; i < games.size(); ++i) {
    const auto answer = arguments.link.ask("POST", "/api/games", games[i], arguments.many[i]);
    if (!answer) {
      exit_code = answer.error();
      if (exit_code == kBadInput) break;
      continue;
    }
    const Json added = read_answer(*answer);
    if (arguments.link.json()) {
      print_answer(*answer);
    } else {
      std::cout << text_at(added, "id") << ": " << counted(number_at(added, "steps"), "step") << '\n';
    }
  }
  return exit_code;
}

/// Asks at the terminal; without one, only --yes counts.
bool agreed(std::size_t count) {
  std::cerr << "Delete " << counted(static_cast<std::int64_t>(count), "game") << " for good? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int remove(const ArchiveArguments& arguments) {
  if (!arguments.yes) {
    if (isatty(STDIN_FILENO) != 1)
      return complain("delete: there is nobody to ask; say --yes to delete for good", kBadInput);
    if (!agreed(arguments.many.size())) return complain("delete: nothing was deleted", kNo);
  }
  const auto answer = arguments.link.ask("DELETE", "/api/games", written({{"ids", arguments.many}}));
  if (!answer) return answer.error();
  if (arguments.link.json()) {
    print_answer(*answer);
    return kDone;
  }
  const std::int64_t count = number_at(read_answer(*answer), "deleted");
  if (count == 0) return complain("delete: the archive has no such game; merel games lists the ids", kNo);
  std::cout << counted(count, "game") << " deleted\n";
  return kDone;
}

}  // namespace

void add_archive_commands(CLI::App& app, int& exit_code) {
  const auto add = [&](const char* name, const char* what, const char* example, int (*run)(const ArchiveArguments&)) {
    CLI::App* command = app.add_subcommand(name, what);
    auto arguments = std::make_shared<ArchiveArguments>();
    arguments->link.add_options(*command);
    command->footer(std::string("Example:\n  ") + example);
    command->callback([arguments, run, &exit_code] { exit_code = run(*arguments); });
    return std::pair(command, arguments);
  };
  constexpr const char* kId = "a game's id, latest or running";
  {
    auto [command, arguments] = add("games", "List the games of the archive, newest first", "merel games --limit 10", list);
    command->add_option("--limit", arguments->limit, "how many at most")
        ->type_name("N")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--before", arguments->before, "only games before that one")->type_name("ID");
  }
  {
    auto [command, arguments] =
        add("show", "Show a game of the archive: the board at its end, what was played, how it ended", "merel show latest",
            show);
    command->add_option("ID", arguments->id, kId)->capture_default_str();
  }
  {
    auto [command, arguments] = add("export", "Write a game of the archive as JSON, as text for people, or as a trace",
                                    "merel export latest --format text -o game.txt", save);
    command->add_option("ID", arguments->id, kId)->capture_default_str();
    command->add_option("--format", arguments->format, "json, text, or trace where one was recorded")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"json", "text", "trace"}))
        ->capture_default_str();
    command->add_option("-o,--output", arguments->file, "the file to write (default: standard output)")->type_name("FILE");
  }
  {
    auto [command, arguments] =
        add("import", "Add exported games (JSON or text) to the archive", "merel import game.json", import);
    command->add_option("FILE", arguments->many, "exports")->required();
  }
  {
    auto [command, arguments] = add("delete", "Delete games for good, all or none", "merel delete 7f3c… --yes", remove);
    command->add_option("ID", arguments->many, "ids of games (merel games)")->required();
    command->add_flag("--yes", arguments->yes, "do not ask");
  }
}

}  // namespace merel
