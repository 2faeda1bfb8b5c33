#pragma once
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/serial_port.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/lamp.h"
#include "drivers/link/host_end.h"
#include "drivers/loop_clock.h"
#include "drivers/serial/device_watch.h"
#include "drivers/serial/link_wiring.h"
#include "drivers/serial/serial_port.h"
#include "rules/result.h"

namespace merel {

/// Whoever is told what a board on the link sees.
class LinkListener {
 public:
  LinkListener() = default;
  virtual ~LinkListener() = default;
  LinkListener(const LinkListener&) = delete;
  LinkListener& operator=(const LinkListener&) = delete;

  virtual void on_class(std::uint8_t channel, PieceClass what, Time time) = 0;
  virtual void on_press(std::uint8_t button, bool down, Time time) = 0;
  /// The board has joined: everything it sees has been told.
  virtual void on_joined(const link::BoardHello& hello, Time time) = 0;
  /// It is not there, or cannot be used: one sentence. Another sentence follows when more is known.
  virtual void on_absent(const std::string& sentence, Time time) = 0;
};

/// Whoever looks at the sensors' levels.
class LevelsObserver {
 public:
  LevelsObserver() = default;
  virtual ~LevelsObserver() = default;
  LevelsObserver(const LevelsObserver&) = delete;
  LevelsObserver& operator=(const LevelsObserver&) = delete;

  /// ADC counts (0 to 4095) by channel.
  virtual void on_levels(std::span<const std::uint16_t> counts, Time time) = 0;
};

/// What is known of a board on the link, for metrics and the self-test.
struct BoardFacts {
  bool joined = false;
  std::optional<link::BoardHello> hello;    ///< firmware, revision, channels, what it can: of the last board that answered
  std::optional<link::BoardStatus> status;  ///< its last heartbeat: scans, counters, current, flags (link::StatusFlag)
  link::HostCounts counts;
  link::FrameCounts frames;           ///< from the board
  std::uint64_t openings = 0;         ///< times that the port was opened
  std::string trouble;                ///< one sentence, empty when all is well
  std::vector<std::string> refusals;  ///< commands that the board does not take, one sentence each
};

/// The connection to a board on a serial port, shared by its sensors, lights and buzzer. Opens the port by its name, again when the board
/// comes back, with pauses from kFirstRetry to kLastRetry and at once when something appears in /dev. Never waits: one write is under way
/// at a time, and the next one takes what is then the newest. On the loop's thread only; the loop and the clock must outlive it.
class LinkBoard : public std::enable_shared_from_this<LinkBoard> {
 public:
  static constexpr Time kFirstRetry = std::chrono::milliseconds(100);
  static constexpr Time kLastRetry = std::chrono::seconds(5);
  static constexpr Time kHandshake = std::chrono::milliseconds(2'500);  ///< a port without a board for so long is a trouble
  static constexpr Time kStuck = std::chrono::seconds(1);               ///< a write that takes longer will never end

  using Told = std::function<void(const std::string&)>;
  using CalibrationRead = std::function<void(const Result<link::CalibrationData, std::string>&)>;

  /// `lights`: how many the profile has.
  LinkBoard(boost::asio::io_context& loop, const LoopClock& clock, LinkWiring wiring, std::size_t lights);
  ~LinkBoard();
  LinkBoard(const LinkBoard&) = delete;
  LinkBoard& operator=(const LinkBoard&) = delete;

  /// Begins to look for the board; a second time is harmless.
  void open();
  /// Sends what can be sent at once, a last picture say, and lets the port go until the next open().
  void close();

  /// Who is told what the board sees, null for nobody: at once what is known already, then what changes.
  void listen(LinkListener* listener);
  /// Who is told that the lights cannot be reached and, with an empty sentence, that they can be again.
  void on_light_trouble(Told told);
  /// Who looks at the levels, null for nobody. How often they come is watch_levels()' affair.
  void observe_levels(LevelsObserver* observer) { observer_ = observer; }

  /// Light n shows the n-th of these lamps; lights beyond them are dark.
  void show(std::span<const Lamp> lamps);
  /// One beep; nothing when no board is there or it has no buzzer.
  void beep(std::uint16_t hertz, std::uint16_t milliseconds);
  /// Which channels hold no piece, as the game knows it: bit n is channel n. Only there may the board follow a drift.
  void set_empty_sites(std::uint64_t channels);
  /// What the board takes out of each level for its neighbours' magnets.
  void set_crosstalk(Crosstalk crosstalk);
  /// How often levels are told, 0 to 100 a second; 0: not at all.
  void watch_levels(std::uint8_t hz);
  /// Wants the levels once, now.
  void ask_levels();
  /// Gives the board a calibration to use and to keep. `done` is called once: with an empty sentence when it is kept, or with what is
  /// wrong.
  void calibrate(const link::CalibrationData& data, Told done);
  /// Asks the board for the calibration that it uses. `done` is called once; a board that has none answers with no channels.
  void read_calibration(CalibrationRead done);

  [[nodiscard]] BoardFacts facts() const;
  [[nodiscard]] const LinkWiring& wiring() const { return wiring_; }
  /// Looks for a missing board at once.
  void check();

 private:
  [[nodiscard]] Time now();
  void soon();
  void step();
  void arm();
  void try_open();
  void not_opened(PortFailure failure);
  void retry();
  void read_some();
  void write_some();
  void drop(const std::string& sentence);
  void let_go();
  void hand_on();
  void hand_on(const link::HostEvent& event);
  void on_joined();
  void on_ended(const link::CommandEnded& ended);
  void diagnose();
  void absent(const std::string& sentence);
  void tell_lights();
  void send_lights();
  void send_settings();
  void end_reading(const Result<link::CalibrationData, std::string>& result);

  boost::asio::io_context& loop_;
  const LoopClock& clock_;
  LinkWiring wiring_;
  std::size_t light_count_;
  link::HostEnd host_;
  boost::asio::serial_port port_;
  boost::asio::steady_timer timer_;
  DeviceWatch watch_;

  bool running_ = false;
  bool posted_ = false;   ///< a step is on its way
  bool handing_ = false;  ///< events are being handed on
  Time now_{};
  std::optional<Time> armed_;
  std::optional<Time> retry_at_;
  Time retry_pause_{kFirstRetry};
  std::optional<Time> diagnose_at_;
  std::optional<Time> stuck_at_;  ///< a write is under way
  std::uint64_t generation_ = 0;  ///< of the open port: handlers of an earlier one are done
  std::uint64_t openings_ = 0;
  bool known_lost_ = false;  ///< the trouble is that a board has fallen silent
  int failed_ = 0;           ///< how the last opening ended
  std::optional<Time> denied_since_;

  std::array<std::uint8_t, 1024> in_{};
  std::vector<std::uint8_t> out_;

  LinkListener* listener_ = nullptr;
  LevelsObserver* observer_ = nullptr;
  Told lights_told_;
  std::string lights_sentence_;  ///< the last one told
  std::string trouble_;          ///< of the board as a whole
  std::map<link::MessageType, std::string> refusals_;
  std::vector<Lamp> lamps_;
  link::Settings settings_;
  Told calibrated_;
  std::vector<CalibrationRead> readers_;
};

}  // namespace merel
