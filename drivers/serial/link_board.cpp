#include "drivers/serial/link_board.h"

#include <termios.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cmath>
#include <random>

#include "drivers/account.h"
#include "drivers/serial/link_sentences.h"
#include "drivers/serial/serial_port.h"

namespace merel {
namespace {

using link::CommandEnded;
using link::HostEnd;
using link::MessageType;

/// A new device gets its group from udev a moment after it has appeared.
constexpr Time kUdev = std::chrono::milliseconds(500);
/// Frames that go out in one write.
constexpr std::size_t kFramesAtOnce = 4;

link::Settings settings_of(const LinkWiring& wiring) {
  link::Settings out;
  out.debounce_us = static_cast<std::uint16_t>(std::clamp<std::int64_t>(wiring.debounce.count(), 0, 60'000));
  out.limit_ma = wiring.limit_ma;
  out.gamma_tenths = static_cast<std::uint8_t>(std::lround(std::clamp(wiring.gamma, 1.0, 4.0) * 10));
  out.lattice = std::max(wiring.lattice, std::uint8_t{1});
  out.crosstalk = wiring.crosstalk;
  return out;
}

bool concerns_lights(MessageType command) {
  return command == MessageType::accept || command == MessageType::settings || command == MessageType::lights;
}

}  // namespace

LinkBoard::LinkBoard(boost::asio::io_context& loop, const LoopClock& clock, LinkWiring wiring, std::size_t lights)
    : loop_(loop),
      clock_(clock),
      wiring_(std::move(wiring)),
      light_count_(std::min(lights, link::kMaxLights)),
      host_(wiring_.revision, std::random_device{}()),
      port_(loop),
      timer_(loop),
      watch_(loop, wiring_.device),
      settings_(settings_of(wiring_)) {
  host_.want(settings_, Time{});
}

LinkBoard::~LinkBoard() {
  running_ = false;
  let_go();
}

Time LinkBoard::now() {
  now_ = std::max(now_, clock_.now());
  return now_;
}

// ---- the port --------------------------------------------------------------------------------------------------------------

void LinkBoard::open() {
  if (running_) return;
  running_ = true;
  failed_ = 0;
  retry_pause_ = kFirstRetry;
  retry_at_ = now();
  soon();
}

void LinkBoard::close() {
  if (!running_) return;
  if (port_.is_open() && !stuck_at_) {
    std::array<std::uint8_t, link::kMaxWire> wire{};
    while (const std::size_t length = host_.next_frame(now(), wire)) {
      if (::write(port_.native_handle(), wire.data(), length) != static_cast<ssize_t>(length)) break;
    }
  }
  running_ = false;
  let_go();
  host_.close();
  retry_at_.reset();
  armed_.reset();
  timer_.cancel();
  watch_.stop();
  if (const Told done = std::exchange(calibrated_, nullptr))
    done("The board was let go before it had confirmed the calibration");
  end_reading(std::string("The board was let go before it had told its calibration"));
}

/// The next step comes from the loop: what is wished for in one go is sent together.
void LinkBoard::soon() {
  if (!running_ || std::exchange(posted_, true)) return;
  boost::asio::post(loop_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->posted_ = false;
    self->step();
  });
}

/// Everything that is due, and what follows from it.
void LinkBoard::step() {
  if (!running_ || handing_) return;
  const Time time = now();
  if (retry_at_ && time >= *retry_at_) try_open();
  if (stuck_at_ && time >= *stuck_at_) drop(lost_sentence(wiring_));
  write_some();
  hand_on();
  if (diagnose_at_ && time >= *diagnose_at_) diagnose();
  arm();
}

void LinkBoard::arm() {
  if (!running_) return;
  std::optional<Time> next;
  const auto add = [&next](std::optional<Time> due) {
    if (due && (!next || *due < *next)) next = due;
  };
  add(retry_at_);
  add(stuck_at_);
  add(diagnose_at_);
  if (!stuck_at_) add(host_.deadline());  // otherwise the end of the write comes first
  if (next == armed_) return;
  armed_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(clock_.at(*next));
  timer_.async_wait([weak = weak_from_this(), due = *next](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->armed_ != due) return;  // the end, or another deadline came first
    self->armed_.reset();
    self->now_ = std::max(self->now_, due);  // the clock may be held
    self->step();
  });
}

void LinkBoard::try_open() {
  retry_at_.reset();
  // Before the try, so that nothing that comes in between goes unseen.
  watch_.start([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || !self->running_ || self->port_.is_open()) return;
    self->retry_pause_ = kFirstRetry;
    self->retry_at_ = self->now();
    self->step();
  });
  const auto opened = open_serial_port(wiring_.device, wiring_.baud);
  if (!opened) {
    not_opened(opened.error());
    retry();
    return;
  }
  failed_ = 0;
  denied_since_.reset();
  watch_.stop();
  boost::system::error_code error;
  port_.assign(opened->descriptor, error);
  if (error) {
    ::close(opened->descriptor);
    not_opened({error.value()});
    retry();
    return;
  }
  ++generation_;
  ++openings_;
  host_.open(now_);
  diagnose_at_ = now_ + kHandshake;
  read_some();
}

