#include "daemon/picture.h"

#include <cctype>

namespace merel {

Picture::Picture(const GameInfo& game, const Position& position) {
  const std::string whole = text(position);
  auto site = geometry(position).sites.begin();
  for (std::size_t i = 0; i < whole.size() && whole[i] != ' '; ++i) {
    if (std::isdigit(static_cast<unsigned char>(whole[i])) != 0) {
      std::size_t digits = 0;
      site += std::stoi(whole.substr(i), &digits);
      i += digits - 1;
    } else if (std::isalpha(static_cast<unsigned char>(whole[i])) != 0) {
      contents_[site->site] = Contents::piece(game.player(whole[i]));
      ++site;
    }
  }
}

void Picture::play(Step step, Player mover) {
  if (step.from != kNoSite) contents_[step.from] = Contents::empty();
  if (step.to != kNoSite) contents_[step.to] = Contents::piece(mover);
}

}  // namespace merel
