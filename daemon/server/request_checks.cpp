#include "daemon/server/request_checks.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace merel {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (digit(c)) return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// RFC 3629: the shortest form only, no surrogates, nothing beyond U+10FFFF.
bool valid_utf8(std::string_view text) {
  static constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (length == 0 || length > text.size() - i) return false;
    char32_t point = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6 != 2) return false;
      point = point << 6 | (next & 0x3FU);
    }
    if (point < kSmallest.at(length) || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
    i += length;
  }
  return true;
}

/// Percent-decodes; empty when that cannot be done or gives what no path or value may hold.
std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return std::nullopt;  // must have been encoded
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return std::nullopt;
    result += c;
  }
  if (!valid_utf8(result)) return std::nullopt;
  return result;
}

/// `http://host:80` and `http://host` are the same origin.
std::string normal_origin(std::string_view text) {
  std::string origin = lower(text);
  if (origin.starts_with("http://") && origin.ends_with(":80")) origin.resize(origin.size() - 3);
  return origin;
}

bool own_host(const std::string& host, const Entrance& entrance, const ServerSettings& settings) {
  if (host == "localhost" || host == "127.0.0.1" || host == "::1") return true;
  const std::string address = numeric_address(host);
  if (address.empty()) return false;
  return address == numeric_address(entrance.address) ||
         std::any_of(settings.listen.begin(), settings.listen.end(),
                     [&](const auto& listen) { return address == numeric_address(listen.host); });
}

bool allowed_origin(std::string_view origin, std::optional<std::string_view> host, const ServerSettings& settings) {
  const std::string normal = normal_origin(origin);
  if (host && normal == normal_origin("http://" + std::string(*host))) return true;
  return std::any_of(settings.origins.begin(), settings.origins.end(),
                     [&](const std::string& allowed) { return normal == normal_origin(allowed); });
}

bool knows_token(const RequestHead& head, const Target& target, const std::string& token) {
  if (token.empty()) return false;
  static constexpr std::string_view kScheme = "bearer ";
  if (head.authorization && lower(head.authorization->substr(0, kScheme.size())) == kScheme) {
    std::string_view given = head.authorization->substr(kScheme.size());
    given.remove_prefix(std::min(given.find_first_not_of(' '), given.size()));
    return same_secret(given, token);
  }
  // A browser cannot set a header on a WebSocket. Elsewhere a token in the address would end up in histories and logs.
  const auto given = target.query.find("token");
  return target.path == kEventsPath && given != target.query.end() && same_secret(given->second, token);
}

bool taken_type(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  return type == "application/json" || type == "text/plain";
}

}  // namespace

Result<Target, std::string> read_target(std::string_view text) {
  if (text.empty() || text.front() != '/')
    return std::string("the target of a request begins with a slash, like /api/state");
  if (text.find('#') != std::string_view::npos)
    return std::string("a target has no fragment: leave out the # and what follows");
  const std::size_t mark = std::min(text.find('?'), text.size());
  auto path = decode(text.substr(0, mark), false);
  if (!path) return std::string("the path is not percent-encoded UTF-8 without control characters");
  Target target{std::move(*path), {}};
  std::string_view rest = text.substr(std::min(mark + 1, text.size()));
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto key = decode(pair.substr(0, equals), true);
    auto value = decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!key || !value) return std::string("the query is not percent-encoded UTF-8 without control characters");
    if (!target.query.emplace(std::move(*key), std::move(*value)).second) {
      return std::string("the query gives the same key twice");
    }
  }
  return target;
}

std::optional<Rejection> refusal(const RequestHead& head, const Target& target, const Entrance& entrance,
                                 const ServerSettings& settings) {
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST" && head.method != "DELETE") {
    return Rejection{405, "only GET, HEAD, POST and DELETE are answered here"};
  }
  if (head.doubled) return Rejection{400, "Host, Origin, Authorization and Content-Type may be given once only"};
  if (!head.host && !head.http_1_0) return Rejection{400, "an HTTP/1.1 request names its Host"};
  if (head.host) {
    const auto host = host_name(*head.host);
    if (!host) return Rejection{400, "the Host is not a name or an address with an optional port"};
    if (!entrance.unix_socket && entrance.loopback && !own_host(*host, entrance, settings)) {
      return Rejection{403, "this is not the host you asked for: use localhost or the address that mereld listens on"};
    }
  }
  if (head.origin && !allowed_origin(*head.origin, head.host, settings)) {
    return Rejection{403,
                     "pages of another origin are not served: add it to the allowed origins of the server if you trust it"};
  }
  if (!entrance.unix_socket && !entrance.loopback && !knows_token(head, target, settings.token)) {
    return Rejection{401, "the token is needed here: send the header Authorization: Bearer TOKEN"};
  }
  if (head.method == "POST" && head.content_type && !taken_type(*head.content_type)) {
    return Rejection{415, "send the body as application/json or text/plain"};
  }
  return std::nullopt;
}

std::optional<std::string> host_name(std::string_view field) {
  const bool bracketed = field.starts_with('[');
  const std::size_t end = bracketed ? field.find(']') : std::min(field.find(':'), field.size());
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = bracketed ? field.substr(1, end - 1) : field.substr(0, end);
  const std::string_view port = field.substr(bracketed ? end + 1 : end);
  const bool good_port =
      port.empty() || (port.size() <= 6 && port[0] == ':' && std::all_of(port.begin() + 1, port.end(), digit));
  const bool good_name = bracketed
                             ? name.find(':') != std::string_view::npos && !numeric_address(std::string(name)).empty()
                             : !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
                                 return digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '.' || c == '-' || c == '_';
                               });
  if (!good_port || !good_name) return std::nullopt;
  return lower(name);
}

std::string numeric_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> shortest{};
  if (text.find('\0') != std::string::npos) return {};
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, text.c_str(), bytes.data()) == 1) {
      return inet_ntop(family, bytes.data(), shortest.data(), static_cast<socklen_t>(shortest.size()));
    }
  }
  return {};
}

bool same_secret(std::string_view left, std::string_view right) {
  // `volatile` keeps the compiler from leaving the loop at the first difference.
  volatile unsigned difference = left.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const char other = right.empty() ? '\0' : right[i % right.size()];
    difference = difference | static_cast<unsigned>(static_cast<unsigned char>(left[i] ^ other));
  }
  return difference == 0;
}

}  // namespace merel
