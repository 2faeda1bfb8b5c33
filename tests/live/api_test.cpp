// The API of a whole daemon over its own socket: every route of docs/openapi.yaml, what it refuses, and the event stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "daemon/client/daemon_client.h"
#include "tests/live/houses.h"
#include "tests/places.h"

namespace merel {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kHome = "2W/1B1/3/3WW1/3/3/BB1 W 0 0 -";

class Api : public testing::Test {
 protected:
  Json call(const std::string& method, const std::string& target, const std::string& body = {}, unsigned status = 200) {
    const auto answer = client_.call(method, target, body);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error());
    if (!answer) return Json::object();
    EXPECT_EQ(answer->status, status) << method << " " << target << " " << body << ": " << answer->body;
    const Json out = Json::parse(answer->body, nullptr, false);
    return out.is_discarded() ? Json(answer->body) : out;
  }
  /// Polls the state until it is so.
  template <class Until>
  Json wait_for(Until until) {
    for (int tries = 0; tries < 4000; ++tries) {
      Json state = call("GET", "/api/state");
      if (until(state)) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "it did not come to that: " << call("GET", "/api/state").dump();
    return Json::object();
  }
  static Config quick(const Folder& folder) {
    Config config = config_in(folder, plain_board(7, true));
    config.tracker.settle = std::chrono::milliseconds(40);
    config.debounce.hold = std::chrono::milliseconds(4);
    return config;
  }

  Folder folder_;
  RunningHouse house_{quick(folder_)};
  DaemonClient client_{folder_.file("merel.sock")};
};

TEST_F(Api, PlaysAGameFromBeginningToExport) {
  EXPECT_EQ(call("GET", "/api/state")["phase"], "idle");
  const Json begun = call("POST", "/api/game", R"({"game":"morris","players":["Ann","Bo"],"clock":{"initial_s":60}})");
  EXPECT_EQ(begun["phase"], "play");
  EXPECT_EQ(begun["clock"]["left_ms"]["W"], 60'000);
  call("POST", "/api/sim/put", R"({"site":"a1","colour":"W"})");
  const Json state = wait_for([](const Json& now) { return now["game"]["steps"].size() == 1; });
  EXPECT_EQ(state["game"]["steps"], Json({"+a1"}));
  EXPECT_EQ(state["picture"], Json({{"a1", "W"}}));
  wait_for([](const Json& now) { return now["game"]["durable"] == now["game"]["event"]; });
  const std::string id = state["game"]["id"];
  EXPECT_THAT(std::string(call("GET", "/api/games/running?format=text")), HasSubstr("+a1"));
  EXPECT_EQ(call("DELETE", "/api/games", Json{{"ids", {id}}}.dump(), 409)["error"].empty(), false);
  call("POST", "/api/game/resign", R"({"player":"B"})");
  const Json kept = call("GET", "/api/games/" + id);
  EXPECT_EQ(call("GET", "/api/games")["games"][0]["ending"], "White wins: Black resigned");
  EXPECT_EQ(call("POST", "/api/games", kept.dump(), 409).contains("error"), true);
  EXPECT_EQ(call("DELETE", "/api/games", Json{{"ids", {id}}}.dump())["deleted"], 1);
  call("GET", "/api/games/" + id, "", 404);
  call("POST", "/api/games", kept.dump());
  EXPECT_EQ(call("GET", "/api/games/" + id), kept);
}

TEST_F(Api, EveryPathOfTheDescriptionIsThere) {
  std::ifstream in(std::string(MEREL_SOURCE) + "/docs/openapi.yaml");
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  const std::regex path("\n  (/[a-z/{}]*):");
  int count = 0;
  for (std::sregex_iterator at(all.begin(), all.end(), path), end; at != end; ++at, ++count) {
    const std::string target = std::regex_replace((*at)[1].str(), std::regex("\\{id\\}"), "latest");
    const auto answer = client_.call("HEAD", target);
    ASSERT_TRUE(answer) << target;
    if (target != "/api/games/latest") {
      EXPECT_NE(answer->status, 404U) << target;
    }
  }
  EXPECT_GT(count, 20);
}

TEST_F(Api, RefusesWhatItCannotDoAndSaysWhy) {
  struct Case {
    const char* target;
    const char* body;
    unsigned status;
    const char* error;
  };
  const std::vector<Case> idle = {
      {"/api/game", "[]", 400, "must be a JSON object"},
      {"/api/game", "{", 400, "not JSON"},
      {"/api/game", R"({"game":"chess"})", 400, "it is one of"},
      {"/api/game", R"({"game":7})", 400, "game: must be a text"},
      {"/api/game", R"({"gane":"morris"})", 400, "'gane' is not known here"},
      {"/api/game", R"({"game":"morris","options":{"flying":"maybe"}})", 400, "flying"},
      {"/api/game", R"({"game":"morris","position":"nonsense"})", 400, "column"},
      {"/api/game", R"({"game":"morris","players":["a","b","c"]})", 400, "is played by 2"},
      {"/api/game", R"({"clock":{"initial_s":0}})", 400, "initial_s"},
      {"/api/game", R"({"clock":{}})", 400, "initial_s: is missing"},
      {"/api/game/takeback", "", 409, "no game is running"},
      {"/api/game/choose", R"({"steps":["+a1"]})", 409, "no game is running"},
      {"/api/game/choose", "", 400, "steps: is missing"},
      {"/api/game/resign", "", 409, "no game is running"},
      {"/api/game/draw", R"({"player":"W"})", 409, "no game is running"},
      {"/api/game/abort", "", 409, "no game is running"},
      {"/api/help", R"({"on":1})", 400, "true or false"},
      {"/api/record", "", 400, "on: is missing"},
      {"/api/sim/lift", R"({"site":"z9"})", 400, "no sensor under"},
      {"/api/sim/lift", R"({"site":"a1"})", 409, "nothing stands there"},
      {"/api/sim/put", R"({"site":"a1"})", 409, "no piece is in the hand"},
      {"/api/sim/fault", R"({"kind":"haunted","site":"a1"})", 400, "must be stuck"},
      {"/api/sim/play", "no trace", 400, "trace:1"},
      {"/api/games", "no game", 400, ""},
  };
  for (const Case& c : idle) {
    const Json answer = call("POST", c.target, c.body, c.status);
    EXPECT_THAT(answer.value("error", ""), HasSubstr(c.error)) << c.target << " " << c.body;
  }
  call("POST", "/api/game", R"({"game":"morris"})");
  EXPECT_THAT(std::string(call("POST", "/api/game", "{}", 409)["error"]), HasSubstr("a game is running"));
  EXPECT_THAT(std::string(call("POST", "/api/game/resign", R"({"player":"R"})", 400)["error"]),
              HasSubstr("does not play here"));
  EXPECT_THAT(std::string(call("POST", "/api/game/choose", R"({"steps":["x"]})", 400)["error"]), HasSubstr("steps: 'x'"));
  call("GET", "/api/games?limit=0", "", 400);
  call("GET", "/api/games/latest?format=png", "", 400);
  call("GET", "/api/nothing", "", 404);
  call("DELETE", "/api/state", "", 405);
}

TEST_F(Api, EventStreamBeginsWithTheStateAndNumbersEveryChange) {
  std::vector<Json> heard;
  std::thread follower([&] {
    [[maybe_unused]] const auto end = client_.follow([&](const std::string& text) {
      heard.push_back(Json::parse(text));
      return heard.back()["type"] != "over";
    });
  });
  for (int tries = 0; tries < 2000 && house_.on_loop([&] { return house_.daemon.server().statistics().streams; }) == 0;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  call("POST", "/api/game", R"({"game":"morris"})");
  call("POST", "/api/sim/put", R"({"site":"a1","colour":"W"})");
  wait_for([](const Json& now) { return now["game"]["durable"] == 1; });
  call("POST", "/api/game/resign");
  follower.join();
  ASSERT_GT(heard.size(), 5U);
  EXPECT_EQ(heard[0]["type"], "state");
  std::set<std::string> types;
  for (std::size_t i = 1; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i]["seq"], heard[i - 1]["seq"].get<int>() + 1);
    types.insert(heard[i]["type"].get<std::string>());
  }
  for (const char* type : {"game", "phase", "picture", "step", "durable", "scene", "view", "over"}) {
    EXPECT_TRUE(types.contains(type)) << type;
  }
}

// 18. Whatever the log calls illegal, the lights and the API say too.
TEST_F(Api, IllegalPictureIsToldAndLit) {
  call("POST", "/api/game", Json{{"game", "morris"}, {"position", kHome}}.dump());
  call("POST", "/api/sim/arrange", R"({"to":"record"})");
  wait_for([](const Json& now) { return now["phase"] == "play"; });
  call("POST", "/api/sim/put", R"({"site":"a7","colour":"B"})");
  const Json state = wait_for([](const Json& now) { return !now["view"]["complaint"].is_null(); });
  EXPECT_EQ(state["lights"]["a7"][0], "illegal");
  EXPECT_THAT(std::string(state["view"]["advice"]), Not(IsEmpty()));
  EXPECT_THAT(std::string(call("GET", "/metrics")), HasSubstr("merel_illegal_total 1\n"));
  call("POST", "/api/sim/lift", R"({"site":"a7"})");
  wait_for([](const Json& now) { return now["view"]["complaint"].is_null(); });
}

TEST_F(Api, SensorsTellCellChannelAndHealth) {
  call("POST", "/api/game", R"({"game":"morris"})");
  call("POST", "/api/sim/fault", R"({"kind":"flapping","site":"d1"})");
  for (int tries = 0; tries < 4000; ++tries) {
    bool flapping = false;
    const Json answer = call("GET", "/api/sensors");
    for (const Json& sensor : answer["sensors"]) flapping = flapping || (sensor["cell"] == "d1" && sensor["flapping"]);
    if (flapping) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Json sensors = call("GET", "/api/sensors")["sensors"];
  ASSERT_EQ(sensors.size(), 49U);
  const Json& d1 = sensors[21];
  EXPECT_EQ(d1["cell"], "d1");
  EXPECT_EQ(d1["site"], "d1");
  EXPECT_EQ(d1["flapping"], true);
  EXPECT_EQ(sensors[1]["site"], "") << "a2 is no point of Nine Men's Morris";
  EXPECT_EQ(call("GET", "/api/sim")["faults"][0]["kind"], "flapping");
  call("POST", "/api/sim/fault", R"({"kind":"none"})");
}

// 37. One request gathers what a report needs.
TEST_F(Api, SupportGathersVersionsHealthTraceAndLog) {
  call("POST", "/api/game", R"({"game":"morris"})");
  call("POST", "/api/sim/put", R"({"site":"a1","colour":"W"})");
  const Json report = call("GET", "/api/support");
  for (const char* key :
       {"versions", "profile", "config", "state", "sensors", "journal", "server", "metrics", "trace", "log"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_THAT(std::string(report["trace"]), HasSubstr(" 0 0\n"));
  EXPECT_EQ(report.dump().find("token\":"), std::string::npos);
}

TEST_F(Api, TraceIsPlayedByTheHandsOfTheVirtualBoard) {
  const Json played =
      call("POST", "/api/sim/play", "merel-trace 1\ngame morris\nsensing colour\n---\n100 a1 W\n400 d1 B\n600 end\n");
  EXPECT_EQ(played["ends_in_s"], 0.6);
  const Json state = wait_for([](const Json& now) { return now["game"]["steps"].size() == 2; });
  EXPECT_EQ(state["game"]["steps"], Json({"+a1", "+d1"}));
}

TEST_F(Api, TraceOfTheRunningGameIsWholeAtAnyMoment) {
  call("POST", "/api/record", R"({"on":true})");
  call("POST", "/api/game", R"({"game":"morris"})");
  call("POST", "/api/sim/put", R"({"site":"a1","colour":"W"})");
  wait_for([](const Json& now) { return now["game"]["steps"].size() == 1; });
  const auto answer = client_.call("GET", "/api/games/running?format=trace");
  ASSERT_TRUE(answer);
  const auto trace = read_trace(answer->body);
  ASSERT_TRUE(trace) << trace.error().text("trace") << "\n" << answer->body;
  EXPECT_EQ(trace->events.size(), 2U);
}

}  // namespace
}  // namespace merel
