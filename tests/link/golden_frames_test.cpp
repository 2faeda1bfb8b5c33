// tests/link/frames.txt: what each of the golden frames means, both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "drivers/link/messages.h"
#include "tests/link/golden_frames.h"
#include "tests/places.h"

namespace merel::link {
namespace {

using Bytes = std::vector<std::uint8_t>;

Report small_report() {
  Report report;
  report.time_us = 1'000;
  report.number = 65'535;
  report.channels = 5;
  report.classes = {PieceClass::none, PieceClass::weak_north, PieceClass::weak_south, PieceClass::north, PieceClass::south};
  report.buttons = 0x02;
  report.change_count = 24;
  for (std::uint32_t i = 0; i < 24; ++i) {
    const bool button = i % 4 == 3;
    report.changes[i] = {4'294'967'000U + i * 20, static_cast<std::uint8_t>(button ? 0x81 : i % 5),
                         static_cast<std::uint8_t>(button ? i / 4 % 2 : i % 5)};
  }
  return report;
}
Report start_report() {
  Report report;
  report.time_us = 1'500'000;
  report.channels = 49;
  for (std::size_t i = 0; i < 7; ++i) {
    report.classes[i] = PieceClass::north;
    report.classes[42 + i] = PieceClass::south;
  }
  return report;
}
Report move_report() {
  Report report = start_report();
  report.time_us = 0x0020'0000;
  report.number = 2;
  report.classes[3] = PieceClass::none;
  report.classes[10] = PieceClass::north;
  report.buttons = 4;
  report.change_count = 2;
  report.changes[0] = {0x001F'0000, 3, 0};
  report.changes[1] = {0x001F'FF00, 10, 1};
  return report;
}
CalibrationData calibration() {
  CalibrationData data{1, {190, 540, 25}, 49, {}, {-2'000, -700}, {3'000, -150}};
  for (std::size_t i = 0; i < 49; ++i) data.baselines[i] = static_cast<std::uint16_t>(2038 + i * 7 % 21);
  return data;
}
Levels levels() {
  Levels out;
  out.time_us = 3'000'000;
  out.number = 65'535;
  out.channels = 4;
  out.counts = {0, 2048, 4095, 256};
  return out;
}
Lights guide() {
  Lights lights;
  lights.number = 17;
  lights.count = 49;
  for (const std::size_t i : {17U, 19U, 31U}) lights.lamps[i] = {{0, 160, 0}, Effect::breathing, 0};
  lights.lamps[24].colour = {0, 0, 40};
  lights.lamps[3] = {{0, 120, 120}, Effect::taking_turns, 0};
  lights.lamps[10] = {{0, 120, 120}, Effect::taking_turns, 1};
  return lights;
}
Lights seventeen() {
  Lights lights;
  lights.number = 19;
  lights.count = 17;
  for (std::uint8_t i = 0; i < 17; ++i) {
    lights.lamps[i] = {
        {static_cast<std::uint8_t>(10 * i), static_cast<std::uint8_t>(255 - i), i}, static_cast<Effect>(i % 9), 0};
  }
  return lights;
}
Lights plain(std::uint16_t number, std::uint8_t count) {
  Lights lights;
  lights.number = number;
  lights.count = count;
  return lights;
}

/// The only frame in these bytes, if there is exactly one.
struct ReadFrame {
  std::uint8_t type = 0;
  std::uint8_t sequence = 0;
  Bytes payload;
};
std::vector<ReadFrame> frames_of(const Bytes& bytes, FrameCounts* counts = nullptr) {
  FrameReader reader;
  std::vector<ReadFrame> out;
  for (const std::uint8_t byte : bytes) {
    if (const auto frame = reader.push(byte)) {
      out.push_back({frame->type, frame->sequence, Bytes(frame->payload.begin(), frame->payload.end())});
    }
  }
  if (counts != nullptr) *counts = reader.counts();
  return out;
}

/// A golden frame and the message that it is. `right` looks whether the bytes become the message and the message the bytes.
struct Golden {
  std::string name;
  std::function<void(const Bytes&)> right;
};

template <typename Message>
Golden golden(std::string name, std::uint8_t sequence, const Message& message) {
  return {std::move(name), [sequence, message](const Bytes& bytes) {
            std::array<std::uint8_t, kMaxWire> wire{};
            const std::size_t length = write_message(message, sequence, wire);
            EXPECT_EQ(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)), bytes);
            const std::vector<ReadFrame> frames = frames_of(bytes);
            ASSERT_EQ(frames.size(), 1U);
            EXPECT_EQ(frames[0].sequence, sequence);
            const auto read = read_message<Message>({frames[0].type, frames[0].sequence, frames[0].payload});
            ASSERT_TRUE(read);
            // What was read is written the same again: no field is lost, none is doubled.
            const std::size_t again = write_message(*read, sequence, wire);
            EXPECT_EQ(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(again)), bytes);
          }};
}
/// A frame of any type.
Golden framed(std::string name, std::uint8_t type, std::uint8_t sequence, Bytes payload) {
  return {std::move(name), [=](const Bytes& bytes) {
            std::array<std::uint8_t, kMaxWire> wire{};
            const std::size_t length = write_frame({type, sequence, payload}, wire);
            EXPECT_EQ(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)), bytes);
            const std::vector<ReadFrame> frames = frames_of(bytes);
            ASSERT_EQ(frames.size(), 1U);
            EXPECT_EQ(frames[0].type, type);
            EXPECT_EQ(frames[0].sequence, sequence);
            EXPECT_EQ(frames[0].payload, payload);
          }};
}
Golden damaged(std::string name) {
  return {std::move(name), [](const Bytes& bytes) {
            // Damaged, and the next one is whole again.
            Bytes with_next = bytes;
            std::array<std::uint8_t, kMaxWire> wire{};
            const std::size_t length = write_message(HostAlive{}, 7, wire);
            with_next.insert(with_next.end(), wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length));
            FrameCounts counts;
            const std::vector<ReadFrame> frames = frames_of(with_next, &counts);
            ASSERT_EQ(frames.size(), 1U);
            EXPECT_EQ(frames[0].sequence, 7);
            EXPECT_EQ(counts.damaged, 1U);
            EXPECT_EQ(counts.good, 1U);
          }};
}