void LinkBoard::not_opened(PortFailure failure) {
  const bool denied = failure.error == EACCES || failure.error == EPERM;
  if (!denied) denied_since_.reset();
  if (denied && !denied_since_) denied_since_ = now_;
  if (denied && now_ - *denied_since_ < kUdev) return;
  // To look through /proc takes a while; the answer is the same until the port has been free.
  if (std::exchange(failed_, failure.error) == failure.error) return;
  const bool owned = failure.error == EBUSY || failure.error == EWOULDBLOCK;
  const auto owner = owned ? find_port_owner(wiring_.device) : std::nullopt;
  absent(port_sentence(wiring_, failure, owner, user_name()));
}

/// The next try comes later, each pause twice the one before.
void LinkBoard::retry() {
  retry_at_ = now_ + retry_pause_;
  retry_pause_ = std::min(retry_pause_ * 2, kLastRetry);
}

void LinkBoard::let_go() {
  stuck_at_.reset();
  diagnose_at_.reset();
  ++generation_;
  if (!port_.is_open()) return;
  release_serial_port(port_.native_handle());
  boost::system::error_code ignored;
  port_.close(ignored);
}

/// The port is of no use any more.
void LinkBoard::drop(const std::string& sentence) {
  static_cast<void>(now());
  // close(2) would wait for what a device that takes nothing has not taken, thirty seconds long (tty_port_close_start() in the kernel).
  if (port_.is_open()) ::tcflush(port_.native_handle(), TCOFLUSH);
  let_go();
  host_.close();
  known_lost_ = false;
  failed_ = ENOENT;  // that it is not there is no news
  absent(sentence);
  retry();
}

void LinkBoard::read_some() {
  port_.async_read_some(boost::asio::buffer(in_), [weak = weak_from_this(), generation = generation_](
                                                      const boost::system::error_code& error, std::size_t length) {
    const auto self = weak.lock();
    if (!self || !self->running_ || self->generation_ != generation) return;
    if (error) {
      self->drop(gone_sentence(self->wiring_, error == boost::asio::error::eof ? 0 : error.value()));
    } else {
      self->host_.hear(std::span<const std::uint8_t>(self->in_).first(length), self->now());
      self->read_some();
    }
    self->step();
  });
}

void LinkBoard::write_some() {
  if (stuck_at_) return;
  out_.resize(kFramesAtOnce * link::kMaxWire);
  // With the port closed nothing comes of it, but time goes on there: a wish that nobody has confirmed ends.
  std::size_t length = 0;
  for (std::size_t frame = 0; frame < kFramesAtOnce; ++frame) {
    const std::span<std::uint8_t, link::kMaxWire> wire(out_.data() + length, link::kMaxWire);
    const std::size_t more = host_.next_frame(now_, wire);
    if (more == 0) break;
    length += more;
  }
  if (length == 0) return;
  stuck_at_ = now_ + kStuck;
  boost::asio::async_write(
      port_, boost::asio::buffer(out_.data(), length),
      [weak = weak_from_this(), generation = generation_](const boost::system::error_code& error, std::size_t) {
        const auto self = weak.lock();
        if (!self || !self->running_ || self->generation_ != generation) return;
        self->stuck_at_.reset();
        if (error) self->drop(gone_sentence(self->wiring_, error.value()));
        self->step();
      });
}

