#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "drivers/reading.h"

namespace merel {

/// A site whose contents have changed and held still for the debounce time.
struct SiteChange {
  Time time{};  ///< of the first contact that led to it, so that changes sort as the hands moved
  Site site = kNoSite;
  Contents contents;
};

/// A sensor that misbehaves.
enum class FaultKind : std::uint8_t {
  flapping,   ///< toggles without a hand that could do it; set aside until it has been quiet
  stuck,      ///< did not change when the game proves that it must have
  lost,       ///< nothing is heard of it: its chip or its line is gone
  recovered,  ///< has been quiet again for long enough to be trusted, or is heard again
};
struct Fault {
  Time time{};
  Site site = kNoSite;
  FaultKind kind = FaultKind::flapping;
};

struct DebounceSettings {
  Time hold = std::chrono::milliseconds(12);         ///< a contact counts once it has held this long
  Time flap_span = std::chrono::milliseconds(1500);  ///< a site that stays restless for this long is flapping
  std::uint16_t flap_edges = 60;                     ///< and has this many edges in it, however they are spread,
  Time flap_calm = std::chrono::milliseconds(150);   ///< without ever being calm for this long,
  std::uint16_t flap_changes = 10;                   ///< or has been reported this often within that time
  Time recover = std::chrono::seconds(5);            ///< quiet time after which a flapping site is trusted again
};

/// Turns raw readings by channel into debounced changes by site, and watches each sensor's health. Pure: time comes in with the
/// readings and with tick().
class BoardImage {
 public:
  /// `sites[c]` is the site under channel c, kNoSite where the channel serves none.
  BoardImage(std::vector<Site> sites, DebounceSettings settings = {});

  /// Takes what stands on the board as given, without reporting it.
  void assume(Site site, Contents contents);
  /// A raw reading. Time must not go backwards. Call tick() with the same time first.
  void feed(const Reading& reading);
  /// Nothing is heard of the channel from now on, or it is heard again; what it reads by then counts.
  void lose(std::uint16_t channel, bool lost, Time now);
  /// Changes that have held by `now`, in the order of their first contacts; they are valid until the next call.
  std::span<const SiteChange> tick(Time now);
  /// Faults found since the last call.
  [[nodiscard]] std::vector<Fault> take_faults();
  /// When tick() has something to do next.
  [[nodiscard]] std::optional<Time> deadline() const;
  /// The debounced contents of a site.
  [[nodiscard]] Contents contents(Site site) const;
  /// Other times from now on.
  void set_times(DebounceSettings settings) { settings_ = settings; }
  /// True while the site is set aside.
  [[nodiscard]] bool flapping(Site site) const;

 private:
  struct Sensor {
    Site site = kNoSite;
    Contents stable;          ///< as last reported
    Contents raw;             ///< as last read
    Time first{};             ///< first contact of the present unrest
    Time last{};              ///< last contact
    Time restive{};           ///< first contact since it was calm for long
    std::uint16_t edges = 0;  ///< since then
    Time counted{};           ///< since when changes are counted
    std::uint16_t changes = 0;
    bool restless = false;
    bool flapping = false;
    bool lost = false;
    bool regained = false;  ///< heard again, and to be trusted after `hold`
  };
  [[nodiscard]] Time due(const Sensor& sensor) const;
  [[nodiscard]] const Sensor* find(Site site) const;

  std::vector<Sensor> sensors_;
  std::vector<std::uint16_t> restless_;  ///< channels with unrest: few, whatever the size of the board
  DebounceSettings settings_;
  std::vector<SiteChange> changes_;
  std::vector<Fault> faults_;
};

}  // namespace merel
