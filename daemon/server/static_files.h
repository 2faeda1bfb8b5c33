#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/server/descriptor.h"
#include "rules/result.h"

namespace merel {

/// A file of the web folder, open for reading.
struct StaticFile {
  Descriptor descriptor;
  std::size_t size = 0;           ///< bytes, at most 8 MiB
  std::string etag;               ///< with its quotes; another one as soon as size or time of change are others
  std::string_view content_type;  ///< by the ending of the name
};

/// Opens the file that the decoded path of a request (`/style.css`; `/` means `/index.html`) names below the folder `web`. The error
/// is a sentence for the answer 404: no such file, a folder, hidden, outside of `web` (through symbolic links too), too large.
[[nodiscard]] Result<StaticFile, std::string> open_static_file(const std::string& web, std::string_view path);

}  // namespace merel
