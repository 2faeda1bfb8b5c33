#include "daemon/journal/game_document.h"

#include <algorithm>
#include <array>

namespace merel {
namespace {

constexpr std::size_t kLongestText = 1000;              ///< of a name, bytes
constexpr std::int64_t kLongestTime = 1'000'000'000;    ///< of a clock, ms: eleven days
constexpr std::int64_t kLastNumber = 9007199254740991;  ///< what every reader of JSON can hold

/// Takes values out of a document. The first thing that is wrong stays; everything after it answers an empty value.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {
    if (!object.is_object()) wrong_ = "the game must be a JSON object";
  }

  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  void refuse(const char* key, const std::string& why) {
    if (wrong_.empty()) wrong_ = std::string(key) + ": " + why;
  }

  std::string text(const char* key) {
    const Json& value = at(key);
    if (!value.is_string()) {
      refuse(key, "must be a text");
      return "";
    }
    if (value.get_ref<const std::string&>().size() > kLongestText) refuse(key, "must be of at most 1000 bytes");
    return value.get<std::string>();
  }
  std::int64_t number(const char* key, std::int64_t least, std::int64_t most) {
    const Json& value = at(key);
    // A number beyond what an int64 holds is unsigned and would turn negative.
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kLastNumber) &&
                      value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
    if (!fits) refuse(key, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return fits ? value.get<std::int64_t>() : least;
  }
  /// What stands there; null when there is nothing.
  [[nodiscard]] const Json& at(const char* key) const {
    static const Json nothing;
    if (!object_.is_object()) return nothing;
    const auto found = object_.find(key);
    return found == object_.end() ? nothing : *found;
  }

 private:
  const Json& object_;
  std::string wrong_;
};

bool is_id(const std::string& id) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !id.empty() && id.size() <= 64 && id.find_first_not_of(kAllowed) == std::string::npos && id != "latest" &&
         id != "running";
}

std::string read_options(const Json& options, Options& out) {
  if (!options.is_object()) return "options: must be an object of texts";
  for (const auto& [key, value] : options.items()) {
    if (!value.is_string()) return "options." + key + ": must be a text";
    const auto set = out.set(key, value.get_ref<const std::string&>());
    if (!set) return "options: " + set.error().message;
  }
  return "";
}

std::string read_players(const Json& players, const GameInfo& game, std::vector<std::string>& out) {
  if (!players.is_array()) return "players: must be a list of names";
  if (players.size() > game.colours.size()) return "players: there are more than play the game";
  for (const Json& player : players) {
    if (!player.is_string()) return "players: must be a list of names";
    out.push_back(player.get<std::string>());
    if (out.back().size() > kLongestText) return "players: a name must be of at most 1000 bytes";
  }
  return "";
}

std::string read_clock(const Json& clock, std::optional<ClockSettings>& out) {
  if (clock.is_null()) return "";
  if (!clock.is_object()) return "clock: must be an object or null";
  Fields fields(clock);
  out.emplace();
  out->initial = std::chrono::milliseconds(fields.number("initial_ms", 1, kLongestTime));
  out->increment = std::chrono::milliseconds(fields.number("increment_ms", 0, kLongestTime));
  return fields.wrong().empty() ? "" : "clock." + fields.wrong();
}

/// What version 0 leaves to be read from the ending's sentence.
void guess_closing(const std::string& state, const std::string& ending, std::string& closing, std::string& loser) {
  constexpr std::string_view kResigned = " resigned";
  if (state != "over") {
    closing = state == "running" ? "open" : "aborted";
  } else if (ending.ends_with(kResigned)) {
    closing = "resigned";
    const std::size_t colour = ending.rfind(' ', ending.size() - kResigned.size() - 1);
    loser = ending.substr(colour == std::string::npos ? 0 : colour + 1, 1);
  } else {
    closing = ending == "Draw: the players agreed" ? "agreed_draw" : "rules";
  }
}

GameState state_of(Closing closing) {
  if (closing == Closing::open) return GameState::running;
  return closing == Closing::aborted ? GameState::aborted : GameState::over;
}

/// The player of a one-letter text; kNoPlayer for anything else.
Player player_of(const GameInfo& game, const std::string& letter) {
  return letter.size() == 1 ? game.player(letter.front()) : kNoPlayer;
}

}  // namespace

