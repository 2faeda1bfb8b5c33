#include "rules/geometry.h"

#include <algorithm>

namespace merel {

Site Geometry::find(std::string_view name) const {
  const auto at = std::find_if(sites.begin(), sites.end(), [name](const SiteInfo& info) { return info.name() == name; });
  return at == sites.end() ? kNoSite : at->site;
}

}  // namespace merel
