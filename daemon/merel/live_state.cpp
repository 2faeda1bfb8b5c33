#include "daemon/merel/live_state.h"

#include <algorithm>
#include <array>
#include <optional>

#include "daemon/merel/json_look.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

Options options_of(const Json& game, const GameInfo& info) {
  Options options = info.defaults();
  for (const auto& [key, value] : object_at(game, "options").items()) {
    if (value.is_string()) [[maybe_unused]]
      const auto known = options.set(key, value.get<std::string>());
  }
  return options;
}

/// The role of that name.
std::optional<Role> role_of(const std::string& word) {
  for (int i = 0; i <= static_cast<int>(Role::turn); ++i) {
    if (name(static_cast<Role>(i)) == word) return static_cast<Role>(i);
  }
  return std::nullopt;
}

/// `[role, colour, effect]`, for drawing: the effect does not matter there.
std::optional<Light> light_of(const Json& entry, const GameInfo& game) {
  const std::vector<std::string> words = texts(entry);
  const auto role = words.size() < 2 ? std::nullopt : role_of(words[0]);
  if (!role) return std::nullopt;
  Light light;
  light.role = *role;
  for (const Brightness brightness : {Brightness::full, Brightness::dim, Brightness::faint}) {
    light.brightness = brightness;
    for (int hue = 0; hue <= static_cast<int>(Hue::player); ++hue) {
      light.hue = static_cast<Hue>(hue);
      const std::size_t owners = light.hue == Hue::player ? game.colours.size() : 1;
      for (std::size_t player = 0; player < owners; ++player) {
        light.player = static_cast<Player>(player);
        if (colour_name(light, game.colours) == words[1]) return light;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<GameRecord> record_of(const Json& game) {
  const GameInfo* info = find_game(text_at(game, "game"));
  if (info == nullptr) return std::nullopt;
  const Options options = options_of(game, *info);
  const auto start = info->read(options, text_at(game, "start"));
  if (!start) return std::nullopt;
  GameRecord record(*info, options, *start);
  for (const std::string& word : texts_at(game, "steps")) {
    const auto step = read_step(record.start(), word);
    if (!step || !record.play(*step)) break;
  }
  return record;
}

void LiveState::apply(const Json& message) {
  const std::string type = text_at(message, "type");
  if (type == "state") {
    state_ = message;
    return;
  }
  if (!state_.is_object()) return;
  // What is told under the very name that it has in the State.
  for (const char* key : {"game", "phase", "view", "clock", "draw_offers", "journal"}) {
    if (type == key) state_[key] = at(message, key);
  }
  if (type == "scene") state_["lights"] = at(message, "lights");
  if (type == "help") state_["help"] = flag_at(message, "on");
  if (type == "recording") state_["recording"] = flag_at(message, "on");
  if (type == "health" && at(state_, "board").is_object()) {
    state_["board"]["well"] = flag_at(message, "well");
    state_["board"]["what"] = text_at(message, "what");
  }
  if (type == "picture") {
    if (!at(state_, "picture").is_object()) state_["picture"] = Json::object();
    const std::string contents = text_at(message, "contents");
    if (contents == ".") {
      state_["picture"].erase(text_at(message, "site"));
    } else {
      state_["picture"][text_at(message, "site")] = contents;
    }
  }
  if (!at(state_, "game").is_object()) return;
  if (type == "step" || type == "amend" || type == "takeback") play(message);
  if (type == "over") {
    for (const char* key : {"result", "closing", "ending"}) state_["game"][key] = at(message, key);
  }
}

/// Steps that are committed, or no longer, and the position after them.
void LiveState::play(const Json& event) {
  Json& game = state_["game"];
  std::vector<std::string> steps = texts_at(game, "steps");
  const std::string type = text_at(event, "type");
  const std::size_t gone = texts_at(event, type == "takeback" ? "steps" : "removed").size();
  steps.resize(steps.size() - std::min(gone, steps.size()));
  if (type == "step") steps.push_back(text_at(event, "step"));
  for (std::string& added : texts_at(event, "added")) steps.push_back(std::move(added));
  game["steps"] = steps;
  const auto record = record_of(game);
  if (!record) return;
  game["position"] = text(record->position());
  game["to_act"] = std::string(1, record->game().colours[to_act(record->position())]);
}

std::vector<std::string> draw_state(const Json& state, std::size_t width, Ink ink) {
  const Json& told = at(state, "game");
  const GameInfo* game = game_of(state);
  if (game == nullptr) return {};
  const auto position = game->read(options_of(told, *game), text_at(told, "position"));
  if (!position) return {};
  const Geometry& board = geometry(*position);
  const auto sites = [&board, &state](const char* key) {
    std::vector<Site> out;
    for (const std::string& name : texts_at(at(state, "view"), key)) {
      if (const Site site = board.find(name); site != kNoSite) out.push_back(site);
    }
    return out;
  };
  TrackerView view;
  view.position = *position;
  view.in_hand = sites("in_hand");
  view.out_of_place = sites("out_of_place");
  view.missing = sites("missing");
  view.extra = sites("extra");
  Scene scene;
  for (const auto& [name, entry] : object_at(state, "lights").items()) {
    const Site site = board.find(name);
    const auto light = light_of(entry, *game);
    if (site != kNoSite && light) scene.emplace(site, *light);
  }
  std::vector<std::string> out = draw_board(*game, view, scene, ink);
  for (std::string& line : draw_legend(*game, scene, width, ink)) out.push_back(std::move(line));
  return out;
}

}  // namespace merel
