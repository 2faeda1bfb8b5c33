#include "drivers/trace.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace merel {
namespace {

constexpr std::uintmax_t kMostBytes = 64U << 20;
constexpr std::size_t kMostTurnSteps = 8;

TraceError error(std::size_t line, std::string message) { return {line, std::move(message)}; }

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return out + (text.size() > kMost ? "…'" : "'");
}

/// Checks for well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(i);
    std::size_t more = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
      more = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      more = 2;
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      more = 3;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    } else {
      return false;
    }
    if (i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k, low = 0x80, high = 0xBF) {
      if (byte(i + k) < low || byte(i + k) > high) return false;
    }
    i += more + 1;
  }
  return true;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    if (end != 0) out.push_back(line.substr(0, end));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return out;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

/// Milliseconds as a plain decimal, at most ten years.
std::optional<Time> read_time(std::string_view text) {
  constexpr std::int64_t kMostMillis = 10LL * 366 * 24 * 3600 * 1000;
  const std::size_t dot = text.find('.');
  const auto millis = whole_number<std::int64_t>(text.substr(0, dot), 0, kMostMillis);
  if (!millis || text.front() == '-') return std::nullopt;
  Time time = std::chrono::milliseconds(*millis);
  if (dot == std::string_view::npos) return time;
  const std::string_view fraction = text.substr(dot + 1);
  if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  std::int64_t unit = 100;  // microseconds of the next digit
  for (const char digit : fraction.substr(0, 3)) {
    time += Time((digit - '0') * unit);
    unit /= 10;
  }
  return time;
}