// ---- what the board says ---------------------------------------------------------------------------------------------------

/// Whoever listens may wish for something and so make new events.
void LinkBoard::hand_on() {
  if (std::exchange(handing_, true)) return;
  const auto alive = shared_from_this();  // a listener may let everything go
  for (;;) {
    const std::vector<link::HostEvent> events = host_.take_events();
    if (events.empty()) break;
    for (const link::HostEvent& event : events) {
      if (running_) hand_on(event);
    }
  }
  handing_ = false;
}

void LinkBoard::hand_on(const link::HostEvent& event) {
  if (const auto* site = std::get_if<link::SiteChange>(&event)) {
    if (listener_ != nullptr) listener_->on_class(site->channel, site->what, site->time);
  } else if (const auto* button = std::get_if<link::ButtonChange>(&event)) {
    if (listener_ != nullptr) listener_->on_press(button->number, button->down, button->time);
  } else if (const auto* levels = std::get_if<link::LevelsHeard>(&event)) {
    const std::span<const std::uint16_t> counts(levels->levels.counts);
    if (observer_ != nullptr) observer_->on_levels(counts.first(levels->levels.channels), levels->time);
  } else if (std::holds_alternative<link::Joined>(event)) {
    on_joined();
  } else if (std::holds_alternative<link::Lost>(event)) {
    known_lost_ = true;
    absent(lost_sentence(wiring_));
  } else if (const auto* unfit = std::get_if<link::Unfit>(&event)) {
    diagnose_at_.reset();
    absent(unfit_sentence(wiring_, unfit->why, *host_.hello()));
  } else if (const auto* ended = std::get_if<CommandEnded>(&event)) {
    on_ended(*ended);
  } else if (const auto* calibration = std::get_if<link::CalibrationHeard>(&event)) {
    end_reading(calibration->data);
  }
}

void LinkBoard::on_joined() {
  retry_pause_ = kFirstRetry;
  diagnose_at_.reset();
  known_lost_ = false;
  trouble_.clear();
  refusals_.clear();
  // Now it is known how many lights it has, and whether it tells levels.
  send_lights();
  send_settings();
  if (!host_.hello()) return;
  if (host_.hello()->lights < light_count_) {
    CommandEnded too_few{MessageType::lights, CommandEnded::How::answered, link::Answer::cannot};
    refusals_[MessageType::lights] = refusal_sentence(wiring_, too_few, *host_.hello());
  }
  tell_lights();
  if (listener_ != nullptr) listener_->on_joined(*host_.hello(), now_);
}

void LinkBoard::on_ended(const CommandEnded& ended) {
  const bool well = ended.how == CommandEnded::How::answered && ended.answer == link::Answer::done;
  const std::string sentence =
      well ? std::string() : refusal_sentence(wiring_, ended, host_.hello().value_or(link::BoardHello{}));
  if (ended.command == MessageType::calibration) {
    if (const Told done = std::exchange(calibrated_, nullptr)) done(sentence);
    return;
  }
  if (!well) {
    refusals_[ended.command] = sentence;
  } else if (ended.command != MessageType::lights || host_.hello()->lights >= light_count_) {
    refusals_.erase(ended.command);
  }
  if (concerns_lights(ended.command)) tell_lights();
}

/// The port is open, and no board has joined in a while.
void LinkBoard::diagnose() {
  diagnose_at_.reset();
  if (!port_.is_open() || host_.stage() == HostEnd::Stage::in_step || host_.stage() == HostEnd::Stage::unfit) return;
  diagnose_at_ = now_ + kHandshake;  // more may have come in by then
  if (known_lost_) return;
  absent(no_handshake_sentence(wiring_, host_.stage(), host_.traffic(),
                               trouble_.empty() ? find_port_owner(wiring_.device) : std::nullopt));
}

void LinkBoard::absent(const std::string& sentence) {
  if (sentence == trouble_) return;
  trouble_ = sentence;
  tell_lights();
  end_reading(sentence);
  if (listener_ != nullptr) listener_->on_absent(sentence, now_);
}

