#include "rules/geometry.h"

#include <algorithm>

namespace merel {

Site Geometry::find(std::string_view name) const {
  const auto at = std::find_if(sites.begin(), sites.end(), [name](const SiteInfo& info) { return info.name() == name; });
  return at == sites.end() ? kNoSite : at->site;
}

bool Geometry::has(Site site) const {
  return std::any_of(sites.begin(), sites.end(), [site](const SiteInfo& info) { return info.site == site; });
}

const SiteInfo& Geometry::info(Site site) const {
  return *std::find_if(sites.begin(), sites.end(), [site](const SiteInfo& info) { return info.site == site; });
}

}  // namespace merel
