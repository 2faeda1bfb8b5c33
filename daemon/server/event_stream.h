#pragma once
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "daemon/server/hub.h"

namespace merel {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;

/// Answers that request for a WebSocket and then sends the application's state and every published message.
void serve_events(const std::shared_ptr<Hub>& hub, Socket socket, Entrance entrance, const HttpRequest& upgrade);

}  // namespace merel
