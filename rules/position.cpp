#include "rules/position.h"

namespace merel {
namespace {

TextError step_error(std::size_t column, std::string message) { return {"step", column, std::move(message)}; }

/// One site name that fills the whole of `name`.
Result<Site, TextError> read_site(const Geometry& board, std::string_view name, std::size_t column) {
  const Site site = board.find(name);
  if (site != kNoSite) return site;
  return step_error(column, "'" + std::string(name) + "' is not a site of this board; sites run from " +
                                std::string(board.sites.front().name()) + " to " + std::string(board.sites.back().name()));
}

template <class Game>
std::uint64_t count_sequences(const Game& position, int depth) {
  if (depth <= 0) return 1;
  if (depth == 1) return position.count_steps();
  StepList steps;
  position.legal_steps(steps);
  std::uint64_t nodes = 0;
  for (const Step step : steps) {
    Game next = position;
    next.play(step);
    nodes += count_sequences(next, depth - 1);
  }
  return nodes;
}

}  // namespace

Player to_act(const Position& position) {
  return std::visit([](const auto& p) { return p.to_act(); }, position);
}

StepList legal_steps(const Position& position) {
  StepList steps;
  std::visit([&steps](const auto& p) { p.legal_steps(steps); }, position);
  return steps;
}

Result<Position, Refusal> apply(const Position& position, Step step) {
  return std::visit(
      [step](const auto& p) -> Result<Position, Refusal> {
        if (const auto refusal = p.refuse(step)) return *refusal;
        auto next = p;
        next.play(step);
        return Position(next);
      },
      position);
}

Outcome outcome(const Position& position) {
  return std::visit([](const auto& p) { return p.outcome(); }, position);
}

std::string text(const Position& position, Step step) {
  const Geometry& board = geometry(position);
  const auto name = [&board](Site site) { return std::string(board.info(site).name()); };
  switch (step.kind) {
    case StepKind::put: return "+" + name(step.to);
    case StepKind::move: return name(step.from) + "-" + name(step.to);
    case StepKind::forget: return "forget";
    case StepKind::pass: return "pass";
    case StepKind::stop: return "stop";
    case StepKind::take: return "x" + name(step.from);
  }
  return {};
}

Result<Step, TextError> read_step(const Position& position, std::string_view text) {
  const Geometry& board = geometry(position);
  for (const StepKind kind : {StepKind::forget, StepKind::pass, StepKind::stop}) {
    if (text == merel::text(position, Step{kind})) return Step{kind};
  }
  if (text.empty()) return step_error(1, "is empty; write a step such as +d1, c3-d4 or xd5");
  if (text.front() == '+' || text.front() == 'x') {
    const auto site = read_site(board, text.substr(1), 2);
    if (!site) return site.error();
    return text.front() == '+' ? Step::put(*site) : Step::take(*site);
  }
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return step_error(1, "'" + std::string(text) + "' is not a step; write +d1, c3-d4, xd5, stop, forget or pass");
  }
  const auto from = read_site(board, text.substr(0, dash), 1);
  if (!from) return from.error();
  const auto to = read_site(board, text.substr(dash + 1), dash + 2);
  if (!to) return to.error();
  return Step::move(*from, *to);
}

std::string text(const Position& position) {
  return std::visit([](const auto& p) { return p.text(); }, position);
}

std::uint64_t hash(const Position& position) {
  return std::visit([](const auto& p) { return p.hash(); }, position);
}

const Geometry& geometry(const Position& position) {
  return std::visit([](const auto& p) -> const Geometry& { return p.geometry(); }, position);
}

std::uint64_t perft(const Position& position, int depth) {
  return std::visit([depth](const auto& p) { return count_sequences(p, depth); }, position);
}

}  // namespace merel
