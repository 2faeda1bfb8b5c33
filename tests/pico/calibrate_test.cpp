// A board is calibrated as an owner does it, through mereld and the firmware's core: by the command, by the API, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "drivers/hall/hand_words.h"
#include "tests/client/terminal.h"
#include "tests/pico/pico_table.h"

namespace merel {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kCells = {"b2", "b6", "f2", "f6"};

lattice7::Spot spot(const std::string& cell) { return *read_spot(cell); }

class Calibrating : public testing::Test {
 protected:
  Calibrating() { table.wait_joined(); }

  /// The answer to a request that is refused: 409, say, and the sentence.
  [[nodiscard]] std::string refused(const std::string& method, const std::string& target, const Json& body) const {
    const auto answer = DaemonClient(table.socket()).call(method, target, body.is_null() ? "" : body.dump());
    if (!answer) return answer.error();
    return std::to_string(answer->status) + " " + Json::parse(answer->body).value("error", "");
  }
  /// A picture of four strong pieces.
  [[nodiscard]] static Json pegs(const char* pole) {
    return {{"picture", "pieces"}, {"kind", "strong"}, {"pole", pole}, {"cells", kCells}};
  }
  void put_pegs(bool north) {
    for (const std::string& cell : kCells) board.put(MagnetKind::strong, north, spot(cell));
  }
  void lift_pegs() {
    for (const std::string& cell : kCells) board.lift(spot(cell));
  }
  [[nodiscard]] Json used() const { return table.get("/api/calibration").at("used"); }

  Folder folder;
  CoreBoard board{folder.file(""), PartSpread{}, 7};
  PicoTable table{board, folder};
};

TEST_F(Calibrating, TheCommandLeadsThroughItAndTheBoardKeepsItWithoutPower) {
  EXPECT_TRUE(used().is_null());
  Terminal terminal({"calibrate"}, {"MEREL_SOCKET=" + table.socket()});
  ASSERT_TRUE(terminal.shows("Take every piece off the board, then press Enter")) << terminal.written();
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("Put 4 pegs or men with the north pole up on b2, b6, f2, f6")) << terminal.written();
  EXPECT_THAT(terminal.written(), AllOf(HasSubstr("lights off: recorded"), HasSubstr("lights on: recorded")));
  put_pegs(true);
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("Put 4 pegs or men with the south pole up")) << terminal.written();
  put_pegs(false);
  terminal.type("\n");
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_THAT(terminal.written(), AllOf(HasSubstr("a1 "), HasSubstr("thresholds: a piece from "),
                                        HasSubstr("The board (revision 1) keeps this calibration.")));
  const Json calibrated = used();
  EXPECT_EQ(calibrated.at("revision"), 1);
  board.unplug();
  board.plug();
  table.wait_joined();
  EXPECT_EQ(table
                .wait_for(
                    "/api/calibration", [](const Json& state) { return !state.at("used").is_null(); }, 5)
                .at("used"),
            calibrated);
}

TEST_F(Calibrating, TheCommandThatIsGivenUpChangesNothing) {
  Terminal terminal({"calibrate"}, {"MEREL_SOCKET=" + table.socket()});
  ASSERT_TRUE(terminal.shows("Take every piece off the board"));
  terminal.type("\x04");  // Ctrl-D
  EXPECT_EQ(terminal.exit_code(), 1);
  EXPECT_THAT(terminal.written(), HasSubstr("calibrate: given up; nothing has been changed"));
  EXPECT_TRUE(used().is_null());
}

TEST_F(Calibrating, ABoardThatCannotBeReadSafelyIsRefusedByTheCommandWithTheSiteAndTheReason) {
  board.damage([](AnalogueBoard& damaged) { damaged.interfere(0, 60); });
  Terminal terminal({"calibrate", "--cells", "b2,f6"}, {"MEREL_SOCKET=" + table.socket()});
  ASSERT_TRUE(terminal.shows("Take every piece off the board"));
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("- Site a1 shifts by ")) << terminal.written();
  ASSERT_TRUE(terminal.shows("or type 'leave' to go on as it is: ")) << terminal.written();
  terminal.type("leave\n");
  for (const bool north : {true, false}) {
    ASSERT_TRUE(terminal.shows(north ? "Put 2 pegs or men with the north pole up on b2, f6" : "with the south pole up"));
    for (const char* cell : {"b2", "f6"}) board.put(MagnetKind::strong, north, spot(cell));
    terminal.type("\n");
  }
  EXPECT_EQ(terminal.exit_code(), 1);
  EXPECT_THAT(terminal.written(),
              AllOf(HasSubstr("The calibration is refused, and nothing has been changed:\r\n- Site a1 shifts by "),
                    HasSubstr("when the lights go on")));
  EXPECT_TRUE(used().is_null());
}

