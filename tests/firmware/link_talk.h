#pragma once
#include <chrono>
#include <vector>

#include "drivers/link/messages.h"
#include "drivers/reading.h"

namespace merel::link {

using Bytes = std::vector<std::uint8_t>;

/// What a host puts on the wire, with its sequence numbers.
class HostVoice {
 public:
  template <typename Message>
  Bytes say(const Message& message) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_message(message, sequence_++, wire);
    return {wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)};
  }
  Bytes say_raw(std::uint8_t type, const Bytes& payload) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_frame({type, sequence_++, payload}, wire);
    return {wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)};
  }

 private:
  std::uint8_t sequence_ = 0;
};

/// A message that a board has sent.
struct Heard {
  MessageType type{};
  Bytes payload;
  Time time{};

  template <typename Message>
  [[nodiscard]] Message as() const {
    return read_message<Message>({static_cast<std::uint8_t>(type), 0, payload}).value();
  }
};

/// Everything that a board has said by then, one frame after the other. `End` has next_frame().
template <typename End>
std::vector<Heard> drain(End& end, Time now) {
  std::vector<Heard> out;
  std::array<std::uint8_t, kMaxWire> wire{};
  FrameReader reader;
  while (const std::size_t length = end.next_frame(now, wire)) {
    for (std::size_t i = 0; i < length; ++i) {
      if (const auto frame = reader.push(wire[i])) {
        out.push_back({static_cast<MessageType>(frame->type), Bytes(frame->payload.begin(), frame->payload.end()), now});
      }
    }
    if (out.size() > 50) break;  // it never ends
  }
  return out;
}

inline std::vector<MessageType> types(const std::vector<Heard>& all) {
  std::vector<MessageType> out;
  out.reserve(all.size());
  for (const Heard& one : all) out.push_back(one.type);
  return out;
}

}  // namespace merel::link
