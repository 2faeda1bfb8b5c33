// The parts of `merel` that only judge and speak: the daemon's messages in words and as a picture, sensors on a walk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/merel/live_state.h"
#include "daemon/merel/sensor_walk.h"
#include "daemon/merel/state_words.h"

namespace {

using merel::Json;
using merel::LiveState;
using merel::SensorVerdict;
using merel::SensorWalk;
using testing::HasSubstr;
using testing::IsEmpty;

Json morris_state() {
  return Json::parse(R"({"seq":7,"type":"state","board":{"name":"virtual7","well":true,"what":""},"phase":"play","help":true,
    "game":{"id":"x","game":"morris","title":"Nine Men's Morris","options":{},"players":["Anna"],"start":"3/3/3/6/3/3/3 W 9 9 -",
            "steps":["+d2"],"position":"3/3/3/6/3/1W1/3 B 8 9 -","to_act":"B","result":"unfinished","closing":"open","ending":""},
    "clock":{"initial_ms":600000,"increment_ms":0,"left_ms":{"W":598001,"B":3661000},"running":"B"},"draw_offers":[],
    "picture":{"d2":"o"},"view":{"in_hand":[],"advice":"Black puts a man on the board"},
    "lights":{"d2":["last","dim-white","solid"]},"journal":{"well":true,"what":"","backlog":0,"dropped":0}})");
}

TEST(EventLine, SaysItInASentence) {
  const struct {
    const char* event;
    const char* sentence;
  } cases[] = {
      {R"({"type":"step","player":"W","step":"+d2"})", "White puts a man on d2"},
      {R"({"type":"step","player":"B","step":"d2-d3"})", "Black moves d2-d3"},
      {R"({"type":"step","player":"W","step":"xg4"})", "White takes the man from g4"},
      {R"({"type":"step","player":"W","step":"stop"})", "White takes no more"},
      {R"({"type":"step","player":"W","step":"1a2-2a1"})", "White raises 1a2-2a1"},
      {R"({"type":"amend","removed":["+d2"],"added":["+d3"]})", "Corrected: +d3 instead of +d2"},
      {R"({"type":"amend","removed":["+d2"],"added":[]})", "Not played after all: +d2"},
      {R"({"type":"takeback","steps":["d2-d3","xg4"]})", "Taken back: d2-d3 xg4"},
      {R"({"type":"illegal","sentence":"no man moves","sites":["d2","d3"]})", "Illegal: no man moves (d2, d3)"},
      {R"({"type":"ambiguous","candidates":[["d2-d3"],[]]})", "Which was it: d2-d3, or nothing?"},
      {R"({"type":"fault","site":"d3","kind":"stuck"})", "The sensor at d3 is stuck; the game goes on without it"},
      {R"({"type":"draw_offer","player":"B"})", "Black offers a draw"},
      {R"({"type":"over","ending":"White wins: Black resigned"})", "White wins: Black resigned"},
      {R"({"type":"game","game":null})", "The board has no game"},
      {R"({"type":"health","well":false,"what":"the cable is out"})", "the cable is out"},
      {R"({"type":"journal","journal":{"well":false,"what":"the disk is full"}})", "the disk is full"},
      {R"({"type":"ignored","event":"takeback","why":"nothing was played"})", "Ignored a takeback: nothing was played"},
      {R"({"type":"help","on":false})", "The helping lights are off"},
      {R"({"type":"scene","lights":{}})", ""},
      {R"({"type":"something new"})", ""},
  };
  for (const auto& c : cases)
    EXPECT_EQ(merel::event_line(Json::parse(c.event), merel::find_game("morris")), c.sentence) << c.event;
}

