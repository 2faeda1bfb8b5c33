#include "daemon/config/file_problems.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace merel {
namespace {

constexpr std::size_t kMostQuoted = 60;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
/// True for the bytes of a UTF-8 character after its first.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string ConfigProblem::text() const {
  return file + ":" + (line == 0 ? "" : std::to_string(line) + ":") + " " + message;
}

void FileProblems::add(std::size_t line, std::string message) {
  std::replace_if(message.begin(), message.end(), is_control, ' ');
  found_.push_back({file_, line, std::move(message)});
}

ConfigProblems FileProblems::take() {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const ConfigProblem& a, const ConfigProblem& b) { return a.line < b.line; });
  return std::move(found_);
}

Result<std::string, ConfigProblem> read_file(const std::string& file) {
  const auto wrong = [&](std::string message) { return ConfigProblem{file, 0, std::move(message)}; };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return wrong("the file cannot be read: " + error.message());
  // Opening a pipe would wait for its writer.
  if (!std::filesystem::is_regular_file(status)) return wrong("this is a folder or a device; name a file");

  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string content(kMostConfigBytes + 1, '\0');
  if (in) in.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!in.is_open() || in.bad()) return wrong("the file cannot be read: " + std::generic_category().message(errno));
  content.resize(static_cast<std::size_t>(in.gcount()));
  return content;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMostQuoted) return "'" + std::string(text) + "'";
  std::size_t end = kMostQuoted;
  while (end > 0 && continues_character(text[end])) --end;
  return "'" + std::string(text.substr(0, end)) + "…'";
}

}  // namespace merel
