#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace merel::link {

/// A frame on the wire is COBS(type, sequence, payload …, CRC low byte, CRC high byte) and a zero byte; docs/link.md has examples.
/// Everything here is freestanding: the same file is compiled into the firmware and into the daemon.
inline constexpr std::size_t kMaxPayload = 400;
inline constexpr std::size_t kMaxBody = kMaxPayload + 4;  ///< with type, sequence and CRC
inline constexpr std::size_t kMaxWire =
    kMaxBody + kMaxBody / 254 + 1 + 1;  ///< COBS adds a byte to every 254 and one; then the zero

/// CRC-16/CCITT-FALSE: polynomial 0x1021, begins with 0xFFFF, nothing reflected; of "123456789" it is 0x29B1.
constexpr std::uint16_t crc16(std::span<const std::uint8_t> bytes) {
  std::uint16_t crc = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    crc = static_cast<std::uint16_t>(crc ^ byte << 8U);
    for (int bit = 0; bit < 8; ++bit) {
      const bool carry = (crc & 0x8000U) != 0;
      crc = static_cast<std::uint16_t>(crc << 1U);
      if (carry) crc ^= 0x1021U;
    }
  }
  return crc;
}

/// Consistent overhead byte stuffing (Cheshire and Baker, 1999): `from` without any zero byte, without the closing zero. Returns the
/// length; `into` must have room for from.size() + from.size() / 254 + 1 bytes.
constexpr std::size_t cobs_encode(std::span<const std::uint8_t> from, std::span<std::uint8_t> into) {
  std::size_t code_at = 0;
  std::size_t length = 1;
  std::uint8_t code = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 0) {
      into[length++] = from[i];
      ++code;
    }
    // A full group is closed only when something follows it.
    if (from[i] == 0 || (code == 0xFF && i + 1 < from.size())) {
      into[code_at] = code;
      code_at = length++;
      code = 1;
    }
  }
  into[code_at] = code;
  return length;
}

/// The way back, in place or into other memory of at least the same size; nothing when it is no COBS.
constexpr std::optional<std::size_t> cobs_decode(std::span<const std::uint8_t> from, std::span<std::uint8_t> into) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < from.size();) {
    const std::uint8_t code = from[at++];
    if (code == 0 || at + code - 1U > from.size()) return std::nullopt;
    for (std::uint8_t i = 1; i < code; ++i) {
      if (from[at] == 0) return std::nullopt;
      into[length++] = from[at++];
    }
    if (code != 0xFF && at < from.size()) into[length++] = 0;
  }
  return length;
}

/// A frame that has come whole and with the right CRC. Its payload is valid until the reader is given the next byte.
struct Frame {
  std::uint8_t type = 0;
  std::uint8_t sequence = 0;  ///< counts up by one with each frame of that side, whatever its type
  std::span<const std::uint8_t> payload;
};

/// What has gone wrong on the way in.
struct FrameCounts {
  std::uint32_t good = 0;
  std::uint32_t damaged = 0;  ///< no COBS, too short, too long, or the wrong CRC
  std::uint32_t missed = 0;   ///< by the sequence numbers: frames that never came
};

/// Writes a frame for the wire, the zero included, into `wire` (kMaxWire bytes). Returns its length.
inline std::size_t write_frame(const Frame& frame, std::span<std::uint8_t, kMaxWire> wire) {
  std::array<std::uint8_t, kMaxBody> body{};
  const std::size_t payload = std::min(frame.payload.size(), kMaxPayload);
  body[0] = frame.type;
  body[1] = frame.sequence;
  std::copy_n(frame.payload.begin(), payload, body.begin() + 2);
  const std::uint16_t crc = crc16(std::span(body).first(payload + 2));
  body[payload + 2] = static_cast<std::uint8_t>(crc & 0xFFU);
  body[payload + 3] = static_cast<std::uint8_t>(crc >> 8U);
  const std::size_t length = cobs_encode(std::span(body).first(payload + 4), wire);
  wire[length] = 0;
  return length + 1;
}

/// Finds frames in a stream of bytes. After any damage it is right again from the next zero byte on.
class FrameReader {
 public:
  /// The frame that this byte completes, if it does.
  std::optional<Frame> push(std::uint8_t byte) {
    if (byte != 0) {
      if (length_ < stuffed_.size()) {
        stuffed_[length_++] = byte;
      } else {
        too_long_ = true;
      }
      return std::nullopt;
    }
    const std::size_t length = length_;
    const bool too_long = too_long_;
    length_ = 0;
    too_long_ = false;
    if (length == 0 && !too_long) return std::nullopt;  // zeros between frames are no frames
    const std::optional<std::size_t> size =
        too_long ? std::nullopt : cobs_decode(std::span<const std::uint8_t>(stuffed_).first(length), body_);
    if (!size || *size < 4 || *size > kMaxBody) return damaged();
    const std::size_t checked = *size - 2;
    if (crc16(std::span(body_).first(checked)) != (body_[checked] | body_[checked + 1] << 8U)) return damaged();
    ++counts_.good;
    const std::uint8_t sequence = body_[1];
    if (heard_) counts_.missed += static_cast<std::uint8_t>(sequence - next_);
    heard_ = true;
    next_ = static_cast<std::uint8_t>(sequence + 1);
    return Frame{body_[0], sequence, std::span<const std::uint8_t>(body_).subspan(2, checked - 2)};
  }

  /// The other side begins anew: whatever sequence number comes next is the right one, and half a frame is none.
  void restart() {
    heard_ = false;
    length_ = 0;
    too_long_ = false;
  }
  [[nodiscard]] const FrameCounts& counts() const { return counts_; }

 private:
  std::optional<Frame> damaged() {
    ++counts_.damaged;
    return std::nullopt;
  }

  std::array<std::uint8_t, kMaxWire> stuffed_{};
  std::array<std::uint8_t, kMaxWire> body_{};
  std::size_t length_ = 0;
  bool too_long_ = false;
  bool heard_ = false;
  std::uint8_t next_ = 0;
  FrameCounts counts_;
};

}  // namespace merel::link
