#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>

#include "daemon/journal/game_document.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

constexpr std::size_t kLargest = 4U << 20U;
/// The rules look at all earlier positions with every step: a longer game would keep the processor busy for minutes.
constexpr std::size_t kMostEvents = 20'000;
constexpr int kDeepest = 32;

/// Reading and writing nested JSON calls itself for every level.
bool too_deep(std::string_view json) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<Json, std::string> parse(std::string_view json) {
  if (too_deep(json)) return std::string("the JSON is nested too deeply");
  try {
    return Json::parse(json);
  } catch (const Json::exception& error) {
    // `[json.exception.parse_error.101] parse error at line 1, column 5: …`
    const std::string_view what = error.what();
    return std::string(what.substr(std::min(what.find("] ") + 2, what.size())));
  }
}

Result<ArchivedGame, std::string> read_json(std::string_view exported) {
  const auto document = parse(exported);
  if (!document) return document.error();
  if (document->value("format", Json()) != kDocumentFormat) return "format: must be '" + std::string(kDocumentFormat) + "'";
  const Json version = document->value("version", Json());
  if (!version.is_number_integer() || version < 0 || version > kDocumentVersion) {
    return "version: must be 0 to " + std::to_string(kDocumentVersion) + "; a newer game needs a newer Merel";
  }
  const Json events = document->value("events", Json());
  if (events.size() > kMostEvents) return "events: there are more than " + std::to_string(kMostEvents);
  return read_document(*document);
}

// ---- text ------------------------------------------------------------------------------------------------------------------

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

struct Tag {
  std::string value;
  std::size_t line;
};

/// Cuts the text into lines, and those into what they hold.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  /// The next line without its end; nothing at the end of the text.
  std::optional<std::string_view> line() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  [[nodiscard]] std::string at(const std::string& why) const { return "line " + std::to_string(number_) + ": " + why; }

  /// The tags up to the first line that is none; what is wrong, or empty.
  std::string tags(std::map<std::string, Tag>& out) {
    for (auto next = line(); next && !next->empty(); next = line()) {
      std::string key;
      std::string value;
      if (!tag(*next, key, value)) return at("must be a tag as in [Result \"W\"], or empty before the moves");
      if (!is_utf8(value)) return at("this line is not UTF-8 text");
      if (!out.emplace(key, Tag{value, number_}).second) return at("tag " + key + " is there twice");
    }
    return "";
  }

 private:
  static bool tag(std::string_view line, std::string& key, std::string& value) {
    const std::size_t quote = line.find(" \"");
    if (!line.starts_with('[') || !line.ends_with("\"]") || quote == std::string_view::npos) return false;
    if (quote + 2 > line.size() - 2) return false;
    key = line.substr(1, quote - 1);
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    if (key.empty() || !std::all_of(key.begin(), key.end(), letter)) return false;
    const std::string_view inside = line.substr(quote + 2, line.size() - quote - 4);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      char c = inside[i];
      if (c == '"') return false;
      if (c == '\\') {
        if (++i == inside.size()) return false;
        c = inside[i];
        if (c != '"' && c != '\\' && c != 'n') return false;
        if (c == 'n') c = '\n';
      }
      value += c;
    }
    return true;
  }

  std::string_view rest_;
  std::size_t number_ = 0;
};

/// A whole number from 0 made of digits alone.
std::optional<std::int64_t> number(std::string_view digits) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (stop != end || error != std::errc{}) return std::nullopt;
  return value;
}

/// `2026-11-30T14:03:00Z` as Unix time in milliseconds.
std::optional<std::int64_t> read_date(std::string_view text) {
  namespace c = std::chrono;
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto part = [&](std::size_t from, std::size_t count) { return static_cast<int>(*number(text.substr(from, count))); };
  const c::year_month_day day(c::year(part(0, 4)), c::month(static_cast<unsigned>(part(5, 2))),
                              c::day(static_cast<unsigned>(part(8, 2))));
  const int hour = part(11, 2);
  const int minute = part(14, 2);
  const int second = part(17, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto time = c::sys_days(day) + c::hours(hour) + c::minutes(minute) + c::seconds(second);
  return c::duration_cast<c::milliseconds>(time.time_since_epoch()).count();
}

/// `300` or `0.500` seconds as milliseconds.
std::optional<std::int64_t> read_seconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto whole = number(text.substr(0, point));
  if (!whole || *whole > 1'000'000) return std::nullopt;
  if (point == std::string_view::npos) return *whole * 1000;
  const auto part = number(text.substr(point + 1));
  if (!part || text.size() != point + 4) return std::nullopt;
  return *whole * 1000 + *part;
}

/// `300+2` as the document's object.
std::optional<Json> read_clock(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return std::nullopt;
  const auto initial = read_seconds(text.substr(0, plus));
  const auto increment = read_seconds(text.substr(plus + 1));
  if (!initial || !increment) return std::nullopt;
  return Json{{"initial_ms", *initial}, {"increment_ms", *increment}};
}

/// Turns the tags into the document that the same game would have in JSON, without its events.
class TagReader {
 public:
  explicit TagReader(std::map<std::string, Tag> tags) : tags_(std::move(tags)) {}

