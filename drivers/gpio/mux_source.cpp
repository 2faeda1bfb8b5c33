#include "drivers/gpio/mux_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "drivers/gpio/gpio_source.h"
#include "drivers/gpio/gray_code.h"

namespace merel {
namespace {

constexpr Time kSpin = std::chrono::microseconds(100);  // a sleep takes longer than this to come back

void wait(Time settle) {
  if (settle > kSpin) {
    std::this_thread::sleep_for(settle);
    return;
  }
  const auto until = LoopClock::Steady::now() + settle;
  while (LoopClock::Steady::now() < until) {
  }
}

/// Where these lines are; they must be on one chip, and free.
struct LinesOfChip {
  std::size_t chip = 0;
  std::vector<unsigned> offsets;
};
Result<LinesOfChip, LineTrouble> find_all(const LineFinder& finder, const std::vector<LineName>& names) {
  LinesOfChip out;
  out.offsets.reserve(names.size());
  for (const LineName& name : names) {
    const auto found = finder.find(name);
    if (!found) return found.error();
    const ChipEntry& chip = finder.chips()[found->chip];
    const auto state = chip.chip->line(found->offset);
    if (state && state->used) return LineTrouble{LineTrouble::Kind::busy, name, chip.text(), state->consumer, EBUSY};
    if (!out.offsets.empty() && found->chip != out.chip) {
      return LineTrouble{LineTrouble::Kind::other, name, chip.text(), "", EXDEV};
    }
    out.chip = found->chip;
    out.offsets.push_back(found->offset);
  }
  return out;
}

}  // namespace

MuxSource::MuxSource(boost::asio::io_context& loop, const LoopClock& clock, const MuxSensors& sensors,
                     const ButtonLines& buttons, ListChips chips)
    : clock_(clock),
      wiring_(sensors),
      chips_(std::move(chips)),
      timer_(loop),
      buttons_(loop, clock, button_lines(buttons), *this, chips_),
      told_(sensors.data.size() << sensors.address.size()),
      pace_(sensors.scans_per_second, sensors.idle_scans_per_second, sensors.idle_after) {}

void MuxSource::start(SensorListener& listener) {
  listener_ = &listener;
  buttons_.start();
  trouble_ = open();
  look();
  tell_health(clock_.now());
}

void MuxSource::stop() {
  timer_.cancel();
  buttons_.stop();
  address_.reset();
  data_.reset();
  listener_ = nullptr;
}

void MuxSource::check() {
  if (listener_ == nullptr) return;
  buttons_.check();
  if (data_) return;
  trouble_ = open();
  look();
  if (!trouble_) tell_health(clock_.now());
}

SourceCounts MuxSource::counts() const {
  SourceCounts counts = buttons_.counts();
  counts.scans += scans_;
  return counts;
}

std::optional<LineTrouble> MuxSource::open() {
  const LineFinder finder(chips_());
  const auto address = find_all(finder, wiring_.address);
  if (!address) return address.error();
  const auto data = find_all(finder, wiring_.data);
  if (!data) return data.error();
  auto outputs = finder.chips()[address->chip].chip->outputs(address->offsets, false);
  const ChipEntry& chip = finder.chips()[data->chip];
  auto inputs = chip.chip->inputs(data->offsets, {wiring_.input, false, {}});
  if (!outputs) return LineTrouble{LineTrouble::Kind::other, wiring_.address.front(), chip.text(), "", outputs.error().code};
  if (!inputs) return LineTrouble{LineTrouble::Kind::other, wiring_.data.front(), chip.text(), "", inputs.error().code};
  address_ = std::move(*outputs);
  data_ = std::move(*inputs);
  chip_ = chip.text();
  std::fill(told_.begin(), told_.end(), std::nullopt);  // everything is told anew
  due_ = clock_.now();
  return std::nullopt;
}

/// Scans, and goes on scanning while the lines can be had.
void MuxSource::look() {
  if (!data_) return;
  if (const auto error = scan()) {
    trouble_ = LineTrouble{LineTrouble::Kind::silent, wiring_.data.front(), chip_, "", error->code};
    address_.reset();
    data_.reset();
    tell_health(clock_.now());
    return;
  }
  due_ = pace_.next(due_, clock_.now());
  arm();
}

void MuxSource::arm() {
  timer_.expires_at(clock_.at(due_));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && listener_ != nullptr) look();  // the only error is the end
  });
}

std::optional<GpioError> MuxSource::scan() {
  const std::size_t lines = wiring_.address.size();
  const std::uint32_t addresses = 1U << lines;
  std::array<bool, 8> bits{};
  for (std::uint32_t n = 0; n < addresses; ++n) {
    const std::uint32_t address = gray_code(n);
    for (std::size_t line = 0; line < lines; ++line) bits[line] = ((address >> line) & 1U) != 0;
    if (auto error = address_->set(std::span<const bool>(bits.data(), lines))) return error;
    wait(wiring_.settle);
    const auto values = data_->values();
    if (!values) return values.error();
    const Time now = last_told_ = std::max(last_told_, clock_.now());
    for (std::size_t mux = 0; mux < values->size(); ++mux) {
      const std::size_t channel = (mux << lines) + address;
      const bool active = (*values)[mux];
      if (told_[channel] == active) continue;
      pace_.changed(now);
      told_[channel] = active;
      listener_->on_reading({now, static_cast<std::uint16_t>(channel), active ? Contents::occupied() : Contents::empty()});
    }
  }
  ++scans_;
  return std::nullopt;
}

void MuxSource::on_level(std::size_t line, bool active, Time time) {
  last_told_ = std::max(last_told_, time);
  listener_->on_button(static_cast<std::uint8_t>(line), active, last_told_);
}

void MuxSource::on_silences(Time time) {
  last_told_ = std::max(last_told_, time);
  tell_health(last_told_);
}

void MuxSource::tell_health(Time now) {
  SourceHealth health = health_of(buttons_.silences(), 0);
  health.partial = !health.well;  // the sensors go on without buttons
  if (trouble_) {
    health = {false, trouble_->sentence() + (health.what.empty() ? "" : "; " + health.what), false, {}};
  }
  listener_->on_health(health, now);
}

}  // namespace merel
