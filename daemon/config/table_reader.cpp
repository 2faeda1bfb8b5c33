#define TOML_IMPLEMENTATION
#include "daemon/config/table_reader.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <sstream>

namespace merel {
namespace {

/// More slips than this and the key meant is anybody's guess.
constexpr std::size_t kMostSlips = 2;

/// How many letters must be added, left out or changed to make one of the other.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The name that was probably meant; empty when none is near.
std::string_view nearest(std::string_view given, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t fewest = kMostSlips + 1;
  for (const std::string_view name : names) {
    if (given.size() > name.size() + kMostSlips) continue;  // a key of a megabyte need not be compared
    const std::size_t n = slips(given, name);
    if (n >= fewest || n >= name.size()) continue;
    fewest = n;
    best = name;
  }
  return best;
}

std::string in_words(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

}  // namespace

std::optional<toml::table> parse_toml(std::string_view text, FileProblems& problems) {
  if (text.size() > kMostConfigBytes) {
    problems.add(0, "the file is larger than 1 MiB; that cannot be a configuration");
    return std::nullopt;
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    problems.add(error.source().begin.line, std::string(error.description()));
  } catch (const std::exception& error) {
    problems.add(0, "the file cannot be read: " + std::string(error.what()));
  }
  return std::nullopt;
}

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number with decimals";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

bool one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

const toml::node* TableReader::any(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return table_ == nullptr ? nullptr : table_->get(key);
}

bool TableReader::has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }

std::size_t TableReader::line(std::string_view key) const {
  if (table_ == nullptr) return 0;
  if (const auto at = table_->find(key); at != table_->end()) return at->first.source().begin.line;
  return name_.empty() ? 0 : line_of(*table_);
}

std::string TableReader::label(std::string_view key) const {
  return in_quotes(key) + (name_.empty() ? "" : " in [" + name_ + "]");
}

void TableReader::wrong(std::string_view key, std::string_view message) {
  problems_->add(line(key), label(key) + " " + std::string(message));
}

void TableReader::wrong_kind(std::string_view key, std::string_view right, const toml::node& node) {
  wrong(key, "must be " + std::string(right) + ", not " + std::string(kind_of(node)));
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) wrong_kind(key, "true or false", *node);
  return node->value_exact<bool>();
}

std::optional<std::int64_t> TableReader::whole(std::string_view key, std::int64_t least, std::int64_t most) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  const std::string range = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const auto value = node->value_exact<std::int64_t>();
  if (!value) {
    wrong_kind(key, range, *node);
  } else if (*value < least || *value > most) {
    wrong(key, "is " + std::to_string(*value) + "; it must be " + range);
  } else {
    return value;
  }
  return std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key, double least, double most) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  const std::string range = "a number from " + in_words(least) + " to " + in_words(most);
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value) {
    wrong_kind(key, range, *node);
  } else if (*value >= least && *value <= most) {  // neither holds for nan
    return value;
  } else {
    wrong(key, "is " + in_words(*value) + "; it must be " + range);
  }
  return std::nullopt;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  auto value = node->value_exact<std::string>();
  if (!value) {
    wrong_kind(key, "a string", *node);
  } else if (!one_line(*value)) {
    wrong(key, "must be one line without control characters");
  } else {
    return value;
  }
  return std::nullopt;
}

std::optional<std::string> TableReader::path(std::string_view key) {
  auto value = text(key);
  if (!value || value->starts_with('/')) return value;
  wrong(key, "is " + in_quotes(*value) + "; it must be an absolute path, one that begins with '/'");
  return std::nullopt;
}

std::optional<std::size_t> TableReader::choice(std::string_view key, std::span<const std::string_view> names) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::string_view>();
  const auto at = value ? std::find(names.begin(), names.end(), *value) : names.end();
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  wrong(key, "is " + (value ? in_quotes(*value) : std::string(kind_of(*node))) + "; it can be: " + joined(names));
  return std::nullopt;
}

std::optional<std::size_t> TableReader::choice(std::string_view key, std::span<const std::int64_t> numbers) {
  const toml::node* node = any(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  const auto at = value ? std::find(numbers.begin(), numbers.end(), *value) : numbers.end();
  if (at != numbers.end()) return static_cast<std::size_t>(at - numbers.begin());
  std::string allowed;
  for (const std::int64_t number : numbers) allowed += (allowed.empty() ? "" : ", ") + std::to_string(number);
  wrong(key, "is " + (value ? std::to_string(*value) : std::string(kind_of(*node))) + "; it can be: " + allowed);
  return std::nullopt;
}

const toml::array* TableReader::list(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) return nullptr;
  if (!node->is_array()) wrong_kind(key, "a list", *node);
  return node->as_array();
}

std::optional<std::vector<TableReader::Text>> TableReader::texts(std::string_view key) {
  const toml::array* items = list(key);
  if (items == nullptr) return std::nullopt;
  std::vector<Text> out;
  for (const toml::node& item : *items) {
    auto value = item.value_exact<std::string>();
    if (!value) {
      problems_->add(line_of(item),
                     label(key) + " must be a list of strings, but has " + std::string(kind_of(item)) + " in it");
    } else if (!one_line(*value)) {
      problems_->add(line_of(item), label(key) + " must be a list of strings of one line without control characters");
    } else {
      out.push_back({std::move(*value), line_of(item)});
    }
  }
  return out;
}

TableReader TableReader::table(std::string_view key) {
  const toml::node* node = any(key);
  if (node != nullptr && !node->is_table()) wrong_kind(key, "a table", *node);
  return {node == nullptr ? nullptr : node->as_table(), (name_.empty() ? "" : name_ + ".") + std::string(key), *problems_};
}

std::vector<TableReader::Entry> TableReader::entries() {
  std::vector<Entry> out;
  if (table_ == nullptr) return out;
  for (const auto& [key, node] : *table_) {
    const std::size_t at = key.source().begin.line;
    if (const auto word = node.value_exact<std::string>()) {
      out.push_back({std::string(key.str()), *word, at});
    } else if (const auto whole = node.value_exact<std::int64_t>()) {
      out.push_back({std::string(key.str()), std::to_string(*whole), at});
    } else if (const auto flag = node.value_exact<bool>()) {
      out.push_back({std::string(key.str()), *flag ? "true" : "false", at});
    } else {
      wrong_kind(key.str(), "a string, a whole number, true or false", node);
    }
  }
  return out;
}

void TableReader::finish() {
  if (table_ == nullptr) return;
  for (const auto& [key, node] : *table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    const std::string_view meant = nearest(key.str(), known_);
    wrong(key.str(), meant.empty() ? "is no known key; it can be: " + joined(known_)
                                   : "is no known key; did you mean " + in_quotes(meant) + "?");
  }
}

}  // namespace merel
