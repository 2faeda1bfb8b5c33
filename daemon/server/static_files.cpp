#include "daemon/server/static_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace merel {
namespace {

constexpr std::size_t kLargest = std::size_t{8} * 1024 * 1024;

std::string_view content_type(const std::string& ending) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".txt", "text/plain; charset=utf-8"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".webp", "image/webp"},
  }};
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.first == ending; });
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

bool below(const std::filesystem::path& folder, const std::filesystem::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

Result<StaticFile, std::string> open_static_file(const std::string& web, std::string_view path) {
  const std::string none = "there is no such page";
  if (web.empty() || path.empty() || path.front() != '/') return none;
  std::filesystem::path wanted = web;
  std::string_view rest = path == "/" ? "/index.html" : path;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    // A leading dot means hidden, and the two folders that lead elsewhere; NUL would end the name early.
    if (part.empty() || part.front() == '.' || part.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos)
      return none;
    wanted /= part;
  }
  std::error_code failed;
  const auto folder = std::filesystem::canonical(web, failed);
  if (failed) return none;
  const auto real = std::filesystem::weakly_canonical(wanted, failed);
  if (failed || !below(folder, real)) return none;

  // Not blocking: should the name be a pipe, opening it must not wait for its writer.
  Descriptor descriptor(::open(real.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (!descriptor.open() || ::fstat(descriptor.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) return none;
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > kLargest) return std::string("this file is larger than the 8 MiB that are served");
  const auto nanoseconds = static_cast<long long>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
  return StaticFile{std::move(descriptor), size, '"' + std::to_string(size) + '-' + std::to_string(nanoseconds) + '"',
                    content_type(wanted.extension().string())};
}

}  // namespace merel
