#pragma once
#include <utility>
#include <variant>

namespace merel {

/// A value, or the reason why there is none. Never allocates by itself.
/// `T` and `E` must be different types.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(E error) : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; call only when ok().
  [[nodiscard]] const T& operator*() const { return *std::get_if<0>(&held_); }
  [[nodiscard]] T& operator*() { return *std::get_if<0>(&held_); }
  [[nodiscard]] const T* operator->() const { return std::get_if<0>(&held_); }
  [[nodiscard]] T* operator->() { return std::get_if<0>(&held_); }

  /// The reason; call only when not ok().
  [[nodiscard]] const E& error() const { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, E> held_;
};

}  // namespace merel
