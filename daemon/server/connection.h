#pragma once
#include <memory>

#include "daemon/server/hub.h"

namespace merel {

/// Serves HTTP on an accepted socket until one side ends it.
void serve_connection(const std::shared_ptr<Hub>& hub, Socket socket, Entrance entrance);

}  // namespace merel
