#include "firmware/chip/chip_flash.h"

#include <hardware/flash.h>

#if !PICO_COPY_TO_RAM
#error "interrupts run while the flash is written: everything must be in RAM"
#endif

namespace merel::firmware {
namespace {

static_assert(Flash::kSector == FLASH_SECTOR_SIZE && Flash::kPage == FLASH_PAGE_SIZE);

constexpr std::uint32_t offset_of(std::size_t number) {
  return static_cast<std::uint32_t>(PICO_FLASH_SIZE_BYTES - (3 - number) * Flash::kSector);
}

}  // namespace

std::span<const std::uint8_t, Flash::kSector> ChipFlash::sector(std::size_t number) const {
  return std::span<const std::uint8_t, kSector>(reinterpret_cast<const std::uint8_t*>(XIP_BASE + offset_of(number)),
                                                kSector);
}

void ChipFlash::erase(std::size_t number) { flash_range_erase(offset_of(number), kSector); }

void ChipFlash::program(std::size_t number, std::span<const std::uint8_t, kPage> page) {
  flash_range_program(offset_of(number), page.data(), page.size());
}

}  // namespace merel::firmware
