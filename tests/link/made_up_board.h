#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "drivers/link/messages.h"
#include "drivers/reading.h"

namespace merel::link {

/// A board made of nothing that speaks the link as docs/link.md says, and that can be told to misbehave. Its clock is the test's, plus
/// `clock_ahead`.
class MadeUpBoard {
 public:
  using Bytes = std::vector<std::uint8_t>;
  struct HeardMessage {
    MessageType type{};
    Bytes payload;
    Time time{};
  };

  MadeUpBoard() {
    hello.firmware = {1, 2, 3};
    hello.revision = 1;
    hello.session = 77;
    hello.channels = 6;
    hello.lights = 6;
    hello.buttons = 2;
    hello.capabilities = kTellsLevels | kTellsStrength | kHasBuzzer | kKeepsCalibration;
    hello.understands = 0x7FE;
  }

  // What it is, and how it behaves.
  BoardHello hello;
  Report seen;                            ///< classes and buttons
  std::map<MessageType, Answer> answers;  ///< other than `done`
  bool confirms = true;
  std::set<MessageType> unconfirmed;  ///< kinds of commands that it does not confirm all the same
  bool repeats = true;                ///< unacknowledged reports
  bool heartbeat = true;
  std::optional<CalibrationData> kept =
      CalibrationData{1, {200, 0, 20}, 0, {}};  ///< nothing: it does not answer the question
  bool answers_hello = true;
  std::uint32_t clock_ahead = 0;
  std::uint32_t scans = 0;
  std::uint8_t flags = 0;

  // What it has heard.
  std::vector<HeardMessage> heard;
  int resets = 0;  ///< hosts with a new session

  void hear(std::span<const std::uint8_t> bytes, Time now) {
    now_ = now;
    for (const std::uint8_t byte : bytes) {
      if (const auto frame = reader_.push(byte)) take(*frame);
    }
  }
  void tick(Time now) {
    now_ = now;
    if (host_ && unacknowledged_ && repeats && now >= repeat_at_) report();
    if (heartbeat && now >= status_at_) {
      status_at_ = now + std::chrono::milliseconds(500);
      status();
    }
  }
  /// Frames for the host, each by itself.
  std::vector<Bytes> take_frames() { return std::exchange(out_, {}); }

  void change(std::uint8_t channel, PieceClass what, Time now, Time ago = {}) {
    now_ = now;
    seen.classes[channel] = what;
    changed({clock() - static_cast<std::uint32_t>(ago.count()), channel, static_cast<std::uint8_t>(what)});
  }
  void press(std::uint8_t button, bool down, Time now) {
    now_ = now;
    seen.buttons = static_cast<std::uint8_t>(down ? seen.buttons | 1U << button : seen.buttons & ~(1U << button));
    changed({clock(), static_cast<std::uint8_t>(Change::kButton + button), static_cast<std::uint8_t>(down ? 1 : 0)});
  }
  /// As after a power cut: says hello once, and waits for a host.
  void restart(Time now) {
    now_ = now;
    ++hello.session;
    host_.reset();
    changes_.clear();
    unacknowledged_ = false;
    number_ = 0;
    scans = 0;
    sequence_ = 0;
    send(hello);
  }
  void set_number(std::uint16_t number) { number_ = number; }
  void report() {
    Report report = seen;
    report.channels = std::min(hello.channels, static_cast<std::uint8_t>(kMaxChannels));
    report.time_us = clock();
    report.number = number_;
    for (const Change& change : changes_) report.changes[report.change_count++] = change;
    unacknowledged_ = true;
    repeat_at_ = now_ + std::chrono::milliseconds(20);
    send(report);
  }
  void status() {
    BoardStatus status;
    status.time_us = clock();
    status.scans = scans += 500;
    status.number = number_;
    status.flags = flags;
    send(status);
  }
  template <typename Message>
  void send(const Message& message) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_message(message, sequence_++, wire);
    out_.emplace_back(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length));
  }
  void send_frame(std::uint8_t type, const Bytes& payload) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_frame({type, sequence_++, payload}, wire);
    out_.emplace_back(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length));
  }

  /// How often it has heard a message of that type.
  [[nodiscard]] std::size_t times_heard(MessageType type) const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(), [type](const HeardMessage& message) { return message.type == type; }));
  }
  /// The last message of that type; a fresh one when there was none.
  template <typename Message>
  [[nodiscard]] Message last() const {
    for (auto at = heard.rbegin(); at != heard.rend(); ++at) {
      if (at->type != Message::kType) continue;
      return read_message<Message>({static_cast<std::uint8_t>(at->type), 0, at->payload}).value_or(Message{});
    }
    return {};
  }

 private:
  [[nodiscard]] std::uint32_t clock() const { return static_cast<std::uint32_t>(now_.count()) + clock_ahead; }

  void changed(const Change& change) {
    ++number_;
    changes_.push_back(change);
    if (changes_.size() > Report::kMaxChanges) changes_.pop_front();
    if (host_) report();
  }
  void take(const Frame& frame) {
    const auto type = static_cast<MessageType>(frame.type);
    heard.push_back({type, Bytes(frame.payload.begin(), frame.payload.end()), now_});
    if (const auto host = read_message<HostHello>(frame)) {
      const bool other = host_ != host->session;
      if (!answers_hello) return;
      host_ = host->session;
      send(hello);
      if (!other) return;
      ++resets;
      number_ = first_number;
      changes_.clear();
      report();
      return;
    }
    if (const auto heard_up_to = read_message<Acknowledge>(frame)) {
      const auto left = static_cast<std::uint16_t>(number_ - heard_up_to->number);
      while (changes_.size() > left) changes_.pop_front();
      unacknowledged_ = left != 0;
      return;
    }
    if (const auto asked = read_message<Ask>(frame)) {
      if (asked->what == MessageType::report) report();
      if (asked->what == MessageType::board_status) status();
      if (asked->what == MessageType::board_calibration && kept) send(BoardCalibration{*kept});
      return;
    }
    if (type == MessageType::host_alive || !confirms || unconfirmed.contains(type)) return;
    ByteReader in{frame.payload};
    const auto number = in.take<std::uint16_t>();
    const auto answer = answers.find(type);
    send(Confirm{type, number, answer == answers.end() ? Answer::done : answer->second});
  }

 public:
  std::uint16_t first_number = 0;  ///< of the first snapshot after a hello

 private:
  Time now_{};
  FrameReader reader_;
  std::vector<Bytes> out_;
  std::uint8_t sequence_ = 0;
  std::optional<std::uint32_t> host_;
  std::deque<Change> changes_;
  std::uint16_t number_ = 0;
  bool unacknowledged_ = false;
  Time repeat_at_{};
  Time status_at_{};
};

}  // namespace merel::link
