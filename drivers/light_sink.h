#pragma once
#include <functional>
#include <span>
#include <string>

#include "drivers/lamp.h"

namespace merel {

/// Lights out: one object a kind of hardware. The daemon knows only this.
class LightSink {
 public:
  LightSink() = default;
  virtual ~LightSink() = default;
  LightSink(const LightSink&) = delete;
  LightSink& operator=(const LightSink&) = delete;

  /// Shows these lamps, light n being the n-th of them; lights beyond the span are dark. Returns at once: a sink that must wait for
  /// its hardware does so behind this call. Repeating a picture is harmless.
  virtual void show(std::span<const Lamp> lamps) = 0;

  /// Who is told, on the loop's thread, that the lights cannot be reached (one sentence: what is wrong, where, what to do) and, with an
  /// empty sentence, that they can be again.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): sinks that have troubles keep it
  virtual void on_trouble(std::function<void(const std::string&)> /*told*/) {}
};

}  // namespace merel
