// The link: any bytes at any times. The first byte picks what they are: a stream for the frame reader and the messages in it, or a script
// for the host's end, in which each step is a byte of time, a byte that says what happens, and what that needs.
#include <algorithm>
#include <array>
#include <span>

#include "drivers/link/host_end.h"
#include "tests/fuzz/demand.h"

namespace merel::link {
namespace {

constexpr std::size_t kMostSteps = 400;
/// Frames that the host may send in one moment: each wish once, the acknowledgement, an ask, a hello.
constexpr int kMostFrames = 16;

/// A message that can be read is written and read again the same.
template <typename Message>
void round_trip(const Frame& frame) {
  const auto message = read_message<Message>(frame);
  if (!message) return;
  std::array<std::uint8_t, kMaxWire> wire{};
  const std::size_t length = write_message(*message, frame.sequence, wire);
  DEMAND(length <= kMaxWire && wire[length - 1] == 0);
  FrameReader reader;
  std::optional<Frame> again;
  for (const std::uint8_t byte : std::span(wire).first(length)) {
    DEMAND(!again);
    again = reader.push(byte);
  }
  DEMAND(again && again->type == frame.type && again->sequence == frame.sequence);
  const auto same = read_message<Message>(*again);
  DEMAND(same);
  std::array<std::uint8_t, kMaxWire> twice{};
  DEMAND(write_message(*same, frame.sequence, twice) == length && twice == wire);
}

void stream(std::span<const std::uint8_t> bytes) {
  FrameReader reader;
  for (const std::uint8_t byte : bytes) {
    const auto frame = reader.push(byte);
    if (!frame) continue;
    DEMAND(frame->payload.size() <= kMaxPayload);
    round_trip<BoardHello>(*frame);
    round_trip<Report>(*frame);
    round_trip<Levels>(*frame);
    round_trip<Confirm>(*frame);
    round_trip<BoardStatus>(*frame);
    round_trip<BoardCalibration>(*frame);
    round_trip<HostHello>(*frame);
    round_trip<Acknowledge>(*frame);
    round_trip<Accept>(*frame);
    round_trip<Lights>(*frame);
    round_trip<Buzzer>(*frame);
    round_trip<Settings>(*frame);
    round_trip<Calibration>(*frame);
    round_trip<EmptySites>(*frame);
    round_trip<Ask>(*frame);
    round_trip<HostAlive>(*frame);
  }
  DEMAND(reader.counts().good + reader.counts().damaged <= bytes.size());
}

/// What COBS makes of any bytes is without zeros and comes back.
void stuffing(std::span<const std::uint8_t> bytes) {
  bytes = bytes.first(std::min(bytes.size(), kMaxBody));
  std::array<std::uint8_t, kMaxWire> wire{};
  const std::size_t length = cobs_encode(bytes, wire);
  DEMAND(length <= bytes.size() + bytes.size() / 254 + 1);
  DEMAND(std::find(wire.begin(), wire.begin() + length, 0) == wire.begin() + static_cast<std::ptrdiff_t>(length));
  std::array<std::uint8_t, kMaxWire> back{};
  const auto size = cobs_decode(std::span(wire).first(length), back);
  DEMAND(size && std::equal(bytes.begin(), bytes.end(), back.begin(), back.begin() + static_cast<std::ptrdiff_t>(*size)));
}

class HostScript {
 public:
  explicit HostScript(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), host_{static_cast<std::uint16_t>(next() % 2), next()} {}

  void run() {
    for (std::size_t step = 0; step < kMostSteps && !bytes_.empty(); ++step) {
      wait();
      act();
      drain();
    }
  }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  void wait() {
    static constexpr std::array kMillis = {0, 1, 5, 20, 50, 200, 500, 1'000, 2'000, 3'000, 10'000, 3'600'000};
    const Time until = now_ + std::chrono::milliseconds(kMillis[next() % kMillis.size()]);
    // As a driver that wakes when it is told to, but not for longer than a board may be lost.
    for (int woken = 0; woken < 40; ++woken) {
      const auto due = host_.deadline();
      if (!due || *due > until) break;
      now_ = std::max(now_, *due);
      drain();
    }
    now_ = until;
  }