/// What keeps the lights from showing: the board is not there, or does not take what they need.
void LinkBoard::tell_lights() {
  std::string sentence = trouble_;
  for (const auto& [command, refusal] : refusals_) {
    if (sentence.empty() && concerns_lights(command)) sentence = refusal;
  }
  if (sentence == lights_sentence_) return;
  lights_sentence_ = sentence;
  if (lights_told_) lights_told_(sentence);
}

// ---- wishes ----------------------------------------------------------------------------------------------------------------

void LinkBoard::listen(LinkListener* listener) {
  listener_ = listener;
  if (listener == nullptr) return;
  const std::vector<PieceClass> classes(host_.classes().begin(), host_.classes().end());
  const Time time = now();
  for (std::size_t channel = 0; channel < classes.size(); ++channel) {
    listener->on_class(static_cast<std::uint8_t>(channel), classes[channel], time);
  }
  const std::uint8_t down = host_.buttons_down();
  for (std::uint8_t button = 0; button < host_.buttons(); ++button) {
    listener->on_press(button, (down >> button & 1U) != 0, time);
  }
  if (host_.stage() == HostEnd::Stage::in_step) {
    listener->on_joined(*host_.hello(), time);
  } else if (!trouble_.empty()) {
    listener->on_absent(trouble_, time);
  }
}

void LinkBoard::on_light_trouble(Told told) { lights_told_ = std::move(told); }

void LinkBoard::show(std::span<const Lamp> lamps) {
  lamps_.assign(lamps.begin(), lamps.end());
  send_lights();
  soon();
}

void LinkBoard::send_lights() {
  if (lamps_.empty() && light_count_ == 0) return;
  link::Lights lights;
  const std::size_t has = host_.hello() ? host_.hello()->lights : light_count_;
  lights.count = static_cast<std::uint8_t>(std::min(light_count_, has));
  std::copy_n(lamps_.begin(), std::min<std::size_t>(lamps_.size(), lights.count), lights.lamps.begin());
  host_.want(lights, now());
}

void LinkBoard::send_settings() {
  link::Settings settings = settings_;
  if (host_.hello() && (host_.hello()->capabilities & link::kTellsLevels) == 0) settings.levels_hz = 0;
  host_.want(settings, now());
}

void LinkBoard::beep(std::uint16_t hertz, std::uint16_t milliseconds) {
  if (!host_.hello() || (host_.hello()->capabilities & link::kHasBuzzer) == 0) return;
  host_.want(link::Buzzer{0, hertz, milliseconds}, now());
  soon();
}

void LinkBoard::set_empty_sites(std::uint64_t channels) {
  host_.want(link::EmptySites{0, channels}, now());
  soon();
}

void LinkBoard::set_crosstalk(Crosstalk crosstalk) {
  settings_.crosstalk = crosstalk;
  send_settings();
  soon();
}

void LinkBoard::watch_levels(std::uint8_t hz) {
  settings_.levels_hz = std::min(hz, std::uint8_t{100});
  send_settings();
  soon();
}

void LinkBoard::ask_levels() {
  host_.ask(MessageType::levels, now());
  soon();
}

void LinkBoard::calibrate(const link::CalibrationData& data, Told done) {
  if (const Told before = std::exchange(calibrated_, std::move(done)))
    before("Another calibration has taken the place of this one");
  host_.want(link::Calibration{0, data}, now());
  soon();
}

void LinkBoard::read_calibration(CalibrationRead done) {
  if (!trouble_.empty()) return done(trouble_);
  readers_.push_back(std::move(done));
  host_.ask(MessageType::board_calibration, now());
  soon();
}

void LinkBoard::end_reading(const Result<link::CalibrationData, std::string>& result) {
  for (const CalibrationRead& done : std::exchange(readers_, {})) done(result);
}

void LinkBoard::check() {
  if (!running_ || port_.is_open() || !retry_at_) return;
  retry_at_ = now();
  soon();
}

BoardFacts LinkBoard::facts() const {
  BoardFacts out;
  out.joined = host_.stage() == HostEnd::Stage::in_step;
  out.hello = host_.hello();
  out.status = host_.status();
  out.counts = host_.counts();
  out.frames = host_.frames();
  out.openings = openings_;
  out.trouble = trouble_;
  for (const auto& [command, sentence] : refusals_) out.refusals.push_back(sentence);
  return out;
}

}  // namespace merel
