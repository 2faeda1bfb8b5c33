#include "daemon/live/state_json.h"

#include <algorithm>

#include "daemon/event_json.h"
#include "daemon/event_words.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

std::string letter(const GameInfo& game, Player player) {
  return player == kNoPlayer ? std::string() : std::string(1, game.colours[player]);
}

Json site_names(const Geometry& board, const std::vector<Site>& sites) {
  Json out = Json::array();
  for (const Site site : sites) out.push_back(board.info(site).name());
  return out;
}

Json step_texts(const Position& board, std::span<const Step> steps) {
  Json out = Json::array();
  for (const Step step : steps) out.push_back(text(board, step));
  return out;
}

}  // namespace

std::string contents_text(Contents contents, std::string_view colours) {
  if (contents.is_empty()) return ".";
  return contents.player() == kNoPlayer ? "o" : std::string(1, colours[contents.player()]);
}

std::string cell_name(std::uint8_t file, std::uint8_t rank) {
  return static_cast<char>('a' + file) + std::to_string(rank + 1);
}

Json view_json(const Session& session) {
  const Json none = Json::array();
  Json out = {{"in_hand", none},      {"out_of_place", none}, {"missing", none},           {"extra", none},
              {"complaint", nullptr}, {"candidates", none},   {"advice", session.advice()}};
  if (session.tracker() == nullptr || session.verdict().over()) return out;
  const TrackerView view = session.tracker()->view();
  const Geometry& board = geometry(view.position);
  out["in_hand"] = site_names(board, view.in_hand);
  out["out_of_place"] = site_names(board, view.out_of_place);
  out["missing"] = site_names(board, view.missing);
  out["extra"] = site_names(board, view.extra);
  if (view.complaint) {
    out["complaint"] = {{"player", letter(session.tracker()->record().game(), view.complaint->player)},
                        {"reason", name(view.complaint->reason)},
                        {"sentence", sentence(view.complaint->reason)},
                        {"wrong", site_names(board, view.complaint->wrong)},
                        {"back", site_names(board, view.complaint->back)}};
  }
  for (const auto& candidate : view.candidates) out["candidates"].push_back(step_texts(view.position, candidate));
  return out;
}

Json lights_json(const Session& session, const Scene& scene) {
  if (session.tracker() == nullptr) return Json::object();
  const GameRecord& record = session.tracker()->record();
  return to_json(scene, Time{}, record.game(), record.position())["lights"];
}

Json picture_json(const Session& session) {
  Json out = Json::object();
  if (session.tracker() == nullptr) return out;
  const GameRecord& record = session.tracker()->record();
  for (const SiteInfo& info : geometry(record.position()).sites) {
    const Contents there = session.contents(info.site);
    if (!there.is_empty()) out[std::string(info.name())] = contents_text(there, record.game().colours);
  }
  return out;
}

Json clock_json(const Session& session, Time now) {
  if (session.clock() == nullptr) return nullptr;
  const GameInfo& game = session.tracker()->record().game();
  const auto ms = [](Time time) { return time / std::chrono::milliseconds(1); };
  const ClockSettings& settings = session.clock()->settings();
  Json left = Json::object();
  for (const char colour : game.colours) {
    left[std::string(1, colour)] = ms(session.clock()->left(game.player(colour), now));
  }
  return {{"initial_ms", ms(settings.initial)},
          {"increment_ms", ms(settings.increment)},
          {"left_ms", left},
          {"running", letter(game, session.clock()->running())}};
}

Json draw_offers_json(const Session& session) {
  Json out = Json::array();
  for (Player player = 0; player < 8; ++player) {
    if ((session.draw_offers() >> player & 1) != 0) out.push_back(letter(session.tracker()->record().game(), player));
  }
  return out;
}

Json game_json(const Session& session, const GameHeader& header, std::uint64_t event, std::uint64_t durable) {
  if (session.tracker() == nullptr) return nullptr;
  const GameRecord& record = session.tracker()->record();
  const GameInfo& game = record.game();
  Json out = to_json(record, Time{});
  const Verdict& verdict = session.verdict();
  return {{"id", header.id},
          {"game", game.name},
          {"title", game.title},
          {"options", out["options"]},
          {"players", header.players},
          {"start", out["start"]},
          {"steps", out["steps"]},
          {"position", out["final"]},
          {"to_act", letter(game, to_act(record.position()))},
          {"event", event},
          {"durable", durable},
          {"result", result_text(game, verdict)},
          {"closing", name(verdict.closing)},
          {"ending", verdict.over() ? sentence(verdict, game) : std::string()}};
}

Json rules_json(const BoardProfile& board) {
  Json list = Json::array();
  for (const GameInfo& game : games()) {
    Json options = Json::array();
    for (const OptionSpec& spec : game.options) {
      Json values = Json::array();
      for (const std::string_view value : spec.values) values.push_back(value);
      options.push_back({{"key", spec.key}, {"values", values}, {"number", spec.number}, {"meaning", spec.meaning}});
    }
    const auto start = game.read(game.defaults(), game.start(game.defaults()));
    list.push_back({{"name", game.name},
                    {"title", game.title},
                    {"colours", game.colours},
                    {"piece", game.piece},
                    {"tray", game.tray},
                    {"playable", start.ok() && board.blind(geometry(*start)).empty()},
                    {"options", options}});
  }
  return {{"games", list}};
}

Json story_json(const SessionEvent& event, const GameInfo& game, const Position& board) {
  if (const auto* offer = std::get_if<DrawOffered>(&event.what)) {
    return {{"type", "draw_offer"}, {"player", letter(game, offer->player)}};
  }
  if (std::holds_alternative<Restarted>(event.what)) return {{"type", "restart"}};
  if (const auto* closed = std::get_if<GameClosed>(&event.what)) {
    return {{"type", "over"},
            {"result", result_text(game, closed->verdict)},
            {"closing", name(closed->verdict.closing)},
            {"ending", sentence(closed->verdict, game)}};
  }
  const auto* said = std::get_if<TrackerEvent>(&event.what);
  // The end is told by the session, which knows of every kind of end.
  if (said == nullptr || std::holds_alternative<GameOver>(said->what)) return nullptr;
  Json out = to_json(*said, game, board);
  out.erase("t");
  const auto ms = [](Time time) { return time / std::chrono::milliseconds(1); };
  if (event.think) out["think_ms"] = ms(*event.think);
  if (event.left) out["left_ms"] = ms(*event.left);
  return out;
}

std::string story_sentence(const SessionEvent& event, const GameInfo& game, const Position& board) {
  if (const auto* said = std::get_if<TrackerEvent>(&event.what)) {
    return std::holds_alternative<GameOver>(said->what) ? "" : sentence(*said, game, board);
  }
  if (const auto* offer = std::get_if<DrawOffered>(&event.what)) return colour_word(game, offer->player) + " offers a draw";
  if (std::holds_alternative<Restarted>(event.what)) return "The game goes on after a restart";
  if (const auto* closed = std::get_if<GameClosed>(&event.what)) return sentence(closed->verdict, game);
  return "";
}

}  // namespace merel
