#include "daemon/referee.h"

#include <algorithm>

namespace merel {
namespace {

struct Row {
  std::string_view name;
  std::string_view sentence;
};

constexpr Row row(Disorder disorder) {
  switch (disorder) {
    case Disorder::other_players_turn: return {"other_players_turn", "it is the other player's turn"};
    case Disorder::piece_missing: return {"piece_missing", "a piece is missing here"};
    case Disorder::piece_extra: return {"piece_extra", "there should be no piece here"};
    case Disorder::several_pieces: return {"several_pieces", "several pieces are not where the game left them"};
    case Disorder::board_empty: return {"board_empty", "the board looks empty: put the pieces back or check the cable"};
    case Disorder::game_over: return {"game_over", "the game is over"};
  }
  return {"", ""};
}

/// Why the rules refuse the step; the disorder when they do not say anything more telling.
Reason refused(const Position& position, Step step, Disorder otherwise) {
  const auto next = apply(position, step);
  if (next) return otherwise;
  switch (next.error()) {
    case Refusal::nothing_to_remove:
    case Refusal::not_a_step_here:
    case Refusal::nothing_there: return otherwise;
    case Refusal::not_your_piece: return step.kind == StepKind::move ? Reason(Disorder::other_players_turn) : next.error();
    default: return next.error();
  }
}

}  // namespace

std::string_view name(Reason reason) {
  if (const auto* refusal = std::get_if<Refusal>(&reason)) return merel::name(*refusal);
  return row(std::get<Disorder>(reason)).name;
}

std::string_view sentence(Reason reason) {
  if (const auto* refusal = std::get_if<Refusal>(&reason)) return merel::sentence(*refusal);
  return row(std::get<Disorder>(reason)).sentence;
}

Complaint judge(const Position& position, const Picture& expected, std::span<const Happening> open) {
  Complaint out{Disorder::several_pieces, to_act(position), {}, {}};
  for (const Happening& h : open) {
    if (h.act == Act::set) out.wrong.push_back(h.site);
    if (h.act == Act::lift) out.back.push_back(h.site);
  }
  const auto sites = geometry(position).sites;
  const auto seen = [&](const SiteInfo& info) {
    return info.sensed && !expected[info.site].is_empty() &&
           std::find(out.back.begin(), out.back.end(), info.site) == out.back.end();
  };
  constexpr std::size_t kHandful = 4;  // nobody lifts more pieces than this at once to clear a board
  if (outcome(position).over()) {
    out.reason = Disorder::game_over;
  } else if (out.back.size() >= kHandful && out.wrong.empty() && std::none_of(sites.begin(), sites.end(), seen)) {
    out.reason = Disorder::board_empty;
  } else if (out.back.size() == 1 && out.wrong.size() == 1) {
    out.reason = refused(position, Step::move(out.back[0], out.wrong[0]), Disorder::several_pieces);
  } else if (out.back.empty() && out.wrong.size() == 1) {
    out.reason = refused(position, Step::put(out.wrong[0]), Disorder::piece_extra);
  } else if (out.back.size() == 1 && out.wrong.empty()) {
    out.reason = refused(position, Step::take(out.back[0]), Disorder::piece_missing);
  } else if (out.wrong.empty() && !out.back.empty()) {
    out.reason = Disorder::piece_missing;
  } else if (out.back.empty() && !out.wrong.empty()) {
    out.reason = Disorder::piece_extra;
  }
  // A piece that is simply gone is wrong where it is missing, and that is also where it must go back to.
  if (out.wrong.empty()) out.wrong = out.back;
  return out;
}

}  // namespace merel
