#include "drivers/serial/link_source.h"

#include <algorithm>
#include <utility>

#include "drivers/hall/classifier.h"

namespace merel {
namespace {

constexpr std::size_t kSensedSeats = pylos_seats::kLevel1 + pylos_seats::kLevel2;

}  // namespace

ClassContents class_contents(bool colour, std::uint8_t players) {
  ClassContents out;
  out.fill(Contents::occupied());
  out[static_cast<std::size_t>(PieceClass::none)] = Contents::empty();
  if (!colour) return out;
  const auto set = [&out](PieceClass piece, Player player) {
    out[static_cast<std::size_t>(piece)] = Contents::piece(player);
  };
  set(PieceClass::north, 0);
  set(PieceClass::south, 1);
  set(PieceClass::weak_north, players > 2 ? 2 : 0);
  set(PieceClass::weak_south, players > 2 ? 3 : 1);
  return out;
}

LinkSource::LinkSource(std::shared_ptr<LinkBoard> board, std::size_t channels, bool colour)
    : board_(std::move(board)), colour_(colour), contents_(class_contents(colour, 2)), classes_(channels), told_(channels) {}

LinkSource::~LinkSource() {
  board_->listen(nullptr);
  board_->observe_levels(nullptr);
}

void LinkSource::start(SensorListener& listener) {
  listener_ = &listener;
  told_.assign(told_.size(), std::nullopt);
  classes_.assign(classes_.size(), std::nullopt);
  health_.reset();
  board_->listen(this);
  board_->observe_levels(this);
  board_->open();
}

void LinkSource::stop() {
  recording_.reset();
  board_->listen(nullptr);
  board_->observe_levels(nullptr);
  listener_ = nullptr;
  board_->close();
}

void LinkSource::use(const BoardUse& use) {
  if (use == use_) return;
  use_ = use;
  contents_ = class_contents(colour_, use_.players);
  scans_.clear();
  seen_.reset();
  if (has_stack()) {
    stack_.emplace(PartSpread{}, static_cast<unsigned>(kScans));
    expecting_ = true;
  } else {
    stack_.reset();
  }
  board_->set_crosstalk(crosstalk());
  choose_rate(last_);
  if (listener_ == nullptr) return;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (!classes_[i]) continue;
    const auto channel = static_cast<std::uint16_t>(i);
    // Nothing is said of what lies on top before its levels have been read.
    tell(channel, on_top(channel) ? Contents::empty() : contents_[static_cast<std::size_t>(*classes_[channel])], last_);
  }
}

void LinkSource::know(const KnownBoard& known) {
  std::uint64_t mask = 0;
  for (std::size_t channel = 0; channel < std::min(known.empty.size(), link::kMaxChannels); ++channel) {
    // Spheres that lie otherwise after a while would be taken for a drift.
    if (known.empty[channel] && !stack_) mask |= std::uint64_t{1} << channel;
  }
  board_->set_empty_sites(mask);
  agreed_.reset();
  if (!stack_ || known.sites.size() < pylos_seats::kSeats) return;
  SphereStack stack{};
  for (std::size_t seat = 0; seat < stack.size(); ++seat) {
    const Contents contents = known.sites[seat];
    stack[seat] = contents.is_empty() ? Pole::none : contents.player() == 0 ? Pole::north : Pole::south;
  }
  if (std::exchange(expecting_, false)) stack_->expect(stack);
  // A picture of just that has been read, most often; a sphere that no sensor sees may have come since.
  if (known.agreed && (stack != stack_->stack() || !stack_->agree(stack))) agreed_ = stack;
}

SourceCounts LinkSource::counts() const {
  const BoardFacts facts = board_->facts();
  return {facts.counts.changes, facts.status ? facts.status->scans : 0, facts.counts.gaps, facts.counts.repaired};
}

// ---- classes ---------------------------------------------------------------------------------------------------------------

