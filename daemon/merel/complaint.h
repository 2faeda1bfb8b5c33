#pragma once
#include <string_view>

namespace merel {

/// Writes `merel: <what>` as one line to standard error (line breaks and control characters inside become spaces) and returns
/// `exit_code`.
int complain(std::string_view what, int exit_code);

}  // namespace merel