  Result<Json, std::string> document() {
    Json out;
    out["id"] = needed("Id");
    out["game"] = needed("Variant");
    out["start"] = needed("Start");
    out["result"] = needed("Result");
    out["board"] = take("Board").value_or("");
    out["loser"] = take("Loser").value_or("");
    out["closing"] = take("Closing").value_or("");
    out["ended_ms"] = 0;
    options(out);
    if (const auto clock = take("Clock")) {
      const auto read = read_clock(*clock);
      if (!read) refuse("Clock must be seconds at the start and for each turn, as in 300+2");
      out["clock"] = read.value_or(Json());
    }
    out["started_ms"] = 0;
    if (const auto began = take("Date")) {
      const auto read = read_date(*began);
      if (!read) refuse("Date must be as in 2026-11-30T14:03:00Z");
      out["started_ms"] = read.value_or(0);
    }
    players(out);
    (void)take("Game");    // the title, which Variant says
    (void)take("Ending");  // in words what Result, Closing and Loser say
    if (!wrong_.empty()) return wrong_;
    if (!tags_.empty() && find_game(out["game"].get<std::string>()) != nullptr) {
      const auto& [key, tag] = *tags_.begin();
      return "line " + std::to_string(tag.line) + ": there is no tag " + key + " in this game";
    }
    return out;
  }

 private:
  /// The tag's value; its line is the one of the next refusal.
  std::optional<std::string> take(const std::string& key) {
    const auto found = tags_.find(key);
    if (found == tags_.end()) return std::nullopt;
    line_ = found->second.line;
    std::string value = std::move(found->second.value);
    tags_.erase(found);
    return value;
  }
  std::string needed(const std::string& key) {
    const auto value = take(key);
    if (!value && wrong_.empty()) wrong_ = "the tag " + key + " is missing";
    return value.value_or("");
  }
  void refuse(const std::string& why) {
    if (wrong_.empty()) wrong_ = "line " + std::to_string(line_) + ": " + why;
  }

  void options(Json& out) {
    out["options"] = Json::object();
    const std::string text = take("Options").value_or("");
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view pair = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) return refuse("Options must be pairs as in repetition=3");
      out["options"][std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
    }
  }
  void players(Json& out) {
    out["players"] = Json::array();
    const GameInfo* const game = find_game(out["game"].get<std::string>());
    if (game == nullptr) return;
    for (std::size_t player = 0; player < game->colours.size(); ++player) {
      const auto name = take(colour_word(*game, static_cast<Player>(player)));
      if (!name) continue;
      if (out["players"].size() != player) return refuse("the players before this one have no names");
      out["players"].push_back(*name);
    }
  }

  std::map<std::string, Tag> tags_;
  std::size_t line_ = 0;
  std::string wrong_;
};

/// `12.`
bool is_turn_number(std::string_view word) {
  return word.size() > 1 && word.back() == '.' && number(word.substr(0, word.size() - 1));
}

/// The moves; what is wrong, or empty.
std::string read_moves(TextReader& reader, const std::string& result, ArchivedGame& game, GameRecord& record) {
  bool ended = false;
  for (auto line = reader.line(); line; line = reader.line()) {
    for (std::string_view rest = *line; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word.empty() || is_turn_number(word)) continue;
      if (ended) return reader.at("nothing may follow the result");
      if (word == result) {
        ended = true;
        continue;
      }
      if (game.events.size() == kMostEvents)
        return reader.at("there are more than " + std::to_string(kMostEvents) + " steps");
      Json event = {{"type", "step"},
                    {"n", game.events.size() + 1},
                    {"player", std::string(1, record.game().colours[to_act(record.position())])},
                    {"step", word}};
      if (std::string why = play_event(record, event); !why.empty()) return reader.at(why);
      game.events.push_back(std::move(event));
    }
  }
  return ended ? "" : "the moves do not end with the result, " + result;
}

Result<ArchivedGame, std::string> read_text(std::string_view exported) {
  TextReader reader(exported);
  std::map<std::string, Tag> tags;
  if (std::string why = reader.tags(tags); !why.empty()) return why;
  auto document = TagReader(std::move(tags)).document();
  if (!document) return document.error();

  ArchivedGame game;
  if (std::string why = read_header(*document, game.header); !why.empty()) return why;
  GameRecord record(*game.header.game, game.header.options, game.header.start);
  const std::string result = (*document)["result"];
  if (std::string why = read_moves(reader, result, game, record); !why.empty()) return why;
  // What the rules ended, or nobody yet, needs no tag.
  std::string closing = (*document)["closing"];
  if (closing.empty()) closing = record.outcome().over() ? "rules" : "open";
  (*document)["closing"] = closing;
  (*document)["state"] = closing == "open" ? "running" : closing == "aborted" ? "aborted" : "over";
  if (std::string why = read_verdict(*document, game, record); !why.empty()) return why;
  return game;
}

/// One line in UTF-8, whatever the reason quotes from the input.
std::string as_line(std::string reason) {
  constexpr std::size_t kLongest = 500;
  if (reason.size() > kLongest) reason.resize(kLongest);
  const bool readable = is_utf8(reason);
  for (char& c : reason) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7F || (byte > 0x7F && !readable)) c = '?';
  }
  return reason;
}

}  // namespace

Result<ArchivedGame, std::string> read_game(std::string_view exported) {
  if (exported.size() > kLargest) return std::string("the game is larger than 4 MiB");
  const std::size_t first = exported.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::string("there is no game: the text is empty");
  auto game = exported[first] == '{' ? read_json(exported) : read_text(exported);
  if (!game) return as_line(game.error());
  return game;
}

}  // namespace merel
