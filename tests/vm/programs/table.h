#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/event_json.h"
#include "daemon/live/trace_hands.h"
#include "tests/folder.h"
#include "tests/live/daemon_process.h"
#include "tests/vm/programs/wires.h"

namespace merel {

/// A profile that comes with Merel, with parts of its text replaced.
struct Board {
  std::string name;
  std::vector<std::pair<std::string, std::string>> instead;

  /// What the file says then. Throws when something to be replaced is not there.
  [[nodiscard]] std::string text() const;
};

/// The shipped profile of the expanders, for the virtual machine's own bus 0 and without their interrupt lines.
[[nodiscard]] Board polled_expanders();

/// mereld with such a board, and what the app would ask it.
class Table {
 public:
  /// `settings`: further lines of its configuration.
  explicit Table(const Board& board, const std::string& settings = {});
  /// Prints the log of a daemon that has ended by itself.
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// An answer that is no success throws it.
  [[nodiscard]] Json get(const std::string& target) const;
  Json post(const std::string& target, const Json& body = Json::object()) const;
  /// Asks until the answer fits, at most so many seconds; the last answer.
  Json wait_for(const std::string& target, const std::function<bool(const Json&)>& fits, int seconds = 10) const;
  /// A figure of /metrics; -1 where there is none of that name.
  [[nodiscard]] double metric(const std::string& name) const;
  [[nodiscard]] std::string log() const { return file_text(home_.file("log")); }

  [[nodiscard]] const BoardProfile& board() const { return board_; }
  [[nodiscard]] DaemonProcess& daemon() { return *daemon_; }
  /// Which channels have a piece, as mereld's debounced sensors read it.
  [[nodiscard]] std::vector<bool> occupied() const;

 private:
  Folder home_;
  BoardProfile board_;
  std::unique_ptr<DaemonProcess> daemon_;
};

/// What mereld made of a game.
struct PlayedGame {
  std::vector<std::string> steps;
  std::string result;
  int illegal = 0;
};

/// Puts the trace's start on the board, begins its game, and plays it at its own pace with magnets and buttons; `meanwhile` is done at
/// its times. Ends when mereld has nothing left to decide.
PlayedGame play(Table& table, SensorWires& wires, Header& header, const Trace& trace, std::vector<HandAct> meanwhile = {});
/// Magnets where that position has pieces, and nowhere else.
void arrange(const Table& table, SensorWires& wires, const GameInfo& game, const Position& position);

/// Where a game of that kind begins.
[[nodiscard]] Position start_of(const GameInfo& game);

/// A trace and what really happened in it, by the file's name.
[[nodiscard]] Trace trace_of(const std::string& name);
[[nodiscard]] PlayedGame truth_of(const std::string& name);

/// `mereld --check`, or any other command: what it says, and its exit status.
struct Output {
  std::string text;
  int status = 0;
};
[[nodiscard]] Output run(const std::string& command);
/// `mereld --check` of that board.
[[nodiscard]] Output check(const Board& board);

}  // namespace merel
