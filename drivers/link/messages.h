#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/hall/piece_class.h"
#include "drivers/lamp.h"
#include "drivers/link/bytes.h"
#include "drivers/link/frame.h"

/// What the board (a Pico) and the host (a Pi) say to each other: docs/link.md. Every message is a struct with `write` and `read`;
/// a later version may lengthen a message at its end, so whatever follows what is known is skipped. `read` says false for a payload that
/// is too short or says what cannot be.
namespace merel::link {

inline constexpr std::uint8_t kProtocol = 1;
inline constexpr std::size_t kMaxChannels = 64;
inline constexpr std::size_t kMaxLights = 64;

/// From the board below 0x80, from the host above. The low five bits are the message's place in `understands`.
enum class MessageType : std::uint8_t {
  board_hello = 0x01,
  report = 0x02,
  levels = 0x03,
  confirm = 0x04,
  board_status = 0x05,
  board_calibration = 0x06,

  host_hello = 0x81,
  acknowledge = 0x82,
  accept = 0x83,
  lights = 0x84,
  buzzer = 0x85,
  settings = 0x86,
  calibration = 0x87,
  empty_sites = 0x88,
  ask = 0x89,
  host_alive = 0x8A,
};
constexpr std::uint32_t bit_of(MessageType type) { return 1U << (static_cast<std::uint8_t>(type) & 0x1FU); }

/// Bits of BoardHello::capabilities.
enum Capability : std::uint16_t {
  kTellsLevels = 1U << 0U,
  kTellsStrength = 1U << 1U,  ///< tells weak magnets from strong ones
  kHasBuzzer = 1U << 2U,
  kKeepsCalibration = 1U << 3U,
  kIsUsb = 1U << 4U,
};

/// The first word of the board, at its start and in answer to each host_hello. This message and host_hello keep their layout in every
/// version of the protocol.
struct BoardHello {
  static constexpr MessageType kType = MessageType::board_hello;
  std::uint8_t protocol = kProtocol;
  std::array<std::uint8_t, 3> firmware{};  ///< major, minor, patch
  std::uint16_t revision = 0;              ///< of the board: 1 is the reference board
  std::uint32_t session = 0;               ///< another number after each start of the board
  std::uint8_t channels = 0;
  std::uint8_t lights = 0;
  std::uint8_t buttons = 0;
  std::uint16_t capabilities = 0;
  std::uint32_t understands = 0;  ///< bit_of every host message that it knows; others are never sent to it

  constexpr void write(ByteWriter& out) const {
    out.put(protocol);
    for (const std::uint8_t part : firmware) out.put(part);
    out.put(revision);
    out.put(session);
    out.put(channels);
    out.put(lights);
    out.put(buttons);
    out.put(capabilities);
    out.put(understands);
  }
  constexpr bool read(ByteReader& in) {
    protocol = in.take<std::uint8_t>();
    for (std::uint8_t& part : firmware) part = in.take<std::uint8_t>();
    revision = in.take<std::uint16_t>();
    session = in.take<std::uint32_t>();
    channels = in.take<std::uint8_t>();
    lights = in.take<std::uint8_t>();
    buttons = in.take<std::uint8_t>();
    capabilities = in.take<std::uint16_t>();
    understands = in.take<std::uint32_t>();
    return in.good() && channels <= kMaxChannels && lights <= kMaxLights && buttons <= 8;
  }
  friend bool operator==(const BoardHello&, const BoardHello&) = default;
};

/// The host is there, and wants hello and everything else again from the beginning: what was not confirmed is forgotten, every
/// numbering starts again.
struct HostHello {
  static constexpr MessageType kType = MessageType::host_hello;
  std::uint8_t protocol = kProtocol;
  std::uint32_t session =
      0;  ///< another number for each connection; a hello that repeats it is a repetition and resets nothing
  std::uint32_t understands = 0;  ///< bit_of every board message that it knows

