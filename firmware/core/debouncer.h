#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace merel::firmware {

/// Debounces N inputs, scan by scan. What an input reads counts once it has held for a number of scans: that many times the scans'
/// period lies between the first and the last of them.
template <typename Value, std::size_t N>
class Debouncer {
 public:
  /// An input has settled on another value.
  struct Settled {
    Value value{};
    std::uint32_t since = 0;  ///< the scan with the first contact of the unrest that led to it
  };

  /// So many scans from now on.
  void hold(std::uint16_t scans) { hold_ = scans; }

  /// What an input reads in this scan; scans are counted up by one. True when it has settled on another value: settled(input).
  bool feed(std::size_t input, Value value, std::uint32_t scan) {
    Input& it = inputs_[input];
    if (value == it.raw) {
      if (!it.restless) return false;  // as nearly always
    } else {
      it.raw = value;
      it.last = scan;
      if (!it.restless) it.first = scan;
      it.restless = true;
    }
    if (scan - it.last < hold_) return false;
    it.restless = false;
    if (it.raw == it.settled) return false;
    it.settled = it.raw;
    return true;
  }
  /// As last settled.
  [[nodiscard]] Settled settled(std::size_t input) const { return {inputs_[input].settled, inputs_[input].first}; }
  /// It reads something else than what it has settled on, or did so a moment ago.
  [[nodiscard]] bool restless(std::size_t input) const { return inputs_[input].restless; }

 private:
  struct Input {
    Value settled{};
    Value raw{};
    bool restless = false;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::array<Input, N> inputs_{};
  std::uint16_t hold_ = 5;
};

}  // namespace merel::firmware
