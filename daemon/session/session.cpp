#include "daemon/session/session.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "daemon/event_words.h"
#include "daemon/player_colour.h"

namespace merel {
namespace {

constexpr const char* kNoGame = "no game is running; begin one with merel new";

std::string names(const Geometry& board, const std::vector<Site>& sites, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, sites.size()); ++i) {
    out.append(i == 0 ? "" : ", ").append(board.info(sites[i]).name());
  }
  return sites.size() > most ? out + ", …" : out;
}

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::idle: return "idle";
    case Phase::setup: return "setup";
    case Phase::play: return "play";
    case Phase::restore: return "restore";
    case Phase::over: return "over";
  }
  return "";
}

Session::Session(SessionSettings settings)
    : settings_(std::move(settings)),
      raw_(settings_.board.channels()),
      changes_(raw_.size()),
      trays_(settings_.board.buttons, -1),
      buttons_(settings_.board.buttons),
      image_({}, settings_.debounce) {}

// ---- what the board says ---------------------------------------------------------------------------------------------------

void Session::reading(const Reading& reading) {
  if (reading.channel >= raw_.size()) return;
  tick(reading.time);
  changes_[reading.channel] += raw_[reading.channel] != reading.contents ? 1U : 0U;
  raw_[reading.channel] = reading.contents;
  if (!well_ || !tracker_) return;
  image_.feed(reading);
  sense(reading.time);
  after(reading.time);
}

void Session::button(std::uint8_t number, bool down, Time now) {
  tick(now);
  buttons_.change(number, down, now);
  for (const GestureMade& made : buttons_.take()) obey(made, now);
  after(now);
}

void Session::tray(std::uint8_t number, int count, Time now) {
  tick(now);
  if (number >= trays_.size()) return;
  trays_[number] = count;
  if (running() && settings_.board.trays) tracker_->tray(number, count, now);
  after(now);
}

void Session::source_well(bool well, Time now) {
  tick(now);
  if (well_ == well) return;
  well_ = well;
  if (!well_ || !tracker_) return;
  for (std::size_t channel = 0; channel < raw_.size(); ++channel) {
    image_.feed({now, static_cast<std::uint16_t>(channel), raw_[channel]});
  }
}

void Session::channels_lost(const std::vector<std::uint16_t>& lost, Time now) {
  tick(now);
  if (lost == lost_) return;
  for (const std::uint16_t channel : lost_) {
    if (std::find(lost.begin(), lost.end(), channel) == lost.end()) image_.lose(channel, false, now);
  }
  for (const std::uint16_t channel : lost) image_.lose(channel, true, now);
  lost_ = lost;
  tick(now);
}

void Session::tick(Time now) {
  buttons_.tick(now);
  for (const GestureMade& made : buttons_.take()) obey(made, now);
  if (!tracker_) return;
  sense(now);
  if (!verdict_.over()) tracker_->tick(now);
  after(now);
  if (const auto due = flag(); due && *due <= now && running()) {
    close(lost(Closing::out_of_time, clock_->running(), tracker_->record()), now);
  }
}

std::optional<Time> Session::deadline() const {
  std::optional<Time> first = buttons_.deadline();
  const auto sooner = [&first](std::optional<Time> due) {
    if (due && (!first || *due < *first)) first = due;
  };
  if (!tracker_) return first;
  sooner(image_.deadline());
  if (running()) {
    sooner(tracker_->deadline());
    sooner(flag());
  }
  return first;
}

/// When the running player loses on time. What the hands did before that moment counts, although it is understood later.
std::optional<Time> Session::flag() const {
  const auto due = clock_ ? clock_->deadline() : std::nullopt;
  if (!due || !tracker_->deadline() || tracker_->last_change() > *due) return due;
  return std::max(*due, *tracker_->deadline());
}

/// Hands on what the board image knows by now.
void Session::sense(Time now) {
  for (const SiteChange& change : image_.tick(now)) {
    if (running()) tracker_->feed(change, now);
  }
  for (const Fault& fault : image_.take_faults()) {
    if (running()) tracker_->fault(fault);
  }
}

/// Draws in what the tracker has said, and lets the clocks follow.
void Session::after(Time now) {
  if (!tracker_) return;
  for (TrackerEvent& said : tracker_->take_events()) {
    SessionEvent event{said.time, std::move(said), {}, {}};
    account(event, now);
    events_.push_back(std::move(event));
  }
  if (setting_up_ && !tracker_->leading_back()) setting_up_ = false;
  if (running() && tracker_->record().outcome().over() && !tracker_->leading_back()) {
    close({Closing::rules, tracker_->record().outcome(), kNoPlayer, tracker_->record().outcome().winner}, now);
  }
  run_clock(now);
}