TEST(Messages, ThatAreNotWhatWasAgreedCrashNothing) {
  for (const char* type :
       {"state",      "step",    "amend", "takeback",  "illegal",     "resolved", "ambiguous", "out",   "fault",
        "draw_offer", "restart", "over",  "game",      "phase",       "picture",  "view",      "scene", "clock",
        "durable",    "ignored", "help",  "recording", "draw_offers", "health",   "journal",   "config"}) {
    for (const char* value : {"null", "1", "\"x\"", "[]", "[1,[2],null]", "{}", "{\"a\":[]}"}) {
      for (const Json& before : {Json(nullptr), Json::parse(R"({"type":"state"})"), morris_state()}) {
        Json message{{"type", type}};
        for (const char* key : {"game",   "board",    "phase",       "view",    "lights", "clock",      "journal",
                                "player", "step",     "steps",       "removed", "added",  "candidates", "sites",
                                "site",   "contents", "draw_offers", "picture", "on",     "well",       "what"}) {
          message[key] = Json::parse(value);
        }
        for (const Json& told : {message, Json{{"type", type}}, Json::parse(value)}) {
          LiveState live;
          live.apply(before);
          live.apply(told);
          (void)merel::event_line(told, merel::game_of(live.state()));
          EXPECT_THAT(merel::status_lines(live.state()), Not(IsEmpty()));
          (void)merel::draw_state(live.state(), 80, merel::Ink::colour);
        }
        SensorWalk walk;
        walk.look(message);
      }
    }
  }
}