Bytes counted(std::size_t length, std::uint8_t last) {
  Bytes out(length);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<std::uint8_t>(i % 255 + 1);
  out.back() = last;
  return out;
}
Bytes zero_after(std::size_t length) {
  Bytes out(length, 0xAA);
  out.push_back(0);
  out.insert(out.end(), 10, 0xBB);
  return out;
}
Bytes longest() {
  Bytes out(kMaxPayload);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 37 + 11);
  return out;
}

std::vector<Golden> goldens(const GoldenFrames& frames) {
  // The last byte of these payloads was chosen so that the CRC has no zero byte.
  const auto group = [&frames](std::size_t size) {
    const std::string name = "cobs-group-of-" + std::to_string(size);
    const Bytes& wire = frames.at(name);
    const std::vector<ReadFrame> read = frames_of(wire);
    return framed(name, 0x1E, 1, counted(size - 4, read.empty() || read[0].payload.empty() ? 0 : read[0].payload.back()));
  };
  const std::uint32_t all = 0x7FE;
  return {
      golden("board-hello", 0, BoardHello{1, {1, 4, 2}, 1, 0xA1B2'C3D4, 49, 49, 4, 0x000F, all}),
      golden("report-first", 1, start_report()),
      golden("report-move", 2, move_report()),
      golden("report-full-list", 3, small_report()),
      golden("levels", 4, levels()),
      golden("confirm-done", 5, Confirm{MessageType::lights, 17, Answer::done}),
      golden("confirm-cannot", 6, Confirm{MessageType::settings, 258, Answer::cannot}),
      golden("board-status", 7, BoardStatus{60'000'000, 59'871, 0, 3, 1, 412, 730, 2, kOutputsOn | kCalibrated}),
      golden("board-calibration", 8, BoardCalibration{calibration()}),
      golden("board-calibration-none", 9, BoardCalibration{{1, {190, 540, 25}, 0, {}}}),
      golden("host-hello", 0, HostHello{1, 0x0102'0304, 0x7E}),
      golden("acknowledge", 1, Acknowledge{2}),
      golden("accept", 2, Accept{1, 1}),
      golden("lights-guide", 3, guide()),
      golden("lights-dark", 4, plain(18, 49)),
      golden("lights-seventeen", 5, seventeen()),
      golden("lights-none", 6, plain(20, 0)),
      golden("buzzer", 7, Buzzer{3, 2'000, 60}),
      golden("settings", 8, Settings{258, 5'000, 1'500, 22, 10, 7, {-2'000, -700}}),
      golden("calibration", 9, Calibration{5, calibration()}),
      golden("empty-sites", 10, EmptySites{6, 0x0001'FFFF'FFFF'FF80}),
      golden("ask", 11, Ask{MessageType::board_calibration}),
      golden("host-alive", 12, HostAlive{}),
      golden("sequence-255", 255, HostAlive{}),
      framed("cobs-nothing-but-zeros", 0x1E, 0, Bytes(10)),
      group(253),
      group(254),
      group(255),
      group(256),
      framed("cobs-zero-after-254", 0x1E, 1, zero_after(252)),
      framed("cobs-zero-after-255", 0x1E, 1, zero_after(253)),
      framed("cobs-ends-in-zero", 0x1E, 1, {0x7F, 0x10}),
      framed("longest-payload", 0x1E, 1, longest()),
      framed("unknown-message", 0x1E, 2, {1, 2}),
      {"longer-confirm",
       [](const Bytes& bytes) {  // of a later version: what follows is skipped
         const std::vector<ReadFrame> whole = frames_of(bytes);
         ASSERT_EQ(whole.size(), 1U);
         const auto read = read_message<Confirm>({whole[0].type, whole[0].sequence, whole[0].payload});
         EXPECT_EQ(read, (Confirm{MessageType::lights, 17, Answer::done}));
       }},
      damaged("damaged-bit"),
      damaged("damaged-cut"),
      damaged("damaged-code"),
      damaged("damaged-too-short"),
      damaged("damaged-too-long"),
  };
}

TEST(GoldenFrames, AreWrittenAndReadToTheByte) {
  const GoldenFrames frames = golden_frames();
  std::set<std::string> seen;
  for (const Golden& each : goldens(frames)) {
    SCOPED_TRACE(each.name);
    ASSERT_EQ(frames.count(each.name), 1U);
    seen.insert(each.name);
    each.right(frames.at(each.name));
    EXPECT_EQ(frames.at(each.name).back(), 0);
  }
  for (const auto& [name, bytes] : frames) EXPECT_EQ(seen.count(name), 1U) << name << " has no meaning";
}

TEST(GoldenFrames, EveryMessageHasOne) {
  std::set<std::uint8_t> types;
  for (const auto& [name, bytes] : golden_frames()) {
    for (const ReadFrame& frame : frames_of(bytes)) types.insert(frame.type);
  }
  for (const MessageType type :
       {MessageType::board_hello, MessageType::report, MessageType::levels, MessageType::confirm, MessageType::board_status,
        MessageType::board_calibration, MessageType::host_hello, MessageType::acknowledge, MessageType::accept,
        MessageType::lights, MessageType::buzzer, MessageType::settings, MessageType::calibration, MessageType::empty_sites,
        MessageType::ask, MessageType::host_alive}) {
    EXPECT_EQ(types.count(static_cast<std::uint8_t>(type)), 1U) << static_cast<int>(type);
  }
}

TEST(GoldenFrames, OfTheDocumentAreTheSame) {
  std::ifstream document(MEREL_SOURCE "/docs/link.md");
  ASSERT_TRUE(document.good());
  const GoldenFrames frames = golden_frames();
  const GoldenFrames told = frames_in(document);
  EXPECT_GE(told.size(), 16U);
  for (const auto& [name, bytes] : told) {
    ASSERT_EQ(frames.count(name), 1U) << name;
    EXPECT_EQ(bytes, frames.at(name)) << name;
  }
}

TEST(GoldenFrames, ArriveAlsoOneAfterTheOtherAndThroughNoise) {
  Bytes all = {0x42, 0x17};  // half a frame that nobody knows
  std::size_t whole = 0;
  std::size_t damaged = 1;
  for (const auto& [name, bytes] : golden_frames()) {
    all.push_back(0);
    all.insert(all.end(), bytes.begin(), bytes.end());
    ++(name.starts_with("damaged-") ? damaged : whole);
  }
  FrameCounts counts;
  EXPECT_EQ(frames_of(all, &counts).size(), whole);
  EXPECT_EQ(counts.good, whole);
  EXPECT_EQ(counts.damaged, damaged);
}

}  // namespace
}  // namespace merel::link
