#pragma once
#include <string>
#include <string_view>

#include "daemon/server/server.h"

namespace merel {

/// What a response needs beside the application's part.
struct Wire {
  bool http_1_0 = false;  ///< the request was of HTTP/1.0
  bool keep_alive = false;
  std::string_view fields;  ///< further whole lines, each with its CR LF
};

/// Status line and fields of a response with a body of so many bytes, up to and with the empty line.
[[nodiscard]] std::string response_head(const Response& response, std::size_t length, const Wire& wire);

/// `{"error": "sentence"}` with that status.
[[nodiscard]] Response error_response(unsigned status, std::string_view sentence);

}  // namespace merel
