#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/light_effects.h"
#include "drivers/link/board_end.h"
#include "firmware/core/calibration_store.h"
#include "firmware/core/chain_picture.h"
#include "firmware/core/flash.h"
#include "firmware/core/senses.h"

namespace merel::firmware {

/// Holds off the interrupt in which Senses::scan() runs.
class ScanGate {
 public:
  virtual void close() = 0;
  virtual void open() = 0;

 protected:
  ~ScanGate() = default;
};

/// What the chip knows about its own doings.
struct ChipState {
  std::uint32_t late = 0;  ///< scans that were not taken up within their millisecond
  std::uint16_t scan_us = 0;
  bool watchdog_started = false;
};

/// The whole board but for its wires: listens to Senses and to the host, and says what the chip must do. Pure: no clock, no registers.
class Board final : private link::BoardCommands {
 public:
  static constexpr std::uint16_t kRevision = 1;
  static constexpr std::uint8_t kLights = 49;
  static constexpr std::array<std::uint8_t, 3> kFirmware = {0, 1, 0};
  /// After its start a board says nothing before everything on it has settled, or its first report would take all pieces off and put
  /// them back; but no longer than so many scans.
  static constexpr std::uint32_t kFirstScans = 10;
  static constexpr std::uint32_t kLastScans = 100;
  /// A picture that stands still is sent again so often.
  static constexpr Time kRefresh = std::chrono::seconds(1);
  /// Tones that a piezo can make and somebody can hear.
  static constexpr std::uint16_t kLowest = 50;
  static constexpr std::uint16_t kHighest = 20'000;

  /// `session`: any number that the start before did not have. `capabilities`: of the port (link::kIsUsb).
  Board(Senses& senses, ScanGate& gate, Flash& flash, std::uint32_t session, std::uint16_t capabilities, Time now);

  /// Bytes from the host.
  void hear(std::span<const std::uint8_t> bytes, Time now) {
    now_ = now;
    link_.hear(bytes, now);
  }
  /// Takes over what has changed. To be called after each scan.
  void attend(Time now, const ChipState& chip);
  /// The next frame for the host, when the line is free for one; its length, or 0.
  std::size_t next_frame(Time now, std::span<std::uint8_t, link::kMaxWire> wire) {
    return awake_ ? link_.next_frame(now, wire) : 0;
  }
  /// What the lights are to be told now, when they are ready for a picture and the last one no longer holds. Valid until the call after
  /// the next.
  std::optional<std::span<const std::uint32_t>> picture(Time now);
  /// The buzzer's tone in hertz; 0: silent.
  [[nodiscard]] std::uint16_t tone(Time now) const { return outputs_on_ && now < tone_until_ ? hertz_ : std::uint16_t{0}; }

 private:
  void outputs(bool on) override;
  link::Answer show(const link::Lights& lights) override;
  link::Answer beep(const link::Buzzer& beep) override;
  link::Answer apply(const link::Settings& settings) override;
  link::Answer calibrate(const link::CalibrationData& data) override;
  void empty(std::uint64_t channels) override;
  void fill(link::Levels& levels) override;
  void fill(link::BoardStatus& status) override;
  void fill(link::CalibrationData& data) override;

  void catch_up(Time now);
  void use(const link::CalibrationData& data);

  Senses& senses_;
  ScanGate& gate_;
  CalibrationStore store_;
  link::BoardEnd link_;
  Time now_{};
  bool awake_ = false;
  ChipState chip_;
  std::uint32_t dropped_ = 0;
  Time hold_{};  ///< of the debouncers

  // Outputs.
  bool outputs_on_ = false;
  std::array<LightState, kLights> light_states_{};
  LightEffects effects_{light_states_};
  ChainPicture chain_{kLights};
  std::uint8_t lattice_ = 7;
  bool anew_ = true;                  ///< the picture is not that of before
  std::optional<Time> next_picture_;  ///< when an effect changes it
  std::optional<Time> lost_since_;
  std::uint16_t hertz_ = 0;
  Time tone_until_{};
};

}  // namespace merel::firmware
