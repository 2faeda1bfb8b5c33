#include "rules/position_text.h"

namespace merel {
namespace {

/// `W or B`, `R, G, B or Y`.
std::string one_of(std::string_view colours) {
  std::string out;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    if (i > 0) out += i + 1 == colours.size() ? " or " : ", ";
    out += colours[i];
  }
  return out;
}

std::string count_error(std::string_view kind, std::size_t wanted, std::size_t found) {
  return "must have " + std::to_string(wanted) + " " + std::string(kind) + ", not " + std::to_string(found);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<TextPart> split(TextPart whole, char separator) {
  std::vector<TextPart> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = whole.text.find(separator, begin);
    parts.push_back({whole.text.substr(begin, end - begin), whole.column + begin});
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

Result<std::vector<TextPart>, TextError> split_fields(std::string_view text, std::span<const std::string_view> names) {
  std::vector<TextPart> fields = split({text, 1}, ' ');
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string name(i < names.size() ? names[i] : "end");
    if (fields[i].text.empty()) {
      return TextError{name, fields[i].column, "is empty; fields are separated by exactly one space"};
    }
    if (i >= names.size()) {
      return TextError{name, fields[i].column, "the text must end after the field '" + std::string(names.back()) + "'"};
    }
  }
  if (fields.size() < names.size()) {
    return TextError{std::string(names[fields.size()]), text.size() + 1,
                     "is missing; " + count_error("fields", names.size(), fields.size())};
  }
  return fields;
}

Result<std::vector<TextPart>, TextError> split_field(TextPart whole, char separator, std::size_t count,
                                                     std::string_view field, std::string_view kind) {
  std::vector<TextPart> parts = split(whole, separator);
  if (parts.size() == count) return parts;
  const std::size_t column = parts.size() > count ? parts[count].column : whole.column + whole.text.size();
  return TextError{std::string(field), column,
                   count_error(kind, count, parts.size()) + ", separated by '" + std::string(1, separator) + "'"};
}

Result<std::string, TextError> read_rank(TextPart rank, std::string_view field, std::size_t width,
                                         std::string_view colours) {
  std::string sites;
  std::size_t i = 0;
  while (i < rank.text.size()) {
    const char c = rank.text[i];
    const std::size_t column = rank.column + i;
    if (is_digit(c)) {
      if (c == '0') return TextError{std::string(field), column, "a number of empty sites must not begin with 0"};
      std::size_t empty = 0;
      for (; i < rank.text.size() && is_digit(rank.text[i]) && empty <= width; ++i) {
        empty = empty * 10 + static_cast<std::size_t>(rank.text[i] - '0');
      }
      // One site too many is enough to be refused below, however large the number.
      sites.append(empty <= width ? empty : width + 1, kEmptySite);
    } else if (colours.find(c) != std::string_view::npos) {
      sites += c;
      ++i;
    } else {
      return TextError{std::string(field), column,
                       "only numbers of empty sites and the letters " + one_of(colours) + " can stand in a rank"};
    }
    if (sites.size() > width) {
      return TextError{std::string(field), column, "the rank has more than its " + std::to_string(width) + " sites"};
    }
  }
  if (sites.size() < width) {
    return TextError{std::string(field), rank.column, "the rank " + count_error("sites", width, sites.size())};
  }
  return sites;
}

void append_rank(std::string& out, std::string_view sites) {
  std::size_t empty = 0;
  for (const char c : sites) {
    if (c == kEmptySite) {
      ++empty;
      continue;
    }
    if (empty > 0) out += std::to_string(empty);
    empty = 0;
    out += c;
  }
  if (empty > 0) out += std::to_string(empty);
}

Result<Player, TextError> read_player(TextPart part, std::string_view field, std::string_view colours) {
  const std::size_t player = part.text.size() == 1 ? colours.find(part.text.front()) : std::string_view::npos;
  if (player == std::string_view::npos) {
    return TextError{std::string(field), part.column, "must be " + one_of(colours)};
  }
  return static_cast<Player>(player);
}

}  // namespace merel
