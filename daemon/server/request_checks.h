#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/server/server.h"
#include "rules/result.h"

namespace merel {

/// Where the event stream is found.
inline constexpr std::string_view kEventsPath = "/api/events";

/// The target of a request, decoded: valid UTF-8 without control characters.
struct Target {
  std::string path;  ///< begins with `/`
  std::map<std::string, std::string> query;
};

/// Reads `/path?key=value&…` as it stands in a request line (RFC 9112, origin form). `+` in the query means a space. Refused: other
/// forms, fragments, bad percent-encoding, control characters, what is not UTF-8, a key given twice.
[[nodiscard]] Result<Target, std::string> read_target(std::string_view text);

/// Where a connection came in.
struct Entrance {
  bool unix_socket = false;
  bool loopback = false;  ///< the local address is one of 127.0.0.0/8 or ::1
  std::string address;    ///< the local address, numeric; empty on the Unix socket
};

/// The parts of a request's head that decide on access. A field that is absent is empty, one that is present twice is `doubled`.
struct RequestHead {
  std::string_view method = {};
  bool http_1_0 = false;
  std::optional<std::string_view> host = {};
  std::optional<std::string_view> origin = {};
  std::optional<std::string_view> authorization = {};
  std::optional<std::string_view> content_type = {};
  bool doubled = false;  ///< one of these fields stands there more than once
};

/// Why a request is not served.
struct Rejection {
  unsigned status = 400;
  std::string sentence;
};

/// Decides whether the request reaches the application; empty when it does. Pure.
///
/// A page of a foreign site can make a browser send requests here. What keeps it out: its `Origin` is not ours (403), a name that it
/// points to 127.0.0.1 is not a name of ours (403), a form's body types are not taken (415). Beyond this machine the token decides
/// (401).
[[nodiscard]] std::optional<Rejection> refusal(const RequestHead& head, const Target& target, const Entrance& entrance,
                                               const ServerSettings& settings);

/// The host of a `Host` field in lower case, without brackets and port; empty when the field is malformed.
[[nodiscard]] std::optional<std::string> host_name(std::string_view field);

/// A numeric IPv4 or IPv6 address in its shortest form; empty when the text is not one.
[[nodiscard]] std::string numeric_address(const std::string& text);

/// Whether both are the same, in a time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view left, std::string_view right);

}  // namespace merel
