#include "drivers/link/host_end.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace merel::link {
namespace {

/// Every message of the host, the most urgent first.
constexpr std::array kUrgency = {MessageType::host_hello,  MessageType::acknowledge, MessageType::accept,
                                 MessageType::settings,    MessageType::lights,      MessageType::buzzer,
                                 MessageType::empty_sites, MessageType::calibration, MessageType::ask,
                                 MessageType::host_alive};
/// What can be asked for, in the order of asking.
constexpr std::array kAskable = {MessageType::report, MessageType::levels, MessageType::board_status,
                                 MessageType::board_calibration};
/// Every message of the board that take() knows.
constexpr std::uint32_t kUnderstands = bit_of(MessageType::board_hello) | bit_of(MessageType::report) |
                                       bit_of(MessageType::levels) | bit_of(MessageType::confirm) |
                                       bit_of(MessageType::board_status) | bit_of(MessageType::board_calibration);
/// Two quartzes differ by less than one part in so many.
constexpr std::int64_t kQuartz = 5'000;
/// A message that seems to have been longer under way than this was not: the board's clock is late, as that of an emulator can be.
constexpr Time kLongestWay = std::chrono::milliseconds(100);
/// How often a board that forgets that it was accepted is accepted again.
constexpr int kMostRefusedOutputs = 3;

constexpr std::uint16_t kHalfOfNumbers = 0x8000;

/// The same wish, whatever its number.
template <typename Message>
bool same(Message a, Message b) {
  a.number = b.number = 0;
  return a == b;
}
bool same_lights(const Lights& a, const Lights& b) {
  return a.count == b.count && std::equal(a.lamps.begin(), a.lamps.begin() + a.count, b.lamps.begin());
}

}  // namespace

HostEnd::HostEnd(std::uint16_t revision, std::uint32_t session) : session_(session), revision_(revision) {
  // Numbers go on over all sessions: a board that has not yet heard of a new one never takes a new wish for one that it has fulfilled.
  for (Delivery& delivery : deliveries_) delivery.number = static_cast<std::uint16_t>(session);
}

void HostEnd::open(Time now) {
  now_ = std::max(now_, now);
  reader_.restart();
  counted_at_open_ = reader_.counts();
  bytes_ = 0;
  greet();
}

void HostEnd::close() {
  stage_ = Stage::closed;
  lost_at_.reset();
  delivery(MessageType::buzzer).pending = false;
}

HostEnd::Traffic HostEnd::traffic() const {
  const FrameCounts& now = reader_.counts();
  return {bytes_, now.good - counted_at_open_.good, now.damaged - counted_at_open_.damaged};
}

std::span<const PieceClass> HostEnd::classes() const {
  return std::span(classes_).first(static_cast<std::size_t>(std::bit_width(known_)));
}
std::uint8_t HostEnd::buttons() const { return static_cast<std::uint8_t>(std::bit_width(known_buttons_)); }

std::vector<HostEvent> HostEnd::take_events() { return std::exchange(events_, {}); }

/// Everything begins anew with the next hello, but for what has been told and what is wanted.
void HostEnd::greet() {
  stage_ = Stage::greeting;
  ++session_;
  hello_due_ = now_;
  hello_pause_ = kFirstRepeat;
  acknowledge_ = alive_soon_ = clock_known_ = false;
  number_ = 0;
  status_.reset();
  for (Delivery& delivery : deliveries_) delivery.settled = delivery.told = delivery.on_way = false;
  delivery(MessageType::buzzer).pending = false;
}

// ---- what comes in ---------------------------------------------------------------------------------------------------------

void HostEnd::hear(std::span<const std::uint8_t> bytes, Time now) {
  now_ = std::max(now_, now);
  if (stage_ != Stage::closed) {
    bytes_ += bytes.size();
    for (const std::uint8_t byte : bytes) {
      if (const auto frame = reader_.push(byte)) take(*frame);
    }
  }
  pass(now);  // only then: whoever comes late to listen has not been met with silence
}

void HostEnd::pass(Time now) {
  now_ = std::max(now_, now);
  if (lost_at_ && now_ >= *lost_at_) {
    lost_at_.reset();
    events_.emplace_back(Lost{});
    if (stage_ == Stage::in_step || stage_ == Stage::joining) greet();
  }
  const Delivery& calibration = delivery(MessageType::calibration);
  if (calibration.pending && now_ - calibration_since_ >= kPatience) {
    settle(MessageType::calibration, CommandEnded::How::given_up, Answer::done);
  }
}

