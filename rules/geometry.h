#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "rules/step.h"

namespace merel {

/// A site as people and sensors know it.
struct SiteInfo {
  Site site = kNoSite;
  std::array<char, 4> letters{};  ///< the name, padded with zeros
  std::uint8_t file = 0;          ///< on the common lattice, from 0
  std::uint8_t rank = 0;          ///< on the common lattice, from 0
  std::uint8_t level = 1;         ///< 1 to 4 in Pylos, else 1
  bool sensed = true;             ///< false where no sensor reaches (Pylos levels 3 and 4)

  [[nodiscard]] constexpr std::string_view name() const {
    std::size_t n = 0;
    while (n < letters.size() && letters[n] != 0) ++n;
    return {letters.data(), n};
  }
};

/// The board that a position is played on: a static table per game and size.
struct Geometry {
  constexpr Geometry(std::uint8_t files_and_ranks, std::span<const SiteInfo> table)
      : lattice(files_and_ranks), sites(table) {
    places.fill(kNowhere);
    for (std::size_t i = 0; i < sites.size(); ++i) places[sites[i].site] = static_cast<std::uint8_t>(i);
  }

  std::uint8_t lattice;                    ///< files and ranks of the common lattice
  std::span<const SiteInfo> sites;         ///< in the order in which the position text lists them
  std::array<std::uint8_t, 256> places{};  ///< by site: its place among `sites`
  static constexpr std::uint8_t kNowhere = 0xFF;

  /// The site with that name, or kNoSite.
  [[nodiscard]] Site find(std::string_view name) const;
  [[nodiscard]] bool has(Site site) const { return places[site] != kNowhere; }
  /// The table's entry for that site; the site must be one of this board.
  [[nodiscard]] const SiteInfo& info(Site site) const { return sites[places[site]]; }
};

}  // namespace merel
