#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "daemon/server/descriptor.h"
#include "daemon/server/server.h"

namespace merel {
namespace {

constexpr std::size_t kShortest = 32;

std::string reason(int number) { return std::generic_category().message(number); }

std::string cannot(const char* do_what, const std::string& file, int number) {
  return std::string("cannot ") + do_what + " the token file " + file + ": " + reason(number);
}

Result<Token, std::string> make(const std::string& file, const Descriptor& made) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, 32> random{};
  bool good = ::getrandom(random.data(), random.size(), 0) == static_cast<ssize_t>(random.size());
  Token token;
  for (const unsigned char byte : random) {
    token.text += kHex[byte >> 4];
    token.text += kHex[byte & 15];
  }
  const std::string line = token.text + '\n';
  good = good && ::write(made.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (good && ::fsync(made.number()) == 0) return token;
  const int number = errno;
  ::unlink(file.c_str());  // half a token is worse than none
  return cannot("write", file, number);
}

Result<Token, std::string> read(const std::string& file) {
  // Not blocking: should the name be a pipe, opening it must not wait for its writer.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!descriptor.open() || ::fstat(descriptor.number(), &facts) != 0) return cannot("read", file, errno);
  if (!S_ISREG(facts.st_mode)) return "the token file " + file + " is not a file: remove it, and a new one is made";
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return "others can read the token file " + file + ": remove it, so that a new token is made, or chmod 600 it";
  }
  std::array<char, 1024> bytes{};
  const auto count = ::read(descriptor.number(), bytes.data(), bytes.size());
  if (count < 0) return cannot("read", file, errno);
  Token token{{bytes.data(), static_cast<std::size_t>(count)}};
  while (!token.text.empty() && (token.text.back() == '\n' || token.text.back() == '\r')) token.text.pop_back();
  const bool visible = std::all_of(token.text.begin(), token.text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  if (token.text.size() < kShortest || static_cast<std::size_t>(count) == bytes.size() || !visible) {
    return "the token file " + file + " holds no token of " + std::to_string(kShortest) + " to " +
           std::to_string(bytes.size() - 1) + " visible characters: remove it, and a new one is made";
  }
  return token;
}

}  // namespace

Result<Token, std::string> read_or_make_token(const std::string& file) {
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (made.open()) return make(file, made);
  return errno == EEXIST ? read(file) : cannot("make", file, errno);
}

}  // namespace merel
