#include "rules/options.h"

#include <charconv>

namespace merel {
namespace {

constexpr std::uint8_t kNumberBase = 100;  // chosen_ values from here on are numbers
constexpr int kNumberLeast = 2;
constexpr int kNumberMost = 99;

std::string list(const OptionSpec& spec) {
  std::string out;
  for (const std::string_view value : spec.values) {
    if (!out.empty()) out += ", ";
    out += value;
  }
  if (spec.number) out += " or a number from 2 to 99";
  return out;
}

}  // namespace

std::size_t Options::find(std::string_view key) const {
  std::size_t i = 0;
  while (i < specs_.size() && specs_[i].key != key) ++i;
  return i;
}

Result<std::monostate, OptionError> Options::set(std::string_view key, std::string_view value) {
  const std::size_t i = find(key);
  if (i == specs_.size()) {
    std::string known;
    for (const OptionSpec& spec : specs_) known += (known.empty() ? "" : ", ") + std::string(spec.key);
    return OptionError{"option '" + std::string(key) + "' is unknown to this game; it has: " + known};
  }
  const OptionSpec& spec = specs_[i];
  for (std::size_t v = 0; v < spec.values.size(); ++v) {
    if (spec.values[v] == value) {
      chosen_[i] = static_cast<std::uint8_t>(v);
      return std::monostate{};
    }
  }
  if (spec.number) {
    int n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    const bool whole = error == std::errc{} && end == value.data() + value.size() && value.front() != '0';
    if (whole && n >= kNumberLeast && n <= kNumberMost) {
      chosen_[i] = static_cast<std::uint8_t>(kNumberBase + n);
      return std::monostate{};
    }
  }
  return OptionError{"option '" + std::string(key) + "' cannot be '" + std::string(value) + "'; it can be: " + list(spec)};
}

Result<std::monostate, OptionError> Options::set(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) {
    return OptionError{"option '" + std::string(pair) + "' has no value; write it as key=value"};
  }
  return set(pair.substr(0, equals), pair.substr(equals + 1));
}

std::string Options::get(std::string_view key) const {
  const std::size_t i = find(key);
  if (i == specs_.size()) return {};
  if (chosen_[i] >= kNumberBase) return std::to_string(chosen_[i] - kNumberBase);
  return std::string(specs_[i].values[chosen_[i]]);
}

bool Options::is(std::string_view key, std::string_view value) const {
  const std::size_t i = find(key);
  return i < specs_.size() && chosen_[i] < kNumberBase && specs_[i].values[chosen_[i]] == value;
}

int Options::number(std::string_view key) const {
  const std::size_t i = find(key);
  return i < specs_.size() && chosen_[i] >= kNumberBase ? chosen_[i] - kNumberBase : 0;
}

bool Options::changed(std::string_view key) const {
  const std::size_t i = find(key);
  return i < specs_.size() && chosen_[i] != 0;
}

}  // namespace merel
