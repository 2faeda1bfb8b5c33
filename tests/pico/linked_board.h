#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/hall/analogue_board.h"
#include "firmware/native/virtual_pico.h"

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

/// The virtual Pico, plugged in from the start.
class CoreBoard final : public LinkedBoard {
 public:
  CoreBoard(const std::string& folder, const PartSpread& spread, std::uint64_t seed)
      : pico_(folder + "/merel-board", spread, seed) {
    plug();
  }

  [[nodiscard]] std::string device() const override { return pico_.port(); }
  void put(MagnetKind kind, bool north_up, lattice7::Spot spot) override {
    pico_.at_board([&](AnalogueBoard& board) { board.put(kind, north_up, spot); });
  }
  void lift(lattice7::Spot spot) override {
    pico_.at_board([&](AnalogueBoard& board) { board.lift(spot); });
  }
  void press(std::uint8_t button, bool down) override { pico_.press(button, down); }
  void unplug() override { pico_.unplug(); }
  void plug() override {
    if (const auto plugged = pico_.plug(); !plugged) throw std::runtime_error(plugged.error());
  }
  void damage(const std::function<void(AnalogueBoard&)>& how) { pico_.at_board(how); }
  [[nodiscard]] std::vector<std::uint32_t> lights() { return pico_.lights(); }

 private:
  VirtualPico pico_;
};

}  // namespace merel