void HostEnd::take(const Frame& frame) {
  if (stage_ == Stage::in_step) {
    lost_at_ = now_ + kSilence;
    probe_due_ = now_ + kProbe;
  }
  const auto heard = [&]<typename Message>(Message message, auto&& take) {
    ByteReader in{frame.payload};
    if (!message.read(in)) {
      ++counts_.unreadable;
      return;
    }
    asked_ &= ~bit_of(Message::kType);
    take(message);
  };
  switch (static_cast<MessageType>(frame.type)) {
    case MessageType::board_hello: return on_hello(frame);
    case MessageType::report: return heard(Report{}, [this](const Report& report) { on_report(report); });
    case MessageType::levels:
      return heard(Levels{}, [this](const Levels& levels) {
        if (stage_ == Stage::in_step) events_.emplace_back(LevelsHeard{std::min(board_now(levels.time_us), now_), levels});
      });
    case MessageType::confirm: return heard(Confirm{}, [this](const Confirm& confirm) { on_confirm(confirm); });
    case MessageType::board_status: return heard(BoardStatus{}, [this](const BoardStatus& status) { on_status(status); });
    case MessageType::board_calibration:
      return heard(BoardCalibration{}, [this](const BoardCalibration& calibration) {
        if (stage_ == Stage::in_step) events_.emplace_back(CalibrationHeard{calibration.data});
      });
    default: ++counts_.unknown;
  }
}

void HostEnd::on_hello(const Frame& frame) {
  BoardHello hello;
  ByteReader in{frame.payload};
  // Of a board of another protocol only the layout is known, not what its numbers may be.
  if (!hello.read(in) && !(in.good() && hello.protocol != kProtocol)) {
    ++counts_.unreadable;
    return;
  }
  const bool other = !hello_ || hello.session != hello_->session;
  hello_ = hello;
  if (hello.protocol != kProtocol) return refuse(Unfit::Why::protocol);
  if (revision_ != 0 && hello.revision != revision_) return refuse(Unfit::Why::revision);
  if (stage_ == Stage::in_step) {
    if (other) greet();  // it has started anew and has not heard of us
    return;
  }
  stage_ = Stage::joining;
  hello_pause_ = std::min(hello_pause_, kLastRepeat);
}

void HostEnd::refuse(Unfit::Why why) {
  if (stage_ != Stage::unfit || unfit_ != why) events_.emplace_back(Unfit{why});
  stage_ = Stage::unfit;
  unfit_ = why;
  lost_at_.reset();
  hello_due_ = now_ + kUnfitHello;
}

void HostEnd::on_report(const Report& report) {
  if (stage_ != Stage::joining && stage_ != Stage::in_step) return;
  const Time sent = board_now(report.time_us);
  const bool joins = stage_ == Stage::joining;
  const auto ahead = static_cast<std::uint16_t>(report.number - number_);
  // The end of the list is what has not been heard. A number that has gone back begins another numbering: the masks alone count.
  const std::size_t listed = ahead < kHalfOfNumbers ? std::min<std::size_t>(ahead, report.change_count) : 0;
  const auto changes = std::span(report.changes).first(report.change_count).last(listed);
  const auto time_of = [&](const Change& change) {
    const auto age = static_cast<std::int32_t>(report.time_us - change.time_us);
    return sent - Time(std::max(age, 0));
  };
  if (joins || ahead > listed) {
    // Some changes come from nowhere. Those of channels that the list does not name must have come before it.
    if (known_ != 0) ++counts_.gaps;
    std::uint64_t named = 0;
    std::uint8_t named_buttons = 0;
    for (const Change& change : changes) {
      if (change.channel >= Change::kButton) {
        named_buttons = static_cast<std::uint8_t>(named_buttons | 1U << (change.channel - Change::kButton));
      } else {
        named |= std::uint64_t{1} << change.channel;
      }
    }
    compare(report, named, named_buttons, changes.empty() ? sent : time_of(changes.front()));
  }
  for (const Change& change : changes) tell(change, time_of(change), false);
  compare(report, 0, 0, sent);
  number_ = report.number;
  acknowledge_ = true;
  if (joins) join();
}

