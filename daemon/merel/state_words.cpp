#include "daemon/merel/state_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <ctime>

#include "daemon/merel/json_look.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

std::string phase_words(const std::string& phase) {
  if (phase == "setup") return "setting up";
  if (phase == "play") return "in play";
  if (phase == "restore") return "the pieces are led back";
  if (phase == "over" || phase == "idle") return "over";
  return phase;
}

std::string local_time(std::int64_t unix_ms, const char* form) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  std::array<char, 32> out{};
  if (localtime_r(&seconds, &parts) == nullptr) return "";
  return {out.data(), std::strftime(out.data(), out.size(), form, &parts)};
}

/// `9:58`, and from an hour on `1:09:58`; a begun second counts, so that 0:00 means that time is up.
std::string clock_text(std::int64_t ms) {
  const std::int64_t s = (std::max<std::int64_t>(ms, 0) + 999) / 1000;
  std::array<char, 48> out{};
  if (s < 3600) {
    std::snprintf(out.data(), out.size(), "%d:%02d", static_cast<int>(s / 60), static_cast<int>(s % 60));
  } else {
    std::snprintf(out.data(), out.size(), "%lld:%02d:%02d", static_cast<long long>(s / 3600), static_cast<int>(s / 60 % 60),
                  static_cast<int>(s % 60));
  }
  return out.data();
}

/// `White Anna, Black Ben`
std::string players(const Json& state) {
  const GameInfo* game = game_of(state);
  const std::vector<std::string> names = texts_at(at(state, "game"), "players");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size() && game != nullptr && i < game->colours.size(); ++i) {
    out.push_back(colour_word(*game, static_cast<Player>(i)) + " " + harmless(names[i]));
  }
  return joined(out, ", ");
}

/// What a step does, from its text (docs/trace.md has the same texts).
std::string step_sentence(const std::string& who, const std::string& step, const GameInfo* game) {
  const std::string piece = game == nullptr ? "piece" : std::string(game->piece);
  if (step == "stop") return who + " takes no more";
  if (step == "forget") return who + " leaves a removal for the next turn";
  if (step == "pass") return who + " cannot move and passes";
  if (step.starts_with('+')) return who + " puts a " + piece + " on " + step.substr(1);
  if (step.starts_with('x')) return who + " takes the " + piece + " from " + step.substr(1);
  const std::size_t dash = step.find('-');
  if (dash == std::string::npos) return who + " plays " + step;
  // Sites of a pyramid begin with their level.
  const char from = step.front();
  const char to = dash + 1 < step.size() ? step[dash + 1] : from;
  const bool rises = std::isdigit(static_cast<unsigned char>(from)) != 0 && to > from;
  return who + (rises ? " raises " : " moves ") + step;
}

std::string amendment(const Json& event) {
  const std::string removed = joined(texts_at(event, "removed"), " ");
  const std::string added = joined(texts_at(event, "added"), " ");
  if (added.empty()) return "Not played after all: " + removed;
  if (removed.empty()) return "Played as well: " + added;
  return "Corrected: " + added + " instead of " + removed;
}

std::string question(const Json& event) {
  std::vector<std::string> readings;
  for (const Json& candidate : list_at(event, "candidates")) {
    const std::string steps = joined(texts(candidate), " ");
    readings.push_back(steps.empty() ? "nothing" : steps);
  }
  return "Which was it: " + joined(readings, ", or ") + "?";
}

std::string in_parentheses(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

std::string told(const Json& event, const GameInfo* game) {
  const std::string type = text_at(event, "type");
  const std::string who = player_word(game, text_at(event, "player"));
  const auto text = [&event](const char* key) { return text_at(event, key); };
  const auto on_or_off = [&event] { return std::string(flag_at(event, "on") ? "on" : "off"); };
  if (type == "step") return step_sentence(who, text("step"), game);
  if (type == "amend") return amendment(event);
  if (type == "takeback") return "Taken back: " + joined(texts_at(event, "steps"), " ");
  if (type == "illegal") return "Illegal: " + text("sentence") + in_parentheses(joined(texts_at(event, "sites"), ", "));
  if (type == "resolved") return "The board is right again";
  if (type == "ambiguous") return question(event);
  if (type == "out") return who + " is out";
  if (type == "fault") {
    return "The sensor at " + text("site") + (text("kind") == "flapping" ? " flaps" : " is stuck") +
           "; the game goes on without it";
  }
  if (type == "draw_offer") return who + " offers a draw";
  if (type == "restart") return "The game goes on after a restart";
  if (type == "over") return text("ending");
  if (type == "game") {
    const Json& begun = at(event, "game");
    if (begun.is_null()) return "The board has no game";
    return text_at(begun, "closing") == "open" ? "A game of " + text_at(begun, "title") + " begins" : "";
  }
  if (type == "phase") {
    if (text("phase") == "setup") return "The pieces are led to the start";
    if (text("phase") == "restore") return "The pieces are led back";
    return text("phase") == "play" ? "The board is ready for play" : "";
  }
  if (type == "ignored") return "Ignored a " + text("event") + ": " + text("why");
  if (type == "help") return "The helping lights are " + on_or_off();
  if (type == "recording") return "Recording of traces is " + on_or_off();
  if (type == "health") return flag_at(event, "well") ? "The board answers again" : text("what");
  if (type == "journal") {
    const Json& journal = at(event, "journal");
    return flag_at(journal, "well") ? "Games are written to the disk again" : text_at(journal, "what");
  }
  if (type == "config") return "The configuration was read anew";
  return "";
}

}  // namespace