void LinkSource::on_class(std::uint8_t channel, PieceClass what, Time time) {
  if (channel >= classes_.size()) return;
  classes_[channel] = what;
  scans_.clear();  // levels from before and after it do not belong together
  if (!on_top(channel)) {
    tell(channel, contents_[static_cast<std::size_t>(what)], time);
  } else if (!told_[channel]) {
    tell(channel, Contents::empty(), time);
  }
}

/// Two kinds of magnet may mean the same here.
void LinkSource::tell(std::uint16_t channel, Contents contents, Time time) {
  if (told_[channel] == contents) return;
  told_[channel] = contents;
  listener_->on_reading({stamp(time), channel, contents});
}

void LinkSource::on_press(std::uint8_t button, bool down, Time time) { listener_->on_button(button, down, stamp(time)); }

void LinkSource::on_joined(const link::BoardHello& hello, Time time) {
  SourceHealth health;
  if (hello.channels < told_.size()) {
    health.well = false;
    health.partial = true;
    health.what = "The board at " + board_->wiring().device + " has only " + std::to_string(hello.channels) +
                  " channels of the " + std::to_string(told_.size()) + " in the profile: take the profile of that board";
    for (std::size_t channel = hello.channels; channel < told_.size(); ++channel) {
      health.lost.push_back(static_cast<std::uint16_t>(channel));
    }
  }
  calibration_read_ = (hello.capabilities & link::kKeepsCalibration) == 0;
  board_->read_calibration([this](const Result<link::CalibrationData, std::string>& read) {
    if (listener_ == nullptr) return;
    calibration_read_ = true;
    if (read) calibrated(*read);
  });
  tell(std::move(health), time);
}

void LinkSource::on_absent(const std::string& sentence, Time time) {
  scans_.clear();
  tell({false, sentence, false, {}}, time);
}

/// A board that has only started anew is no news.
void LinkSource::tell(SourceHealth health, Time time) {
  if (health_ == health) return;
  health_ = std::move(health);
  listener_->on_health(*health_, stamp(time));
}

Time LinkSource::stamp(Time time) {
  last_ = std::max(last_, time);
  return last_;
}

// ---- levels ----------------------------------------------------------------------------------------------------------------

void LinkSource::calibrated(const link::CalibrationData& data) {
  std::optional<link::CalibrationData> now;
  if (data.channels > 0) now = data;
  if (now == calibration_) return;  // a board that has come back
  calibration_ = now;
  board_->set_crosstalk(crosstalk());
  if (!stack_) return;
  const SphereStack said = stack_->stack();  // what lies there is the same
  stack_->forget();
  stack_->expect(said);
}

/// As it was measured on this board; before that, as the model has it.
Crosstalk LinkSource::crosstalk() const {
  if (calibration_) return has_stack() ? calibration_->spheres : calibration_->pegs;
  return nominal_crosstalk(has_stack() ? MagnetKind::sphere : MagnetKind::strong);
}

std::uint16_t LinkSource::baseline(std::size_t channel) const {
  return calibration_ && channel < calibration_->channels ? calibration_->baselines[channel] : kMiddle;
}

bool LinkSource::has_stack() const { return std::find(use_.levels.begin(), use_.levels.end(), 2) != use_.levels.end(); }

void LinkSource::choose_rate(Time now) {
  const std::uint8_t rate = has_stack() || recording_ ? kStackRate : now <= look_until_ ? kLookRate : std::uint8_t{0};
  if (rate == rate_) return;
  rate_ = rate;
  board_->watch_levels(rate);
}

