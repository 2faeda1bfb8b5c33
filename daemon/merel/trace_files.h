#pragma once
#include <optional>
#include <string>
#include <vector>

#include "drivers/trace.h"

namespace merel {

/// Reads all trace files before anything is done with one of them; complains of the first that is bad and gives nothing.
[[nodiscard]] std::optional<std::vector<Trace>> read_trace_files(const std::vector<std::string>& files);

}  // namespace merel