  constexpr void write(ByteWriter& out) const {
    out.put(protocol);
    out.put(session);
    out.put(understands);
  }
  constexpr bool read(ByteReader& in) {
    protocol = in.take<std::uint8_t>();
    session = in.take<std::uint32_t>();
    understands = in.take<std::uint32_t>();
    return in.good();
  }
  friend bool operator==(const HostHello&, const HostHello&) = default;
};

/// One change of a channel or of a button, debounced.
struct Change {
  static constexpr std::uint8_t kButton = 0x80;  ///< `channel` = kButton + button: then `what` is 1 for down, 0 for up
  std::uint32_t time_us = 0;  ///< the board's clock, of the first contact that led to it; wraps after 71 minutes
  std::uint8_t channel = 0;
  std::uint8_t what = 0;  ///< PieceClass
  friend bool operator==(const Change&, const Change&) = default;
};

/// Everything the board sees, whole, and the changes that have led to it and are not yet acknowledged. Sent at each change, repeated until
/// acknowledged. A host that has missed some takes the changes it does not know from the next; when the list does not reach back far enough
/// it takes the masks.
struct Report {
  static constexpr MessageType kType = MessageType::report;
  static constexpr std::size_t kMaxChanges = 24;
  std::uint32_t time_us = 0;  ///< the board's clock when this was sent
  std::uint16_t number = 0;   ///< of the last change (wraps); 0 for the first snapshot after a hello, before any change
  std::array<PieceClass, kMaxChannels> classes{};
  std::uint8_t channels = 0;
  std::uint8_t buttons = 0;       ///< bit n: button n is down
  std::uint8_t change_count = 0;  ///< the changes number - change_count + 1 … number, oldest first
  std::array<Change, kMaxChanges> changes{};

  constexpr void write(ByteWriter& out) const {
    out.put(time_us);
    out.put(number);
    out.put(channels);
    for (std::size_t i = 0; i < channels; i += 2) {  // two to a byte, the lower channel in the lower half
      const auto upper = i + 1 < channels ? static_cast<std::uint8_t>(classes[i + 1]) : std::uint8_t{0};
      out.put(static_cast<std::uint8_t>(static_cast<std::uint8_t>(classes[i]) | upper << 4U));
    }
    out.put(buttons);
    out.put(change_count);
    for (std::size_t i = 0; i < change_count; ++i) {
      out.put(changes[i].time_us);
      out.put(changes[i].channel);
      out.put(changes[i].what);
    }
  }
  constexpr bool read(ByteReader& in) {
    time_us = in.take<std::uint32_t>();
    number = in.take<std::uint16_t>();
    channels = in.take<std::uint8_t>();
    if (channels > kMaxChannels) return false;
    classes.fill(PieceClass::none);
    for (std::size_t i = 0; i < channels; i += 2) {
      const auto both = in.take<std::uint8_t>();
      const std::uint8_t lower = both & 0x0FU;
      const std::uint8_t upper = both >> 4U;
      if (lower >= kPieceClasses || upper >= kPieceClasses) return false;
      classes[i] = static_cast<PieceClass>(lower);
      if (i + 1 < channels) classes[i + 1] = static_cast<PieceClass>(upper);
    }
    buttons = in.take<std::uint8_t>();
    change_count = in.take<std::uint8_t>();
    if (change_count > kMaxChanges) return false;
    for (std::size_t i = 0; i < change_count; ++i) {
      Change& change = changes[i];
      change.time_us = in.take<std::uint32_t>();
      change.channel = in.take<std::uint8_t>();
      change.what = in.take<std::uint8_t>();
      const bool button = change.channel >= Change::kButton;
      if (button ? change.channel >= Change::kButton + 8 || change.what > 1
                 : change.channel >= channels || change.what >= kPieceClasses) {
        return false;
      }
    }
    return in.good();
  }
};

/// What the sensors read, in ADC counts (12 bit, median of three), when the host has asked for it.
struct Levels {
  static constexpr MessageType kType = MessageType::levels;
  std::uint32_t time_us = 0;
  std::uint16_t number = 0;  ///< counts up: a host sees that some were lost
  std::uint8_t channels = 0;
  std::array<std::uint16_t, kMaxChannels> counts{};

  constexpr void write(ByteWriter& out) const {
    out.put(time_us);
    out.put(number);
    out.put(channels);
    for (std::size_t i = 0; i < channels; ++i) out.put(counts[i]);
  }
  constexpr bool read(ByteReader& in) {
    time_us = in.take<std::uint32_t>();
    number = in.take<std::uint16_t>();
    channels = in.take<std::uint8_t>();
    if (channels > kMaxChannels) return false;
    for (std::size_t i = 0; i < channels; ++i) {
      counts[i] = in.take<std::uint16_t>();
      if (counts[i] > 4095) return false;
    }
    return in.good();
  }
};

enum class Answer : std::uint8_t {
  done = 0,
  wrong_revision = 1,  ///< accept or calibration: for another board
  cannot = 2,  ///< says something that this board has not: a light beyond the last, thresholds that contradict each other
  not_stored = 3,    ///< the flash did not take it; the one before still counts
  not_accepted = 4,  ///< outputs are off until the host has accepted this board
};

/// The answer to a command. Commands are accept, lights, buzzer, settings, calibration and empty_sites: each carries a number, is repeated
/// until it is confirmed, and does nothing when it comes again.
struct Confirm {
  static constexpr MessageType kType = MessageType::confirm;
  MessageType command{};
  std::uint16_t number = 0;
  Answer answer = Answer::done;

