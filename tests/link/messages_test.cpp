// What messages refuse to be, and the frame reader's counting.
#include "drivers/link/messages.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace merel::link {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <typename Message>
Bytes payload_of(const Message& message) {
  std::array<std::uint8_t, kMaxPayload> payload{};
  ByteWriter out{payload};
  message.write(out);
  EXPECT_TRUE(out.good());
  return {payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(out.size())};
}
template <typename Message>
bool reads(const Bytes& payload) {
  Message message;
  ByteReader in{payload};
  return message.read(in);
}

/// A message that is right, and what must not become of its bytes.
struct Refusal {
  const char* what;
  bool refused;
};
template <typename Message>
Refusal with(const char* what, const Message& message, std::size_t at, std::uint8_t byte) {
  Bytes payload = payload_of(message);
  EXPECT_TRUE(reads<Message>(payload)) << what;
  payload.at(at) = byte;
  return {what, !reads<Message>(payload)};
}

Report three_changes() {
  Report report;
  report.channels = 5;
  report.change_count = 3;
  report.changes[0] = {1, 4, 1};
  report.changes[1] = {2, Change::kButton + 7, 1};
  report.changes[2] = {3, 0, 4};
  return report;
}
Lights lights_of(std::uint8_t count, std::uint8_t colours) {
  Lights lights;
  lights.count = count;
  for (std::uint8_t i = 0; i < count; ++i) lights.lamps[i].colour.red = static_cast<std::uint8_t>(i % colours);
  return lights;
}

TEST(Messages, RefuseWhatCannotBe) {
  const CalibrationData data{1, {200, 400, 20}, 2, {}};
  const Refusal refusals[] = {
      with("board hello: 65 channels", BoardHello{}, 10, 65),
      with("board hello: 65 lights", BoardHello{}, 11, 65),
      with("board hello: 9 buttons", BoardHello{}, 12, 9),
      with("report: 65 channels", three_changes(), 6, 65),
      with("report: lower channel of no class", three_changes(), 7, 0x05),
      with("report: upper channel of no class", three_changes(), 7, 0x50),
      with("report: class behind the last channel", three_changes(), 9, 0x60),
      with("report: 25 changes", three_changes(), 11, 25),
      with("report: change of a channel that is not there", three_changes(), 16, 5),
      with("report: change to no class", three_changes(), 17, 5),
      with("report: button 8", three_changes(), 22, Change::kButton + 8),
      with("report: a button neither up nor down", three_changes(), 23, 2),
      with("levels: 65 channels", Levels{}, 6, 65),
      with(
          "levels: 13 bits",
          [] {
            Levels l;
            l.channels = 1;
            return l;
          }(),
          8, 0x10),
      with("calibration: 13 bits", BoardCalibration{data}, 10, 0x10),
      with("calibration: 65 channels", BoardCalibration{data}, 8, 65),
      with("calibration: piece within the hysteresis", BoardCalibration{data}, 2, 20),
      with("calibration: strong within the hysteresis of piece", BoardCalibration{data}, 5, 0),
      with("calibration command: the same", Calibration{1, data}, 4, 20),
      with("lights: 65 of them", lights_of(3, 2), 2, 65),
      with("lights: a table of 65", lights_of(3, 2), 3, 65),
      with("lights: no such effect", lights_of(3, 2), 7, 9),
      with("lights: place beyond a table of nibbles", lights_of(3, 2), 14, 0x20),
      with("lights: place beyond a table of bytes", lights_of(20, 20), 4 + 20 * 5 + 19, 20),
      with("settings: 60,001 us", Settings{0, 60'000, 0, 22, 0, 7, {}}, 2, 0x61),
      with("settings: gamma below 1", Settings{}, 6, 9),
      with("settings: gamma above 4", Settings{}, 6, 41),
      with("settings: 101 Hz", Settings{}, 7, 101),
      with("settings: no channels in a rank", Settings{}, 8, 0),
  };
  for (const Refusal& each : refusals) EXPECT_TRUE(each.refused) << each.what;
}

template <typename Message>
void refuses_every_shorter_payload(const Message& message) {
  const Bytes whole = payload_of(message);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(reads<Message>(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))))
        << static_cast<int>(Message::kType) << ", " << length << " of " << whole.size();
  }
  Bytes longer = whole;
  longer.insert(longer.end(), 3, 0xFF);
  EXPECT_TRUE(reads<Message>(longer)) << static_cast<int>(Message::kType);
}