std::string event_line(const Json& event, const GameInfo* game) { return harmless(told(event, game)); }

const GameInfo* game_of(const Json& state) { return find_game(text_at(at(state, "game"), "game")); }

std::string player_word(const GameInfo* game, const std::string& letter) {
  const Player player = game != nullptr && letter.size() == 1 ? game->player(letter.front()) : kNoPlayer;
  return player == kNoPlayer ? letter : colour_word(*game, player);
}

std::string headline(const Json& state) {
  const Json& game = at(state, "game");
  if (game.is_null()) return "No game; begin one with merel new";
  std::string title = text_at(game, "title");
  return (title.empty() ? text_at(game, "game") : title) + ", " + phase_words(text_at(state, "phase"));
}

std::string clock_words(const Json& state, std::int64_t gone_ms) {
  const Json& clock = at(state, "clock");
  const std::string running = text_at(clock, "running");
  std::vector<std::string> out;
  for (const auto& [letter, left] : object_at(clock, "left_ms").items()) {
    const std::int64_t ms = left.is_number() ? left.get<std::int64_t>() : 0;
    out.push_back(player_word(game_of(state), letter) + " " + clock_text(letter == running ? ms - gone_ms : ms));
  }
  return joined(out, ", ");
}

std::vector<std::string> fault_lines(const Json& state) {
  std::vector<std::string> out;
  const Json& board = at(state, "board");
  if (board.is_object() && !flag_at(board, "well")) out.push_back("Board: " + harmless(text_at(board, "what")));
  const Json& journal = at(state, "journal");
  if (journal.is_object() && !flag_at(journal, "well")) {
    out.push_back("Archive: " + harmless(text_at(journal, "what")) +
                  " (still to be written: " + counted(number_at(journal, "backlog"), "event") + ")");
  }
  if (const std::int64_t dropped = number_at(journal, "dropped"); dropped > 0) {
    out.push_back("Archive: lost " + counted(dropped, "event"));
  }
  return out;
}

std::vector<std::string> status_lines(const Json& state) {
  const Json& game = at(state, "game");
  const GameInfo* info = game_of(state);
  std::vector<std::string> out{headline(state)};
  const auto add = [&out](const std::string& line) {
    if (!line.empty()) out.push_back(line);
  };
  if (game.is_object()) {
    add(players(state));
    const std::vector<std::string> steps = texts_at(game, "steps");
    const std::string ending = text_at(game, "ending");
    std::string turn = ending.empty() ? player_word(info, text_at(game, "to_act")) + " to act" : ending;
    turn += steps.empty() ? ", no step yet" : ", " + counted(static_cast<std::int64_t>(steps.size()), "step");
    if (!steps.empty()) turn += ", the last " + steps.back();
    add(turn);
    if (const std::string clocks = clock_words(state); !clocks.empty()) add("Clock: " + clocks);
    for (const std::string& letter : texts_at(state, "draw_offers")) add(player_word(info, letter) + " offers a draw");
    const std::string advice = harmless(text_at(at(state, "view"), "advice"));
    if (advice != ending) add(advice);
  }
  for (const std::string& fault : fault_lines(state)) add(fault);
  return out;
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string time_of_day(std::int64_t unix_ms) { return local_time(unix_ms, "%H:%M:%S"); }
std::string date_and_time(std::int64_t unix_ms) { return local_time(unix_ms, "%Y-%m-%d %H:%M"); }

std::string harmless(std::string text, bool lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too, two bytes in UTF-8.
    const bool second = i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2 && byte >= 0x80 && byte < 0xA0;
    if (second) {
      text[i - 1] = text[i] = ' ';
    } else if ((byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7F) {
      text[i] = ' ';
    }
  }
  return text;
}

}  // namespace merel
