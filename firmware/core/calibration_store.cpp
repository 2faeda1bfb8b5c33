#include "firmware/core/calibration_store.h"

#include <algorithm>

#include "drivers/link/bytes.h"

namespace merel::firmware {
namespace {

/// Begins a copy, and changes with its layout: "MRC1".
constexpr std::uint32_t kMark = 0x3143524D;

/// CRC-32 (IEEE 802.3), of "123456789" it is 0xCBF43926.
constexpr std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

}  // namespace

CalibrationStore::CalibrationStore(Flash& flash) : flash_(flash) { load(); }

/// Mark, number, length, the calibration as on the wire, and the checksum of all that.
std::optional<CalibrationStore::Copy> CalibrationStore::read(std::size_t sector) const {
  const auto page = flash_.sector(sector).first<Flash::kPage>();
  link::ByteReader head{page};
  if (head.take<std::uint32_t>() != kMark) return std::nullopt;
  Copy copy;
  copy.number = head.take<std::uint32_t>();
  const std::size_t length = head.take<std::uint16_t>();
  const std::size_t begin = page.size() - head.left();
  if (length > head.left() - sizeof(std::uint32_t)) return std::nullopt;
  link::ByteReader end{page.subspan(begin + length)};
  if (end.take<std::uint32_t>() != crc32(page.first(begin + length))) return std::nullopt;
  link::ByteReader data{page.subspan(begin, length)};
  if (!copy.data.read(data)) return std::nullopt;
  return copy;
}

void CalibrationStore::load() {
  calibration_.reset();
  damaged_ = false;
  number_ = 0;
  next_ = 0;
  for (std::size_t sector = 0; sector < kCopies; ++sector) {
    const std::optional<Copy> copy = read(sector);
    if (!copy) {
      const auto bytes = flash_.sector(sector);
      damaged_ = damaged_ || !std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0xFF; });
      continue;
    }
    // Numbers wrap after four billion stores; the flash does not live that long, but a damaged number might.
    if (calibration_ && static_cast<std::int32_t>(copy->number - number_) <= 0) continue;
    calibration_ = copy->data;
    number_ = copy->number;
    next_ = (sector + 1) % kCopies;
  }
}

bool CalibrationStore::store(const link::CalibrationData& data) {
  if (calibration_ == data && !damaged_) return true;
  std::array<std::uint8_t, link::kMaxPayload> payload{};
  link::ByteWriter content{payload};
  data.write(content);
  std::array<std::uint8_t, Flash::kPage> page{};
  page.fill(0xFF);
  link::ByteWriter out{page};
  out.put(kMark);
  out.put(number_ + 1);
  out.put(static_cast<std::uint16_t>(content.size()));
  for (const std::uint8_t byte : content.written()) out.put(byte);
  out.put(crc32(out.written()));
  if (!out.good()) return false;
  flash_.erase(next_);
  flash_.program(next_, page);
  load();
  return calibration_ == data;
}

}  // namespace merel::firmware
