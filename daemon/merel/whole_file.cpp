#include "daemon/merel/whole_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace merel {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

}  // namespace

std::optional<std::string> read_whole_file(const std::string& file) {
  const File in(std::fopen(file.c_str(), "rbe"), std::fclose);
  if (!in) return std::nullopt;
  std::string out;
  std::array<char, 65536> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), in.get())) out.append(part.data(), n);
  if (std::ferror(in.get()) != 0) return std::nullopt;
  return out;
}

std::string write_whole_file(const std::string& file, const std::string& content) {
  File out(std::fopen(file.c_str(), "wbe"), std::fclose);
  const bool written = out && std::fwrite(content.data(), 1, content.size(), out.get()) == content.size();
  const bool closed = out && std::fclose(out.release()) == 0;
  if (written && closed) return "";
  return file + ": cannot be written: " + std::generic_category().message(errno);
}

}  // namespace merel
