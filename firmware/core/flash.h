#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace merel::firmware {

/// A few sectors of flash, numbered from 0. Power may go at any moment: an erase that was cut leaves anything, and so does a program.
class Flash {
 public:
  static constexpr std::size_t kSector = 4'096;
  static constexpr std::size_t kPage = 256;

  /// What a sector holds.
  [[nodiscard]] virtual std::span<const std::uint8_t, kSector> sector(std::size_t number) const = 0;
  /// All bytes become 0xFF.
  virtual void erase(std::size_t number) = 0;
  /// Writes the first page of an erased sector.
  virtual void program(std::size_t number, std::span<const std::uint8_t, kPage> page) = 0;

 protected:
  ~Flash() = default;
};

}  // namespace merel::firmware
