#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/loop_clock.h"
#include "drivers/wiring.h"
#include "rules/result.h"

// The seam over libgpiod: the same for 1.6 (libgpiod1.cpp) and 2.x (libgpiod2.cpp), one of which is built. Everything above it is the
// same code. Blocking, but never for longer than the chip's bus takes.
namespace merel {

/// The system's word on a line or chip that could not be had: an errno(3) value.
struct GpioError {
  int code = 0;
  [[nodiscard]] std::string text() const;
};

/// Who has a line.
struct LineState {
  std::string name;      ///< may be empty
  bool used = false;     ///< by a driver of the kernel or another program
  std::string consumer;  ///< as it calls itself, when used
};

/// One change of an input.
struct Edge {
  std::size_t line = 0;                ///< index in the request
  bool active = false;                 ///< what it is from then on
  LoopClock::Steady::time_point time;  ///< the kernel's: CLOCK_MONOTONIC at the interrupt
};

struct InputSettings {
  InputWiring wiring;
  bool edges = true;                     ///< tell edges; otherwise values only
  std::chrono::microseconds debounce{};  ///< asked of the kernel; zero for none
};

/// Lines that one request can have (kernel: GPIO_V2_LINES_MAX, GPIOHANDLES_MAX).
inline constexpr std::size_t kMostLinesOfRequest = 64;

/// Input lines of one chip, requested together. Index n is the n-th offset of the request.
class InputLines {
 public:
  InputLines() = default;
  virtual ~InputLines() = default;
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  /// Readable when there are edges; they stay the property of this object. None when no edges were asked for.
  [[nodiscard]] virtual std::vector<int> descriptors() const = 0;
  /// Appends every edge that waits at the n-th descriptor, never blocks. The answer is true when the kernel has dropped some (a gap in
  /// its sequence numbers, or a queue found full): then values() says what is so.
  [[nodiscard]] virtual Result<bool, GpioError> take(std::size_t descriptor, std::vector<Edge>& edges) = 0;
  /// What every line is now: active or not.
  [[nodiscard]] virtual Result<std::vector<bool>, GpioError> values() = 0;
  /// How long the kernel waits for a line to hold before it tells an edge; zero where it cannot.
  [[nodiscard]] virtual std::chrono::microseconds debounced() const = 0;
};

/// Output lines of one chip, requested together.
class OutputLines {
 public:
  OutputLines() = default;
  virtual ~OutputLines() = default;
  OutputLines(const OutputLines&) = delete;
  OutputLines& operator=(const OutputLines&) = delete;

  /// Sets them all at once; one value for each line of the request.
  [[nodiscard]] virtual std::optional<GpioError> set(std::span<const bool> active) = 0;
};

/// An open GPIO chip.
class GpioChip {
 public:
  GpioChip() = default;
  virtual ~GpioChip() = default;
  GpioChip(const GpioChip&) = delete;
  GpioChip& operator=(const GpioChip&) = delete;

  [[nodiscard]] virtual std::string label() const = 0;
  [[nodiscard]] virtual std::size_t lines() const = 0;
  [[nodiscard]] virtual Result<LineState, GpioError> line(unsigned offset) const = 0;

  /// `edges` refused by the chip is ENXIO. The lines keep what they need of the chip alive.
  [[nodiscard]] virtual Result<std::unique_ptr<InputLines>, GpioError> inputs(std::span<const unsigned> offsets,
                                                                              const InputSettings& settings) = 0;
  /// All inactive at first.
  [[nodiscard]] virtual Result<std::unique_ptr<OutputLines>, GpioError> outputs(std::span<const unsigned> offsets,
                                                                                bool active_low) = 0;
};

/// What our requests call themselves: the consumer that others see.
inline constexpr const char* kGpioConsumer = "merel";

/// Opens `/dev/gpiochipN`.
[[nodiscard]] Result<std::unique_ptr<GpioChip>, GpioError> open_gpio_chip(const std::string& path);
/// `libgpiod 1.6.3`
[[nodiscard]] std::string gpio_library();

}  // namespace merel
