#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/link/messages.h"
#include "drivers/reading.h"

namespace merel::link {

/// What the host can command, and what it can ask for. Each command comes once, however often the host repeats it.
class BoardCommands {
 public:
  /// The host has accepted this board: lights may shine and the buzzer may sound. Or nobody has, any longer.
  virtual void outputs(bool on) = 0;
  // Lights and beeps come only while outputs are on.
  virtual Answer show(const Lights& lights) = 0;
  virtual Answer beep(const Buzzer& beep) = 0;
  virtual Answer apply(const Settings& settings) = 0;
  /// Uses it and keeps it. May take as long as the flash needs: up to half a second.
  virtual Answer calibrate(const CalibrationData& data) = 0;
  /// Bit n: channel n holds no piece.
  virtual void empty(std::uint64_t channels) = 0;

  /// The counts of the last scan; the link knows the rest.
  virtual void fill(Levels& levels) = 0;
  /// The scans, the lights and the flags; the link knows the rest.
  virtual void fill(BoardStatus& status) = 0;
  /// The calibration in use; without channels when there is none.
  virtual void fill(CalibrationData& data) = 0;

 protected:
  ~BoardCommands() = default;
};

/// The board's side of the link as a state machine: bytes in, frames out, time as an argument. Freestanding, without a heap.
///
/// It keeps no queue of frames: next_frame() makes each one when the line is free for it, out of what has to be said by then. So there
/// is nothing that could be full, and a change is never lost: it stays in the list of the next report until the host acknowledges it;
/// when there are more than Report::kMaxChanges of them, the oldest fall off the list, and the masks still say where they have led.
///
/// Before a host's first hello, and to a host of another protocol, it says hello and nothing else.
class BoardEnd {
 public:
  static constexpr Time kSilence = std::chrono::seconds(2);            ///< a host that says nothing for so long is lost
  static constexpr Time kStatus = std::chrono::milliseconds(500);      ///< the heartbeat
  static constexpr Time kFirstRepeat = std::chrono::milliseconds(20);  ///< of an unacknowledged report; then ever later
  static constexpr Time kLastRepeat = std::chrono::milliseconds(100);
  /// For so long a coming change holds back whatever is not urgent.
  static constexpr Time kPatience = std::chrono::milliseconds(20);

  /// `self`: how the board introduces itself; the protocol and what it understands are filled in. Says hello.
  BoardEnd(const BoardHello& self, BoardCommands& board, Time now);

  /// Bytes have come. `now` is never before an earlier one, here and elsewhere.
  void hear(std::span<const std::uint8_t> bytes, Time now);
  /// A channel or a button reads something new, debounced. Changes come in the order in which they were decided.
  void change(const Change& change);
  /// A change will probably be decided before `until`: what is not urgent does not block the line for it.
  void expect_change(Time until) { expected_ = until; }
  /// Writes the next frame that is due, the closing zero included; call it when the line is free. Returns its length, 0 when
  /// nothing is due.
  std::size_t next_frame(Time now, std::span<std::uint8_t, kMaxWire> wire);

  /// The host has accepted the board, and no other host has come since.
  [[nodiscard]] bool accepted() const { return accepted_; }
  /// Nothing has been heard for kSilence.
  [[nodiscard]] bool lost(Time now) const { return now - heard_ >= kSilence; }
  [[nodiscard]] const FrameCounts& frames() const { return reader_.counts(); }
  /// Messages of kinds that it does not know.
  [[nodiscard]] std::uint32_t unknown() const { return unknown_; }
  /// What the host has been or will be told of a channel.
  [[nodiscard]] PieceClass at(std::size_t channel) const { return report_.classes[channel]; }
  [[nodiscard]] std::uint8_t buttons() const { return report_.buttons; }
  /// Of the last change.
  [[nodiscard]] std::uint16_t number() const { return report_.number; }

 private:
  /// One kind of command.
  struct Received {
    std::uint16_t number = 0;
    Answer answer = Answer::done;
    bool known = false;  ///< `number` has been answered for good
    bool due = false;    ///< a confirmation is to be sent
  };
  static constexpr std::size_t kCommands = 6;

  void take(const Frame& frame, Time now);
  void greet(const HostHello& hello, Time now);
  void acknowledge(std::uint16_t number);
  void answer(const Ask& ask, Time now);
  template <typename Command, typename Do>
  void command(const Frame& frame, Do&& carry_out);
  [[nodiscard]] bool told(MessageType message) const { return (understood_ & bit_of(message)) != 0; }
  [[nodiscard]] bool may_wait(Time due, Time now) const { return now < expected_ && now < due + kPatience; }
  template <typename Message>
  std::size_t write(const Message& message, std::span<std::uint8_t, kMaxWire> wire);

  BoardHello self_;
  BoardCommands& board_;
  FrameReader reader_;
  std::uint8_t sequence_ = 0;
  std::uint32_t unknown_ = 0;
  Time heard_{};
  bool accepted_ = false;

  // The host: what it understands is 0 as long as there is none.
  std::uint32_t session_ = 0;
  std::uint32_t understood_ = 0;
  std::array<Received, kCommands> received_{};

  // What is to be said.
  bool hello_due_ = true;
  Report report_;         ///< what the next one will say, but for its time
  bool unheard_ = false;  ///< something in it is not acknowledged
  Time report_due_{};     ///< when it is
  Time repeat_{};         ///< the pause after that
  Time expected_{};
  Time status_due_{};
  bool status_asked_ = false;
  std::uint16_t levels_number_ = 0;
  std::uint8_t levels_hz_ = 0;
  bool levels_asked_ = false;
  Time levels_due_{};
  bool calibration_asked_ = false;
};

}  // namespace merel::link