TEST(Messages, RefuseEveryShorterPayloadAndSkipWhatALaterVersionAdds) {
  const CalibrationData data{1, {200, 400, 20}, 49, {}};
  Levels levels;
  levels.channels = 49;
  refuses_every_shorter_payload(BoardHello{});
  refuses_every_shorter_payload(three_changes());
  refuses_every_shorter_payload(levels);
  refuses_every_shorter_payload(Confirm{});
  refuses_every_shorter_payload(BoardStatus{});
  refuses_every_shorter_payload(BoardCalibration{data});
  refuses_every_shorter_payload(HostHello{});
  refuses_every_shorter_payload(Acknowledge{});
  refuses_every_shorter_payload(Accept{});
  refuses_every_shorter_payload(lights_of(49, 5));
  refuses_every_shorter_payload(lights_of(64, 64));
  refuses_every_shorter_payload(Buzzer{});
  refuses_every_shorter_payload(Settings{});
  refuses_every_shorter_payload(Calibration{1, data});
  refuses_every_shorter_payload(EmptySites{});
  refuses_every_shorter_payload(Ask{});
  refuses_every_shorter_payload(HostAlive{});
}

TEST(Messages, TheLongestFitsIntoAFrame) {
  EXPECT_LE(payload_of(lights_of(64, 64)).size(), kMaxPayload);
  CalibrationData data{1, {200, 400, 20}, 64, {}};
  EXPECT_LE(payload_of(Calibration{1, data}).size(), kMaxPayload);
}

TEST(Messages, WhatTheGuideShowsIsShort) {
  // Nine roles on 49 lights.
  EXPECT_LE(payload_of(lights_of(49, 9)).size(), 75U);
}

TEST(FrameReader, CountsFramesThatNeverCameByTheirSequence) {
  FrameReader reader;
  const auto hear = [&reader](std::uint8_t sequence) {
    std::array<std::uint8_t, kMaxWire> wire{};
    const std::size_t length = write_message(HostAlive{}, sequence, wire);
    for (const std::uint8_t byte : std::span(wire).first(length)) reader.push(byte);
  };
  hear(250);
  hear(251);
  EXPECT_EQ(reader.counts().missed, 0U);
  hear(254);
  EXPECT_EQ(reader.counts().missed, 2U);
  hear(255);
  hear(0);
  EXPECT_EQ(reader.counts().missed, 2U);
  reader.restart();
  hear(100);
  EXPECT_EQ(reader.counts().missed, 2U);
  EXPECT_EQ(reader.counts().good, 6U);
}

TEST(FrameReader, EveryDamagedBitOfAFrameIsNoticed) {
  std::array<std::uint8_t, kMaxWire> wire{};
  const std::size_t length = write_message(Confirm{MessageType::lights, 0x1234, Answer::cannot}, 9, wire);
  for (std::size_t at = 0; at < length; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      FrameReader reader;
      auto damaged = wire;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ 1U << bit);
      for (const std::uint8_t byte : std::span(damaged).first(length)) EXPECT_FALSE(reader.push(byte)) << at << "." << bit;
    }
  }
}

TEST(Crc16, IsCcittFalse) {
  const std::string_view check = "123456789";
  EXPECT_EQ(crc16(std::span(reinterpret_cast<const std::uint8_t*>(check.data()), check.size())), 0x29B1);
}

}  // namespace
}  // namespace merel::link