/// Tells where the report differs from what has been told, but for the channels and buttons of two sets.
void HostEnd::compare(const Report& report, std::uint64_t except, std::uint8_t except_buttons, Time time) {
  for (std::uint8_t channel = 0; channel < report.channels; ++channel) {
    if ((except >> channel & 1U) != 0) continue;
    tell({report.time_us, channel, static_cast<std::uint8_t>(report.classes[channel])}, time, true);
  }
  const std::uint8_t buttons = hello_ ? hello_->buttons : std::uint8_t{0};
  for (std::uint8_t button = 0; button < buttons; ++button) {
    if ((except_buttons >> button & 1U) != 0) continue;
    const auto down = static_cast<std::uint8_t>(report.buttons >> button & 1U);
    tell({report.time_us, static_cast<std::uint8_t>(Change::kButton + button), down}, time, true);
  }
}

/// One change, if it is one.
void HostEnd::tell(const Change& change, Time time, bool repaired) {
  bool first = false;
  if (change.channel >= Change::kButton) {
    const auto number = static_cast<std::uint8_t>(change.channel - Change::kButton);
    const bool down = change.what != 0;
    first = (known_buttons_ >> number & 1U) == 0;
    if (!first && (buttons_ >> number & 1U) == change.what) return;
    known_buttons_ = static_cast<std::uint8_t>(known_buttons_ | 1U << number);
    buttons_ = static_cast<std::uint8_t>(down ? buttons_ | 1U << number : buttons_ & ~(1U << number));
    events_.emplace_back(ButtonChange{stamp(time), change.time_us, number, down, repaired && !first});
  } else {
    const auto what = static_cast<PieceClass>(change.what);
    first = (known_ >> change.channel & 1U) == 0;
    if (!first && classes_[change.channel] == what) return;
    known_ |= std::uint64_t{1} << change.channel;
    classes_[change.channel] = what;
    events_.emplace_back(SiteChange{stamp(time), change.time_us, change.channel, what, repaired && !first});
  }
  if (!repaired) {
    ++counts_.changes;
  } else if (!first) {
    ++counts_.repaired;
  }
}

void HostEnd::join() {
  stage_ = Stage::in_step;
  lost_at_ = now_ + kSilence;
  probe_due_ = now_ + kProbe;
  ++counts_.sessions;
  events_.emplace_back(Joined{counts_.sessions == 1});
  refused_outputs_ = 0;
  Delivery& accept = delivery(MessageType::accept);
  if (!accept.wanted || accept_.revision != hello_->revision) {
    accept_.revision = hello_->revision;
    ++accept.number;
  }
  accept.wanted = true;
  for (const MessageType command : kCommands) {
    Delivery& each = delivery(command);
    const bool once = command == MessageType::buzzer || command == MessageType::calibration;
    each.pending = each.wanted && (!once || each.pending);
    each.pause = kFirstRepeat;
    each.due = now_;
    if (each.pending && !understood(command)) settle(command, CommandEnded::How::not_understood, Answer::done);
  }
  ask_due_ = now_;
  ask_pause_ = kFirstRepeat;
}

void HostEnd::on_status(const BoardStatus& status) {
  const std::uint32_t scans = status_ ? status_->scans : 0;
  status_ = status;
  events_.emplace_back(StatusHeard{status});
  if (stage_ != Stage::in_step) return;
  static_cast<void>(board_now(status.time_us));
  if (now_ - sent_ >= kAlive / 2) alive_soon_ = true;  // one wake-up for both heartbeats
  if (static_cast<std::int32_t>(status.scans - scans) < 0) {
    greet();  // it has started anew, and its word of that was lost
  } else if (status.number != number_) {
    ask(MessageType::report, now_);
  }
}

/// The board's present on the host's clock. What comes in has been under way for a while that nobody knows, so the shortest way of late
/// counts.
Time HostEnd::board_now(std::uint32_t time_us) {
  if (!clock_known_) {
    board_ = Time{};
    offset_ = now_;
  } else {
    board_ += Time(static_cast<std::int32_t>(time_us - board_us_));
    const Time sample = now_ - board_;
    offset_ += (now_ - sampled_) / kQuartz;
    offset_ = std::max(std::min(offset_, sample), sample - kLongestWay);
  }
  clock_known_ = true;
  board_us_ = time_us;
  sampled_ = now_;
  return board_ + offset_;
}

