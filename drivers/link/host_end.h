#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "drivers/link/messages.h"
#include "drivers/reading.h"

namespace merel::link {

/// A channel reads something new.
struct SiteChange {
  Time time{};  ///< on the host's clock
  std::uint32_t board_us =
      0;  ///< on the board's, as it told it; where it told none, that of the report that showed the change
  std::uint8_t channel = 0;
  PieceClass what = PieceClass::none;
  bool repaired = false;  ///< found by comparing whole reports: the board's own word of it was lost
};
/// A button went down or up.
struct ButtonChange {
  Time time{};
  std::uint32_t board_us = 0;
  std::uint8_t number = 0;
  bool down = false;
  bool repaired = false;
};
/// The board is there, fits, and everything it sees has been told. Comes after the changes that led here.
struct Joined {
  bool first = false;  ///< nothing had been heard of any board before
};
/// The board answers, but cannot be listened to; HostEnd::hello() says what it is.
struct Unfit {
  enum class Why : std::uint8_t {
    protocol,
    revision
  };
  Why why{};
};
/// A board that was there has said nothing for HostEnd::kSilence. What it showed last still counts as told.
struct Lost {};
struct LevelsHeard {
  Time time{};  ///< on the host's clock
  Levels levels;
};
struct StatusHeard {
  BoardStatus status;
};
struct CalibrationHeard {
  CalibrationData data;
};
/// The end of a command.
struct CommandEnded {
  enum class How : std::uint8_t {
    answered,        ///< `answer` says how
    not_understood,  ///< the board's firmware does not know it; it was not sent
    given_up,        ///< a calibration that nobody has confirmed within HostEnd::kPatience
  };
  MessageType command{};
  How how{};
  Answer answer = Answer::done;
};
using HostEvent =
    std::variant<SiteChange, ButtonChange, Joined, Unfit, Lost, LevelsHeard, StatusHeard, CalibrationHeard, CommandEnded>;

/// What the host's end has counted since it was made.
struct HostCounts {
  std::uint64_t changes = 0;     ///< that the board told, each with its time
  std::uint64_t gaps = 0;        ///< times that reports had to be compared whole, other than the first
  std::uint64_t repaired = 0;    ///< changes found that way
  std::uint64_t sessions = 0;    ///< times that a board has joined
  std::uint64_t unknown = 0;     ///< messages of kinds that this version does not know
  std::uint64_t unreadable = 0;  ///< messages that say what cannot be
};

/// The host's side of the link as a state machine: bytes in, frames and events out, time as an argument. It opens no port and reads no
/// clock. docs/link.md describes the protocol.
///
/// One frame may be lost or damaged in either direction at any moment: whatever was not confirmed is sent again, and the board's reports
/// are whole. After the board or the link has been away, only what has really changed meanwhile is told.
class HostEnd {
 public:
  static constexpr Time kSilence = std::chrono::seconds(2);  ///< a board that says nothing for so long is lost
  static constexpr Time kProbe =
      std::chrono::seconds(1);  ///< after so much silence the hello is repeated: has it started anew?
  static constexpr Time kAlive =
      std::chrono::milliseconds(500);  ///< the longest that the host says nothing, give or take kAliveSlack
  static constexpr Time kAliveSlack = std::chrono::milliseconds(50);
  static constexpr Time kFirstRepeat =
      std::chrono::milliseconds(20);  ///< an unanswered command is repeated; the pause doubles
  static constexpr Time kLastRepeat = std::chrono::milliseconds(200);
  static constexpr Time kLastHello = std::chrono::milliseconds(500);  ///< the longest pause between two unanswered hellos
  static constexpr Time kUnfitHello = std::chrono::seconds(1);        ///< the pause with a board that does not fit
  static constexpr Time kPatience =
      std::chrono::seconds(10);  ///< how long a calibration is repeated, over any loss of the link

  enum class Stage : std::uint8_t {
    closed,    ///< no port
    greeting,  ///< hello is not answered
    joining,   ///< it is, and the first report is missing
    in_step,   ///< every change is heard
    unfit,     ///< answered by a board that does not fit
  };
  /// What has come in since open().
  struct Traffic {
    std::uint64_t bytes = 0;
    std::uint64_t good = 0;     ///< whole frames
    std::uint64_t damaged = 0;  ///< what was no frame
  };

  /// `revision`: the board's revision that the host's map of channels is made for; 0 for any. `session`: any number that the last host
  /// of this board did not begin with.
  HostEnd(std::uint16_t revision, std::uint32_t session);

  /// The port is open: greets.
  void open(Time now);
  /// The port is gone. Nothing is told of it: whoever closed the port knows.
  void close();
  /// Bytes have come. `now` is never before an earlier one, here and elsewhere.
  void hear(std::span<const std::uint8_t> bytes, Time now);
  /// Lets time pass, then writes the next frame that is due, the closing zero included. Returns its length; 0 when nothing is due.
  std::size_t next_frame(Time now, std::span<std::uint8_t, kMaxWire> wire);
  /// When next_frame() has something to do again; nothing while the port is closed and no answer is awaited.
  [[nodiscard]] std::optional<Time> deadline() const;
  /// What has happened, in order. Times of changes never go backwards and never lie in the future.
  [[nodiscard]] std::vector<HostEvent> take_events();