// ---- clocks and thinking times ---------------------------------------------------------------------------------------------

/// Switches the clocks where a step was the last required part of a turn, at the moment when the hands made it.
void Session::account(SessionEvent& event, Time now) {
  const auto& what = std::get<TrackerEvent>(event.what).what;
  const bool step = std::holds_alternative<StepPlayed>(what);
  if (!step && !std::holds_alternative<Amended>(what) && !std::holds_alternative<TakenBack>(what)) return;
  offers_ = 0;
  const Time done = std::clamp(tracker_->last_change(), turn_since_.value_or(now), std::max(now, turn_since_.value_or(now)));
  const Player next = to_act(tracker_->record().position());
  if (step) {
    const Player player = std::get<StepPlayed>(what).player;
    event.think = player == turn_of_ && turn_since_ ? thought_ + (done - *turn_since_) : Time{};
    if (next != player) clock_runs_ = true;
    if (clock_ && next != player) clock_->hand_over(next, done);
    if (clock_) event.left = clock_->left(player, done);
  } else if (clock_ && clock_->running() != kNoPlayer && clock_->running() != next) {
    clock_->start(next, done);
  }
  if (next != turn_of_) {
    turn_of_ = next;
    thought_ = Time{};
    if (turn_since_) turn_since_ = done;
  }
}

/// Time runs only while the pieces stand so that the player can play.
void Session::run_clock(Time now) {
  const bool on = phase() == Phase::play && well_;
  if (on == turn_since_.has_value()) {
    if (on && clock_ && clock_runs_ && clock_->running() == kNoPlayer) clock_->start(turn_of_, *turn_since_);
    return;
  }
  if (on) {
    turn_since_ = now;
    turn_of_ = to_act(tracker_->record().position());
    if (clock_ && clock_runs_) clock_->start(turn_of_, now);
  } else {
    thought_ += now - *turn_since_;
    turn_since_.reset();
    if (clock_) clock_->stop(now);
  }
}

// ---- what people ask for ---------------------------------------------------------------------------------------------------

Session::Answer Session::may_begin(const GameRecord& record) const {
  if (running()) return std::string("a game is running; end it with merel resign, merel draw or merel abort first");
  const Geometry& board = geometry(record.position());
  if (const auto blind = settings_.board.blind(board); !blind.empty()) {
    return "this board cannot play " + std::string(record.game().title) + ": it has no sensor under " +
           names(board, blind, 6);
  }
  if (record.outcome().over()) return std::string("the game is already over at that position");
  return std::monostate{};
}

Session::Answer Session::begin(GameRecord record, const std::optional<ClockSettings>& clock, Time now) {
  if (auto answer = may_begin(record); !answer) return answer;
  lay(std::move(record), clock, now);
  setting_up_ = tracker_->leading_back();
  after(now);
  return std::monostate{};
}

void Session::resume(GameRecord record, const std::optional<ClockSettings>& clock, const std::vector<Time>& left, Time now) {
  const bool started = !record.steps().empty();
  lay(std::move(record), clock, now);
  setting_up_ = !started && tracker_->leading_back();
  clock_runs_ = tracker_->record().last_turn() > 0 ||
                (started && to_act(tracker_->record().position()) != to_act(tracker_->record().start()));
  for (std::size_t i = 0; clock_ && i < left.size(); ++i) clock_->set(static_cast<Player>(i), left[i]);
  tell(Restarted{}, now);
  after(now);
}

/// Takes what the channels read now as what stands on the game's board.
Picture Session::look(const Geometry& board, Time now) {
  const std::vector<Site> sites = settings_.board.sites(board);
  image_ = BoardImage(sites, settings_.debounce);
  Picture seen;
  for (std::size_t channel = 0; channel < raw_.size() && channel < sites.size(); ++channel) {
    if (sites[channel] == kNoSite) continue;
    image_.assume(sites[channel], raw_[channel]);
    seen.set(sites[channel], raw_[channel]);
  }
  for (const std::uint16_t channel : lost_) image_.lose(channel, true, now);
  return seen;
}

