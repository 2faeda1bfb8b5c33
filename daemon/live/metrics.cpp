#include "daemon/live/metrics.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace merel {
namespace {

std::string seconds(std::int64_t microseconds) { return nlohmann::json(static_cast<double>(microseconds) / 1e6).dump(); }

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void add(std::string& out, std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
  head(out, name, type, help);
  out.append(name).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

void LatencyHistogram::add(Time took) {
  const auto at = std::lower_bound(kBounds.begin(), kBounds.end(), took.count());
  ++buckets_[static_cast<std::size_t>(at - kBounds.begin())];
  ++count_;
  sum_ += took;
  worst_ = std::max(worst_, took);
}

Time LatencyHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    below += buckets_[i];
    if (below >= wanted) return Time(kBounds[i]);
  }
  return worst_;
}

std::string LatencyHistogram::text(const std::string& name, const std::string& help) const {
  std::string out;
  head(out, name, "histogram", help);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    below += buckets_[i];
    out.append(name).append("_bucket{le=\"").append(seconds(kBounds[i])).append("\"} ").append(std::to_string(below)) +=
        "\n";
  }
  out.append(name).append("_bucket{le=\"+Inf\"} ").append(std::to_string(count_)) += "\n";
  out.append(name).append("_sum ").append(seconds(sum_.count())) += "\n";
  out.append(name).append("_count ").append(std::to_string(count_)) += "\n";
  return out;
}

std::string metrics_text(const Metrics& metrics, const SourceCounts& sensors, const JournalStatus& journal,
                         const ServerStatistics& server, Time uptime) {
  std::string out;
  add(out, "merel_readings_total", "counter", "Sensor readings, bounces included.", metrics.readings);
  add(out, "merel_gpio_edges_total", "counter", "Edges that the kernel told of.", sensors.edges);
  add(out, "merel_gpio_scans_total", "counter", "Scans of all channels, where there is a scan.", sensors.scans);
  add(out, "merel_gpio_rereads_total", "counter", "Times that edges were lost and all lines were read again.", sensors.gaps);
  add(out, "merel_gpio_repaired_total", "counter", "Changes that no edge told of and that reading again has found.",
      sensors.repaired);
  add(out, "merel_steps_total", "counter", "Steps committed to the record.", metrics.steps);
  add(out, "merel_amends_total", "counter", "Turns changed by their player after they were committed.", metrics.amends);
  add(out, "merel_takebacks_total", "counter", "Turns taken back.", metrics.takebacks);
  add(out, "merel_illegal_total", "counter", "Illegal pictures that stood still.", metrics.illegal);
  add(out, "merel_ambiguous_total", "counter", "Questions asked because more than one reading was possible.",
      metrics.ambiguous);
  add(out, "merel_sensor_faults_total", "counter", "Sensors found stuck or flapping.", metrics.faults);
  add(out, "merel_games_total", "counter", "Games begun.", metrics.games);
  add(out, "merel_scenes_total", "counter", "Pictures of lights shown.", metrics.scenes);
  out += metrics.reading_to_lights.text("merel_reading_to_lights_seconds",
                                        "From a reading, or a delay that ran out, until the lights are told.");
  add(out, "merel_journal_ok", "gauge", "1 while games can be written to the disk.", journal.well ? 1 : 0);
  add(out, "merel_journal_backlog", "gauge", "Events that are not on the disk yet.", journal.backlog);
  add(out, "merel_journal_events_total", "counter", "Events written to the disk.", journal.events);
  add(out, "merel_journal_dropped_total", "counter", "Events that found no room while the disk was full.", journal.dropped);
  add(out, "merel_journal_bytes_total", "counter", "Bytes written to the disk.", journal.bytes);
  add(out, "merel_connections", "gauge", "Open connections.", server.connections);
  add(out, "merel_streams", "gauge", "Clients of the event stream.", server.streams);
  add(out, "merel_requests_total", "counter", "Requests answered.", server.requests);
  add(out, "merel_requests_refused_total", "counter", "Requests refused before they were looked at.", server.refused);
  add(out, "merel_connections_turned_away_total", "counter", "Connections beyond the limit.", server.turned_away);
  add(out, "merel_streams_dropped_total", "counter", "Clients of the event stream that fell behind.",
      server.dropped_streams);
  add(out, "merel_timeouts_total", "counter", "Connections cut because they were too slow.", server.timeouts);
  add(out, "merel_uptime_seconds", "gauge", "Time since the start.", static_cast<std::uint64_t>(uptime.count() / 1'000'000));
  return out;
}

}  // namespace merel
