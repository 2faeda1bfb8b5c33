#include "daemon/event_words.h"

#include <algorithm>

#include "daemon/player_colour.h"

namespace merel {
namespace {

class Speaker {
 public:
  Speaker(const GameInfo& game, const Position& board) : game_(game), board_(board) {}

  std::string operator()(const StepPlayed& e) const {
    const std::string who = letter(e.player);
    const std::string a_piece = "a " + std::string(game_.piece);
    switch (e.step.kind) {
      case StepKind::put: return who + " puts " + a_piece + " on " + site(e.step.to);
      case StepKind::move: return who + (rises(e.step) ? " raises " : " moves ") + text(board_, e.step);
      case StepKind::take: return who + " takes the " + std::string(game_.piece) + " from " + site(e.step.from);
      case StepKind::stop: return who + " takes no more";
      case StepKind::forget: return who + " leaves a removal for the next turn";
      case StepKind::pass: return who + " cannot move and passes";
    }
    return who;
  }
  std::string operator()(const Amended& e) const {
    if (e.added.empty()) return "Not played after all: " + steps(e.removed);
    if (e.removed.empty()) return "Played as well: " + steps(e.added);
    return "Corrected: " + steps(e.added) + " instead of " + steps(e.removed);
  }
  std::string operator()(const Illegal& e) const {
    std::vector<Site> sites = e.complaint.wrong;
    for (const Site back : e.complaint.back) {
      if (std::find(sites.begin(), sites.end(), back) == sites.end()) sites.push_back(back);
    }
    std::string where;
    for (const Site s : sites) where += (where.empty() ? " (" : ", ") + site(s);
    return "Illegal: " + std::string(sentence(e.complaint.reason)) + where + (where.empty() ? "" : ")");
  }
  std::string operator()(const Resolved&) const { return "The board is right again"; }
  std::string operator()(const Ambiguous& e) const {
    std::string out;
    for (const auto& candidate : e.candidates) {
      out += (out.empty() ? "Which was it: " : ", or ") + (candidate.empty() ? std::string("nothing") : steps(candidate));
    }
    return out + "?";
  }
  std::string operator()(const TakenBack& e) const { return "Taken back: " + steps(e.steps); }
  std::string operator()(const PlayerOut& e) const { return letter(e.player) + " is out"; }
  std::string operator()(const GameOver& e) const { return merel::sentence(e.outcome, game_); }
  std::string operator()(const Ignored& e) const { return "Ignored a " + e.event + ": " + e.why; }
  std::string operator()(const FaultFound& e) const {
    const std::string sensor = "The sensor at " + site(e.fault.site);
    switch (e.fault.kind) {
      case FaultKind::flapping: return sensor + " flaps; the game goes on without it";
      case FaultKind::stuck: return sensor + " is stuck; the game goes on without it";
      case FaultKind::lost: return sensor + " cannot be heard; the game goes on without it";
      case FaultKind::recovered: return sensor + " works again";
    }
    return sensor;
  }

 private:
  [[nodiscard]] std::string letter(Player player) const { return std::string(1, game_.colours[player]); }
  [[nodiscard]] std::string site(Site s) const { return std::string(geometry(board_).info(s).name()); }
  [[nodiscard]] bool rises(Step step) const {
    return geometry(board_).info(step.to).level > geometry(board_).info(step.from).level;
  }
  [[nodiscard]] std::string steps(const std::vector<Step>& list) const {
    std::string out;
    for (const Step step : list) out.append(out.empty() ? "" : " ").append(text(board_, step));
    return out;
  }

  const GameInfo& game_;
  const Position& board_;
};

std::string tag(std::string_view key, std::string_view value) {
  std::string out = std::string("[").append(key).append(" \"");
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"]\n";
}

}  // namespace

std::string sentence(const TrackerEvent& event, const GameInfo& game, const Position& board) {
  return std::visit(Speaker(game, board), event.what);
}

std::string sentence(const Outcome& outcome, const GameInfo& game) {
  const std::string who = outcome.draw() ? "Draw" : colour_word(game, outcome.winner) + " wins";
  return who + ": " + std::string(sentence(outcome.ending));
}

std::string changed_options(const Options& options) {
  std::string out;
  for (const OptionSpec& spec : options.specs()) {
    if (!options.changed(spec.key)) continue;
    out.append(out.empty() ? "" : " ").append(spec.key).append("=").append(options.get(spec.key));
  }
  return out;
}

std::string movetext(const GameRecord& record, const Tags& more, const Verdict& verdict, std::size_t width) {
  const GameInfo& game = record.game();
  const std::string options = changed_options(record.options());
  const std::string result = result_text(game, verdict);
  std::string out = tag("Game", game.title);
  for (const auto& [key, value] : more) out += tag(key, value);
  if (!options.empty()) out += tag("Options", options);
  out += tag("Start", text(record.start()));
  out += tag("Result", result);
  if (verdict.over() && verdict.closing != Closing::rules) out += tag("Closing", name(verdict.closing));
  if (verdict.loser != kNoPlayer) out += tag("Loser", std::string(1, game.colours[verdict.loser]));
  if (verdict.over()) out += tag("Ending", sentence(verdict, game));
  out += "\n";

  std::string line;
  const auto add = [&](const std::string& word) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  };
  int turn = 0;
  for (std::size_t i = 0; i < record.steps().size(); ++i) {
    const bool begins = i == 0 || to_act(record.position(i)) != to_act(record.position(i - 1));
    add((begins ? std::to_string(++turn) + ". " : "") + text(record.start(), record.steps()[i]));
  }
  add(result);
  return out + line + "\n";
}

std::string movetext(const GameRecord& record, std::size_t width) {
  const Outcome outcome = record.outcome();
  return movetext(record, {}, outcome.over() ? Verdict{Closing::rules, outcome, kNoPlayer, outcome.winner} : Verdict{},
                  width);
}

}  // namespace merel
