#include "daemon/live/version.h"

#include <spdlog/version.h>
#include <sys/utsname.h>

#include <boost/version.hpp>

namespace merel {

Json versions_json() {
  utsname system{};
  uname(&system);
  return {{"merel", kVersion},
          {"compiler", __VERSION__},
          {"boost", BOOST_LIB_VERSION},
          {"spdlog", std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR)},
          {"system", std::string(system.sysname) + " " + system.release + " " + system.machine}};
}

}  // namespace merel
