#pragma once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drivers/hall/analogue_board.h"

namespace merel {

/// A board behind a serial port, with hands that move magnets over it.
class LinkedBoard {
 public:
  LinkedBoard() = default;
  virtual ~LinkedBoard() = default;
  LinkedBoard(const LinkedBoard&) = delete;
  LinkedBoard& operator=(const LinkedBoard&) = delete;

  /// The port's name, whether it is there or not.
  [[nodiscard]] virtual std::string device() const = 0;
  virtual void put(MagnetKind kind, bool north_up, lattice7::Spot spot) = 0;
  virtual void lift(lattice7::Spot spot) = 0;
  virtual void press(std::uint8_t button, bool down) = 0;
  /// The cable is pulled: the port is gone and the board without power, until it is plugged in again.
  virtual void unplug() = 0;
  virtual void plug() = 0;
};

/// The firmware itself, in the emulator (tests/emulator/serve), in a process of its own. The levels are those of an AnalogueBoard, the noise
/// is the emulator's.
class EmulatedBoard final : public LinkedBoard {
 public:
  EmulatedBoard(const std::string& folder, const PartSpread& spread, std::uint64_t seed);
  ~EmulatedBoard() override;

  /// Why there is no emulator here; empty when there is one.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] std::string device() const override { return name_; }
  void put(MagnetKind kind, bool north_up, lattice7::Spot spot) override;
  void lift(lattice7::Spot spot) override;
  void press(std::uint8_t button, bool down) override;
  void unplug() override { tell("unplug"); }
  void plug() override { tell("replug"); }

 private:
  /// A command of the emulator; throws its refusal.
  void tell(const std::string& command);
  void tell_levels();

  std::string name_;
  std::string missing_;
  AnalogueBoard analogue_;
  AnalogueBoard::Levels told_{};
  int process_ = -1;
  FILE* in_ = nullptr;
  FILE* out_ = nullptr;
};

/// The firmware's core on a thread, a thousand scans a second, with the levels of an AnalogueBoard; its calibration stays over a power cut.
/// The port is a pseudo terminal with a name in `folder`.
class CoreBoard final : public LinkedBoard {
 public:
  CoreBoard(const std::string& folder, const PartSpread& spread, std::uint64_t seed);
  ~CoreBoard() override;

  [[nodiscard]] std::string device() const override { return name_; }
  void put(MagnetKind kind, bool north_up, lattice7::Spot spot) override;
  void lift(lattice7::Spot spot) override;
  void press(std::uint8_t button, bool down) override;
  void unplug() override;
  void plug() override;
  void damage(const std::function<void(AnalogueBoard&)>& how);
  /// What the lights show now, 0x00RRGGBB each; empty before anything was shown.
  [[nodiscard]] std::vector<std::uint32_t> lights();

 private:
  struct Power;  ///< what a power cut takes away
  void run(Power& power);

  std::string name_;
  std::mutex mutex_;  ///< over what follows
  AnalogueBoard analogue_;
  std::uint8_t buttons_ = 0;
  std::vector<std::uint32_t> lights_;
  std::unique_ptr<class BoardFlash> flash_;
  std::uint32_t session_ = 0;
  std::unique_ptr<Power> power_;
};

}  // namespace merel
