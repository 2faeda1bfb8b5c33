#include "drivers/link/board_end.h"

#include <algorithm>

namespace merel::link {
namespace {

/// Everything that take() knows.
constexpr std::uint32_t kUnderstands = bit_of(MessageType::host_hello) | bit_of(MessageType::acknowledge) |
                                       bit_of(MessageType::accept) | bit_of(MessageType::lights) |
                                       bit_of(MessageType::buzzer) | bit_of(MessageType::settings) |
                                       bit_of(MessageType::calibration) | bit_of(MessageType::empty_sites) |
                                       bit_of(MessageType::ask) | bit_of(MessageType::host_alive);

constexpr std::array kCommandTypes = {MessageType::accept,   MessageType::lights,      MessageType::buzzer,
                                      MessageType::settings, MessageType::calibration, MessageType::empty_sites};

constexpr std::size_t place_of(MessageType command) {
  return static_cast<std::size_t>(std::find(kCommandTypes.begin(), kCommandTypes.end(), command) - kCommandTypes.begin());
}

constexpr std::uint32_t clock_of(Time now) { return static_cast<std::uint32_t>(now.count()); }

}  // namespace

BoardEnd::BoardEnd(const BoardHello& self, BoardCommands& board, Time now) : self_(self), board_(board), heard_(now) {
  static_assert(kCommandTypes.size() == kCommands);
  self_.protocol = kProtocol;
  self_.understands = kUnderstands;
  report_.channels = self_.channels;
}

// ---- what comes in ---------------------------------------------------------------------------------------------------------

void BoardEnd::hear(std::span<const std::uint8_t> bytes, Time now) {
  for (const std::uint8_t byte : bytes) {
    if (const auto frame = reader_.push(byte)) take(*frame, now);
  }
}

void BoardEnd::take(const Frame& frame, Time now) {
  heard_ = now;
  const auto type = static_cast<MessageType>(frame.type);
  if (type == MessageType::host_hello) {
    if (const auto hello = read_message<HostHello>(frame)) greet(*hello, now);
    return;
  }
  if ((frame.type & 0x80U) == 0 || (frame.type & 0x60U) != 0 || (kUnderstands & bit_of(type)) == 0) {
    ++unknown_;
    return;
  }
  if (understood_ == 0) return;  // from before this board's start, or of another protocol: whoever it is will greet first
  switch (type) {
    case MessageType::acknowledge:
      if (const auto heard = read_message<Acknowledge>(frame)) acknowledge(heard->number);
      return;
    case MessageType::ask:
      if (const auto wish = read_message<Ask>(frame)) answer(*wish, now);
      return;
    case MessageType::accept:
      return command<Accept>(frame, [this](const Accept& accept) {
        accepted_ = accept.revision == self_.revision;
        board_.outputs(accepted_);
        return accepted_ ? Answer::done : Answer::wrong_revision;
      });
    case MessageType::lights:
      return command<Lights>(frame, [this](const Lights& lights) {
        if (!accepted_) return Answer::not_accepted;
        return lights.count <= self_.lights ? board_.show(lights) : Answer::cannot;
      });
    case MessageType::buzzer:
      return command<Buzzer>(frame, [this](const Buzzer& beep) {
        if (!accepted_) return Answer::not_accepted;
        return (self_.capabilities & kHasBuzzer) != 0 ? board_.beep(beep) : Answer::cannot;
      });
    case MessageType::settings:
      return command<Settings>(frame, [this, now](const Settings& settings) {
        const Answer given = board_.apply(settings);
        if (given != Answer::done) return given;
        if (levels_hz_ != settings.levels_hz) levels_due_ = now;
        levels_hz_ = settings.levels_hz;
        return given;
      });
    case MessageType::calibration:
      return command<Calibration>(frame, [this](const Calibration& calibration) {
        if (calibration.data.revision != self_.revision) return Answer::wrong_revision;
        return calibration.data.channels <= self_.channels ? board_.calibrate(calibration.data) : Answer::cannot;
      });
    case MessageType::empty_sites:
      return command<EmptySites>(frame, [this](const EmptySites& sites) {
        board_.empty(sites.channels);
        return Answer::done;
      });
    default: return;  // host_alive: that it came is what it says
  }
}

void BoardEnd::greet(const HostHello& hello, Time now) {
  hello_due_ = true;
  if (hello.protocol == kProtocol && understood_ != 0 && hello.session == session_) return;
  session_ = hello.session;
  // Only the hellos are the same in every protocol.
  understood_ = hello.protocol == kProtocol ? hello.understands | bit_of(MessageType::board_hello) : 0;
  received_ = {};
  report_.number = 0;
  report_.change_count = 0;
  unheard_ = told(MessageType::report);
  report_due_ = now;
  repeat_ = kFirstRepeat;
  status_due_ = now + kStatus;
  status_asked_ = levels_asked_ = calibration_asked_ = false;
  levels_number_ = 0;
  accepted_ = false;
  board_.outputs(false);
  board_.empty(0);
}

void BoardEnd::acknowledge(std::uint16_t number) {
  const auto left = static_cast<std::uint16_t>(report_.number - number);
  if (left > report_.change_count) return;  // older than the list, or of a session gone by
  const auto changes = std::span(report_.changes).first(report_.change_count);
  std::copy(changes.end() - left, changes.end(), changes.begin());
  report_.change_count = static_cast<std::uint8_t>(left);
  if (left == 0) unheard_ = false;
}

void BoardEnd::answer(const Ask& ask, Time now) {
  switch (ask.what) {
    case MessageType::board_hello: hello_due_ = true; return;
    case MessageType::report:
      unheard_ = told(MessageType::report);
      report_due_ = now;
      repeat_ = kFirstRepeat;
      return;
    case MessageType::levels: levels_asked_ = true; return;
    case MessageType::board_status: status_asked_ = true; return;
    case MessageType::board_calibration: calibration_asked_ = true; return;
    default: ++unknown_;
  }
}

/// Carries the command out when it has not been, and confirms it in any case. A command that says what cannot be is answered as soon as
/// its number can be read, or it would be repeated for ever.
template <typename Command, typename Do>
void BoardEnd::command(const Frame& frame, Do&& carry_out) {
  Command message;
  ByteReader in{frame.payload};
  const bool sound = message.read(in);
  if (!sound && frame.payload.size() < sizeof message.number) return;
  Received& last = received_[place_of(Command::kType)];
  last.due = told(MessageType::confirm);
  if (last.known && last.number == message.number) return;
  last.number = message.number;
  last.answer = sound ? carry_out(message) : Answer::cannot;
  last.known = last.answer != Answer::not_accepted;  // once it is accepted, the same number will be carried out
}

void BoardEnd::change(const Change& change) {
  if (change.channel >= Change::kButton) {
    const auto bit = static_cast<std::uint8_t>(1U << (change.channel - Change::kButton));
    report_.buttons = static_cast<std::uint8_t>(change.what != 0 ? report_.buttons | bit : report_.buttons & ~bit);
  } else {
    report_.classes[change.channel] = static_cast<PieceClass>(change.what);
  }
  if (!told(MessageType::report)) return;  // the first report of a session is whole
  if (report_.change_count == Report::kMaxChanges) {
    std::copy(report_.changes.begin() + 1, report_.changes.end(), report_.changes.begin());
    --report_.change_count;
  }
  report_.changes[report_.change_count++] = change;
  ++report_.number;
  unheard_ = true;
  report_due_ = Time{};
  repeat_ = kFirstRepeat;
}

// ---- what goes out ---------------------------------------------------------------------------------------------------------

template <typename Message>
std::size_t BoardEnd::write(const Message& message, std::span<std::uint8_t, kMaxWire> wire) {
  return write_message(message, sequence_++, wire);
}

std::size_t BoardEnd::next_frame(Time now, std::span<std::uint8_t, kMaxWire> wire) {
  if (hello_due_) {
    hello_due_ = false;
    return write(self_, wire);
  }
  if (unheard_ && now >= report_due_) {
    report_.time_us = clock_of(now);
    report_due_ = now + repeat_;
    repeat_ = std::min(2 * repeat_, kLastRepeat);
    return write(report_, wire);
  }
  for (std::size_t i = 0; i < kCommands; ++i) {
    Received& last = received_[i];
    if (!last.due) continue;
    last.due = false;
    return write(Confirm{kCommandTypes[i], last.number, last.answer}, wire);
  }
  if (told(MessageType::board_status) && (status_asked_ || (now >= status_due_ && !may_wait(status_due_, now)))) {
    status_asked_ = false;
    status_due_ = now + kStatus;
    BoardStatus status;
    board_.fill(status);
    status.time_us = clock_of(now);
    status.damaged = reader_.counts().damaged;
    status.unknown = unknown_;
    status.number = report_.number;
    return write(status, wire);
  }
  const bool levels_due = levels_hz_ != 0 && now >= levels_due_ && !lost(now) && !may_wait(levels_due_, now);
  if (told(MessageType::levels) && (levels_asked_ || levels_due)) {
    if (levels_due) {
      // By the clock and not by the last one, or the rate would be less than what was asked; but nothing is made up for.
      const Time period = Time(std::chrono::seconds(1)) / levels_hz_;
      levels_due_ = now - levels_due_ < period ? levels_due_ + period : now + period;
    }
    levels_asked_ = false;
    Levels levels;
    board_.fill(levels);
    levels.time_us = clock_of(now);
    levels.number = ++levels_number_;
    levels.channels = self_.channels;
    return write(levels, wire);
  }
  if (calibration_asked_ && told(MessageType::board_calibration)) {
    calibration_asked_ = false;
    BoardCalibration calibration;
    board_.fill(calibration.data);
    return write(calibration, wire);
  }
  return 0;
}

}  // namespace merel::link