  constexpr void write(ByteWriter& out) const {
    out.put(static_cast<std::uint8_t>(command));
    out.put(number);
    out.put(static_cast<std::uint8_t>(answer));
  }
  constexpr bool read(ByteReader& in) {
    command = static_cast<MessageType>(in.take<std::uint8_t>());
    number = in.take<std::uint16_t>();
    answer = static_cast<Answer>(in.take<std::uint8_t>());
    return in.good();
  }
  friend bool operator==(const Confirm&, const Confirm&) = default;
};

/// Bits of BoardStatus::flags.
enum StatusFlag : std::uint8_t {
  kOutputsOn = 1U << 0U,
  kCalibrated = 1U << 1U,       ///< a calibration from flash or from the host is in use
  kDimmed = 1U << 2U,           ///< the current limit dims the lights at present
  kWatchdogStarted = 1U << 3U,  ///< the watchdog has started this session of the board
  kStoreDamaged = 1U << 4U,     ///< one of the two copies of the calibration is damaged; the other one counts
};

/// The board's heartbeat, every 500 ms.
struct BoardStatus {
  static constexpr MessageType kType = MessageType::board_status;
  std::uint32_t time_us = 0;
  std::uint32_t scans = 0;      ///< of all channels, since the start
  std::uint32_t late = 0;       ///< scans that did not begin within their millisecond
  std::uint32_t damaged = 0;    ///< frames from the host
  std::uint32_t unknown = 0;    ///< messages from the host that it does not know
  std::uint16_t scan_us = 0;    ///< how long the longest scan took
  std::uint16_t lights_ma = 0;  ///< what the lights shown now draw, at most
  std::uint16_t number = 0;     ///< of its last change, as in Report
  std::uint8_t flags = 0;

  constexpr void write(ByteWriter& out) const {
    out.put(time_us);
    out.put(scans);
    out.put(late);
    out.put(damaged);
    out.put(unknown);
    out.put(scan_us);
    out.put(lights_ma);
    out.put(number);
    out.put(flags);
  }
  constexpr bool read(ByteReader& in) {
    time_us = in.take<std::uint32_t>();
    scans = in.take<std::uint32_t>();
    late = in.take<std::uint32_t>();
    damaged = in.take<std::uint32_t>();
    unknown = in.take<std::uint32_t>();
    scan_us = in.take<std::uint16_t>();
    lights_ma = in.take<std::uint16_t>();
    number = in.take<std::uint16_t>();
    flags = in.take<std::uint8_t>();
    return in.good();
  }
  friend bool operator==(const BoardStatus&, const BoardStatus&) = default;
};

constexpr void write_crosstalk(ByteWriter& out, Crosstalk crosstalk) {
  out.put(static_cast<std::uint16_t>(crosstalk.beside));
  out.put(static_cast<std::uint16_t>(crosstalk.diagonal));
}
constexpr Crosstalk read_crosstalk(ByteReader& in) {
  const auto beside = static_cast<std::int16_t>(in.take<std::uint16_t>());
  return {beside, static_cast<std::int16_t>(in.take<std::uint16_t>())};
}

/// What makes classes of levels. From the host it is a command, to be used and kept; from the board it is the answer to an ask.
struct CalibrationData {
  std::uint16_t revision = 0;  ///< of the board that it was made for
  PieceThresholds thresholds;
  std::uint8_t channels = 0;
  std::array<std::uint16_t, kMaxChannels> baselines{};  ///< ADC counts of the empty site
  // The board only keeps these two for the host, which says in the settings what is to be taken out.
  Crosstalk pegs{};     ///< what pegs and men do next door on this board
  Crosstalk spheres{};  ///< what level-1 spheres do there