/// Reads the file line by line; the first error ends it.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Result<Trace, TraceError> read() {
    if (auto wrong = header()) return *wrong;
    if (auto wrong = settle_header()) return *wrong;
    if (auto wrong = events()) return *wrong;
    return std::move(trace_);
  }

 private:
  struct Entry {
    std::size_t line;
    std::string_view value;
  };
  using Wrong = std::optional<TraceError>;

  /// The next line that is no comment; nothing at the end of the text.
  std::optional<std::string_view> next_line() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      cut_ = end == std::string_view::npos;
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(cut_ ? rest_.size() : end + 1);
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.starts_with('#')) return line;
    }
    return std::nullopt;
  }

  Wrong header() {
    const auto first = next_line();
    if (!first || *first != "merel-trace 1") {
      return error(std::max<std::size_t>(number_, 1),
                   "a trace begins with the line 'merel-trace 1', not with " + quoted(first.value_or("")));
    }
    while (true) {
      const auto line = next_line();
      if (!line) return error(number_ + 1, "the file ends within the header; a line '---' must follow it");
      if (*line == "---") return std::nullopt;
      const std::size_t space = line->find(' ');
      const std::string_view key = line->substr(0, space);
      if (space == std::string_view::npos || space + 1 == line->size()) {
        return error(number_, quoted(*line) +
                                  " has no value; a header line is a key, a space and a value, and '---' ends the header");
      }
      const Entry entry{number_, line->substr(space + 1)};
      if (key == "option") {
        options_.push_back(entry);
      } else if (key == "game" || key == "sensing" || key == "position" || key == "settle") {
        if (!header_.emplace(key, entry).second)
          return error(number_, "a second '" + std::string(key) + "' line; there is one at most");
      } else {
        return error(number_, quoted(key) + " is no header line; they are game, option, sensing, position and settle");
      }
    }
  }

  Wrong settle_header() {
    const auto game = header_.find("game");
    if (game == header_.end()) return error(number_, "the header has no 'game' line");
    trace_.game = find_game(game->second.value);
    if (trace_.game == nullptr) {
      std::string known;
      for (const GameInfo& info : games()) known += (known.empty() ? "" : ", ") + std::string(info.name);
      return error(game->second.line, quoted(game->second.value) + " is no game; the games are " + known);
    }
    trace_.options = trace_.game->defaults();
    for (const Entry& option : options_) {
      if (const auto set = trace_.options.set(option.value); !set) return error(option.line, set.error().message);
    }
    if (const auto sensing = header_.find("sensing"); sensing != header_.end()) {
      trace_.colour = sensing->second.value == "colour";
      if (!trace_.colour && sensing->second.value != "occupancy") {
        return error(sensing->second.line, quoted(sensing->second.value) + " is no sensing; it is occupancy or colour");
      }
    }
    if (const auto settle = header_.find("settle"); settle != header_.end()) {
      const auto time = read_time(settle->second.value);
      if (!time || *time > std::chrono::minutes(1)) {
        return error(settle->second.line,
                     quoted(settle->second.value) + " is no settle time; write milliseconds from 0 to 60000");
      }
      trace_.settle = *time;
    }
    const auto position = header_.find("position");
    const std::string start =
        position == header_.end() ? trace_.game->start(trace_.options) : std::string(position->second.value);
    const auto read = trace_.game->read(trace_.options, start);
    if (!read) return error(position == header_.end() ? number_ : position->second.line, "position, " + read.error().line());
    trace_.start = *read;
    for (const Site site : trace_channels(trace_.start)) sensed_[site] = true;
    return std::nullopt;
  }

  Wrong events() {
    Time last{};
    while (true) {
      const auto line = next_line();
      if (!line) return error(number_ + 1, "the trace is cut off; its last line must be 'T end'");
      const auto parts = words(*line);
      if (parts.size() < 2) return error(number_, quoted(*line) + " is no event; write a time in ms, then what happened");
      const auto time = read_time(parts[0]);
      if (!time) return error(number_, quoted(parts[0]) + " is no time; write milliseconds as a decimal, such as 1200.5");
      if (*time < last)
        return error(number_, "the time " + std::string(parts[0]) + " is before the last one; events are in time order");
      last = *time;
      TraceEvent event{*time, TraceEnd{}};
      if (auto wrong = read_event(parts, event)) return wrong;
      trace_.events.push_back(std::move(event));
      if (std::holds_alternative<TraceEnd>(trace_.events.back().what)) break;
    }
    if (const auto more = next_line())
      return error(number_, quoted(*more) + " comes after 'end', which must be the last line");
    return std::nullopt;
  }

  Wrong player(std::string_view text, Player& out) const {
    out = text.size() == 1 ? trace_.game->player(text[0]) : kNoPlayer;
    if (out != kNoPlayer) return std::nullopt;
    return error(number_, quoted(text) + " is no colour of this game; they are " + std::string(trace_.game->colours));
  }

  Wrong read_event(const std::vector<std::string_view>& parts, TraceEvent& event) {
    const std::string_view kind = parts[1];
    const auto takes = [&parts](std::size_t n) { return parts.size() == n + 2; };
    const auto form = [this](std::string_view right) {
      return error(number_, "this event is written '" + std::string(right) + "'");
    };
    if (kind == "end") return takes(0) ? Wrong{} : form("T end");
    if (kind == "takeback") {
      event.what = TakebackRequest{};
      return takes(0) ? Wrong{} : form("T takeback");
    }
    if (kind == "button") {
      if (!takes(1)) return form("T button C");
      ButtonPress press{};
      event.what = press;
      const Wrong wrong = player(parts[2], press.player);
      event.what = press;
      return wrong;
    }
    if (kind == "reserve") {
      if (!takes(2)) return form("T reserve C N");
      if (trace_.game->tray == 0) return error(number_, "this game has no trays, so no 'reserve'");
      TrayReading tray{};
      if (const Wrong wrong = player(parts[2], tray.player)) return wrong;
      const auto count = whole_number<int>(parts[3], 0, trace_.game->tray);
      if (!count)
        return error(number_,
                     quoted(parts[3]) + " cannot lie in a tray; it holds 0 to " + std::to_string(trace_.game->tray));
      tray.count = *count;
      event.what = tray;
      trace_.trays = true;
      return std::nullopt;
    }
    if (kind == "choose") {
      ChooseRequest choice;
      if (parts.size() < 3 || parts.size() > 2 + kMostTurnSteps) return form("T choose STEP…");
      for (std::size_t i = 2; i < parts.size(); ++i) {
        const auto step = read_step(trace_.start, parts[i]);
        if (!step) return error(number_, "choose, step " + quoted(parts[i]) + ", " + step.error().line());
        choice.steps.push_back(*step);
      }
      event.what = std::move(choice);
      return std::nullopt;
    }
    const Site site = geometry(trace_.start).find(kind);
    if (site == kNoSite) return error(number_, quoted(kind) + " is neither a site of this board nor an event");
    if (!sensed_[site]) return error(number_, "no sensor reaches " + std::string(kind) + "; levels 1 and 2 have sensors");
    if (!takes(1)) return form(trace_.colour ? "T SITE C" : "T SITE o");
    SiteReading reading{site, Contents::empty()};
    if (parts[2] == "o" && !trace_.colour) {
      reading.contents = Contents::occupied();
    } else if (parts[2] != ".") {
      const Player owner = trace_.colour && parts[2].size() == 1 ? trace_.game->player(parts[2][0]) : kNoPlayer;
      if (owner == kNoPlayer) {
        return error(number_, quoted(parts[2]) + " is no reading; with " +
                                  (trace_.colour ? "colour sensing it is . or one of " + std::string(trace_.game->colours)
                                                 : "occupancy sensing it is . or o"));
      }
      reading.contents = Contents::piece(owner);
    }
    event.what = reading;
    return std::nullopt;
  }

  std::string_view rest_;
  std::size_t number_ = 0;
  bool cut_ = false;
  std::map<std::string_view, Entry, std::less<>> header_;
  std::vector<Entry> options_;
  std::array<bool, 256> sensed_{};
  Trace trace_;
};

}  // namespace

std::string TraceError::text(std::string_view file) const {
  return std::string(file) + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + message;
}

std::vector<Site> trace_channels(const Position& position) {
  std::vector<Site> out;
  for (const SiteInfo& info : geometry(position).sites) {
    if (info.sensed) out.push_back(info.site);
  }
  return out;
}

Result<Trace, TraceError> read_trace(std::string_view text) {
  if (!valid_utf8(text)) {
    std::size_t line = 1;
    std::string_view rest = text;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos && valid_utf8(rest.substr(0, end));
         end = rest.find('\n')) {
      rest.remove_prefix(end + 1);
      ++line;
    }
    return error(line, "this line is not UTF-8 text");
  }
  return Reader(text).read();
}

Result<Trace, TraceError> read_trace_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return error(0, "is a folder; name a trace file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return error(0, "cannot be opened; check the name and the permissions");
  std::string text;
  std::array<char, 1 << 16> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) return error(0, "is larger than 64 MiB; that is no trace of a game");
  }
  if (file.bad()) return error(0, "cannot be read to its end");
  return read_trace(text);
}

}  // namespace merel
