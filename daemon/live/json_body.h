#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/event_json.h"

namespace merel {

/// The body of a request as a flat JSON object whose fields are taken out one by one; the first thing that is wrong is kept as one
/// sentence. An empty body is an empty object.
class JsonBody {
 public:
  explicit JsonBody(const std::string& text);

  std::optional<std::string> text(const char* key);
  std::optional<bool> flag(const char* key);
  /// A number within these bounds.
  std::optional<double> number(const char* key, double least, double most);
  std::optional<std::vector<std::string>> texts(const char* key);
  /// An object of texts; numbers count as their text.
  std::map<std::string, std::string> table(const char* key);
  /// A nested object, for its own fields; nothing when it is missing or null.
  std::optional<JsonBody> object(const char* key);
  [[nodiscard]] bool is_null(const char* key) const;

  /// After all fields were asked for: what is wrong, a field that nobody asked for included; empty when nothing is.
  [[nodiscard]] std::string error() const;
  /// Reports that this field is needed.
  void missing(const char* key, const char* what);

 private:
  explicit JsonBody(Json value) : value_(std::move(value)) {}
  Json* find(const char* key);
  void wrong(const char* key, const std::string& what);

  Json value_ = Json::object();
  std::vector<std::string> known_;
  std::string error_;
};

}  // namespace merel
