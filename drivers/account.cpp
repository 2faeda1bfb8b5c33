#include "drivers/account.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <vector>

namespace merel {
namespace {

constexpr std::size_t kMostRead = 65536;  // no entry is near

}  // namespace

std::string user_name() {
  std::vector<char> space(kMostRead);
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found);
  return found == nullptr ? std::to_string(geteuid()) : found->pw_name;
}

std::string group_name(gid_t gid) {
  std::vector<char> space(kMostRead);
  group entry{};
  group* found = nullptr;
  getgrgid_r(gid, &entry, space.data(), space.size(), &found);
  return found == nullptr ? std::to_string(gid) : found->gr_name;
}

}  // namespace merel
