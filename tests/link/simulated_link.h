#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "drivers/link/board_end.h"
#include "drivers/link/host_end.h"

/// Both ends of the link against each other over a wire that loses and damages frames, in simulated time.
namespace merel::link {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bytes = std::vector<std::uint8_t>;

inline constexpr Time kStep{500};  // what a frame takes to the other side
inline constexpr std::size_t kChannels = 49;
inline constexpr std::uint32_t kClockAhead = 0xFFFF'FFFFU - 4'000'000U;  // the board's clock wraps in the middle

/// What the board has been told, as words.
class BoardLog final : public BoardCommands {
 public:
  std::vector<std::string> words;
  std::uint32_t scans = 0;
  CalibrationData kept;

 private:
  void outputs(bool on) override { words.emplace_back(on ? "on" : "off"); }
  Answer show(const Lights& lights) override {
    words.push_back("lights " + std::to_string(lights.lamps[0].colour.red));
    return Answer::done;
  }
  Answer beep(const Buzzer& beep) override {
    words.push_back("beep " + std::to_string(beep.hertz));
    return Answer::done;
  }
  Answer apply(const Settings& settings) override {
    words.push_back("limit " + std::to_string(settings.limit_ma));
    return Answer::done;
  }
  Answer calibrate(const CalibrationData& data) override {
    kept = data;
    words.push_back("calibration " + std::to_string(data.thresholds.piece));
    return Answer::done;
  }
  void empty(std::uint64_t channels) override { words.push_back("empty " + std::to_string(channels)); }
  void fill(Levels& levels) override { levels.counts.fill(2048); }
  void fill(BoardStatus& status) override { status.scans = scans += 500; }
  void fill(CalibrationData& data) override { data = kept; }
};

/// Which frames do not arrive as they were sent.
enum class Mishap : std::uint8_t {
  none,
  lost,
  damaged
};

/// A session from the first hello to its end, with one mishap in it, or many.
class SimulatedLink {
 public:
  /// What becomes of the n-th frame of that side.
  using Fate = std::function<Mishap(bool of_host, std::size_t n)>;

  explicit SimulatedLink(Fate fate) : fate_(std::move(fate)) { power_on(); }

  void power_on() {
    BoardHello self;
    self.firmware = {1, 0, 0};
    self.revision = 1;
    self.session = ++board_session_;
    self.channels = kChannels;
    self.lights = kChannels;
    self.buttons = 4;
    self.capabilities = kHasBuzzer | kTellsLevels | kKeepsCalibration;
    log.scans = 0;
    board.emplace(self, log, board_time());
    for (std::uint8_t channel = 0; channel < kChannels; ++channel) {
      if (stands[channel] != PieceClass::none) decide(channel, stands[channel]);
    }
  }
  void run(Time span) {
    for (const Time end = now + span; now < end;) {
      now += kStep;
      for (const Bytes& bytes : std::exchange(to_board_, {})) board->hear(bytes, board_time());
      for (const Bytes& bytes : std::exchange(to_host_, {})) host.hear(bytes, now);
      pump();
    }
  }
  void put(std::uint8_t channel, PieceClass what, Time ago = milliseconds(5)) {
    stands[channel] = what;
    decide(channel, what, ago);
  }
  void press(std::uint8_t button, bool down) {
    board->change({clock(), static_cast<std::uint8_t>(Change::kButton + button), static_cast<std::uint8_t>(down ? 1 : 0)});
  }
  void show(std::uint8_t red) {
    Lights lights;
    lights.count = kChannels;
    lights.lamps[0].colour.red = red;
    host.want(lights, now);
  }
  void limit(std::uint16_t ma) {
    Settings settings;
    settings.limit_ma = ma;
    host.want(settings, now);
  }
  void pull_cable() {
    host.close();
    to_board_.clear();
    to_host_.clear();
  }
  void plug_in() { host.open(now); }
  /// The start has no order that anybody could hear, and its snapshot no time.
  void forget_start() {
    std::sort(log.words.begin(), log.words.end());
    changes.clear();
    heard.clear();
    plain.clear();
  }

  Time now = seconds(1);
  HostEnd host{1, 400};
  BoardLog log;
  std::optional<BoardEnd> board;
  std::array<PieceClass, kMaxChannels> stands{};
  std::vector<SiteChange> changes;
  std::vector<std::string> heard;  ///< changes with the board's times, and what else happened
  std::vector<std::string> plain;  ///< the same without times
  std::size_t of_host = 0;         ///< frames sent
  std::size_t of_board = 0;

 private:
  [[nodiscard]] Time board_time() const { return now + Time(kClockAhead); }
  [[nodiscard]] std::uint32_t clock() const { return static_cast<std::uint32_t>(board_time().count()); }
  void decide(std::uint8_t channel, PieceClass what, Time ago = {}) {
    board->change({clock() - static_cast<std::uint32_t>(ago.count()), channel, static_cast<std::uint8_t>(what)});
  }
  void send(Bytes bytes, bool by_host) {
    const Mishap mishap = fate_(by_host, by_host ? of_host++ : of_board++);
    if (mishap == Mishap::lost) return;
    if (mishap == Mishap::damaged) bytes[bytes.size() / 2] = static_cast<std::uint8_t>(bytes[bytes.size() / 2] ^ 0x55U);
    (by_host ? to_board_ : to_host_).push_back(std::move(bytes));
  }
  void pump() {
    std::array<std::uint8_t, kMaxWire> wire{};
    while (const std::size_t length = board->next_frame(board_time(), wire)) {
      send(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)), false);
    }
    while (const std::size_t length = host.next_frame(now, wire)) {
      send(Bytes(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(length)), true);
    }
    for (const HostEvent& event : host.take_events()) note(event);
  }
  void note(const HostEvent& event) {
    if (const auto* site = std::get_if<SiteChange>(&event)) {
      changes.push_back(*site);
      add(std::to_string(site->channel) + "=" + std::to_string(static_cast<int>(site->what)), site->board_us, site->time);
    } else if (const auto* button = std::get_if<ButtonChange>(&event)) {
      add("B" + std::to_string(button->number) + (button->down ? "+" : "-"), button->board_us, button->time);
    } else if (std::holds_alternative<Joined>(event)) {
      add("joined", 0, last_);
    } else if (std::holds_alternative<Lost>(event)) {
      add("lost", 0, last_);
    } else if (const auto* ended = std::get_if<CommandEnded>(&event)) {
      EXPECT_EQ(ended->answer, Answer::done) << static_cast<int>(ended->command);
    }
  }
  void add(const std::string& word, std::uint32_t board_us, Time time) {
    plain.push_back(word);
    heard.push_back(word + " at " + std::to_string(board_us));
    EXPECT_GE(time, last_) << word;
    EXPECT_LE(time, now) << word;
    last_ = time;
  }

  Fate fate_;
  std::uint32_t board_session_ = 70;
  std::vector<Bytes> to_board_;
  std::vector<Bytes> to_host_;
  Time last_{};
};

}  // namespace merel::link
