// What a board with a Pico goes through in a game: a cable that is pulled, a mereld that is killed.
#include <gtest/gtest.h>

#include "tests/client/terminal.h"
#include "tests/pico/pico_table.h"

namespace merel {
namespace {

class Breaks : public testing::Test {
 protected:
  Breaks() { table.wait_joined(); }

  [[nodiscard]] std::size_t times_logged(const std::string& text) const {
    const std::string log = table.log();
    std::size_t times = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++times;
    return times;
  }
  [[nodiscard]] Json steps() const { return table.get("/api/games/running").at("steps"); }

  Folder folder;
  CoreBoard board{folder.file(""), PartSpread{}, 7};
  PicoTable table{board, folder};
};

TEST_F(Breaks, ABoardThatGoesIsLoggedOnceForItsSensorsAndLights) {
  board.unplug();
  const auto gone = [](const Json& sensors) {
    return sensors.at("source").at("well") == false && sensors.at("lights").at("well") == false;
  };
  const Json sensors = table.wait_for("/api/sensors", gone, 10);
  ASSERT_TRUE(gone(sensors));
  board.plug();
  // The log is written by a thread of its own.
  ASSERT_TRUE(soon([this] { return times_logged("The board answers again") > 0; })) << table.log();
  EXPECT_EQ(times_logged(sensors.at("source").at("what")), 1U) << table.log();
  EXPECT_EQ(times_logged("answers again"), 1U) << table.log();
  EXPECT_EQ(times_logged("answer again"), 0U) << table.log();
}

TEST_F(Breaks, SpheresOfTheSecondLevelAreKnownAgainAfterARestart) {
  const Json calibrated = table.calibrate({MagnetKind::sphere});
  ASSERT_EQ(calibrated.at("good"), true) << calibrated.dump(1);
  Trace game;
  game.game = find_game("pylos-standard");
  game.options = game.game->defaults();
  game.start = *game.game->read(game.options, "3B/2BB/BWWB/BWWW|3/2W/WB1|2/2|1 W -");
  table.arrange(game);
  table.begin(game);
  table.restart();
  table.wait_joined();
  const auto in_order = [](const Json& state) {
    return state.at("phase") == "play" && state.value("trouble", Json()).is_null();
  };
  ASSERT_TRUE(in_order(table.wait_for("/api/state", in_order, 10))) << table.get("/api/state").dump(1);
  EXPECT_TRUE(steps().empty());
  board.put(MagnetKind::sphere, true, {5, 1, 2});  // 2c1
  const auto played = [this](const Json& /*state*/) { return !steps().empty(); };
  table.wait_for("/api/state", played, 10);
  EXPECT_EQ(steps(), Json::array({"+2c1"})) << table.get("/api/state").dump(1);
}

}  // namespace
}  // namespace merel