TEST(Status, SaysWhatMatters) {
  const auto lines = merel::status_lines(morris_state());
  EXPECT_THAT(lines, testing::ElementsAre("Nine Men's Morris, in play", "White Anna", "Black to act, 1 step, the last +d2",
                                          "Clock: White 9:59, Black 1:01:01", "Black puts a man on the board"));
  Json sick = morris_state();
  sick["board"]["well"] = false;
  sick["board"]["what"] = "port /dev/merel is missing";
  sick["journal"] = {{"well", false}, {"what", "the disk is full"}, {"backlog", 3}, {"dropped", 1}};
  const auto faults = merel::fault_lines(sick);
  EXPECT_THAT(faults,
              testing::ElementsAre("Board: port /dev/merel is missing",
                                   "Archive: the disk is full (still to be written: 3 events)", "Archive: lost 1 event"));
  EXPECT_THAT(merel::clock_words(morris_state(), 61'000), HasSubstr("Black 1:00:00"));
}

TEST(Status, NamesFromElsewhereDoNothingToTheTerminal) {
  Json state = morris_state();
  state["game"]["players"] = {
      "A\x1b[2J\x07\n\xC2\x9B"
      "31mB",
      "Zo\xC3\xAB"};
  EXPECT_EQ(merel::status_lines(state)[1], "White A [2J    31mB, Black Zo\xC3\xAB");
}

TEST(LiveState, FollowsTheGame) {
  LiveState live;
  live.apply(morris_state());
  const auto tell = [&live](const char* message) { live.apply(Json::parse(message)); };
  const auto position = [&live] { return live.state()["game"]["position"].get<std::string>(); };
  tell(R"({"type":"step","player":"B","step":"+d6"})");
  EXPECT_EQ(position(), "3/1B1/3/6/3/1W1/3 W 8 8 -");
  EXPECT_EQ(live.state()["game"]["to_act"], "W");
  tell(R"({"type":"amend","removed":["+d6"],"added":["+f6"]})");
  EXPECT_EQ(position(), "3/2B/3/6/3/1W1/3 W 8 8 -");
  tell(R"({"type":"takeback","steps":["+f6"]})");
  EXPECT_EQ(position(), "3/3/3/6/3/1W1/3 B 8 9 -");
  tell(R"({"type":"picture","site":"f6","contents":"o"})");
  EXPECT_EQ(live.state()["picture"].dump(), R"({"d2":"o","f6":"o"})");
  tell(R"({"type":"picture","site":"d2","contents":"."})");
  EXPECT_EQ(live.state()["picture"].dump(), R"({"f6":"o"})");
  tell(R"({"type":"over","result":"W","closing":"resigned","ending":"White wins: Black resigned"})");
  EXPECT_EQ(live.state()["game"]["ending"], "White wins: Black resigned");
  tell(R"({"type":"health","well":false,"what":"gone"})");
  EXPECT_EQ(live.state()["board"]["what"], "gone");
}

TEST(LiveState, IsDrawnWithItsLights) {
  Json state = morris_state();
  state["view"]["out_of_place"] = {"d6"};
  state["lights"]["a1"] = {"put", "faint-W", "breathing"};
  const auto lines = merel::draw_state(state, 80, merel::Ink::plain);
  EXPECT_THAT(lines, testing::Contains(" 2      .      (W)      ."));
  EXPECT_THAT(lines, testing::Contains(" 6      .       o       ."));
  EXPECT_THAT(lines, testing::Contains(" 1 +.+          .           ."));
  EXPECT_THAT(lines.back(), HasSubstr("( ) last turn"));
}

/// What `/api/sensors` answers when the cells have changed so often.
Json sensors(const std::vector<std::pair<std::string, int>>& changes) {
  Json out{{"source", {{"well", true}, {"what", ""}}}, {"sensors", Json::array()}};
  for (const auto& [cell, count] : changes) {
    out["sensors"].push_back({{"cell", cell}, {"channel", 1}, {"contents", "."}, {"raw", "."}, {"changes", count}});
  }
  return out;
}

TEST(SensorWalk, JudgesBySensorsThatChangeOrDoNot) {
  const struct {
    const char* what;
    std::vector<std::pair<int, int>> looks;  // changes of a1 and a2
    SensorVerdict a1;
    SensorVerdict a2;
  } cases[] = {
      {"nothing happens", {{5, 5}, {5, 5}}, SensorVerdict::untouched, SensorVerdict::untouched},
      {"put", {{5, 5}, {6, 5}}, SensorVerdict::half, SensorVerdict::untouched},
      {"put and lifted", {{5, 5}, {6, 5}, {6, 5}, {7, 5}}, SensorVerdict::seen, SensorVerdict::untouched},
      {"both always together", {{0, 0}, {1, 1}, {1, 1}, {2, 2}}, SensorVerdict::together, SensorVerdict::together},
      {"slid over once", {{0, 0}, {1, 0}, {2, 1}, {2, 2}}, SensorVerdict::seen, SensorVerdict::seen},
      {"together at first only", {{0, 0}, {1, 1}, {2, 2}, {3, 2}, {3, 3}}, SensorVerdict::seen, SensorVerdict::seen},
      {"the daemon was restarted", {{9, 9}, {0, 0}, {1, 0}}, SensorVerdict::half, SensorVerdict::untouched},
  };
  for (const auto& c : cases) {
    SensorWalk walk;
    for (const auto& [a1, a2] : c.looks) walk.look(sensors({{"a1", a1}, {"a2", a2}}));
    EXPECT_EQ(walk.find("a1")->verdict, c.a1) << c.what;
    EXPECT_EQ(walk.find("a2")->verdict, c.a2) << c.what;
  }
}

TEST(SensorWalk, FlappingIsWhatNoHandCanDoAndStays) {
  SensorWalk walk;
  walk.look(sensors({{"a1", 0}}));
  for (int i = 1; i < SensorWalk::kFlapping; ++i) walk.look(sensors({{"a1", 12 * i}}));
  EXPECT_EQ(walk.find("a1")->verdict, SensorVerdict::seen);
  walk.look(sensors({{"a1", 12 * SensorWalk::kFlapping}}));
  EXPECT_EQ(walk.find("a1")->verdict, SensorVerdict::flapping);
  for (int i = 0; i < 20; ++i) walk.look(sensors({{"a1", 12 * SensorWalk::kFlapping}}));
  EXPECT_EQ(walk.find("a1")->verdict, SensorVerdict::flapping);
}

}  // namespace