/// Puts a game on the board as it is.
void Session::lay(GameRecord record, const std::optional<ClockSettings>& clock, Time now) {
  const Picture seen = look(geometry(record.position()), now);
  buttons_.seats(std::min(settings_.board.buttons, static_cast<std::uint8_t>(record.game().colours.size())));
  clock_.reset();
  if (clock) clock_.emplace(*clock, record.game().colours.size());
  TrackerSettings delays = settings_.tracker;
  delays.trays = settings_.board.trays && record.game().tray != 0;
  tracker_.emplace(std::move(record), delays);
  for (std::size_t i = 0; delays.trays && i < trays_.size(); ++i) {
    if (trays_[i] >= 0) tracker_->tray(static_cast<Player>(i), trays_[i], now);
  }
  tracker_->lead_back(seen, now);
  verdict_ = {};
  offers_ = 0;
  clock_runs_ = false;
  turn_since_.reset();
  thought_ = Time{};
  turn_of_ = to_act(tracker_->record().position());
}

Session::Answer Session::take_back(Time now) {
  tick(now);
  if (!running()) return std::string(kNoGame);
  if (setting_up_) return std::string("nothing has been played yet; the pieces are still being set up");
  tell(TakebackAsked{}, now);
  tracker_->take_back(now);
  return told(now, "takeback");
}

Session::Answer Session::choose(const std::vector<Step>& steps, Time now) {
  tick(now);
  if (!running()) return std::string(kNoGame);
  tracker_->choose(steps, now);
  return told(now, "choose");
}

/// Draws in what the tracker has said; when it has ignored that request, its reason is the answer.
Session::Answer Session::told(Time now, std::string_view request) {
  const std::size_t before = events_.size();
  after(now);
  for (std::size_t i = before; i < events_.size(); ++i) {
    const auto* said = std::get_if<TrackerEvent>(&events_[i].what);
    const auto* ignored = said == nullptr ? nullptr : std::get_if<Ignored>(&said->what);
    if (ignored != nullptr && ignored->event == request) return ignored->why;
  }
  return std::monostate{};
}

Session::Answer Session::resign(std::optional<Player> player, Time now) {
  tick(now);
  if (!running()) return std::string(kNoGame);
  const GameRecord& record = tracker_->record();
  const Player loser = player.value_or(to_act(record.position()));
  if ((record.outcome().out >> loser & 1) != 0) return colour_word(record.game(), loser) + " is out already";
  close(lost(Closing::resigned, loser, record), now);
  return std::monostate{};
}

Session::Answer Session::draw(std::optional<Player> player, Time now) {
  tick(now);
  if (!running()) return std::string(kNoGame);
  const GameRecord& record = tracker_->record();
  const auto everybody = static_cast<std::uint8_t>((1U << record.game().colours.size()) - 1U);
  const auto in = static_cast<std::uint8_t>(everybody & ~record.outcome().out);
  if (player) {
    const auto bit = static_cast<std::uint8_t>(1U << *player);
    if ((in & bit) == 0) return colour_word(record.game(), *player) + " is out already";
    if ((offers_ & bit) == 0) tell(DrawOffered{*player}, now);
    offers_ |= bit;
  } else {
    offers_ = in;
  }
  if ((offers_ & in) == in) close({Closing::agreed_draw, {}, kNoPlayer, kNoPlayer}, now);
  return std::monostate{};
}

Session::Answer Session::abort(Time now) {
  tick(now);
  if (!running()) return std::string(kNoGame);
  close({Closing::aborted, {}, kNoPlayer, kNoPlayer}, now);
  return std::monostate{};
}

void Session::close(const Verdict& verdict, Time now) {
  verdict_ = verdict;
  offers_ = 0;
  run_clock(now);
  tell(GameClosed{verdict}, now);
}

void Session::obey(const GestureMade& made, Time now) {
  switch (made.gesture) {
    case Gesture::press:
      if (!running()) break;
      tell(ButtonPressed{made.button}, now);
      tracker_->button(made.button, now);
      break;
    case Gesture::hold:
      if (!running()) {
        tell(NewGameWanted{}, now);
      } else if (!setting_up_) {
        tell(TakebackAsked{}, now);
        tracker_->take_back(now);
      }
      break;
    case Gesture::all_held:
      if (running()) [[maybe_unused]]
        const auto answer = draw(std::nullopt, now);
      break;
    case Gesture::all_long:
      if (running()) [[maybe_unused]]
        const auto answer = abort(now);
      break;
  }
}

