#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "daemon/journal/journal.h"
#include "daemon/server/server.h"
#include "drivers/reading.h"
#include "drivers/sensor_source.h"

namespace merel {

/// How long something took, in the buckets of a Prometheus histogram.
class LatencyHistogram {
 public:
  /// Upper bounds in microseconds; what is longer falls into the last one, +Inf.
  static constexpr std::array<std::int64_t, 14> kBounds = {10,   20,   50,    100,   200,   500,    1000,
                                                           2000, 5000, 10000, 20000, 50000, 100000, 1000000};

  void add(Time took);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Time worst() const { return worst_; }
  /// An upper bound of the time that this share of all stayed within: the bound of its bucket.
  [[nodiscard]] Time quantile(double share) const;
  /// Lines of the text format 0.0.4 for a metric of that name, in seconds.
  [[nodiscard]] std::string text(const std::string& name, const std::string& help) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> buckets_{};
  std::uint64_t count_ = 0;
  Time sum_{};
  Time worst_{};
};

/// What is counted while the daemon runs.
struct Metrics {
  std::uint64_t readings = 0;
  std::uint64_t steps = 0;  ///< committed
  std::uint64_t amends = 0;
  std::uint64_t takebacks = 0;
  std::uint64_t illegal = 0;
  std::uint64_t ambiguous = 0;
  std::uint64_t faults = 0;  ///< of sensors
  std::uint64_t games = 0;   ///< begun
  std::uint64_t scenes = 0;  ///< pictures of lights shown
  LatencyHistogram
      reading_to_lights;  ///< from the moment of a reading (or of a delay that ran out) until the lights are told
};

/// Everything for `/metrics` (Prometheus text format 0.0.4).
[[nodiscard]] std::string metrics_text(const Metrics& metrics, const SourceCounts& sensors, const JournalStatus& journal,
                                       const ServerStatistics& server, Time uptime);

}  // namespace merel