TEST_F(Calibrating, APieceOnTheWrongCellIsToldAtOnceAndLookedAtAgain) {
  Terminal terminal({"calibrate"}, {"MEREL_SOCKET=" + table.socket()});
  ASSERT_TRUE(terminal.shows("Take every piece off the board"));
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("Put 4 pegs or men with the north pole up"));
  put_pegs(true);
  board.lift(spot("f2"));
  board.put(MagnetKind::strong, true, spot("g2"));
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("- Site f2 does not react to ")) << terminal.written();
  EXPECT_TRUE(terminal.shows(", but g2 does")) << terminal.written();
  board.lift(spot("g2"));
  board.put(MagnetKind::strong, true, spot("f2"));
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("Put 4 pegs or men with the south pole up")) << terminal.written();
  put_pegs(false);
  terminal.type("\n");
  EXPECT_EQ(terminal.exit_code(), 0) << terminal.written();
}

TEST_F(Calibrating, TheApiTellsWhatHasBeenRecordedAndForgetsIt) {
  table.post("/api/calibration", {{"picture", "dark"}});
  put_pegs(true);
  const Json recorded = table.post("/api/calibration", pegs("north")).at("recorded");
  ASSERT_EQ(recorded.size(), 2U);
  EXPECT_EQ(recorded[0].at("picture"), "dark");
  EXPECT_EQ(recorded[1].at("cells"), Json(kCells));
  EXPECT_EQ(recorded[1].at("scans"), 64);
  // A second picture of the same takes the place of the first.
  EXPECT_EQ(table.post("/api/calibration", pegs("north")).at("recorded").size(), 2U);
  const auto forgotten = DaemonClient(table.socket()).call("DELETE", "/api/calibration");
  ASSERT_TRUE(forgotten.ok());
  EXPECT_TRUE(Json::parse(forgotten->body).at("recorded").empty());
}

TEST_F(Calibrating, TooLittleHasBeenRecordedIsAFinding) {
  const Json answer = table.post("/api/calibration/finish");
  EXPECT_EQ(answer.at("good"), false);
  EXPECT_EQ(answer.at("findings").at(0).at("fault"), "too_few_scans");
  EXPECT_TRUE(used().is_null());
}

TEST_F(Calibrating, PolesTheWrongWayRoundAreFoundBySite) {
  table.post("/api/calibration", {{"picture", "dark"}});
  put_pegs(true);
  board.put(MagnetKind::strong, false, spot("f2"));
  const Json told = table.post("/api/calibration", pegs("north")).at("findings");
  ASSERT_EQ(told.size(), 1U) << told.dump(1);
  EXPECT_EQ(told[0].at("site"), "f2");
  put_pegs(false);
  EXPECT_TRUE(table.post("/api/calibration", pegs("south")).at("findings").empty());
  lift_pegs();
  const Json answer = table.post("/api/calibration/finish");
  EXPECT_EQ(answer.at("good"), false);
  ASSERT_EQ(answer.at("findings").size(), 1U) << answer.dump(1);
  EXPECT_EQ(answer.at("findings")[0].at("fault"), "wrong_pole");
  EXPECT_EQ(answer.at("findings")[0].at("site"), "f2");
}

TEST_F(Calibrating, WhatCannotBeRecordedIsRefusedWithTheReason) {
  const auto picture = [this](const Json& body) { return refused("POST", "/api/calibration", body); };
  EXPECT_THAT(picture(Json::object()), HasSubstr("400 picture"));
  EXPECT_THAT(picture({{"picture", "bright"}}), HasSubstr("400 picture: 'bright' is not known"));
  Json body = pegs("north");
  body["kind"] = "iron";
  EXPECT_THAT(picture(body), HasSubstr("400 kind: must be strong, weak or sphere"));
  body = pegs("up");
  EXPECT_THAT(picture(body), HasSubstr("400 pole: must be north or south"));
  body = pegs("north");
  body["cells"] = {"h9"};
  EXPECT_THAT(picture(body), HasSubstr("400 cells: this board has no sensor under 'h9'"));
  body["cells"] = Json::array();
  EXPECT_THAT(picture(body), HasSubstr("400 cells: names the cells"));
}