  constexpr void write(ByteWriter& out) const {
    out.put(revision);
    out.put(thresholds.piece);
    out.put(thresholds.strong);
    out.put(thresholds.hysteresis);
    out.put(channels);
    for (std::size_t i = 0; i < channels; ++i) out.put(baselines[i]);
    write_crosstalk(out, pegs);
    write_crosstalk(out, spheres);
  }
  constexpr bool read(ByteReader& in) {
    revision = in.take<std::uint16_t>();
    thresholds.piece = in.take<std::uint16_t>();
    thresholds.strong = in.take<std::uint16_t>();
    thresholds.hysteresis = in.take<std::uint16_t>();
    channels = in.take<std::uint8_t>();
    if (channels > kMaxChannels) return false;
    for (std::size_t i = 0; i < channels; ++i) {
      baselines[i] = in.take<std::uint16_t>();
      if (baselines[i] > 4095) return false;
    }
    pegs = read_crosstalk(in);
    spheres = read_crosstalk(in);
    return in.good() && thresholds.piece > thresholds.hysteresis &&
           (thresholds.strong == 0 || thresholds.strong > thresholds.piece + thresholds.hysteresis);
  }
  friend bool operator==(const CalibrationData&, const CalibrationData&) = default;
};

struct BoardCalibration {
  static constexpr MessageType kType = MessageType::board_calibration;
  CalibrationData data;  ///< no channels: it has none
  constexpr void write(ByteWriter& out) const { data.write(out); }
  constexpr bool read(ByteReader& in) { return data.read(in); }
};

/// A command: what it says, and the number under which it is confirmed.
struct Accept {
  static constexpr MessageType kType = MessageType::accept;
  std::uint16_t number = 0;
  std::uint16_t revision = 0;  ///< the board's own: from now on its lights may shine and its buzzer sound

  constexpr void write(ByteWriter& out) const {
    out.put(number);
    out.put(revision);
  }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    revision = in.take<std::uint16_t>();
    return in.good();
  }
  friend bool operator==(const Accept&, const Accept&) = default;
};

/// What the lights show from now on. On the wire a table of the different lamps and each light's place in it, four bits when there are
/// at most 16 of them: what the guide shows fits in some 60 bytes.
struct Lights {
  static constexpr MessageType kType = MessageType::lights;
  std::uint16_t number = 0;
  std::uint8_t count = 0;
  std::array<Lamp, kMaxLights> lamps{};

  constexpr void write(ByteWriter& out) const {
    std::array<Lamp, kMaxLights> table{};
    std::array<std::uint8_t, kMaxLights> places{};
    std::uint8_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const end = table.begin() + size;
      const auto* const found = std::find(table.cbegin(), end, lamps[i]);
      places[i] = static_cast<std::uint8_t>(found - table.cbegin());
      if (found == end) table[size++] = lamps[i];
    }
    out.put(number);
    out.put(count);
    out.put(size);
    for (std::size_t i = 0; i < size; ++i) {
      out.put(table[i].colour.red);
      out.put(table[i].colour.green);
      out.put(table[i].colour.blue);
      out.put(static_cast<std::uint8_t>(table[i].effect));
      out.put(table[i].turn);
    }
    if (size <= 16) {
      for (std::size_t i = 0; i < count; i += 2) {
        const std::uint8_t upper = i + 1 < count ? places[i + 1] : std::uint8_t{0};
        out.put(static_cast<std::uint8_t>(places[i] | upper << 4U));
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) out.put(places[i]);
    }
  }
  constexpr bool read(ByteReader& in) {
    std::array<Lamp, kMaxLights> table{};
    number = in.take<std::uint16_t>();
    count = in.take<std::uint8_t>();
    const auto size = in.take<std::uint8_t>();
    if (count > kMaxLights || size > kMaxLights) return false;
    for (std::size_t i = 0; i < size; ++i) {
      table[i].colour.red = in.take<std::uint8_t>();
      table[i].colour.green = in.take<std::uint8_t>();
      table[i].colour.blue = in.take<std::uint8_t>();
      const auto effect = in.take<std::uint8_t>();
      if (effect > static_cast<std::uint8_t>(Effect::running_wave)) return false;
      table[i].effect = static_cast<Effect>(effect);
      table[i].turn = in.take<std::uint8_t>();
    }
    std::uint8_t both = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (size > 16 || i % 2 == 0) both = in.take<std::uint8_t>();
      const std::uint8_t place = size > 16 ? both : i % 2 == 0 ? both & 0x0FU : both >> 4U;
      if (place >= size) return false;
      lamps[i] = table[place];
    }
    return in.good();
  }
};

/// A beep, once for each number.
struct Buzzer {
  static constexpr MessageType kType = MessageType::buzzer;
  std::uint16_t number = 0;
  std::uint16_t hertz = 0;
  std::uint16_t milliseconds = 0;

  constexpr void write(ByteWriter& out) const {
    out.put(number);
    out.put(hertz);
    out.put(milliseconds);
  }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    hertz = in.take<std::uint16_t>();
    milliseconds = in.take<std::uint16_t>();
    return in.good();
  }
  friend bool operator==(const Buzzer&, const Buzzer&) = default;
};

