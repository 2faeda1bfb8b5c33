#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/config/config.h"
#include "daemon/journal/journal.h"
#include "daemon/live/calibrator.h"
#include "daemon/live/metrics.h"
#include "daemon/live/recorder.h"
#include "daemon/server/server.h"
#include "daemon/session/session.h"
#include "drivers/loop_clock.h"
#include "drivers/open_board.h"
#include "drivers/preflight.h"

namespace merel {

/// A new game as somebody asks for it; what is missing is taken from the configuration.
struct NewGame {
  std::optional<std::string> game;
  std::map<std::string, std::string> options;
  std::optional<std::string> position;
  std::optional<std::vector<std::string>> players;
  std::optional<ClockSettings> clock;
  bool no_clock = false;  ///< whatever the configuration says
};

/// Why a request cannot be done: a status of HTTP and one sentence that says what to do.
struct Refused {
  unsigned status = 409;
  std::string sentence;
};

/// The house: drivers, session, journal and server on one loop. Everything here runs on the loop's thread.
///
/// A reading goes session → lights → story → journal and clients, in this order: the lights wait for nobody.
class Daemon final : private SensorListener {
 public:
  using Done = Result<std::monostate, Refused>;

  Daemon(boost::asio::io_context& loop, Config config);
  ~Daemon() override;

  /// Opens journal, board and server and takes up a game that was running; or says in one line what is missing.
  Result<std::monostate, std::string> start();
  /// Lights off, files written, everything closed.
  void stop();
  /// Looks whether the board still answers and has power enough; called every few seconds.
  void check();
  /// Takes over a configuration that was read anew; answers what needs a restart to count, one sentence each.
  std::vector<std::string> reload(Config config);

  // ---- what people ask for ----
  Done begin(const NewGame& wanted);
  Done take_back();
  Done choose(const std::vector<std::string>& steps);
  Done choose(const std::vector<Step>& steps);
  /// Players by colour letter; empty: the one to act, everybody.
  Done resign(const std::string& letter);
  Done draw(const std::string& letter);
  Done abort();
  void help(bool on);
  Done record(bool on);

  // ---- what is so ----
  [[nodiscard]] Json state();
  [[nodiscard]] Json sensors();
  [[nodiscard]] Json support();
  [[nodiscard]] std::string metrics() const;
  [[nodiscard]] const Metrics& counted() const { return metrics_; }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] const Recorder& recorder() const { return recorder_; }
  [[nodiscard]] const Server& server() const { return *server_; }
  [[nodiscard]] const LoopClock& clock() const { return clock_; }
  /// Virtual time: the clock stands at `now`, and what was due by then happens. deadline() says when something is due next.
  void hold_clock(Time now);
  [[nodiscard]] std::optional<Time> deadline() const { return armed_; }
  /// The virtual board; null where the board is a real one.
  [[nodiscard]] SimDriver* sim() const { return board_.sim.get(); }
  [[nodiscard]] const std::string& game_id() const { return header_.id; }
  /// The board's levels are to be calibrated; refused where there are none, or while a game is on the board.
  [[nodiscard]] Result<Calibrator*, Refused> calibrating();
  /// All lights show that instead of the game, or the game again.
  void flood(std::optional<Lamp> lamp);
  /// The channel under that cell, whatever is played; nothing where there is none.
  [[nodiscard]] std::optional<std::uint16_t> cell_channel(const std::string& cell) const;
  /// The channel under a site of the game's board, or without a game under that cell; an error is one sentence.
  [[nodiscard]] Result<std::uint16_t, std::string> channel(const std::string& site) const;

 private:
  class Api;

  void on_reading(const Reading& reading) override;
  void on_button(std::uint8_t number, bool down, Time time) override;
  void on_tray(std::uint8_t number, int count, Time time) override;
  void on_health(const SourceHealth& told, Time time) override;
  void on_light_trouble(const std::string& what);

  void resume(const ArchivedGame& game);
  void settle(Time since);
  void show_lights();
  void beep(Beep beep);
  void share_debounce();
  void use_board();
  void tell_known();
  void tell_story();
  void tell(const SessionEvent& event, std::vector<Json>& kept);
  void keep_trace();
  /// Brings jobs of other threads to the loop; may outlive the daemon, not the loop.
  [[nodiscard]] Journal::Post to_loop() const;
  void write_trace(const std::string& file, const std::string& text);
  void publish(const Json& message);
  void publish_changes();
  void arm();
  void due();
  [[nodiscard]] Json journal_json(const JournalStatus& status) const;
  [[nodiscard]] Json game() const;
  [[nodiscard]] Result<Player, Refused> player(const std::string& letter) const;
  Done answer(const Session::Answer& answer, Time since);
  [[nodiscard]] SessionSettings session_settings() const;

  boost::asio::io_context& loop_;
  Config config_;
  LoopClock clock_;
  boost::asio::steady_timer timer_;
  std::optional<Time> armed_;
  Time
      shared_debounce_{};  ///< what the sensors' source takes off the debounce time; before the session, which is made with it
  Session session_;
  OpenBoard board_;
  SourceHealth health_;
  std::unique_ptr<Calibrator> calibrator_;  ///< where the sensors tell levels
  KnownBoard known_;                        ///< as last told to the sensors
  std::optional<Lamp> flood_;
  std::string light_trouble_;  ///< empty while the lights answer
  bool weak_ = false;          ///< the power supply is
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<Server> server_;
  Recorder recorder_;
  bool trace_failing_ = false;  ///< belongs to the journal's thread
  Metrics metrics_;

  GameHeader header_;          ///< of the game on the board
  std::uint64_t event_ = 0;    ///< number of its last event
  std::uint64_t durable_ = 0;  ///< number of its last event that is on the disk
  std::uint64_t seq_ = 0;      ///< of the last message to the clients

  Scene scene_;  ///< as shown
  std::vector<Lamp> lamps_;
  bool relight_ = true;  ///< show it again, whatever it is

  // What the clients have been told.
  Phase told_phase_ = Phase::idle;
  Json told_view_;
  Json told_lights_ = Json::object();
  Json told_picture_ = Json::object();
  Json told_offers_ = Json::array();
  std::string told_running_;
  bool changed_ = false;            ///< something may be new for them
  std::optional<Time> publish_at_;  ///< when it is told
  Time published_{};
};

}  // namespace merel