Time HostEnd::stamp(Time time) {
  told_ = std::max(told_, std::min(time, now_));
  return told_;
}

// ---- wishes ----------------------------------------------------------------------------------------------------------------

HostEnd::Delivery& HostEnd::delivery(MessageType command) {
  const auto* const at = std::find(kCommands.begin(), kCommands.end(), command);
  return deliveries_[static_cast<std::size_t>(at - kCommands.begin())];
}
const HostEnd::Delivery& HostEnd::delivery(MessageType command) const {
  const auto* const at = std::find(kCommands.begin(), kCommands.end(), command);
  return deliveries_[static_cast<std::size_t>(at - kCommands.begin())];
}

bool HostEnd::understood(MessageType message) const { return hello_ && (hello_->understands & bit_of(message)) != 0; }

/// There is another wish of that kind. While the one before is under way it waits for the answer or the time of repetition, so that a
/// stream of wishes never fills the line.
void HostEnd::renew(MessageType command, Time now) {
  pass(now);
  Delivery& each = delivery(command);
  each.number = each.number == std::numeric_limits<std::uint16_t>::max() ? std::uint16_t{1}
                                                                         : static_cast<std::uint16_t>(each.number + 1);
  each.wanted = each.pending = true;
  each.pause = kFirstRepeat;
  each.due = each.on_way ? std::max(now_, each.sent + kFirstRepeat) : now_;
  if (stage_ == Stage::in_step && !understood(command)) settle(command, CommandEnded::How::not_understood, Answer::done);
}

void HostEnd::settle(MessageType command, CommandEnded::How how, Answer answer) {
  Delivery& each = delivery(command);
  each.pending = each.on_way = false;
  each.settled = each.settled || how == CommandEnded::How::answered;
  if (how == CommandEnded::How::not_understood && std::exchange(each.told, true) && command != MessageType::calibration)
    return;
  events_.emplace_back(CommandEnded{command, how, answer});
}

void HostEnd::want(const Lights& lights, Time now) {
  if (delivery(MessageType::lights).wanted && same_lights(lights_, lights)) return;
  lights_ = lights;
  renew(MessageType::lights, now);
}
void HostEnd::want(const Settings& settings, Time now) {
  if (delivery(MessageType::settings).wanted && same(settings_, settings)) return;
  settings_ = settings;
  renew(MessageType::settings, now);
}
void HostEnd::want(const EmptySites& sites, Time now) {
  if (delivery(MessageType::empty_sites).wanted && same(empty_sites_, sites)) return;
  empty_sites_ = sites;
  renew(MessageType::empty_sites, now);
}
void HostEnd::want(const Calibration& calibration, Time now) {
  pass(now);
  calibration_ = calibration;
  calibration_since_ = now_;
  renew(MessageType::calibration, now);
}
void HostEnd::want(const Buzzer& beep, Time now) {
  if (stage_ != Stage::in_step) return;
  buzzer_ = beep;
  renew(MessageType::buzzer, now);
}

void HostEnd::ask(MessageType what, Time now) {
  pass(now);
  if (std::find(kAskable.begin(), kAskable.end(), what) == kAskable.end()) return;
  asked_ |= bit_of(what);
  ask_due_ = now_;
  ask_pause_ = kFirstRepeat;
}

void HostEnd::on_confirm(const Confirm& confirm) {
  if (std::find(kCommands.begin(), kCommands.end(), confirm.command) == kCommands.end()) {
    ++counts_.unreadable;
    return;
  }
  Delivery& each = delivery(confirm.command);
  if (stage_ != Stage::in_step || !each.pending) return;
  if (confirm.number != each.number) {  // the one before has arrived: the way is free
    if (std::exchange(each.on_way, false)) each.due = std::min(each.due, now_);
    return;
  }
  const bool output = confirm.command == MessageType::lights || confirm.command == MessageType::buzzer;
  if (output && confirm.answer == Answer::not_accepted && refused_outputs_ < kMostRefusedOutputs) {
    ++refused_outputs_;
    Delivery& accept = delivery(MessageType::accept);
    accept.pending = true;
    accept.settled = false;
    accept.pause = kFirstRepeat;
    accept.due = now_;
    return;
  }
  settle(confirm.command, CommandEnded::How::answered, confirm.answer);
}

