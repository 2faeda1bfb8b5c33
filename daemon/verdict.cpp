#include "daemon/verdict.h"

#include "daemon/event_words.h"
#include "daemon/player_colour.h"

namespace merel {

Verdict lost(Closing closing, Player loser, const GameRecord& record) {
  Verdict out{closing, {}, loser, kNoPlayer};
  const std::uint8_t gone = record.outcome().out;
  for (const char colour : record.game().colours) {
    const Player player = record.game().player(colour);
    if (player == loser || (gone >> player & 1) != 0) continue;
    if (out.winner != kNoPlayer) return {closing, {}, loser, kNoPlayer};
    out.winner = player;
  }
  return out;
}

std::string result_text(const GameInfo& game, const Verdict& verdict) {
  if (verdict.closing == Closing::rules) return result_text(game, verdict.outcome);
  if (verdict.closing == Closing::agreed_draw) return "draw";
  return verdict.winner == kNoPlayer ? "unfinished" : std::string(1, game.colours[verdict.winner]);
}

std::string sentence(const Verdict& verdict, const GameInfo& game) {
  const auto gave_up = [&](const std::string& how) {
    const std::string why = colour_word(game, verdict.loser) + how;
    return verdict.winner == kNoPlayer ? "No winner: " + why : colour_word(game, verdict.winner) + " wins: " + why;
  };
  switch (verdict.closing) {
    case Closing::open: return "The game goes on";
    case Closing::rules: return sentence(verdict.outcome, game);
    case Closing::resigned: return gave_up(" resigned");
    case Closing::agreed_draw: return "Draw: the players agreed";
    case Closing::out_of_time: return gave_up(" ran out of time");
    case Closing::aborted: return "The game was aborted";
  }
  return "";
}

std::string_view name(Closing closing) {
  switch (closing) {
    case Closing::open: return "open";
    case Closing::rules: return "rules";
    case Closing::resigned: return "resigned";
    case Closing::agreed_draw: return "agreed_draw";
    case Closing::out_of_time: return "out_of_time";
    case Closing::aborted: return "aborted";
  }
  return "";
}

}  // namespace merel
