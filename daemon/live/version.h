#pragma once
#include "daemon/event_json.h"

namespace merel {

/// Of Merel itself, from the build.
inline constexpr const char* kVersion = MEREL_VERSION;

/// Merel's own version, its compiler, the libraries and the system it runs on.
[[nodiscard]] Json versions_json();

}  // namespace merel
