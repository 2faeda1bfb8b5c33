#include "daemon/live/json_body.h"

#include <algorithm>

namespace merel {

JsonBody::JsonBody(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  Json read = Json::parse(text, nullptr, false);
  if (read.is_discarded()) {
    error_ = "the body is not JSON";
  } else if (!read.is_object()) {
    error_ = "the body must be a JSON object, {…}";
  } else {
    value_ = std::move(read);
  }
}

Json* JsonBody::find(const char* key) {
  known_.emplace_back(key);
  const auto at = value_.find(key);
  return at == value_.end() || at->is_null() ? nullptr : &*at;
}

void JsonBody::wrong(const char* key, const std::string& what) {
  if (error_.empty()) error_ = std::string(key) + ": must be " + what;
}

void JsonBody::missing(const char* key, const char* what) {
  if (error_.empty()) error_ = std::string(key) + ": is missing; it must be " + what;
}

std::optional<std::string> JsonBody::text(const char* key) {
  const Json* at = find(key);
  if (at == nullptr) return std::nullopt;
  if (at->is_string()) return at->get<std::string>();
  wrong(key, "a text");
  return std::nullopt;
}

std::optional<bool> JsonBody::flag(const char* key) {
  const Json* at = find(key);
  if (at == nullptr) return std::nullopt;
  if (at->is_boolean()) return at->get<bool>();
  wrong(key, "true or false");
  return std::nullopt;
}

std::optional<double> JsonBody::number(const char* key, double least, double most) {
  const Json* at = find(key);
  if (at == nullptr) return std::nullopt;
  if (at->is_number()) {
    const double value = at->get<double>();
    if (value >= least && value <= most) return value;
  }
  wrong(key, "a number from " + Json(least).dump() + " to " + Json(most).dump());
  return std::nullopt;
}

std::optional<std::vector<std::string>> JsonBody::texts(const char* key) {
  const Json* at = find(key);
  if (at == nullptr) return std::nullopt;
  const bool good = at->is_array() && std::all_of(at->begin(), at->end(), [](const Json& e) { return e.is_string(); });
  if (good) return at->get<std::vector<std::string>>();
  wrong(key, "a list of texts");
  return std::nullopt;
}

std::map<std::string, std::string> JsonBody::table(const char* key) {
  std::map<std::string, std::string> out;
  const Json* at = find(key);
  if (at == nullptr) return out;
  if (!at->is_object()) wrong(key, "an object of texts");
  for (const auto& [name, value] : at->items()) {
    if (value.is_string()) {
      out[name] = value.get<std::string>();
    } else if (value.is_number_integer()) {
      out[name] = value.dump();
    } else {
      wrong(key, "an object of texts");
    }
  }
  return out;
}

std::optional<JsonBody> JsonBody::object(const char* key) {
  const Json* at = find(key);
  if (at == nullptr) return std::nullopt;
  if (at->is_object()) return JsonBody(*at);
  wrong(key, "an object");
  return std::nullopt;
}

bool JsonBody::is_null(const char* key) const {
  const auto at = value_.find(key);
  return at != value_.end() && at->is_null();
}

std::string JsonBody::error() const {
  if (!error_.empty()) return error_;
  for (const auto& [key, unused] : value_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string all;
    for (const std::string& name : known_) all += (all.empty() ? "" : ", ") + name;
    return "'" + key + "' is not known here; " + (all.empty() ? "nothing is" : "known are: " + all);
  }
  return "";
}

}  // namespace merel
