#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rules/result.h"

namespace merel {

/// A rule option that a game knows.
struct OptionSpec {
  std::string_view key;
  std::span<const std::string_view> values;  ///< allowed values, the default first
  bool number = false;                       ///< a whole number from 2 to 99 is allowed as well
  std::string_view meaning;                  ///< one line for people
};

/// An option that was refused, as one line that says what would be right.
struct OptionError {
  std::string message;
};

/// The chosen values of one game's rule options. What is not set has its default.
class Options {
 public:
  static constexpr std::size_t kMost = 8;

  explicit Options(std::span<const OptionSpec> specs = {}) : specs_(specs) {}

  /// Sets one option from its text; an unknown key or value leaves everything as it was.
  Result<std::monostate, OptionError> set(std::string_view key, std::string_view value);
  /// Sets one option from `key=value`.
  Result<std::monostate, OptionError> set(std::string_view pair);

  /// The value as text. `key` must be one of the game's.
  [[nodiscard]] std::string get(std::string_view key) const;
  /// True when the option has that value; false for a key that the game does not know.
  [[nodiscard]] bool is(std::string_view key, std::string_view value) const;
  /// The value of a numeric option, 0 for one of its words or for a key that the game does not know.
  [[nodiscard]] int number(std::string_view key) const;
  /// True when the option was given a value other than its default.
  [[nodiscard]] bool changed(std::string_view key) const;
  [[nodiscard]] std::span<const OptionSpec> specs() const { return specs_; }

  friend bool operator==(const Options& a, const Options& b) {
    return a.specs_.data() == b.specs_.data() && a.chosen_ == b.chosen_;
  }

 private:
  /// Index of the key, or specs_.size().
  [[nodiscard]] std::size_t find(std::string_view key) const;

  std::span<const OptionSpec> specs_;
  std::array<std::uint8_t, kMost> chosen_{};  ///< index into values, or 100 + the number
};

}  // namespace merel