// ---- what goes out ---------------------------------------------------------------------------------------------------------

/// Lights may shine once the board is accepted and knows what they may draw.
bool HostEnd::may_show() const {
  const Delivery& settings = delivery(MessageType::settings);
  const bool limited = !settings.wanted || settings.settled || !understood(MessageType::settings);
  return limited && (delivery(MessageType::accept).settled || !understood(MessageType::accept));
}

std::optional<Time> HostEnd::due(MessageType message) const {
  if (stage_ == Stage::closed) return std::nullopt;
  // A board that has started anew, and whose word of it was lost, says nothing before it has heard a hello. To any other it is a
  // repetition.
  if (message == MessageType::host_hello) return stage_ == Stage::in_step ? probe_due_ : hello_due_;
  if (stage_ != Stage::in_step || !understood(message)) return std::nullopt;
  switch (message) {
    case MessageType::acknowledge: return acknowledge_ ? std::optional(now_) : std::nullopt;
    case MessageType::ask: return asked_ != 0 ? std::optional(ask_due_) : std::nullopt;
    case MessageType::host_alive: return alive_soon_ ? now_ : sent_ + kAlive + kAliveSlack;
    case MessageType::lights:
    case MessageType::buzzer:
      if (!may_show()) return std::nullopt;
      [[fallthrough]];
    default: {
      const Delivery& each = delivery(message);
      return each.pending ? std::optional(each.due) : std::nullopt;
    }
  }
}

std::optional<Time> HostEnd::deadline() const {
  std::optional<Time> first = lost_at_;
  const auto add = [&first](std::optional<Time> time) {
    if (time && (!first || *time < *first)) first = time;
  };
  if (delivery(MessageType::calibration).pending) add(calibration_since_ + kPatience);
  for (const MessageType message : kUrgency) add(due(message));
  return first;
}

std::size_t HostEnd::next_frame(Time now, std::span<std::uint8_t, kMaxWire> wire) {
  pass(now);
  for (const MessageType message : kUrgency) {
    const std::optional<Time> time = due(message);
    if (time && *time <= now_) return write(message, wire);
  }
  return 0;
}

template <typename Message>
std::size_t HostEnd::send(const Message& message, std::span<std::uint8_t, kMaxWire> wire) {
  sent_ = now_;
  alive_soon_ = false;
  return write_message(message, sequence_++, wire);
}

std::size_t HostEnd::write(MessageType message, std::span<std::uint8_t, kMaxWire> wire) {
  const auto command = [&](auto& content) {
    Delivery& each = delivery(message);
    content.number = each.number;
    each.on_way = true;
    each.sent = now_;
    each.due = now_ + each.pause;
    each.pause = std::min(each.pause * 2, kLastRepeat);
    return send(content, wire);
  };
  switch (message) {
    case MessageType::host_hello:
      probe_due_ = now_ + kProbe / 4;
      hello_due_ = now_ + (stage_ == Stage::unfit ? kUnfitHello : hello_pause_);
      hello_pause_ = std::min(hello_pause_ * 2, stage_ == Stage::joining ? kLastRepeat : kLastHello);
      return send(HostHello{kProtocol, session_, kUnderstands}, wire);
    case MessageType::acknowledge: acknowledge_ = false; return send(Acknowledge{number_}, wire);
    case MessageType::accept: return command(accept_);
    case MessageType::settings: return command(settings_);
    case MessageType::lights: return command(lights_);
    case MessageType::buzzer: return command(buzzer_);
    case MessageType::empty_sites: return command(empty_sites_);
    case MessageType::calibration: return command(calibration_);
    case MessageType::ask: {
      // One after the other: one that is never answered does not keep the others waiting.
      while ((asked_ & bit_of(kAskable[ask_next_ % kAskable.size()])) == 0) ++ask_next_;
      const MessageType what = kAskable[ask_next_++ % kAskable.size()];
      ask_due_ = now_ + ask_pause_;
      ask_pause_ = std::min(ask_pause_ * 2, kLastRepeat);
      return send(Ask{what}, wire);
    }
    default: return send(HostAlive{}, wire);
  }
}

}  // namespace merel::link
