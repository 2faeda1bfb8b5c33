// The driver and the firmware's end of the link on a pseudo terminal: one cable, pulled twenty times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "drivers/link/board_end.h"
#include "drivers/serial/link_lights.h"
#include "drivers/serial/link_source.h"
#include "tests/gpio/heard.h"
#include "tests/link/pty_board.h"

namespace merel::link {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A board that shows what it is told.
class ShownBoard final : public BoardCommands {
 public:
  bool on = false;
  Lights lights;
  Settings settings;

 private:
  void outputs(bool now_on) override {
    on = now_on;
    if (!on) lights = {};
  }
  Answer show(const Lights& shown) override {
    lights = shown;
    return Answer::done;
  }
  Answer beep(const Buzzer& /*beep*/) override { return Answer::done; }
  Answer apply(const Settings& applied) override {
    settings = applied;
    return Answer::done;
  }
  Answer calibrate(const CalibrationData& /*data*/) override { return Answer::done; }
  void empty(std::uint64_t /*channels*/) override {}
  void fill(Levels& levels) override { levels.counts.fill(2048); }
  void fill(BoardStatus& status) override { status.scans = ++scans_; }
  void fill(CalibrationData& /*data*/) override {}

  std::uint32_t scans_ = 0;
};

class Terminal : public testing::Test {
 protected:
  Terminal() {
    cable.came = [this](std::span<const std::uint8_t> bytes) {
      board->hear(bytes, clock.now());
      flush();
    };
    power_on();
    tick();
  }
  ~Terminal() override { source.stop(); }

  void power_on() {
    BoardHello self;
    self.revision = 1;
    self.session = ++sessions;
    self.channels = 49;
    self.lights = 49;
    self.buttons = 2;
    shown = ShownBoard();
    board.emplace(self, shown, clock.now());
    for (std::uint8_t channel = 0; channel < 49; ++channel) {
      if (stands[channel] != PieceClass::none) change(channel, stands[channel]);
    }
  }
  void change(std::uint8_t channel, PieceClass what) {
    stands[channel] = what;
    board->change({static_cast<std::uint32_t>(clock.now().count()), channel, static_cast<std::uint8_t>(what)});
    flush();
  }
  void flush() {
    std::array<std::uint8_t, kMaxWire> wire{};
    while (const std::size_t length = board->next_frame(clock.now(), wire)) cable.write(std::span(wire).first(length));
  }
  void tick() {
    timer.expires_after(milliseconds(2));
    timer.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (cable.plugged()) flush();
      tick();
    });
  }
  template <typename Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    loop.restart();
    while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_for(milliseconds(20));
    return condition();
  }

  Folder folder;
  boost::asio::io_context loop;
  LoopClock clock;
  PtyCable cable{loop, folder.file("merel-board")};
  boost::asio::steady_timer timer{loop};
  ShownBoard shown;
  std::optional<BoardEnd> board;
  std::uint32_t sessions = 0;
  std::array<PieceClass, 49> stands{};
  Heard heard;
  std::shared_ptr<LinkBoard> link = std::make_shared<LinkBoard>(
      loop, clock,
      [this] {
        LinkWiring wiring;
        wiring.device = folder.file("merel-board");
        return wiring;
      }(),
      49);
  LinkSource source{link, 49, false};
  LinkLights lights{link};
};

TEST_F(Terminal, MovesAndLightsGoThroughAndTwentyPulledCablesTellNothingFalse) {
  change(7, PieceClass::north);
  cable.plug();
  source.start(heard);
  ASSERT_TRUE(until([this] { return heard.health.well && heard.healths == 1; }));
  heard.take();
  std::vector<Lamp> picture(49);
  for (std::uint8_t i = 0; i < 20; ++i) {
    const std::uint8_t from = static_cast<std::uint8_t>(7 + i);
    change(from, PieceClass::none);
    change(static_cast<std::uint8_t>(from + 1), PieceClass::north);
    picture[48].colour.blue = static_cast<std::uint8_t>(i + 1);
    lights.show(picture);
    ASSERT_TRUE(until([&] { return shown.lights.count == 49 && shown.lights.lamps[48] == picture[48]; })) << int{i};
    EXPECT_TRUE(shown.on);
    EXPECT_EQ(heard.take(), std::to_string(from) + "- " + std::to_string(from + 1) + "+");

    cable.pull();
    ASSERT_TRUE(until([this] { return !heard.health.well; })) << int{i};
    if (i % 2 == 0) power_on();  // USB takes the power with it, a UART does not
    cable.plug();
    ASSERT_TRUE(until([&] { return heard.health.well && shown.on && shown.lights.lamps[48] == picture[48]; })) << int{i};
    EXPECT_EQ(heard.take(), "");
  }
  EXPECT_TRUE(heard.ordered);
  EXPECT_EQ(shown.settings.limit_ma, 1'500);
  const BoardFacts facts = link->facts();
  EXPECT_EQ(facts.counts.sessions, 21U);
  EXPECT_EQ(facts.counts.repaired, 0U);
  EXPECT_EQ(facts.counts.changes, 40U);
  EXPECT_EQ(facts.counts.unknown, 0U);
}

}  // namespace
}  // namespace merel::link
