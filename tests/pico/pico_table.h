#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/event_json.h"
#include "daemon/live/trace_hands.h"
#include "tests/folder.h"
#include "tests/live/daemon_process.h"
#include "tests/pico/linked_board.h"

namespace merel {

/// What mereld made of a game.
struct KeptGame {
  std::vector<std::string> steps;
  std::string result;
  int illegal = 0;
};

/// mereld as a process with boards/lattice7-pico.toml, for a board on that port, and what the app would ask it.
class PicoTable {
 public:
  /// `settings`: further lines of its configuration.
  PicoTable(LinkedBoard& board, const Folder& home, const std::string& settings = {});
  ~PicoTable();
  PicoTable(const PicoTable&) = delete;
  PicoTable& operator=(const PicoTable&) = delete;

  /// An answer that is no success throws it.
  [[nodiscard]] Json get(const std::string& target) const { return ask("GET", target, ""); }
  Json post(const std::string& target, const Json& body = Json::object()) const { return ask("POST", target, body.dump()); }
  Json wait_for(const std::string& target, const std::function<bool(const Json&)>& fits, int seconds) const;
  /// Waits until the board has joined.
  void wait_joined() const;
  [[nodiscard]] std::string log() const;
  [[nodiscard]] std::string socket() const { return home_.file("merel.sock"); }
  /// The board is calibrated with these kinds through the API, both poles of each; what was answered in the end.
  Json calibrate(const std::vector<MagnetKind>& kinds);

  /// Takes everything off the board, then puts every piece of the trace's start there.
  void arrange(const Trace& trace);
  /// Begins the trace's game; throws when the board does not show its start.
  void begin(const Trace& trace) const;
  /// mereld is killed and started anew.
  void restart();
  /// Plays the trace at its own pace with magnets and buttons, pulling the cable `unplugs` times in between.
  KeptGame play(const Trace& trace, int unplugs);

  [[nodiscard]] const BoardProfile& profile() const { return profile_; }

 private:
  Json ask(const std::string& method, const std::string& target, const std::string& body) const;
  void raise(const Trace& trace);
  void set(const Trace& trace, std::uint16_t channel, Contents contents);

  LinkedBoard& board_;
  const Folder& home_;
  BoardProfile profile_;
  std::unique_ptr<DaemonProcess> daemon_;
};

[[nodiscard]] Trace trace_named(const std::string& name);
[[nodiscard]] KeptGame truth_about(const std::string& name);

}  // namespace merel