  // Wishes. The numbers in the messages are not looked at. Of each kind only the latest counts; it is sent when the board can take it,
  // repeated until confirmed, and, all but beeps and calibrations, sent again to a board that comes back. What the board's firmware does
  // not know is never sent.
  void want(const Lights& lights, Time now);
  void want(const Settings& settings, Time now);
  void want(const EmptySites& sites, Time now);
  void want(const Calibration& calibration, Time now);
  /// A beep is for now: none is kept for a board that is not there.
  void want(const Buzzer& beep, Time now);
  /// Wants one message of that type, and asks until it has come: report, levels, board_status or board_calibration; nothing else can be
  /// asked for.
  void ask(MessageType what, Time now);

  [[nodiscard]] Stage stage() const { return stage_; }
  /// How the board has introduced itself last.
  [[nodiscard]] const std::optional<BoardHello>& hello() const { return hello_; }
  [[nodiscard]] const std::optional<BoardStatus>& status() const { return status_; }
  /// What has been told of the channels and buttons; none before the first report.
  [[nodiscard]] std::span<const PieceClass> classes() const;
  [[nodiscard]] std::uint8_t buttons_down() const { return buttons_; }  ///< bit n: button n
  [[nodiscard]] std::uint8_t buttons() const;                           ///< how many there are
  [[nodiscard]] const HostCounts& counts() const { return counts_; }
  [[nodiscard]] const FrameCounts& frames() const { return reader_.counts(); }
  [[nodiscard]] Traffic traffic() const;

 private:
  /// One kind of command: how far it is on its way.
  struct Delivery {
    std::uint16_t number = 0;
    bool wanted = false;   ///< there is something to say
    bool pending = false;  ///< it is not confirmed
    bool settled = false;  ///< confirmed, one way or the other, since the board has joined
    bool told = false;     ///< it has been told that the board does not know it
    bool on_way = false;   ///< sent, and nothing heard of it
    Time sent{};
    Time pause{};
    Time due{};
  };
  static constexpr std::array kCommands = {MessageType::accept, MessageType::settings,    MessageType::lights,
                                           MessageType::buzzer, MessageType::empty_sites, MessageType::calibration};

  void pass(Time now);
  void greet();
  void take(const Frame& frame);
  void on_hello(const Frame& frame);
  void on_report(const Report& report);
  void on_status(const BoardStatus& status);
  void on_confirm(const Confirm& confirm);
  void join();
  void refuse(Unfit::Why why);
  void compare(const Report& report, std::uint64_t except, std::uint8_t except_buttons, Time time);
  void tell(const Change& change, Time time, bool repaired);
  [[nodiscard]] Time board_now(std::uint32_t time_us);
  [[nodiscard]] Time stamp(Time time);

  void renew(MessageType command, Time now);
  void settle(MessageType command, CommandEnded::How how, Answer answer);
  [[nodiscard]] Delivery& delivery(MessageType command);
  [[nodiscard]] const Delivery& delivery(MessageType command) const;
  [[nodiscard]] bool understood(MessageType message) const;
  [[nodiscard]] std::optional<Time> due(MessageType message) const;
  [[nodiscard]] bool may_show() const;
  std::size_t write(MessageType message, std::span<std::uint8_t, kMaxWire> wire);
  template <typename Message>
  std::size_t send(const Message& message, std::span<std::uint8_t, kMaxWire> wire);

  std::uint32_t session_;
  std::uint16_t revision_;
  Stage stage_ = Stage::closed;
  Unfit::Why unfit_{};         ///< in the stage of that name
  std::uint8_t sequence_ = 0;  ///< of the next frame
  bool alive_soon_ = false;
  Time now_{};
  std::vector<HostEvent> events_;
  HostCounts counts_;

  FrameReader reader_;
  FrameCounts counted_at_open_;
  std::uint64_t bytes_ = 0;  ///< since open()
  Time sent_{};              ///< when the last frame was written

  std::optional<BoardHello> hello_;
  std::optional<BoardStatus> status_;
  Time hello_due_{};
  Time hello_pause_{};
  Time probe_due_{};
  std::optional<Time> lost_at_;  ///< a board that has joined is lost then

  // What has been told.
  std::array<PieceClass, kMaxChannels> classes_{};
  std::uint64_t known_ = 0;  ///< bit n: something has been told of channel n
  std::uint8_t buttons_ = 0;
  std::uint8_t known_buttons_ = 0;
  std::uint16_t number_ = 0;  ///< of the last change heard
  bool acknowledge_ = false;

  // The board's clock.
  bool clock_known_ = false;
  std::uint32_t board_us_ = 0;
  Time board_{};   ///< the same, without wrapping
  Time offset_{};  ///< of the host's clock to it
  Time sampled_{};
  Time told_{};

  // What is wanted.
  std::array<Delivery, kCommands.size()> deliveries_{};
  EmptySites empty_sites_;
  Lights lights_;
  Calibration calibration_;
  Settings settings_;
  Buzzer buzzer_;
  Accept accept_;
  Time calibration_since_{};
  int refused_outputs_ = 0;  ///< since the board has joined
  std::uint32_t asked_ = 0;  ///< bit_of what is asked for
  std::size_t ask_next_ = 0;
  Time ask_due_{};
  Time ask_pause_{};
};

}  // namespace merel::link