TEST_F(Calibrating, OneThingAtATime) {
  // Two requests of the same moment: the first records, the second is told so, and its lights do not shine into the first.
  board.damage([](AnalogueBoard& damaged) { damaged.interfere(0, 200); });
  std::string second;
  std::thread other([&] {
    const auto recording = [this] { return refused("POST", "/api/calibration/finish", Json::object()).starts_with("409 "); };
    if (soon(recording)) second = refused("POST", "/api/calibration", {{"picture", "lit"}});
  });
  table.post("/api/calibration", {{"picture", "dark"}});
  other.join();
  EXPECT_EQ(second, "409 a picture is being recorded; wait for it");
  put_pegs(true);
  table.post("/api/calibration", pegs("north"));
  lift_pegs();
  put_pegs(false);
  table.post("/api/calibration", pegs("south"));
  lift_pegs();
  EXPECT_EQ(table.post("/api/calibration/finish").at("good"), true);

  table.post("/api/game", {{"game", "morris"}});
  EXPECT_EQ(refused("POST", "/api/calibration", {{"picture", "dark"}}),
            "409 a game is on the board; end it first (merel abort)");
}

TEST_F(Calibrating, ABoardThatIsPulledOutIsToldAndHasItsLightsBack) {
  std::string answer;
  std::thread other([&] { answer = refused("POST", "/api/calibration", {{"picture", "lit"}}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  board.unplug();
  other.join();
  EXPECT_THAT(answer, HasSubstr("409 "));
  EXPECT_THAT(refused("POST", "/api/calibration", {{"picture", "dark"}}), HasSubstr("409 The board"));
  EXPECT_EQ(refused("POST", "/api/calibration/finish", Json::object()),
            "409 the board does not answer; nothing has been changed");
  board.plug();
  table.wait_joined();
  table.post("/api/calibration", {{"picture", "dark"}});
}

TEST_F(Calibrating, PicturesOfTwoBoardsMakeNoCalibration) {
  table.post("/api/calibration", {{"picture", "dark"}});
  board.unplug();
  board.plug();  // it may be another one
  table.wait_joined();
  const std::string sentence =
      "409 the board has been changed or started anew since the first picture; begin the calibration again";
  EXPECT_EQ(refused("POST", "/api/calibration", {{"picture", "lit"}}), sentence);
  EXPECT_EQ(refused("POST", "/api/calibration/finish", Json::object()), sentence);
  ASSERT_TRUE(DaemonClient(table.socket()).call("DELETE", "/api/calibration").ok());
  table.post("/api/calibration", {{"picture", "dark"}});
}

TEST_F(Calibrating, NoGameBeginsInTheMiddleOfAPicture) {
  std::string answer;
  std::thread other([&] {
    const auto recording = [this] { return refused("DELETE", "/api/calibration", {}).starts_with("409 "); };
    if (soon(recording)) answer = refused("POST", "/api/game", {{"game", "morris"}});
  });
  table.post("/api/calibration", {{"picture", "dark"}});
  other.join();
  EXPECT_EQ(answer, "409 the board is being calibrated; wait for it");
}

TEST_F(Calibrating, WhoLooksSeesEverySensorsLevel) {
  const Json calibrated = table.calibrate({MagnetKind::strong});
  ASSERT_EQ(calibrated.at("good"), true) << calibrated.dump(1);
  board.put(MagnetKind::strong, false, spot("c4"));
  const auto level = [](const Json& sensors, const std::string& cell) {
    for (const Json& sensor : sensors.at("sensors")) {
      if (sensor.at("cell") == cell) return sensor.value("level", Json());
    }
    return Json();
  };
  const auto is_south = [&](const Json& sensors) { return level(sensors, "c4").value("pole", "") == "south"; };
  const Json seen = table.wait_for("/api/sensors", is_south, 10);
  const Json piece = level(seen, "c4");
  EXPECT_NEAR(piece.at("counts").get<double>() - piece.at("baseline").get<double>(), -nominal_deviation(MagnetKind::strong),
              250)
      << piece.dump();
  EXPECT_GT(piece.at("margin"), 100);
  const Json nothing = level(seen, "g1");
  EXPECT_NEAR(nothing.at("counts").get<double>(), nothing.at("baseline").get<double>(), 12) << nothing.dump();
  EXPECT_EQ(nothing.at("pole"), "");
}

}  // namespace
}  // namespace merel
