#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/board_image.h"
#include "daemon/config/board_profile.h"
#include "daemon/game_clock.h"
#include "daemon/lamps.h"
#include "daemon/tracker.h"
#include "rules/result.h"

namespace merel {

/// One thing that is wrong in a configuration file.
struct ConfigProblem {
  std::string file;
  std::size_t line = 0;  ///< from 1; 0 when it is about the file as a whole
  std::string message;   ///< what is wrong and what would be right, one line

  /// `FILE:LINE: message`
  [[nodiscard]] std::string text() const;
};

/// An address to listen on.
struct ListenAddress {
  std::string host;  ///< numeric, IPv4 or IPv6 without brackets
  std::uint16_t port = 0;
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// Everything that an owner can set (docs/configuration.md).
struct Config {
  BoardProfile board;

  // [game]: what a held button starts, and what a new game has when nothing else is said
  std::string game = "morris";
  std::map<std::string, std::string> options;  ///< of that game
  std::optional<ClockSettings> clock;
  std::vector<std::string> players;  ///< names in seating order; may be shorter than the game's players

  // [play]
  bool help = true;
  bool sound = true;          ///< the buzzer, where the board has one
  TrackerSettings tracker;    ///< settle, wrong_placing, wrong_lift, ask; trays come from the profile
  DebounceSettings debounce;  ///< hold, which may be zero

  // [lights]
  double brightness = 1.0;  ///< 0 to 1
  Palette palette = Palette::standard;

  // [server]
  std::string socket = "/run/merel/merel.sock";
  std::vector<ListenAddress> listen = {{"127.0.0.1", 7357}};
  std::string web = "/usr/share/merel/web";  ///< folder of the page; may be missing
  std::vector<std::string> origins;          ///< further allowed origins, `https://board.example`
  std::string token_file = "/var/lib/merel/token";

  // [journal]
  std::string journal = "/var/lib/merel/games.sqlite";
  std::uint32_t journal_max_mib = 0;  ///< 0: as large as the disk allows
  bool record_traces = false;         ///< keep the raw trace of every game
  std::string traces = "/var/lib/merel/traces";

  // [log]
  std::string log_level = "info";  ///< trace, debug, info, warning, error
};

using ConfigProblems = std::vector<ConfigProblem>;

/// Reads the daemon's configuration and the board profile that it names; all that is wrong in either is told at once. `share` is the
/// folder with `boards/`, where a profile named without a slash is looked for.
[[nodiscard]] Result<Config, ConfigProblems> read_config(const std::string& file, const std::string& share);
/// The configuration of a daemon without a file: the virtual board of `share`/boards/virtual7.toml.
[[nodiscard]] Result<Config, ConfigProblems> default_config(const std::string& share);
/// Reads one board profile alone.
[[nodiscard]] Result<BoardProfile, ConfigProblems> read_profile(const std::string& file);

// The same from text, for tests and fuzzing; `file` is only for messages.
[[nodiscard]] Result<BoardProfile, ConfigProblems> read_profile_text(const std::string& text, const std::string& file);
[[nodiscard]] Result<Config, ConfigProblems> read_config_text(const std::string& text, const std::string& file,
                                                              const std::string& share);

}  // namespace merel
