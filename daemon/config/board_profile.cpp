#include "daemon/config/board_profile.h"

#include <algorithm>

namespace merel {
namespace {

/// What `cells` has under the cell that the players call so.
std::uint16_t at(const BoardProfile& board, const std::vector<std::uint16_t>& cells, std::size_t file, std::size_t rank) {
  if (file >= board.lattice || rank >= board.lattice) return BoardProfile::kNone;
  const std::size_t last = std::size_t{board.lattice} - 1;
  std::size_t built_file = file;
  std::size_t built_rank = rank;
  switch (board.turned) {
    case Turned::none: break;
    case Turned::quarter:  // what was built as the bottom right corner lies at the bottom left
      built_file = last - rank;
      built_rank = file;
      break;
    case Turned::half:
      built_file = last - file;
      built_rank = last - rank;
      break;
    case Turned::three_quarters:
      built_file = rank;
      built_rank = last - file;
      break;
  }
  const std::size_t cell = built_file * board.lattice + built_rank;
  return cell < cells.size() ? cells[cell] : BoardProfile::kNone;
}

/// Highest number + 1.
std::size_t count(const std::vector<std::uint16_t>& cells) {
  std::size_t n = 0;
  for (const std::uint16_t number : cells) {
    if (number != BoardProfile::kNone) n = std::max(n, std::size_t{number} + 1);
  }
  return n;
}

}  // namespace

std::uint16_t BoardProfile::channel_at(std::uint8_t file, std::uint8_t rank) const { return at(*this, channel, file, rank); }
std::uint16_t BoardProfile::light_at(std::uint8_t file, std::uint8_t rank) const { return at(*this, light, file, rank); }
std::size_t BoardProfile::channels() const { return count(channel); }
std::size_t BoardProfile::lights() const { return count(light); }

std::vector<Site> BoardProfile::sites(const Geometry& board) const {
  std::vector<Site> out(channels(), kNoSite);
  for (const SiteInfo& info : board.sites) {
    const std::uint16_t under = channel_at(info.file, info.rank);
    if (info.sensed && under != kNone) out[under] = info.site;
  }
  return out;
}

std::vector<Site> BoardProfile::blind(const Geometry& board) const {
  std::vector<Site> out;
  for (const SiteInfo& info : board.sites) {
    if (info.sensed && channel_at(info.file, info.rank) == kNone) out.push_back(info.site);
  }
  return out;
}

}  // namespace merel
