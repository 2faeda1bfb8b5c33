#include "daemon/event_json.h"

namespace merel {
namespace {

/// Writes one event's own keys behind `t` and `type`.
class Writer {
 public:
  Writer(Json& out, const GameInfo& game, const Position& board) : out_(out), game_(game), board_(board) {}

  void operator()(const StepPlayed& e) {
    type("step");
    out_["player"] = letter(e.player);
    out_["step"] = text(board_, e.step);
  }
  void operator()(const Amended& e) {
    type("amend");
    out_["removed"] = steps(e.removed);
    out_["added"] = steps(e.added);
  }
  void operator()(const Illegal& e) {
    type("illegal");
    out_["player"] = letter(e.complaint.player);
    out_["reason"] = name(e.complaint.reason);
    Json sites = Json::array();
    for (const Site site : e.complaint.wrong) sites.push_back(site_name(site));
    for (const Site site : e.complaint.back) {
      if (std::find(sites.begin(), sites.end(), site_name(site)) == sites.end()) sites.push_back(site_name(site));
    }
    out_["sites"] = sites;
    out_["sentence"] = sentence(e.complaint.reason);
  }
  void operator()(const Resolved&) { type("resolved"); }
  void operator()(const Ambiguous& e) {
    type("ambiguous");
    Json candidates = Json::array();
    for (const auto& candidate : e.candidates) candidates.push_back(steps(candidate));
    out_["candidates"] = candidates;
  }
  void operator()(const TakenBack& e) {
    type("takeback");
    out_["steps"] = steps(e.steps);
  }
  void operator()(const PlayerOut& e) {
    type("out");
    out_["player"] = letter(e.player);
  }
  void operator()(const GameOver& e) {
    type("over");
    out_["result"] = result_text(game_, e.outcome);
  }
  void operator()(const Ignored& e) {
    type("ignored");
    out_["event"] = e.event;
    out_["why"] = e.why;
  }
  void operator()(const FaultFound& e) {
    type("fault");
    out_["site"] = site_name(e.fault.site);
    out_["kind"] = e.fault.kind == FaultKind::stuck ? "stuck" : e.fault.kind == FaultKind::lost ? "lost" : "flapping";
  }

 private:
  void type(const char* type) { out_["type"] = type; }
  [[nodiscard]] std::string letter(Player player) const { return std::string(1, game_.colours[player]); }
  [[nodiscard]] std::string site_name(Site site) const { return std::string(geometry(board_).info(site).name()); }
  [[nodiscard]] Json steps(const std::vector<Step>& list) const {
    Json out = Json::array();
    for (const Step step : list) out.push_back(text(board_, step));
    return out;
  }

  Json& out_;
  const GameInfo& game_;
  const Position& board_;
};

}  // namespace

double to_json(Time time) { return static_cast<double>(time.count()) / 1000.0; }

Json to_json(const TrackerEvent& event, const GameInfo& game, const Position& board) {
  Json out;
  out["t"] = to_json(event.time);
  std::visit(Writer(out, game, board), event.what);
  return out;
}

Json to_json(const Scene& scene, Time now, const GameInfo& game, const Position& board) {
  Json lights = Json::object();
  for (const auto& [site, light] : scene) {
    lights[std::string(geometry(board).info(site).name())] =
        Json::array({name(light.role), colour_name(light, game.colours), name(light.effect)});
  }
  return {{"t", to_json(now)}, {"type", "scene"}, {"lights", lights}};
}

Json to_json(const GameRecord& record, Time now) {
  Json options = Json::object();
  for (const OptionSpec& spec : record.options().specs()) {
    if (record.options().changed(spec.key)) options[std::string(spec.key)] = record.options().get(spec.key);
  }
  Json steps = Json::array();
  for (const Step step : record.steps()) steps.push_back(text(record.start(), step));
  return {{"t", to_json(now)},
          {"type", "game"},
          {"game", record.game().name},
          {"options", options},
          {"start", text(record.start())},
          {"steps", steps},
          {"final", text(record.position())},
          {"result", result_text(record.game(), record.outcome())}};
}

}  // namespace merel
