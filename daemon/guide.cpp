#include "daemon/guide.h"

#include <algorithm>
#include <optional>

namespace merel {
namespace {

/// The one place that says how each role looks (DESIGN, "The guide").
constexpr Light look(Role role, Player player = kNoPlayer) {
  const Hue hue_of_player = player == kNoPlayer ? Hue::white : Hue::player;
  switch (role) {
    case Role::last: return {role, Hue::white, kNoPlayer, Brightness::dim, Effect::solid};
    case Role::origin: return {role, Hue::blue, kNoPlayer, Brightness::dim, Effect::solid};
    case Role::target: return {role, Hue::green, kNoPlayer, Brightness::full, Effect::breathing};
    case Role::remove: return {role, Hue::amber, kNoPlayer, Brightness::full, Effect::blink_2hz};
    case Role::put: return {role, hue_of_player, player, Brightness::full, Effect::breathing};
    case Role::illegal: return {role, Hue::red, kNoPlayer, Brightness::full, Effect::blink_4hz};
    case Role::back: return {role, Hue::white, kNoPlayer, Brightness::full, Effect::blink_4hz_antiphase};
    case Role::take_off: return {role, Hue::red, kNoPlayer, Brightness::full, Effect::solid};
    case Role::choose: return {role, Hue::cyan, kNoPlayer, Brightness::full, Effect::taking_turns};
    case Role::out: return {role, Hue::violet, kNoPlayer, Brightness::dim, Effect::wave_then_solid};
    case Role::pass: return {role, Hue::white, kNoPlayer, Brightness::full, Effect::slow_wave};
    case Role::win: return {role, hue_of_player, player, Brightness::full, Effect::running_wave};
    case Role::turn: return {role, hue_of_player, player, Brightness::faint, Effect::solid};
  }
  return {};
}

class Painter {
 public:
  Painter(const GameRecord& record, const TrackerView& view, const Verdict& verdict)
      : record_(record), view_(view), verdict_(verdict), picture_(record.game(), view.position) {
    scene_.reserve(geometry(view.position).sites.size());
  }

  Scene paint(bool help) {
    show_out();
    if (!show_required() && !view_.in_hand.empty()) {
      show_in_hand(help);
    } else if (!required_) {
      show_idle(help);
    }
    return std::move(scene_);
  }

 private:
  /// A light that is already set stays: what is painted first matters most.
  void light(Site site, const Light& look) {
    if (site != kNoSite) scene_.emplace(site, look);
  }
  void require(Site site, const Light& look) {
    if (site != kNoSite) scene_.insert_or_assign(site, look);
  }
  void pieces_of(Player player, const Light& look) {
    for (const SiteInfo& info : geometry(view_.position).sites) {
      if (picture_[info.site].player() == player && !picture_[info.site].is_empty()) light(info.site, look);
    }
  }

  const StepList& legal() {
    if (!legal_) legal_ = legal_steps(view_.position);
    return *legal_;
  }

  void show_out() {
    const Outcome outcome = merel::outcome(view_.position);
    if (outcome.out == 0) return;
    for (const char colour : record_.game().colours) {
      const Player player = record_.game().player(colour);
      if ((outcome.out >> player & 1) != 0) pieces_of(player, look(Role::out));
    }
  }

  /// The end of the game: where the rules or the players have ended it and the pieces stand as they should.
  bool show_end() {
    const Outcome outcome = record_.outcome();
    const bool disorder = view_.leading_back || view_.complaint || !view_.candidates.empty();
    if (!verdict_.over() && (!outcome.over() || disorder)) return false;
    scene_.clear();
    const Player winner = outcome.over() ? outcome.winner : verdict_.winner;
    if (winner != kNoPlayer) {
      pieces_of(winner, look(Role::win, winner));
    } else if (outcome.over() || verdict_.closing == Closing::agreed_draw) {
      for (const char colour : record_.game().colours) pieces_of(record_.game().player(colour), look(Role::pass));
    }
    return true;
  }

