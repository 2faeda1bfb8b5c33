#pragma once
#include <sys/types.h>

#include <string>

namespace merel {

/// The user that this process acts as, by name; the number where the system has no name for it (getpwuid(3)).
[[nodiscard]] std::string user_name();
/// A group by name, or its number (getgrgid(3)).
[[nodiscard]] std::string group_name(gid_t gid);

}  // namespace merel
