#include "firmware/core/board.h"

#include <algorithm>

#include "firmware/core/link_lost.h"

namespace merel::firmware {
namespace {

using link::Answer;

/// No scan comes in between while this lives.
class Held {
 public:
  explicit Held(ScanGate& gate) : gate_(gate) { gate_.close(); }
  ~Held() { gate_.open(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  ScanGate& gate_;
};

link::BoardHello hello(std::uint32_t session, std::uint16_t capabilities) {
  link::BoardHello self;
  self.firmware = Board::kFirmware;
  self.revision = Board::kRevision;
  self.session = session;
  self.channels = kChannels;
  self.lights = Board::kLights;
  self.buttons = Senses::kButtons;
  self.capabilities = static_cast<std::uint16_t>(capabilities | link::kTellsLevels | link::kTellsStrength |
                                                 link::kHasBuzzer | link::kKeepsCalibration);
  return self;
}

}  // namespace

Board::Board(Senses& senses, ScanGate& gate, Flash& flash, std::uint32_t session, std::uint16_t capabilities, Time now)
    : senses_(senses), gate_(gate), store_(flash), link_(hello(session, capabilities), *this, now), now_(now) {
  apply(link::Settings{});
  if (store_.calibration()) use(*store_.calibration());
}

void Board::attend(Time now, const ChipState& chip) {
  now_ = now;
  chip_ = chip;
  while (const auto change = senses_.take_change()) link_.change(*change);
  if (senses_.dropped() != dropped_) {
    dropped_ = senses_.dropped();
    catch_up(now);
  }
  bool restless = false;
  std::uint32_t scans = 0;
  {
    const Held held(gate_);
    restless = senses_.restless();
    scans = senses_.scans();
  }
  awake_ = awake_ || scans >= (restless ? kLastScans : kFirstScans);
  // Whatever it is will have held long enough by then, if it holds at all.
  if (restless) link_.expect_change(now + hold_ + Time(2 * kScanMicros));

  const bool lost = link_.accepted() && link_.lost(now);
  if (lost == lost_since_.has_value()) return;
  lost_since_ = lost ? std::optional(now) : std::nullopt;
  anew_ = true;
}

/// Tells everything that is not as the host was told, without its own time.
void Board::catch_up(Time now) {
  std::array<PieceClass, kChannels> classes{};
  std::uint8_t buttons = 0;
  {
    const Held held(gate_);
    for (std::size_t channel = 0; channel < kChannels; ++channel) classes[channel] = senses_.settled(channel);
    buttons = senses_.buttons();
    // What is still in the queue has led to these.
    while (senses_.take_change()) {
    }
    dropped_ = senses_.dropped();
  }
  const auto clock = static_cast<std::uint32_t>(now.count());
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    if (link_.at(channel) == classes[channel]) continue;
    link_.change({clock, static_cast<std::uint8_t>(channel), static_cast<std::uint8_t>(classes[channel])});
  }
  for (std::size_t button = 0; button < Senses::kButtons; ++button) {
    const auto down = static_cast<std::uint8_t>(buttons >> button & 1U);
    if ((link_.buttons() >> button & 1U) == down) continue;
    link_.change({clock, static_cast<std::uint8_t>(link::Change::kButton + button), down});
  }
}

// ---- what the host commands ------------------------------------------------------------------------------------------------

void Board::outputs(bool on) {
  if (on == outputs_on_) return;
  outputs_on_ = on;
  anew_ = true;
  hertz_ = 0;
  effects_.show({}, now_);
}

Answer Board::show(const link::Lights& lights) {
  effects_.show(std::span(lights.lamps).first(lights.count), now_);
  anew_ = true;
  return Answer::done;
}

Answer Board::beep(const link::Buzzer& beep) {
  if (beep.hertz != 0 && (beep.hertz < kLowest || beep.hertz > kHighest)) return Answer::cannot;
  hertz_ = beep.hertz;
  tone_until_ = now_ + std::chrono::milliseconds(beep.milliseconds);
  return Answer::done;
}

Answer Board::apply(const link::Settings& settings) {
  chain_.gamma(settings.gamma_tenths);
  chain_.limit(settings.limit_ma);
  lattice_ = settings.lattice;
  anew_ = true;
  hold_ = Time(settings.debounce_us);
  const Held held(gate_);
  senses_.debounce(hold_);
  senses_.neighbours(settings.lattice, settings.crosstalk);
  return Answer::done;
}

Answer Board::calibrate(const link::CalibrationData& data) {
  if (!store_.store(data)) return Answer::not_stored;
  use(data);
  return Answer::done;
}

void Board::use(const link::CalibrationData& data) {
  const Held held(gate_);
  senses_.calibrate(std::span(data.baselines).first(data.channels), data.thresholds);
}

void Board::empty(std::uint64_t channels) {
  const Held held(gate_);
  senses_.empty(channels);
}

// ---- what it asks for ------------------------------------------------------------------------------------------------------

void Board::fill(link::Levels& levels) {
  const Held held(gate_);
  levels.counts = senses_.counts();
}

void Board::fill(link::BoardStatus& status) {
  {
    const Held held(gate_);
    status.scans = senses_.scans();
  }
  status.late = chip_.late;
  status.scan_us = chip_.scan_us;
  status.lights_ma = chain_.milliamps();
  unsigned flags = 0;
  const auto set = [&flags](unsigned flag, bool on) { flags |= on ? flag : 0U; };
  set(link::kOutputsOn, outputs_on_);
  set(link::kCalibrated, store_.calibration().has_value());
  set(link::kDimmed, chain_.dimmed());
  set(link::kWatchdogStarted, chip_.watchdog_started);
  set(link::kStoreDamaged, store_.damaged());
  status.flags = static_cast<std::uint8_t>(flags);
}

void Board::fill(link::CalibrationData& data) {
  data = store_.calibration().value_or(link::CalibrationData{});
  if (data.channels == 0) data.thresholds = Classifier::kDefaultThresholds;
}

// ---- what it shows ---------------------------------------------------------------------------------------------------------

std::optional<std::span<const std::uint32_t>> Board::picture(Time now) {
  if (!anew_ && (!next_picture_ || now < *next_picture_)) return std::nullopt;
  anew_ = false;
  std::array<Rgb, kLights> colours{};
  next_picture_.reset();
  if (lost_since_) {
    link_lost::show(colours, lattice_, now - *lost_since_);
    next_picture_ = *lost_since_ + link_lost::next_change(now - *lost_since_);
  } else if (outputs_on_) {
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = effects_.colour(i, now);
    next_picture_ = effects_.next_change(now);
  }
  // A light whose supply has dipped has forgotten its colour, and nobody knows.
  const Time again = now + kRefresh;
  next_picture_ = std::min(next_picture_.value_or(again), again);
  return chain_.encode(colours);
}

}  // namespace merel::firmware