  /// Whatever must be done before anything else.
  bool show_required() {
    required_ = true;
    if (show_end()) return true;
    if (view_.leading_back) {
      // One correction at a time: a piece to take off, and a site that waits for one.
      if (!view_.extra.empty()) require(view_.extra.front(), look(Role::take_off));
      if (!view_.missing.empty()) require(view_.missing.front(), look(Role::put, picture_[view_.missing.front()].player()));
      return true;
    }
    if (view_.complaint) {
      for (const Site site : view_.complaint->back) require(site, look(Role::back));
      for (const Site site : view_.complaint->wrong) {
        const bool gone =
            std::find(view_.complaint->back.begin(), view_.complaint->back.end(), site) != view_.complaint->back.end();
        if (!gone) require(site, look(Role::illegal));
      }
      return true;
    }
    if (!view_.candidates.empty()) {
      Light shown = look(Role::choose);
      for (const auto& candidate : view_.candidates) {
        for (const Step step : candidate) {
          require(step.from, shown);
          require(step.to, shown);
        }
        ++shown.turn;
      }
      return true;
    }
    const StepList& steps = legal();
    const Player player = to_act(view_.position);
    const auto kind = [&steps](StepKind k) {
      return std::any_of(steps.begin(), steps.end(), [k](Step step) { return step.kind == k; });
    };
    if (kind(StepKind::take)) {
      for (const Step step : steps) require(step.from, look(Role::remove));
      return true;
    }
    if (kind(StepKind::put) && !kind(StepKind::move)) {
      for (const Step step : steps) require(step.to, look(Role::put, player));
      return true;
    }
    required_ = false;
    return false;
  }

  void show_in_hand(bool help) {
    const StepList& steps = legal();
    for (const Site hand : view_.in_hand) {
      light(hand, look(Role::origin));
      for (const Step step : steps) {
        if (help && step.kind == StepKind::move && step.from == hand) light(step.to, look(Role::target));
      }
    }
  }

  void show_idle(bool help) {
    const auto& steps = record_.steps();
    if (!steps.empty()) {
      const std::size_t first = record_.last_turn();
      const Player mover = to_act(record_.position(first));
      if (steps.back().kind == StepKind::pass) pieces_of(mover, look(Role::pass));
      for (std::size_t i = first; i < steps.size(); ++i) {
        light(steps[i].from, look(Role::last));
        light(steps[i].to, look(Role::last));
      }
    }
    if (!help) return;
    const Player player = to_act(view_.position);
    for (const Step step : legal()) {
      if (step.kind == StepKind::move) light(step.from, look(Role::turn, player));
    }
  }

  const GameRecord& record_;
  const TrackerView& view_;
  const Verdict& verdict_;
  Picture picture_;
  std::optional<StepList> legal_;  ///< asked for once
  Scene scene_;
  bool required_ = false;
};

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::last: return "last";
    case Role::origin: return "origin";
    case Role::target: return "target";
    case Role::remove: return "remove";
    case Role::put: return "put";
    case Role::illegal: return "illegal";
    case Role::back: return "back";
    case Role::take_off: return "take_off";
    case Role::choose: return "choose";
    case Role::out: return "out";
    case Role::pass: return "pass";
    case Role::win: return "win";
    case Role::turn: return "turn";
  }
  return "";
}

std::string_view name(Effect effect) {
  switch (effect) {
    case Effect::solid: return "solid";
    case Effect::breathing: return "breathing";
    case Effect::blink_2hz: return "blink-2hz";
    case Effect::blink_4hz: return "blink-4hz";
    case Effect::blink_4hz_antiphase: return "blink-4hz-antiphase";
    case Effect::taking_turns: return "taking-turns";
    case Effect::wave_then_solid: return "wave-then-solid";
    case Effect::slow_wave: return "slow-wave";
    case Effect::running_wave: return "running-wave";
  }
  return "";
}

std::string colour_name(const Light& light, std::string_view colours) {
  std::string out = light.brightness == Brightness::dim ? "dim-" : light.brightness == Brightness::faint ? "faint-" : "";
  switch (light.hue) {
    case Hue::white: return out + "white";
    case Hue::blue: return out + "blue";
    case Hue::green: return out + "green";
    case Hue::amber: return out + "amber";
    case Hue::red: return out + "red";
    case Hue::cyan: return out + "cyan";
    case Hue::violet: return out + "violet";
    case Hue::player: return out + colours[light.player];
  }
  return out;
}

Scene guide(const GameRecord& record, const TrackerView& view, bool help, const Verdict& verdict) {
  return Painter(record, view, verdict).paint(help);
}

}  // namespace merel
