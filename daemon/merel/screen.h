#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "daemon/merel/board_view.h"

namespace merel {

/// Standard output is a terminal that can move its cursor.
[[nodiscard]] bool on_terminal();
/// Colour where standard output is a terminal, unless NO_COLOR is set (no-color.org).
[[nodiscard]] Ink terminal_ink();

/// A terminal on which pictures replace each other without flicker. Signals that end the program leave the terminal as it was.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Lines and columns.
  [[nodiscard]] static std::pair<std::size_t, std::size_t> size();

  /// Replaces the picture; nothing is sent when it is the one already there.
  void show(const std::vector<std::string>& picture);
  /// Leaves the picture where it is and goes on below it as usual.
  void leave();

 private:
  bool entered_ = false;
  std::vector<std::string> shown_;
  std::pair<std::size_t, std::size_t> shown_size_;
};

/// Single keys from the terminal, without Enter and without echo, until this object goes. Inert where standard input is no terminal.
class Keys {
 public:
  Keys();
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  /// To be polled for input; -1 without a terminal.
  [[nodiscard]] int fd() const { return fd_; }
  /// A key that has been pressed; 0 when there is none or the terminal is gone.
  [[nodiscard]] char next() const;

 private:
  int fd_ = -1;
};

}  // namespace merel