void Session::configure(SessionSettings settings, Time now) {
  tick(now);
  const bool same_map = settings.board.channel == settings_.board.channel &&
                        settings.board.turned == settings_.board.turned && settings.board.lattice == settings_.board.lattice;
  settings_ = std::move(settings);
  raw_.resize(settings_.board.channels());
  changes_.resize(raw_.size());
  trays_.resize(settings_.board.buttons, -1);
  if (!tracker_) buttons_ = Buttons(settings_.board.buttons);
  image_.set_times(settings_.debounce);
  if (!tracker_) return;
  tracker_->set_delays(settings_.tracker);
  if (same_map) return;
  tracker_->lead_back(look(geometry(tracker_->record().position()), now), now);
  after(now);
}

// ---- what is so ------------------------------------------------------------------------------------------------------------

std::vector<SessionEvent> Session::take_events() { return std::exchange(events_, {}); }

Phase Session::phase() const {
  if (!tracker_) return Phase::idle;
  if (verdict_.closing == Closing::aborted) return Phase::idle;
  if (verdict_.over()) return Phase::over;
  if (setting_up_) return Phase::setup;
  return tracker_->leading_back() ? Phase::restore : Phase::play;
}

Contents Session::raw(std::uint16_t channel) const { return channel < raw_.size() ? raw_[channel] : Contents::empty(); }

Contents Session::contents(Site site) const { return image_.contents(site); }

KnownBoard Session::known() const {
  KnownBoard known;
  known.empty.resize(settings_.board.channels());
  if (!running()) return known;
  const bool play = phase() == Phase::play;
  const Geometry& board = geometry(tracker_->record().position());
  const Picture picture(tracker_->record().game(), tracker_->record().position());
  known.agreed = play;
  for (const SiteInfo& info : board.sites) {
    if (info.site >= known.sites.size()) known.sites.resize(info.site + std::size_t{1});
    known.sites[info.site] = picture[info.site];
    if (!info.sensed) continue;
    const Contents seen = contents(info.site);
    known.agreed = known.agreed && picture[info.site].agrees(seen);
    const std::uint16_t channel = settings_.board.channel_at(info.file, info.rank);
    if (play && channel != BoardProfile::kNone) known.empty[channel] = picture[info.site].is_empty() && seen.is_empty();
  }
  return known;
}

bool Session::flapping(Site site) const { return image_.flapping(site); }

Scene Session::scene() const {
  return tracker_ ? guide(tracker_->record(), tracker_->view(), settings_.help, verdict_) : Scene{};
}

std::string Session::advice() const {
  if (!tracker_) return "";
  const GameRecord& record = tracker_->record();
  if (verdict_.over()) return verdict_.closing == Closing::aborted ? "" : sentence(verdict_, record.game());
  const TrackerView view = tracker_->view();
  const Geometry& board = geometry(view.position);
  const std::string piece(record.game().piece);
  if (view.leading_back) {
    const Picture picture(record.game(), record.position());
    std::string out;
    if (!view.extra.empty()) out = "Take the " + piece + " off " + std::string(board.info(view.extra.front()).name());
    if (!view.missing.empty()) {
      const Site site = view.missing.front();
      const Player owner = picture[site].player();
      out += out.empty() ? "Put " : " and put ";
      out += "a " + (owner == kNoPlayer ? "" : colour_word(record.game(), owner) + " ") + piece + " on " +
             std::string(board.info(site).name());
    }
    const std::size_t more =
        view.extra.size() + view.missing.size() - (view.extra.empty() ? 0U : 1U) - (view.missing.empty() ? 0U : 1U);
    return out + (more == 0 ? "" : " (" + std::to_string(more) + " more to go)");
  }
  if (view.complaint) {
    std::string out(sentence(view.complaint->reason));
    if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
    if (!view.complaint->back.empty()) out += ": back to " + names(board, view.complaint->back, 4);
    return out;
  }
  if (!view.candidates.empty()) return "Two readings are possible: choose one, or play on";
  const StepList steps = legal_steps(view.position);
  const std::string who = colour_word(record.game(), to_act(view.position));
  const auto any = [&steps](StepKind kind) {
    return std::any_of(steps.begin(), steps.end(), [kind](Step step) { return step.kind == kind; });
  };
  if (any(StepKind::take)) return who + " takes a " + piece + " off";
  if (any(StepKind::put) && !any(StepKind::move)) return who + " puts a " + piece + " on the board";
  return who + " to move";
}

}  // namespace merel
