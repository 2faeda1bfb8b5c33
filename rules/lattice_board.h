#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rules/step.h"

namespace merel {

/// A set of holes of a square lattice, one bit a hole, as the Pinuid games use it. Bit number = file * Stride + rank, so the
/// order of the bits is the order of the sites' names. Boards have fewer than Stride files and ranks: the highest rank of every
/// file and the highest file stay empty, and that guard makes shifts by up to three holes leave the board instead of coming
/// back in on its other side.
template <int Stride>
struct LatticeBoard {
  static_assert(Stride == 8 || Stride == 16);
  static constexpr int kStride = Stride;
  static constexpr std::size_t kWords = Stride * Stride / 64;

  std::array<std::uint64_t, kWords> words{};

  static constexpr int file_of(Site site) { return site >> 4; }
  static constexpr int rank_of(Site site) { return site & 15; }
  static constexpr Site site_at(int file, int rank) { return static_cast<Site>(file * 16 + rank); }

  /// The set of one hole; the site must lie on the board.
  static constexpr LatticeBoard of(Site site) {
    LatticeBoard one;
    one.flip(site);
    return one;
  }
  constexpr void flip(Site site) { words[bit(site) / 64] ^= std::uint64_t{1} << (bit(site) % 64); }
  [[nodiscard]] constexpr bool has(Site site) const { return ((words[bit(site) / 64] >> (bit(site) % 64)) & 1U) != 0; }

  [[nodiscard]] constexpr bool any() const {
    return std::apply([](auto... word) { return (word | ...) != 0; }, words);
  }
  [[nodiscard]] constexpr unsigned count() const {
    return std::apply([](auto... word) { return (static_cast<unsigned>(std::popcount(word)) + ...); }, words);
  }
  /// Calls visit(Site) for every hole of the set, in the order of the sites.
  template <class Visit>
  constexpr void for_each(Visit visit) const {
    for (std::size_t w = 0; w < kWords; ++w) {
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
        visit(site(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }

  [[gnu::always_inline]] friend constexpr LatticeBoard operator&(const LatticeBoard& a, const LatticeBoard& b) {
    return by_word([&](auto w) { return a.words[w] & b.words[w]; }, Words{});
  }
  [[gnu::always_inline]] friend constexpr LatticeBoard operator|(const LatticeBoard& a, const LatticeBoard& b) {
    return by_word([&](auto w) { return a.words[w] | b.words[w]; }, Words{});
  }
  [[gnu::always_inline]] friend constexpr LatticeBoard operator^(const LatticeBoard& a, const LatticeBoard& b) {
    return by_word([&](auto w) { return a.words[w] ^ b.words[w]; }, Words{});
  }
  [[gnu::always_inline]] friend constexpr LatticeBoard operator~(const LatticeBoard& a) {
    return by_word([&](auto w) { return ~a.words[w]; }, Words{});
  }
  /// All holes moved towards higher files and ranks by `holes` bits, 1 to 63: 1 is a rank, Stride a file.
  [[gnu::always_inline]] friend constexpr LatticeBoard operator<<(const LatticeBoard& a, int holes) {
    return by_word(
        [&](auto w) {
          if constexpr (w == 0) {
            return a.words[w] << holes;
          } else {
            return a.words[w] << holes | a.words[w - 1] >> (64 - holes);
          }
        },
        Words{});
  }
  /// The same towards lower files and ranks.
  [[gnu::always_inline]] friend constexpr LatticeBoard operator>>(const LatticeBoard& a, int holes) {
    return by_word(
        [&](auto w) {
          if constexpr (w + 1 == kWords) {
            return a.words[w] >> holes;
          } else {
            return a.words[w] >> holes | a.words[w + 1] << (64 - holes);
          }
        },
        Words{});
  }
  friend constexpr bool operator==(const LatticeBoard&, const LatticeBoard&) = default;

 private:
  /// The board whose words are word(w); written out at compile time, since GCC keeps a loop at -O2.
  template <class Word, std::size_t... w>
  [[gnu::always_inline]] static constexpr LatticeBoard by_word(Word word, std::index_sequence<w...>) {
    return {{word(std::integral_constant<std::size_t, w>{})...}};
  }
  using Words = std::make_index_sequence<kWords>;

  static constexpr std::size_t bit(Site site) {
    return Stride == 16 ? std::size_t{site} : ((std::size_t{site} >> 4U) << 3U) | (site & 7U);
  }
  static constexpr Site site(std::size_t bit) {
    return static_cast<Site>(Stride == 16 ? bit : ((bit >> 3U) << 4U) | (bit & 7U));
  }
};

}  // namespace merel