std::optional<std::vector<SensorLevel>> LinkSource::look(Time now) {
  look_until_ = now + kLook;
  choose_rate(now);
  if (levels_.empty()) return std::nullopt;
  Classifier classifier;
  classifier.neighbours(board_->wiring().lattice, crosstalk());
  if (calibration_) {
    classifier.calibrate(std::span(calibration_->baselines).first(calibration_->channels), calibration_->thresholds);
  }
  classifier.scan(levels_, 0);
  std::vector<SensorLevel> out(std::min(levels_.size(), classes_.size()));
  for (std::size_t channel = 0; channel < out.size(); ++channel) {
    SensorLevel& level = out[channel];
    level.counts = levels_[channel];
    level.baseline = baseline(channel);
    level.piece = classes_[channel].value_or(PieceClass::none);
    level.deviation = classifier.deviation(channel);
    if (calibration_) level.margin = margin_of(calibration_->thresholds, level.piece, level.deviation);
  }
  return out;
}

void LinkSource::record(std::size_t scans, std::size_t skip, Recorded done) {
  recording_ = Recording{{}, skip, scans, std::move(done)};
  choose_rate(last_);
}

void LinkSource::on_levels(std::span<const std::uint16_t> counts, Time time) {
  levels_.assign(counts.begin(), counts.end());
  const Time now = stamp(time);
  if (recording_) {
    if (recording_->skip > 0) {
      --recording_->skip;
    } else {
      recording_->levels.add(counts);
      if (recording_->levels.scans() >= recording_->scans) {
        const Recording ended = std::move(*recording_);
        recording_.reset();
        ended.done(ended.levels);
      }
    }
  }
  choose_rate(now);
  // Without the zeros of the sensors a level says little, and what it seems to say would stay.
  if (!stack_ || !calibration_read_) return;
  scans_.emplace_back(levels_);
  if (scans_.size() == kScans) read_stack(now);
}

/// Every kScans levels. What hands do in between is not believed: only a stack that two readings in a row agree on is told.
void LinkSource::read_stack(Time now) {
  Level2Watch::Deviations deviations{};
  bool at_rest = true;
  for (std::size_t channel = 0; channel < std::min(deviations.size(), levels_.size()); ++channel) {
    double sum = 0;
    std::uint16_t least = 0xFFFF;
    std::uint16_t most = 0;
    for (const auto& scan : scans_) {
      const std::uint16_t level = channel < scan.size() ? scan[channel] : baseline(channel);
      sum += level;
      least = std::min(least, level);
      most = std::max(most, level);
    }
    at_rest = at_rest && most - least <= kRestless;
    deviations[channel] = sum / static_cast<double>(scans_.size()) - baseline(channel);
  }
  scans_.clear();
  if (!at_rest) return;
  SphereStack known{};
  const auto channel_of = [this](std::size_t seat) {
    const lattice7::Spot spot = pylos_seats::spot(seat);
    return static_cast<std::size_t>(spot.rank) * board_->wiring().lattice + spot.file;
  };
  for (std::size_t seat = 0; seat < pylos_seats::kLevel1; ++seat) {
    const std::size_t channel = channel_of(seat);
    const PieceClass piece = channel < classes_.size() ? classes_[channel].value_or(PieceClass::none) : PieceClass::none;
    known[seat] = piece == PieceClass::none                                       ? Pole::none
                  : piece == PieceClass::north || piece == PieceClass::weak_north ? Pole::north
                                                                                  : Pole::south;
  }
  stack_->read(deviations, known);
  // What the game has agreed to is the picture that the next one is held against, unless the next sphere lies there already, seen or not.
  if (agreed_ && stack_->agree(*agreed_)) agreed_.reset();
  const SphereStack& stack = stack_->stack();
  const bool again = seen_ == stack;
  seen_ = stack;
  if (!again) return;
  for (std::size_t seat = pylos_seats::kLevel1; seat < kSensedSeats; ++seat) {
    const auto channel = static_cast<std::uint16_t>(channel_of(seat));
    if (!on_top(channel) || channel >= told_.size()) continue;
    const PieceClass piece = stack[seat] == Pole::none    ? PieceClass::none
                             : stack[seat] == Pole::north ? PieceClass::north
                                                          : PieceClass::south;
    tell(channel, contents_[static_cast<std::size_t>(piece)], now);
  }
}

}  // namespace merel
