#pragma once
#include <string>
#include <utility>
#include <vector>

#include "drivers/sensor_source.h"

namespace merel {

/// What a source has told, as words: `3+` (channel 3 occupied), `3-`, `B0+`, and sentences of health.
class Heard final : public SensorListener {
 public:
  std::string take() { return std::exchange(words_, ""); }
  SourceHealth health;
  int healths = 0;
  bool ordered = true;  ///< no time was earlier than the one before

 private:
  void on_reading(const Reading& reading) override {
    add(std::to_string(reading.channel) + (reading.contents.is_empty() ? "-" : "+"), reading.time);
  }
  void on_button(std::uint8_t number, bool down, Time time) override {
    add("B" + std::to_string(number) + (down ? "+" : "-"), time);
  }
  void on_tray(std::uint8_t number, int count, Time time) override {
    add("T" + std::to_string(number) + "=" + std::to_string(count), time);
  }
  void on_health(const SourceHealth& told, Time /*time*/) override {
    health = told;
    ++healths;
  }
  void add(const std::string& word, Time time) {
    words_ += (words_.empty() ? "" : " ") + word;
    ordered = ordered && time >= last_;
    last_ = time;
  }
  std::string words_;
  Time last_{};
};

}  // namespace merel
