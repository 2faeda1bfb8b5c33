#include <algorithm>

#include "daemon/journal/game_document.h"

namespace merel {
namespace {

/// The steps under that key, or why they cannot be read.
Result<std::vector<Step>, std::string> read_steps(const Json& event, const char* key, const Position& board) {
  const auto list = event.find(key);
  if (list == event.end() || !list->is_array()) return std::string(key) + " must be a list of steps";
  std::vector<Step> steps;
  for (const Json& item : *list) {
    if (!item.is_string()) return std::string(key) + " must be a list of steps";
    const auto step = read_step(board, item.get_ref<const std::string&>());
    if (!step) return std::string(key) + ": " + step.error().line();
    steps.push_back(*step);
  }
  return steps;
}

std::string play(GameRecord& record, Step step) {
  const auto played = record.play(step);
  return played ? "" : "step " + text(record.start(), step) + ": " + std::string(sentence(played.error()));
}

/// The record's last steps must be exactly these.
std::string take_off(GameRecord& record, const std::vector<Step>& steps, const char* key) {
  const auto& all = record.steps();
  if (steps.size() > all.size() || !std::equal(steps.rbegin(), steps.rend(), all.rbegin())) {
    return std::string(key) + " are not the last steps of the record";
  }
  for (std::size_t i = 0; i < steps.size(); ++i) record.undo();
  return "";
}

std::string play_step(GameRecord& record, const Json& event) {
  const auto word = event.find("step");
  if (word == event.end() || !word->is_string()) return "step must be a text";
  const auto step = read_step(record.start(), word->get_ref<const std::string&>());
  if (!step) return "step: " + step.error().line();
  const std::string mover(1, record.game().colours[to_act(record.position())]);
  const auto player = event.find("player");
  if (player != event.end() && *player != mover) return "player is not " + mover + ", who is to act";
  return play(record, *step);
}

std::string play_amendment(GameRecord& record, const Json& event) {
  const auto removed = read_steps(event, "removed", record.start());
  if (!removed) return removed.error();
  const auto added = read_steps(event, "added", record.start());
  if (!added) return added.error();
  std::string why = take_off(record, *removed, "removed");
  for (std::size_t i = 0; why.empty() && i < added->size(); ++i) why = play(record, (*added)[i]);
  return why;
}

std::string play_takeback(GameRecord& record, const Json& event) {
  const auto steps = read_steps(event, "steps", record.start());
  return steps ? take_off(record, *steps, "steps") : steps.error();
}

}  // namespace

std::string_view name(GameState state) {
  switch (state) {
    case GameState::running: return "running";
    case GameState::over: return "over";
    case GameState::aborted: return "aborted";
  }
  return "";
}

std::string play_event(GameRecord& record, const Json& event) {
  if (!event.is_object()) return "it must be an object";
  const auto type = event.find("type");
  if (type == event.end() || !type->is_string()) return "type must be a text";
  if (*type == "step") return play_step(record, event);
  if (*type == "amend") return play_amendment(record, event);
  if (*type == "takeback") return play_takeback(record, event);
  return "";
}

Result<GameRecord, std::string> ArchivedGame::record() const {
  GameRecord record(*header.game, header.options, header.start);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (std::string why = play_event(record, events[i]); !why.empty()) return "event " + std::to_string(i + 1) + ": " + why;
  }
  return record;
}

}  // namespace merel
