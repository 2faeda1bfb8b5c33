// Both ends of the link against each other over a wire that loses and damages frames, in simulated time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <random>

#include "drivers/link/board_end.h"
#include "drivers/link/host_end.h"

namespace merel::link {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bytes = std::vector<std::uint8_t>;

constexpr Time kStep{500};  // what a frame takes to the other side
constexpr std::size_t kChannels = 49;
constexpr std::uint32_t kClockAhead = 0xFFFF'FFFFU - 4'000'000U;  // the board's clock wraps in the middle

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
class Session {
 public:
  /// What becomes of the n-th frame of that side; `size` is its length.
  using Fate = std::function<Mishap(bool of_host, std::size_t n)>;

  explicit Session(Fate fate) : fate_(std::move(fate)) { power_on(); }

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
    heard.clear();
    plain.clear();
  }

  Time now = seconds(1);
  HostEnd host{1, 400};
  BoardLog log;
  std::optional<BoardEnd> board;
  std::array<PieceClass, kMaxChannels> stands{};
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

/// An evening in eleven seconds: moves of all speeds, buttons, and every kind of wish.
void play(Session& session) {
  for (std::uint8_t i = 0; i < 7; ++i) session.put(i, PieceClass::north);
  session.plug_in();
  session.limit(900);
  session.run(milliseconds(400));
  session.forget_start();
  session.show(1);
  session.run(milliseconds(100));
  session.host.want(EmptySites{0, 0xFF}, session.now);
  session.run(milliseconds(300));
  session.put(3, PieceClass::none);
  session.run(milliseconds(250));
  session.put(10, PieceClass::north);
  session.run(milliseconds(2));
  session.show(2);
  session.run(milliseconds(600));
  session.put(10, PieceClass::none, milliseconds(6));  // two hands within a millisecond
  session.put(2, PieceClass::none, milliseconds(5));
  session.press(0, true);
  session.run(milliseconds(120));
  session.press(0, false);
  session.host.want(Buzzer{0, 440, 60}, session.now);
  session.run(milliseconds(300));
  for (std::uint8_t i = 0; i < 20; ++i) {  // a piece dragged over the board
    session.put(static_cast<std::uint8_t>(20 + i), PieceClass::south);
    session.run(milliseconds(3));
    session.put(static_cast<std::uint8_t>(20 + i), PieceClass::none);
    session.run(milliseconds(4));
  }
  session.limit(800);
  session.run(milliseconds(500));
  Calibration calibration;
  calibration.data.revision = 1;
  calibration.data.thresholds = {210, 0, 20};
  calibration.data.channels = kChannels;
  session.host.want(calibration, session.now);
  session.run(milliseconds(500));
  session.host.ask(MessageType::board_calibration, session.now);
  for (std::uint8_t i = 0; i < 8; ++i) {
    session.put(40, i % 2 == 0 ? PieceClass::weak_south : PieceClass::none);
    session.show(static_cast<std::uint8_t>(10 + i));
    session.run(milliseconds(130));
  }
  session.host.want(Buzzer{0, 880, 60}, session.now);
  session.run(seconds(5));
}

TEST(TwoEnds, AnEveningWithoutMishap) {
  Session session([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play(session);
  EXPECT_EQ(session.heard.size(), 54U);
  EXPECT_EQ(session.host.counts().gaps, 0U);
  EXPECT_EQ(session.host.counts().unknown, 0U);
  EXPECT_EQ(session.host.counts().unreadable, 0U);
  EXPECT_EQ(session.board->unknown(), 0U);
  EXPECT_EQ(session.host.frames().missed, 0U);
  EXPECT_THAT(session.log.words,
              testing::ElementsAre("empty 0", "limit 900", "off", "on", "lights 1", "empty 255", "lights 2", "beep 440",
                                   "limit 800", "calibration 210", "lights 10", "lights 11", "lights 12", "lights 13",
                                   "lights 14", "lights 15", "lights 16", "lights 17", "beep 880"));
  EXPECT_LT(session.of_board, 150U);
  EXPECT_LT(session.of_host, 150U);
}

/// Every single frame, in both directions, lost or damaged once.
TEST(TwoEnds, AnySingleFrameMayBeLostOrDamagedAndNobodyHearsTheDifference) {
  Session smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play(smooth);
  std::size_t runs = 0;
  for (const bool of_host : {false, true}) {
    const std::size_t frames = of_host ? smooth.of_host : smooth.of_board;
    for (std::size_t at = 0; at < frames; ++at) {
      for (const Mishap mishap : {Mishap::lost, Mishap::damaged}) {
        SCOPED_TRACE((of_host ? "host's frame " : "board's frame ") + std::to_string(at) +
                     (mishap == Mishap::lost ? " lost" : " damaged"));
        Session session([=](bool by_host, std::size_t n) { return by_host == of_host && n == at ? mishap : Mishap::none; });
        play(session);
        EXPECT_EQ(session.heard, smooth.heard);
        EXPECT_EQ(session.log.words, smooth.log.words);
        EXPECT_EQ(session.host.counts().repaired, 0U);
        EXPECT_EQ(session.host.counts().gaps, 0U);
        ++runs;
        if (HasFailure()) return;
      }
    }
  }
  RecordProperty("mishaps", static_cast<int>(runs));
  std::cout << runs << " sessions with one mishap each\n";
}

/// Pieces are moved while the cable is out and while the board starts anew.
void play_with_breaks(Session& session) {
  for (std::uint8_t i = 0; i < 7; ++i) session.put(i, PieceClass::north);
  session.plug_in();
  session.run(milliseconds(400));
  session.forget_start();
  session.limit(900);
  session.show(1);
  session.run(milliseconds(400));
  session.pull_cable();
  session.run(milliseconds(300));
  session.put(3, PieceClass::none);
  session.put(9, PieceClass::north);
  session.run(milliseconds(300));
  session.plug_in();
  session.run(seconds(3));
  session.put(9, PieceClass::none);
  session.run(milliseconds(200));
  session.put(16, PieceClass::north);
  session.run(milliseconds(200));
  session.power_on();  // the watchdog, say
  session.run(seconds(3));
  session.put(16, PieceClass::none);
  session.run(milliseconds(300));
  session.stands[0] = PieceClass::none;  // taken while it starts again
  session.power_on();
  session.run(seconds(3));
}

TEST(TwoEnds, AnySingleFrameMayBeLostAroundABreakWithoutAFalseLift) {
  Session smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
  play_with_breaks(smooth);
  EXPECT_THAT(smooth.plain, testing::ElementsAre("3=0", "9=1", "joined", "9=0", "16=1", "joined", "16=0", "0=0", "joined"));
  const auto shown_last = [](const Session& session) {
    const auto of = [&session](const char* kind) {
      std::string last;
      for (const std::string& word : session.log.words) {
        if (word.starts_with(kind)) last = word;
      }
      return last;
    };
    return of("o") + ", " + of("lights") + ", " + of("limit");
  };
  EXPECT_EQ(shown_last(smooth), "on, lights 1, limit 900");
  for (const bool of_host : {false, true}) {
    const std::size_t frames = of_host ? smooth.of_host : smooth.of_board;
    for (std::size_t at = 0; at < frames; ++at) {
      SCOPED_TRACE((of_host ? "host's frame " : "board's frame ") + std::to_string(at));
      Session session(
          [=](bool by_host, std::size_t n) { return by_host == of_host && n == at ? Mishap::lost : Mishap::none; });
      play_with_breaks(session);
      EXPECT_EQ(session.plain, smooth.plain);
      EXPECT_EQ(shown_last(session), "on, lights 1, limit 900");
      if (HasFailure()) return;
    }
  }
}

TEST(TwoEnds, AWireThatLosesEveryThirdFrameStillTellsEverything) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Session smooth([](bool /*of_host*/, std::size_t /*n*/) { return Mishap::none; });
    play(smooth);
    Session session([&random](bool /*of_host*/, std::size_t /*n*/) {
      const unsigned dice = static_cast<unsigned>(random() % 6);
      return dice == 0 ? Mishap::lost : dice == 1 ? Mishap::damaged : Mishap::none;
    });
    play(session);
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      EXPECT_EQ(session.host.classes()[channel], session.stands[channel]) << channel;
    }
    if (session.host.counts().gaps == 0) {
      EXPECT_EQ(session.heard, smooth.heard);
    }
    EXPECT_NE(std::find(session.log.words.begin(), session.log.words.end(), "lights 17"), session.log.words.end());
    EXPECT_EQ(std::count(session.log.words.begin(), session.log.words.end(), "calibration 210"), 1);
  }
}

}  // namespace
}  // namespace merel::link
