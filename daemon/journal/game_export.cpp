#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "daemon/event_words.h"
#include "daemon/journal/game_document.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

/// The record as far as the events fit.
GameRecord record_of(const ArchivedGame& game) {
  GameRecord record(*game.header.game, game.header.options, game.header.start);
  for (const Json& event : game.events) {
    if (!play_event(record, event).empty()) break;
  }
  return record;
}

std::string date(std::int64_t unix_ms) {
  namespace c = std::chrono;
  const c::sys_time<c::milliseconds> time{c::milliseconds(unix_ms)};
  const auto day = c::floor<c::days>(time);
  const c::year_month_day d(day);
  const c::hh_mm_ss t(c::floor<c::seconds>(time - day));
  std::array<char, 80> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(d.year()),
                static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()), static_cast<int>(t.hours().count()),
                static_cast<int>(t.minutes().count()), static_cast<int>(t.seconds().count()));
  return out.data();
}

/// `300` or `0.500`
std::string seconds(Time time) {
  const std::int64_t ms = time.count() / 1000;
  std::string out = std::to_string(ms / 1000);
  if (ms % 1000 != 0) out += "." + std::to_string(1000 + ms % 1000).substr(1);
  return out;
}

}  // namespace

Json options_json(const Options& options) {
  Json out = Json::object();
  for (const OptionSpec& spec : options.specs()) out[std::string(spec.key)] = options.get(spec.key);
  return out;
}

Json clock_json(const std::optional<ClockSettings>& clock) {
  if (!clock) return nullptr;
  return {{"initial_ms", clock->initial.count() / 1000}, {"increment_ms", clock->increment.count() / 1000}};
}

std::string to_text(const ArchivedGame& game) {
  const GameHeader& header = game.header;
  Tags tags = {{"Variant", std::string(header.game->name)}, {"Id", header.id}};
  const std::size_t named = std::min(header.players.size(), header.game->colours.size());
  for (std::size_t i = 0; i < named; ++i) {
    tags.emplace_back(colour_word(*header.game, static_cast<Player>(i)), header.players[i]);
  }
  if (!header.board.empty()) tags.emplace_back("Board", header.board);
  if (header.clock) tags.emplace_back("Clock", seconds(header.clock->initial) + "+" + seconds(header.clock->increment));
  if (header.started_ms > 0 && header.started_ms <= kLastTime) tags.emplace_back("Date", date(header.started_ms));
  return movetext(record_of(game), tags, game.verdict);
}

Json to_json(const ArchivedGame& game) {
  const GameHeader& header = game.header;
  const Verdict& verdict = game.verdict;
  Json steps = Json::array();
  const GameRecord record = record_of(game);
  for (const Step step : record.steps()) steps.push_back(text(header.start, step));
  const Player loser = verdict.loser;
  return {{"format", kDocumentFormat},
          {"version", kDocumentVersion},
          {"id", header.id},
          {"game", header.game->name},
          {"options", options_json(header.options)},
          {"players", header.players},
          {"board", header.board},
          {"clock", clock_json(header.clock)},
          {"start", text(header.start)},
          {"started_ms", header.started_ms},
          {"ended_ms", game.ended_ms},
          {"state", name(game.state)},
          {"closing", name(verdict.closing)},
          {"loser", loser == kNoPlayer ? std::string() : std::string(1, header.game->colours[loser])},
          {"result", result_text(*header.game, verdict)},
          {"ending", verdict.over() ? sentence(verdict, *header.game) : std::string()},
          {"steps", steps},
          {"events", game.events}};
}

Json to_json(const GameSummary& summary) {
  return {{"id", summary.id},
          {"game", summary.game},
          {"players", summary.players},
          {"state", name(summary.state)},
          {"result", summary.result},
          {"ending", summary.ending},
          {"started_ms", summary.started_ms},
          {"ended_ms", summary.ended_ms},
          {"steps", summary.steps}};
}

}  // namespace merel
