#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "daemon/event_words.h"
#include "daemon/session/session.h"
#include "drivers/virtual_board.h"
#include "tests/session/plain_board.h"

namespace merel {

/// A record that stands at the game's start, or at that position.
inline GameRecord record_of(std::string_view game, std::string_view position = "",
                            const std::vector<std::string>& steps = {}) {
  const GameInfo& info = *find_game(game);
  const Options options = info.defaults();
  const auto start = info.read(options, position.empty() ? info.start(options) : std::string(position));
  if (!start) ADD_FAILURE() << start.error().line();
  GameRecord record(info, options, *start);
  for (const std::string& step : steps) {
    const auto played = record.play(*read_step(record.position(), step));
    if (!played) ADD_FAILURE() << step << ": " << sentence(played.error());
  }
  return record;
}

/// Players at a virtual board in virtual time: hands on one side, the session on the other.
class VirtualTable : private SensorListener {
 public:
  explicit VirtualTable(const BoardProfile& board = plain_board(), bool help = true)
      : session({board, {}, {}, help}), sensors(board.channels(), board.colour) {
    sensors.listen(this, now);
  }

  /// Lets time pass; what is due happens in between.
  void wait(std::int64_t ms) {
    const Time end = now + std::chrono::milliseconds(ms);
    for (;;) {
      std::optional<Time> next = session.deadline();
      if (const auto flap = sensors.deadline(); flap && (!next || *flap < *next)) next = flap;
      if (!next || *next > end) break;
      now = std::max(now, *next);
      sensors.tick(now);
      session.tick(now);
    }
    now = end;
    session.tick(now);
    hear();
  }
  void lift(std::string_view site) { set(site, Contents::empty()); }
  void put(std::string_view site, char colour) { set(site, Contents::piece(game().player(colour))); }
  /// Lift, a moment, put, a moment.
  void move(std::string_view from, std::string_view to) {
    const Contents piece = sensors.piece(channel(from));
    lift(from);
    wait(400);
    set(to, piece);
    wait(1000);
  }
  /// Everything stands at once as the record says.
  void arrange() {
    const Picture picture(game(), record().position());
    for (const SiteInfo& info : geometry(record().position()).sites) {
      if (info.sensed) sensors.set(channel(info.name()), picture[info.site], now);
    }
    wait(1000);
  }
  void clear() {
    for (std::uint16_t i = 0; i < sensors.channels(); ++i) sensors.set(i, Contents::empty(), now);
    wait(1000);
  }
  void press(std::uint8_t button, std::int64_t ms = 100) {
    session.button(button, true, now);
    wait(ms);
    session.button(button, false, now);
    wait(10);
  }
  void begin(GameRecord record, const std::optional<ClockSettings>& clock = {}) {
    const auto begun = session.begin(std::move(record), clock, now);
    EXPECT_TRUE(begun) << (begun ? "" : begun.error());
    wait(10);
  }
  /// The same with the pieces already there.
  void begin_arranged(GameRecord record, const std::optional<ClockSettings>& clock = {}) {
    begin(std::move(record), clock);
    arrange();
  }

  [[nodiscard]] const GameRecord& record() const { return session.tracker()->record(); }
  [[nodiscard]] const GameInfo& game() const { return record().game(); }
  [[nodiscard]] std::string steps() const {
    std::string out;
    for (const Step step : record().steps()) out += (out.empty() ? "" : " ") + text(record().start(), step);
    return out;
  }
  [[nodiscard]] std::uint16_t channel(std::string_view site) const {
    const Geometry& board = geometry(record().position());
    const SiteInfo& info = board.info(board.find(site));
    return session.settings().board.channel_at(info.file, info.rank);
  }
  /// `d3:put`, site by site, as lit now.
  [[nodiscard]] std::string lights() const {
    std::string out;
    for (const auto& [site, light] : session.scene()) {
      out += (out.empty() ? "" : " ") + std::string(geometry(record().position()).info(site).name()) + ":" +
             std::string(name(light.role));
    }
    return out;
  }
  /// What was said since the last call.
  std::vector<SessionEvent> heard() { return std::exchange(heard_, {}); }
  /// Sentences of what the tracker said since the last call.
  std::vector<std::string> sentences() {
    std::vector<std::string> out;
    for (const SessionEvent& event : heard()) {
      if (const auto* said = std::get_if<TrackerEvent>(&event.what)) {
        out.push_back(sentence(*said, game(), record().start()));
      }
    }
    return out;
  }

  Time now{};
  Session session;
  VirtualBoard sensors;

 private:
  void on_reading(const Reading& reading) override {
    session.reading(reading);
    hear();
  }
  void on_button(std::uint8_t number, bool down, Time time) override { session.button(number, down, time); }
  void on_tray(std::uint8_t number, int count, Time time) override { session.tray(number, count, time); }
  void on_health(const SourceHealth& health, Time time) override {
    session.source_well(health.well || health.partial, time);
    session.channels_lost(health.lost, time);
  }

  void set(std::string_view site, Contents contents) {
    sensors.set(channel(site), contents, now);
    hear();
  }
  void hear() {
    for (SessionEvent& event : session.take_events()) heard_.push_back(std::move(event));
  }
  std::vector<SessionEvent> heard_;
};

}  // namespace merel
