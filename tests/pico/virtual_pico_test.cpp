// The board of `merel virtual-pico`, as one who has no Pico would use it: in words, and with mereld at its port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "daemon/live/state_json.h"
#include "tests/client/terminal.h"
#include "tests/pico/pico_table.h"

namespace merel {
namespace {

using testing::HasSubstr;

/// The command in a terminal of its own.
class WordBoard final : public LinkedBoard {
 public:
  explicit WordBoard(const Folder& folder) : port_(folder.file("port")), terminal_({"virtual-pico", "--ideal", port_}, {}) {
    if (!terminal_.shows("> ")) throw std::runtime_error("no prompt: " + terminal_.written());
  }

  /// Types a line and waits for the next prompt; what was said to it.
  std::string say(const std::string& line) {
    const std::size_t before = terminal_.written().size();
    terminal_.type(line + "\n");
    const bool answered = soon([&] {
      return terminal_.shows("") && terminal_.written().size() > before + line.size() + 2 &&
             terminal_.written().ends_with("> ");
    });
    if (!answered) throw std::runtime_error("no answer to " + line + ": " + terminal_.written());
    return terminal_.written().substr(before);
  }
  Terminal& terminal() { return terminal_; }

  [[nodiscard]] std::string device() const override { return port_; }
  void put(MagnetKind kind, bool north_up, lattice7::Spot spot) override {
    say("put " + cell_name(spot.file, spot.rank) + " " + std::string(name(kind)) + (north_up ? " north" : " south"));
  }
  void lift(lattice7::Spot spot) override { say("lift " + cell_name(spot.file, spot.rank)); }
  void press(std::uint8_t button, bool down) override { say((down ? "press " : "release ") + std::to_string(button + 1)); }
  void unplug() override { say("unplug"); }
  void plug() override { say("plug"); }

 private:
  std::string port_;
  Terminal terminal_;
};

TEST(VirtualPico, IsABoardToMereldWithHandsInWords) {
  const Folder folder;
  WordBoard board(folder);
  PicoTable table(board, folder);
  table.wait_joined();
  table.post("/api/game", {{"game", "morris"}});
  const auto steps = [&table] { return table.get("/api/games/running").at("steps"); };
  board.put(MagnetKind::strong, true, {0, 0, 1});
  ASSERT_TRUE(soon([&] { return steps() == Json::array({"+a1"}); })) << table.get("/api/state").dump(1);
  board.put(MagnetKind::strong, false, {3, 0, 1});
  ASSERT_TRUE(soon([&] { return steps() == Json::array({"+a1", "+d1"}); })) << table.get("/api/state").dump(1);

  board.unplug();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(board.device())));
  EXPECT_TRUE(soon([&] { return table.get("/api/sensors").at("source").at("well") == false; }));
  board.put(MagnetKind::strong, true, {6, 0, 1});
  board.plug();
  EXPECT_TRUE(soon([&] { return steps() == Json::array({"+a1", "+d1", "+g1"}); })) << table.get("/api/state").dump(1);

  // The man is led back, and the lights of the chain say where.
  table.post("/api/game/takeback");
  std::string said;
  EXPECT_TRUE(soon([&] {
    said = board.say("lights");
    return said.find_first_of("123456789ABCDEF") != std::string::npos;
  })) << said;
  board.terminal().type("quit\n");
  EXPECT_EQ(board.terminal().exit_code(), 0);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(board.device())));
}

TEST(VirtualPico, SaysWhatItCannotDoAndGoesOn) {
  const Folder folder;
  WordBoard board(folder);
  EXPECT_THAT(board.say("hop"), HasSubstr("? 'hop' is no command here; help lists the commands"));
  EXPECT_THAT(board.say("put z9 strong north"), HasSubstr("? 'z9' is no place"));
  EXPECT_THAT(board.say("press 5"), HasSubstr("? press wants the number of a button, 1 to 4"));
  EXPECT_THAT(board.say("wait long"), HasSubstr("? wait wants seconds"));
  EXPECT_THAT(board.say("help"), testing::AllOf(HasSubstr("put 2a1 sphere south"), HasSubstr("unplug")));
  board.say("put b1 strong north");
  const std::string levels = board.say("levels");
  EXPECT_THAT(levels, HasSubstr("2048 2048 2048 2048 2048 2048 2048")) << "the top rank, ideal parts";
  EXPECT_THAT(levels, testing::ContainsRegex("\n20[0-9][0-9] 29[0-9][0-9] 20[0-9][0-9] 20")) << "the lowest";
}

TEST(VirtualPico, TakesTheNameOfOneThatWasKilledButNobodyElses) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/pts/gone", folder.file("killed"));
  VirtualPico after(folder.file("killed"), kIdealParts, 1);
  EXPECT_TRUE(after.plug());
  EXPECT_TRUE(after.plugged());

  const std::string mine = folder.write("mine", "what I have written");
  VirtualPico other(mine, kIdealParts, 1);
  const auto plugged = other.plug();
  ASSERT_FALSE(plugged);
  EXPECT_THAT(plugged.error(), testing::AllOf(HasSubstr(mine), HasSubstr("name a path that is free")));
  EXPECT_FALSE(other.plugged());
  other.unplug();
  EXPECT_EQ(content(mine), "what I have written");

  VirtualPico second(folder.file("killed"), kIdealParts, 1);
  EXPECT_FALSE(second.plug()) << "the first is alive";
}

}  // namespace
}  // namespace merel
