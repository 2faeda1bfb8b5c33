#include "daemon/server/response_head.h"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

namespace merel {
namespace {

/// A value that cannot break out of its line.
std::string one_line(std::string_view value) {
  std::string result(value);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '_');
  return result;
}

std::string in_quotes(std::string_view name) {
  std::string result = one_line(name);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == '"' || c == '\\' || c == '/'; }, '_');
  return '"' + result + '"';
}

}  // namespace

std::string response_head(const Response& response, std::size_t length, const Wire& wire) {
  namespace http = boost::beast::http;
  const std::string_view reason = http::obsolete_reason(http::int_to_status(response.status));
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  head += reason;
  head += "\r\n";
  const auto field = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  if (response.status != 204 && response.status != 304) {
    field("Content-Type", one_line(response.content_type));
    field("Content-Length", std::to_string(length));
  }
  if (!wire.keep_alive) {
    field("Connection", "close");
  } else if (wire.http_1_0) {
    field("Connection", "keep-alive");
  }
  if (!response.file_name.empty()) field("Content-Disposition", "attachment; filename=" + in_quotes(response.file_name));
  head += wire.fields;
  field("X-Content-Type-Options", "nosniff");
  field("Referrer-Policy", "no-referrer");
  field("Content-Security-Policy", "default-src 'self'");
  field("X-Frame-Options", "DENY");
  head += "\r\n";
  return head;
}

Response error_response(unsigned status, std::string_view sentence) {
  const nlohmann::json body{{"error", sentence}};
  return {status, body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "application/json", {}};
}

}  // namespace merel
