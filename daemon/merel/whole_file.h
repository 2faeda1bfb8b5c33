#pragma once
#include <optional>
#include <string>

namespace merel {

/// The content of a file; nothing when it cannot be read.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::string& file);
/// Replaces the content of a file: empty, or why that was not possible.
[[nodiscard]] std::string write_whole_file(const std::string& file, const std::string& content);

}  // namespace merel
