#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/event_json.h"

// Looking into JSON that another program has written: what is missing or of another kind is an empty value, never an exception.
namespace merel {

/// What stands under that key; null when there is nothing.
[[nodiscard]] const Json& at(const Json& object, const char* key);
/// The list, or the object, under that key; an empty one when it is something else.
[[nodiscard]] const Json& list_at(const Json& object, const char* key);
[[nodiscard]] const Json& object_at(const Json& object, const char* key);
[[nodiscard]] std::string text_at(const Json& object, const char* key);
[[nodiscard]] std::int64_t number_at(const Json& object, const char* key);
/// True only for a true.
[[nodiscard]] bool flag_at(const Json& object, const char* key);
/// The texts of a list.
[[nodiscard]] std::vector<std::string> texts_at(const Json& object, const char* key);
[[nodiscard]] std::vector<std::string> texts(const Json& list);

/// One text out of many.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const char* between);

}  // namespace merel
