#include "daemon/merel/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace merel {
namespace {

// Without the cursor, and with lines cut at the edge instead of wrapped.
constexpr char kBegin[] = "\x1b[?25l\x1b[?7l";
constexpr char kRestore[] = "\x1b[0m\x1b[?7h\x1b[?25h\n";

termios cooked;                           // how the terminal reads keys without us
volatile std::sig_atomic_t keys_raw = 0;  // it reads them our way now

void restore_keys() {
  if (keys_raw != 0) tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
  keys_raw = 0;
}

extern "C" void restore_and_die(int signal) {
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, kRestore, sizeof kRestore - 1);
  restore_keys();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Interrupts a poll(), so that the picture is drawn for the new size.
extern "C" void woken(int /*signal*/) {}

}  // namespace

bool on_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

Ink terminal_ink() {
  const char* refused = std::getenv("NO_COLOR");
  return on_terminal() && (refused == nullptr || *refused == '\0') ? Ink::colour : Ink::plain;
}

Screen::Screen() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, restore_and_die);
  struct sigaction resized {};
  resized.sa_handler = woken;  // without SA_RESTART
  sigaction(SIGWINCH, &resized, nullptr);
}

Screen::~Screen() { leave(); }

std::pair<std::size_t, std::size_t> Screen::size() {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) return {24, 80};
  return {window.ws_row, window.ws_col};
}

void Screen::show(const std::vector<std::string>& picture) {
  const auto now = size();
  if (entered_ && picture == shown_ && now == shown_size_) return;
  std::string out;
  if (!entered_) out = std::string(now.first, '\n') + kBegin;  // what was there moves up and is kept
  entered_ = true;
  shown_ = picture;
  shown_size_ = now;
  out += "\x1b[H";
  for (std::size_t i = 0; i < picture.size(); ++i) out += (i == 0 ? "" : "\n") + picture[i] + "\x1b[K";
  std::cout << out + "\x1b[J" << std::flush;
}

void Screen::leave() {
  if (entered_) std::cout << kRestore << std::flush;
  entered_ = false;
}

Keys::Keys() {
  if (isatty(STDIN_FILENO) != 1 || tcgetattr(STDIN_FILENO, &cooked) != 0) return;
  termios raw = cooked;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return;
  keys_raw = 1;
  fd_ = STDIN_FILENO;
}

Keys::~Keys() { restore_keys(); }

char Keys::next() const {
  pollfd ready{fd_, POLLIN, 0};
  char key = 0;
  if (fd_ < 0 || poll(&ready, 1, 0) <= 0 || read(fd_, &key, 1) != 1) return 0;
  return key;
}

}  // namespace merel