/// How the board works, until its next start.
struct Settings {
  static constexpr MessageType kType = MessageType::settings;
  std::uint16_t number = 0;
  std::uint16_t debounce_us = 5'000;  ///< a class counts once it has held this long; 0 to 60,000
  std::uint16_t limit_ma = 1'500;     ///< all lights together; what would draw more is dimmed as a whole
  std::uint8_t gamma_tenths = 22;     ///< 10 to 40
  std::uint8_t levels_hz = 0;         ///< how often levels are told: 0 (only when asked) to 100
  std::uint8_t lattice = 7;  ///< channels per rank of the lattice, for the neighbours: channel = rank * lattice + file
  Crosstalk crosstalk;

  constexpr void write(ByteWriter& out) const {
    out.put(number);
    out.put(debounce_us);
    out.put(limit_ma);
    out.put(gamma_tenths);
    out.put(levels_hz);
    out.put(lattice);
    write_crosstalk(out, crosstalk);
  }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    debounce_us = in.take<std::uint16_t>();
    limit_ma = in.take<std::uint16_t>();
    gamma_tenths = in.take<std::uint8_t>();
    levels_hz = in.take<std::uint8_t>();
    lattice = in.take<std::uint8_t>();
    crosstalk = read_crosstalk(in);
    return in.good() && debounce_us <= 60'000 && gamma_tenths >= 10 && gamma_tenths <= 40 && levels_hz <= 100 &&
           lattice >= 1;
  }
  friend bool operator==(const Settings&, const Settings&) = default;
};

struct Calibration {
  static constexpr MessageType kType = MessageType::calibration;
  std::uint16_t number = 0;
  CalibrationData data;
  constexpr void write(ByteWriter& out) const {
    out.put(number);
    data.write(out);
  }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    return data.read(in);
  }
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// The sites that hold no piece, as the daemon knows from the game: only there may the baseline follow a slow drift. Nothing is empty
/// before the first one.
struct EmptySites {
  static constexpr MessageType kType = MessageType::empty_sites;
  std::uint16_t number = 0;
  std::uint64_t channels = 0;  ///< bit n: channel n

  constexpr void write(ByteWriter& out) const {
    out.put(number);
    out.put(channels);
  }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    channels = in.take<std::uint64_t>();
    return in.good();
  }
  friend bool operator==(const EmptySites&, const EmptySites&) = default;
};

/// Everything up to that change of the board has been heard.
struct Acknowledge {
  static constexpr MessageType kType = MessageType::acknowledge;
  std::uint16_t number = 0;
  constexpr void write(ByteWriter& out) const { out.put(number); }
  constexpr bool read(ByteReader& in) {
    number = in.take<std::uint16_t>();
    return in.good();
  }
  friend bool operator==(const Acknowledge&, const Acknowledge&) = default;
};

/// Wants one message of that type now: board_hello, report, levels, board_status or board_calibration. Repeated by whoever needs it.
struct Ask {
  static constexpr MessageType kType = MessageType::ask;
  MessageType what{};
  constexpr void write(ByteWriter& out) const { out.put(static_cast<std::uint8_t>(what)); }
  constexpr bool read(ByteReader& in) {
    what = static_cast<MessageType>(in.take<std::uint8_t>());
    return in.good();
  }
  friend bool operator==(const Ask&, const Ask&) = default;
};

/// The host's heartbeat, every 500 ms. A board that hears nothing at all for 2 s shows `link lost`.
struct HostAlive {
  static constexpr MessageType kType = MessageType::host_alive;
  constexpr void write(ByteWriter& /*out*/) const {}
  constexpr bool read(ByteReader& /*in*/) { return true; }
  friend bool operator==(const HostAlive&, const HostAlive&) = default;
};

/// One message of that kind on the wire. Returns its length.
template <typename Message>
std::size_t write_message(const Message& message, std::uint8_t sequence, std::span<std::uint8_t, kMaxWire> wire) {
  std::array<std::uint8_t, kMaxPayload> payload{};
  ByteWriter out{payload};
  message.write(out);
  return write_frame({static_cast<std::uint8_t>(Message::kType), sequence, out.written()}, wire);
}

/// The message of that kind in a frame's payload; nothing when it is none.
template <typename Message>
std::optional<Message> read_message(const Frame& frame) {
  if (frame.type != static_cast<std::uint8_t>(Message::kType)) return std::nullopt;
  Message message;
  ByteReader in{frame.payload};
  if (!message.read(in)) return std::nullopt;
  return message;
}

}  // namespace merel::link
