#include "daemon/picture.h"

#include <cctype>
#include <optional>

namespace merel {
namespace {

/// Pictures of the positions that were asked for last: tracker and guide ask for the same few with every touch of the board, and a
/// position's text takes longer to write and read than all the rest between a reading and the lights.
class RecentPictures {
 public:
  [[nodiscard]] const Picture* find(const GameInfo& game, const Position& position) const {
    for (const auto& entry : entries_) {
      if (entry && entry->game == &game && entry->position == position) return &entry->picture;
    }
    return nullptr;
  }
  void keep(const GameInfo& game, const Position& position, const Picture& picture) {
    entries_[oldest_] = Entry{&game, position, picture};
    oldest_ = (oldest_ + 1) % entries_.size();
  }

 private:
  struct Entry {
    const GameInfo* game;
    Position position;
    Picture picture;
  };
  std::array<std::optional<Entry>, 4> entries_;
  std::size_t oldest_ = 0;
};

}  // namespace

Picture::Picture(const GameInfo& game, const Position& position) {
  thread_local RecentPictures recent;
  if (const Picture* known = recent.find(game, position)) {
    *this = *known;
    return;
  }
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
  recent.keep(game, position, *this);
}

void Picture::play(Step step, Player mover) {
  if (step.from != kNoSite) contents_[step.from] = Contents::empty();
  if (step.to != kNoSite) contents_[step.to] = Contents::piece(mover);
}

}  // namespace merel
