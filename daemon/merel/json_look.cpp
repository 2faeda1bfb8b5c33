#include "daemon/merel/json_look.h"

namespace merel {

const Json& at(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

const Json& list_at(const Json& object, const char* key) {
  static const Json empty = Json::array();
  const Json& found = at(object, key);
  return found.is_array() ? found : empty;
}

const Json& object_at(const Json& object, const char* key) {
  static const Json empty = Json::object();
  const Json& found = at(object, key);
  return found.is_object() ? found : empty;
}

std::string text_at(const Json& object, const char* key) {
  const Json& found = at(object, key);
  return found.is_string() ? found.get<std::string>() : "";
}

std::int64_t number_at(const Json& object, const char* key) {
  const Json& found = at(object, key);
  return found.is_number() ? found.get<std::int64_t>() : 0;
}

bool flag_at(const Json& object, const char* key) {
  const Json& found = at(object, key);
  return found.is_boolean() && found.get<bool>();
}

std::vector<std::string> texts_at(const Json& object, const char* key) { return texts(at(object, key)); }

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> out;
  if (!list.is_array()) return out;
  for (const Json& item : list) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

}  // namespace merel