std::string read_header(const Json& document, GameHeader& header) {
  Fields fields(document);
  header.id = fields.text("id");
  if (fields.wrong().empty() && !is_id(header.id)) {
    fields.refuse("id", "must be 1 to 64 of a-z, 0-9 and -, but not 'latest' or 'running'");
  }
  header.game = find_game(fields.text("game"));
  header.board = fields.text("board");
  const std::string start = fields.text("start");
  header.started_ms = fields.number("started_ms", 0, kLastTime);
  if (!fields.wrong().empty()) return fields.wrong();
  if (header.game == nullptr) {
    std::string known;
    for (const GameInfo& game : games()) known.append(known.empty() ? "" : ", ").append(game.name);
    return "game: there is no such game; known are " + known;
  }
  header.options = header.game->defaults();
  if (std::string why = read_options(fields.at("options"), header.options); !why.empty()) return why;
  if (std::string why = read_players(fields.at("players"), *header.game, header.players); !why.empty()) return why;
  if (std::string why = read_clock(fields.at("clock"), header.clock); !why.empty()) return why;
  const auto position = header.game->read(header.options, start);
  if (!position) return "start: " + position.error().line();
  header.start = *position;
  return "";
}

std::string read_events(const Json& document, ArchivedGame& game, GameRecord& record) {
  const Json& events = Fields(document).at("events");
  if (!events.is_array()) return "events: must be a list";
  std::int64_t last = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto wrong = [i](const std::string& why) { return "events[" + std::to_string(i) + "]: " + why; };
    if (!events[i].is_object()) return wrong("it must be an object");
    Fields fields(events[i]);
    last = fields.number("n", last + 1, kLastNumber);
    if (events[i].contains("at")) (void)fields.number("at", 0, kLastTime);
    if (!fields.wrong().empty()) return wrong(fields.wrong());
    if (std::string why = play_event(record, events[i]); !why.empty()) return wrong(why);
    game.events.push_back(events[i]);
  }
  const Json& steps = Fields(document).at("steps");
  if (steps.is_null()) return "";
  std::vector<std::string> played;
  for (const Step step : record.steps()) played.push_back(text(record.start(), step));
  return steps == Json(played) ? "" : "steps: they are not what the events play";
}

std::string read_verdict(const Json& document, ArchivedGame& game, const GameRecord& record) {
  Fields fields(document);
  const std::string state = fields.text("state");
  const std::string result = fields.text("result");
  std::string closing;
  std::string loser;
  if (fields.at("version") == 0) {
    guess_closing(state, fields.text("ending"), closing, loser);
  } else {
    closing = fields.text("closing");
    loser = fields.text("loser");
  }
  game.ended_ms = fields.number("ended_ms", 0, kLastTime);
  if (!fields.wrong().empty()) return fields.wrong();

  constexpr std::array kClosings = {Closing::open,        Closing::rules,       Closing::resigned,
                                    Closing::agreed_draw, Closing::out_of_time, Closing::aborted};
  const auto* const found = std::find_if(kClosings.begin(), kClosings.end(), [&](Closing c) { return name(c) == closing; });
  if (found == kClosings.end()) {
    return "closing: must be open, rules, resigned, agreed_draw, out_of_time or aborted";
  }
  const GameInfo& info = record.game();
  const Outcome outcome = record.outcome();
  const bool has_loser = *found == Closing::resigned || *found == Closing::out_of_time;
  Verdict& verdict = game.verdict;
  verdict = Verdict{*found, {}, player_of(info, loser), kNoPlayer};
  if (has_loser != (verdict.loser != kNoPlayer) || (!has_loser && !loser.empty())) {
    return "loser: must be a player who resigned or ran out of time, and empty otherwise";
  }
  if (*found == Closing::rules) {
    if (!outcome.over()) return "closing: the rules have not ended this game";
    verdict.outcome = outcome;
    verdict.winner = outcome.winner;
  } else if (has_loser) {
    verdict.winner = player_of(info, result);
    if (verdict.winner == verdict.loser) return "result: the loser cannot have won";
    if (verdict.winner != kNoPlayer && (outcome.out >> verdict.winner & 1) != 0) return "result: that player is out";
  }
  if (result != result_text(info, verdict)) return "result: it is " + result_text(info, verdict);
  game.state = state_of(*found);
  if (state != name(game.state)) return "state: it is " + std::string(name(game.state));
  return "";
}

Result<ArchivedGame, std::string> read_document(const Json& document) {
  ArchivedGame game;
  if (std::string why = read_header(document, game.header); !why.empty()) return why;
  GameRecord record(*game.header.game, game.header.options, game.header.start);
  if (std::string why = read_events(document, game, record); !why.empty()) return why;
  if (std::string why = read_verdict(document, game, record); !why.empty()) return why;
  return game;
}

}  // namespace merel
