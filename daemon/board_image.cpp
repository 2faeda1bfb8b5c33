#include "daemon/board_image.h"

#include <algorithm>
#include <utility>

namespace merel {

BoardImage::BoardImage(std::vector<Site> sites, DebounceSettings settings) : settings_(settings) {
  sensors_.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) sensors_[i].site = sites[i];
}

const BoardImage::Sensor* BoardImage::find(Site site) const {
  const auto at = std::find_if(sensors_.begin(), sensors_.end(), [site](const Sensor& s) { return s.site == site; });
  return at == sensors_.end() ? nullptr : &*at;
}

void BoardImage::assume(Site site, Contents contents) {
  for (Sensor& sensor : sensors_) {
    if (sensor.site == site) sensor.stable = sensor.raw = contents;
  }
}

Contents BoardImage::contents(Site site) const {
  const Sensor* sensor = find(site);
  return sensor == nullptr ? Contents::empty() : sensor->stable;
}

bool BoardImage::flapping(Site site) const {
  const Sensor* sensor = find(site);
  return sensor != nullptr && sensor->flapping;
}

Time BoardImage::due(const Sensor& sensor) const {
  return sensor.last + (sensor.flapping && !sensor.regained ? settings_.recover : settings_.hold);
}

void BoardImage::feed(const Reading& reading) {
  if (reading.channel >= sensors_.size()) return;
  Sensor& sensor = sensors_[reading.channel];
  if (sensor.site == kNoSite || reading.contents == sensor.raw) return;
  if (sensor.lost) {
    sensor.raw = reading.contents;
    return;
  }
  if (reading.time - sensor.last > settings_.flap_calm) {
    sensor.edges = 0;
    sensor.restive = reading.time;
  }
  if (!sensor.restless) {
    sensor.restless = true;
    sensor.first = reading.time;
    restless_.push_back(reading.channel);
  }
  sensor.raw = reading.contents;
  sensor.last = reading.time;
  ++sensor.edges;
  if (!sensor.flapping && sensor.edges >= settings_.flap_edges && sensor.last - sensor.restive >= settings_.flap_span) {
    sensor.flapping = true;
    faults_.push_back({reading.time, sensor.site, FaultKind::flapping});
  }
}

void BoardImage::lose(std::uint16_t channel, bool lost, Time now) {
  if (channel >= sensors_.size() || sensors_[channel].site == kNoSite || sensors_[channel].lost == lost) return;
  Sensor& sensor = sensors_[channel];
  sensor.lost = lost;
  std::erase(restless_, channel);
  // One that comes back is taken up like one that has stopped flapping, only sooner.
  sensor.flapping = sensor.restless = sensor.regained = !lost;
  sensor.last = now;
  sensor.edges = 0;
  if (lost) {
    faults_.push_back({now, sensor.site, FaultKind::lost});
  } else {
    restless_.push_back(channel);
  }
}

std::span<const SiteChange> BoardImage::tick(Time now) {
  changes_.clear();
  std::erase_if(restless_, [this, now](std::uint16_t channel) {
    Sensor& sensor = sensors_[channel];
    if (due(sensor) > now) return false;
    sensor.restless = false;
    // An unrest that ends where it began is a flicker; one that was set aside is dated to its last contact, the only one trusted.
    const Time when = sensor.flapping ? sensor.last : sensor.first;
    if (sensor.flapping) faults_.push_back({now, sensor.site, FaultKind::recovered});
    sensor.flapping = sensor.regained = false;
    if (sensor.raw != sensor.stable) {
      if (now - sensor.counted > settings_.flap_span) {
        sensor.counted = now;
        sensor.changes = 0;
      }
      if (++sensor.changes >= settings_.flap_changes) {
        // No hand is as fast as this: from here on the sensor must be quiet before it is trusted again.
        sensor.flapping = sensor.restless = true;
        faults_.push_back({now, sensor.site, FaultKind::flapping});
        return false;
      }
      sensor.stable = sensor.raw;
      changes_.push_back({when, sensor.site, sensor.stable});
    }
    return true;
  });
  std::sort(changes_.begin(), changes_.end(), [](const SiteChange& a, const SiteChange& b) { return a.time < b.time; });
  return changes_;
}

std::vector<Fault> BoardImage::take_faults() { return std::exchange(faults_, {}); }

std::optional<Time> BoardImage::deadline() const {
  std::optional<Time> first;
  for (const std::uint16_t channel : restless_) {
    const Time when = due(sensors_[channel]);
    if (!first || when < *first) first = when;
  }
  return first;
}

}  // namespace merel