  template <typename Message>
  void say(const Message& message) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_message(message, sequence_++, wire);
    host_.hear(std::span(wire).first(length), now_);
  }
  void hello() {
    BoardHello hello;
    hello.protocol = next() % 16 == 0 ? std::uint8_t{2} : kProtocol;
    hello.revision = 1;
    hello.session = next() % 3;
    hello.channels = next() % 65;
    hello.buttons = next() % 9;
    hello.understands = next() % 8 == 0 ? next() : 0x7FE;
    say(hello);
  }
  void report() {
    Report report;
    report.time_us = static_cast<std::uint32_t>(now_.count()) + (next() % 4 == 0 ? std::uint32_t{next()} << 24U : 0U);
    number_ = static_cast<std::uint16_t>(number_ + next() % 4);
    report.number = next() % 4 == 0 ? static_cast<std::uint16_t>(next() << 8U) : number_;
    report.channels = next() % 65;
    for (PieceClass& each : report.classes) each = static_cast<PieceClass>(next() % kPieceClasses);
    report.buttons = next();
    report.change_count = report.channels == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(next() % 25);
    for (std::size_t i = 0; i < report.change_count; ++i) {
      Change& change = report.changes[i];
      change.time_us = report.time_us - std::uint32_t{next()} * 1'000U;
      if (next() == 7) change.time_us += 90'000U;  // after the report that tells it
      const bool button = next() % 4 == 0;
      change.channel = static_cast<std::uint8_t>(button ? Change::kButton + next() % 8 : next() % report.channels);
      change.what = static_cast<std::uint8_t>(button ? next() % 2 : next() % kPieceClasses);
    }
    say(report);
  }
  void raw() {
    const std::size_t wanted = next();
    const std::size_t length = std::min(bytes_.size(), wanted);
    host_.hear(bytes_.first(length), now_);
    bytes_ = bytes_.subspan(length);
  }
  void wish() {
    switch (next() % 6) {
      case 0: {
        Lights lights;
        lights.count = next() % 65;
        lights.lamps[0].colour.red = next();
        return host_.want(lights, now_);
      }
      case 1: {
        Settings settings;
        settings.limit_ma = next();
        return host_.want(settings, now_);
      }
      case 2: return host_.want(EmptySites{0, next()}, now_);
      case 3: return host_.want(Buzzer{0, next(), 10}, now_);
      case 4: return host_.want(Calibration{0, {1, {200, 400, 20}, 4, {next()}}}, now_);
      default: return host_.ask(static_cast<MessageType>(next()), now_);
    }
  }
  void act() {
    switch (next() % 8) {
      case 0: return next() % 4 == 0 ? host_.close() : host_.open(now_);
      case 1: return hello();
      case 2:
      case 3: return report();
      case 4:
        return say(Confirm{static_cast<MessageType>(0x83 + next() % 7), last_number_, static_cast<Answer>(next() % 6)});
      case 5: {
        BoardStatus status;
        status.time_us = static_cast<std::uint32_t>(now_.count());
        status.scans = next() % 16 == 0 ? 0 : scans_ += 500;
        status.number = number_;
        return say(status);
      }
      case 6: return raw();
      default: return wish();
    }
  }

  /// Everything that is due goes out and is a whole message; what has happened is in order.
  void drain() {
    std::array<std::uint8_t, kMaxWire> wire{};
    int frames = 0;
    while (const std::size_t length = host_.next_frame(now_, wire)) {
      DEMAND(++frames <= kMostFrames);
      DEMAND(host_.stage() != HostEnd::Stage::closed);
      std::optional<Frame> frame;
      for (const std::uint8_t byte : std::span(wire).first(length)) frame = out_.push(byte);
      DEMAND(frame && frame->type >= 0x80);
      if (frame->type != static_cast<std::uint8_t>(MessageType::host_hello)) {
        DEMAND(host_.stage() == HostEnd::Stage::in_step);
        DEMAND((host_.hello()->understands & bit_of(static_cast<MessageType>(frame->type))) != 0);
      }
      ByteReader number{frame->payload};
      if (frame->payload.size() >= 2) last_number_ = number.take<std::uint16_t>();
    }
    DEMAND(out_.counts().damaged == 0);
    const auto due = host_.deadline();
    DEMAND(!due || *due > now_);  // nothing is left, and nobody is woken for nothing
    for (const HostEvent& event : host_.take_events()) {
      if (const auto* site = std::get_if<SiteChange>(&event)) {
        in_order(site->time);
        DEMAND(site->channel < kMaxChannels);
        told_[site->channel] = site->what;
      } else if (const auto* button = std::get_if<ButtonChange>(&event)) {
        in_order(button->time);
        DEMAND(button->number < 8);
      } else if (std::holds_alternative<Joined>(event)) {
        DEMAND(host_.hello());
      }
    }
    for (std::size_t channel = 0; channel < host_.classes().size(); ++channel)
      DEMAND(told_[channel] == host_.classes()[channel]);
  }
  void in_order(Time time) {
    DEMAND(time >= last_ && time <= now_);
    last_ = time;
  }

  std::span<const std::uint8_t> bytes_;
  HostEnd host_;
  Time now_ = std::chrono::seconds(1);
  Time last_{};
  FrameReader out_;
  std::uint8_t sequence_ = 0;
  std::uint16_t number_ = 0;
  std::uint16_t last_number_ = 0;
  std::uint32_t scans_ = 0;
  std::array<PieceClass, kMaxChannels> told_{};
};

}  // namespace
}  // namespace merel::link

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: merel::link::stream(bytes); break;
    case 1: merel::link::stuffing(bytes); break;
    default: merel::link::HostScript(bytes).run();
  }
  return 0;
}
