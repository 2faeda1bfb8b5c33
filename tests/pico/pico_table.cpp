#include "tests/pico/pico_table.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "daemon/picture.h"
#include "drivers/hall/hand_words.h"
#include "tests/client/terminal.h"
#include "tests/places.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

BoardProfile profile_on(const std::string& device, const Folder& home) {
  std::string text = content(std::string(MEREL_SOURCE) + "/boards/lattice7-pico.toml");
  const std::string from = "\"/dev/merel-board\"";
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the profile names no device");
  text.replace(at, from.size(), '"' + device + '"');
  std::ofstream(home.file("board.toml")) << text;
  auto read = read_profile_text(text, "board.toml");
  if (!read) throw std::runtime_error(read.error().front().text());
  return *read;
}

}  // namespace

PicoTable::PicoTable(LinkedBoard& board, const Folder& home, const std::string& settings)
    : board_(board), home_(home), profile_(profile_on(board.device(), home)) {
  std::ofstream(home.file("merel.toml")) << "board = \"" << home.file("board.toml") << "\"\n[server]\nlisten = []\n"
                                         << settings;
  restart();
}

void PicoTable::restart() {
  daemon_.reset();
  daemon_ = std::make_unique<DaemonProcess>(MEREL_DAEMON, MEREL_SOURCE, home_.file(""), home_.file("merel.toml"));
}

PicoTable::~PicoTable() {
  const int status = daemon_->end(SIGKILL);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) std::cout << "mereld has ended by itself:\n" << log();
}

std::string PicoTable::log() const { return content(home_.file("log")); }

Json PicoTable::ask(const std::string& method, const std::string& target, const std::string& body) const {
  const auto answer = daemon_->client().call(method, target, body);
  if (!answer) throw std::runtime_error(target + ": " + answer.error());
  if (answer->status != 200) throw std::runtime_error(target + ": " + answer->body);
  return Json::parse(answer->body);
}

Json PicoTable::wait_for(const std::string& target, const std::function<bool(const Json&)>& fits, int seconds) const {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    Json answer = get(target);
    if (fits(answer) || Clock::now() > end) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PicoTable::wait_joined() const {
  const auto joined = [](const Json& board) { return board.at("joined") == true; };
  const Json board = wait_for("/api/calibration", joined, 20);
  if (!joined(board)) throw std::runtime_error("the board does not come: " + board.dump());
}

Json PicoTable::calibrate(const std::vector<MagnetKind>& kinds) {
  post("/api/calibration", {{"picture", "dark"}});
  post("/api/calibration", {{"picture", "lit"}});
  for (const MagnetKind kind : kinds) {
    const std::vector<std::string> cells = kind == MagnetKind::sphere ? std::vector<std::string>{"a1", "a5", "e1", "e5"}
                                                                      : std::vector<std::string>{"b2", "b6", "f2", "f6"};
    for (const bool north : {true, false}) {
      for (const std::string& cell : cells) board_.put(kind, north, *read_spot(cell));
      post("/api/calibration",
           {{"picture", "pieces"}, {"kind", name(kind)}, {"pole", north ? "north" : "south"}, {"cells", cells}});
      for (const std::string& cell : cells) board_.lift(*read_spot(cell));
    }
  }
  return post("/api/calibration/finish");
}

/// The magnets of that game's pieces, by player (docs/pico.md).
void PicoTable::set(const Trace& trace, std::uint16_t channel, Contents contents) {
  const auto sites = profile_.sites(geometry(trace.start));
  lattice7::Spot spot{static_cast<std::uint8_t>(channel % 7), static_cast<std::uint8_t>(channel / 7), 1};
  if (channel < sites.size() && sites[channel] != kNoSite) spot.level = geometry(trace.start).info(sites[channel]).level;
  if (contents.is_empty()) return board_.lift(spot);
  const Player player = contents.player();
  const bool pylos = std::string_view(trace.game->name).rfind("pylos", 0) == 0;
  const MagnetKind kind = pylos ? MagnetKind::sphere : player < 2 ? MagnetKind::strong : MagnetKind::weak;
  board_.put(kind, player % 2 == 0, spot);
}

/// Spheres where no sensor reaches lie there as well, as soon as somebody has said so.
void PicoTable::raise(const Trace& trace) {
  const auto position = trace.game->read(trace.options, get("/api/state").at("game").at("position").get<std::string>());
  if (!position) throw std::runtime_error(position.error().line());
  const Picture picture(*trace.game, *position);
  for (const SiteInfo& info : geometry(*position).sites) {
    const lattice7::Spot spot{info.file, info.rank, info.level};
    if (info.sensed) continue;
    board_.lift(spot);
    if (!picture[info.site].is_empty()) board_.put(MagnetKind::sphere, picture[info.site].player() == 0, spot);
  }
}

void PicoTable::arrange(const Trace& trace) {
  for (std::uint8_t file = 0; file < 7; ++file) {
    for (std::uint8_t rank = 0; rank < 7; ++rank) {
      for (std::uint8_t level = 1; level <= 4; ++level) board_.lift({file, rank, level});
    }
  }
  const Picture picture(*trace.game, trace.start);
  const auto sites = profile_.sites(geometry(trace.start));
  for (std::uint16_t channel = 0; channel < sites.size(); ++channel) {
    if (sites[channel] != kNoSite) set(trace, channel, picture[sites[channel]]);
  }
}

void PicoTable::begin(const Trace& trace) const {
  const NewGame wanted = game_of(trace);
  post("/api/game", {{"game", *wanted.game}, {"options", wanted.options}, {"position", *wanted.position}});
  const Json begun = wait_for(
      "/api/state", [](const Json& state) { return state.at("phase") == "play"; }, 10);
  if (begun.at("phase") != "play") throw std::runtime_error("the game does not begin: " + begun.dump());
}

KeptGame PicoTable::play(const Trace& trace, int unplugs) {
  arrange(trace);
  begin(trace);
  const auto choose = [&](const std::vector<Step>& steps) {
    Json texts = Json::array();
    for (const Step step : steps) texts.push_back(text(trace.start, step));
    post("/api/game/choose", {{"steps", texts}});
  };
  const std::vector<HandAct> acts = hands_of(trace, profile_, choose, [this] { post("/api/game/takeback"); });
  auto began = Clock::now();
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const HandAct& act = acts[i];
    std::this_thread::sleep_until(began + act.time);
    if (const auto* piece = std::get_if<HandAct::Piece>(&act.what)) {
      set(trace, piece->channel, piece->piece);
    } else if (const auto* button = std::get_if<HandAct::Button>(&act.what)) {
      board_.press(button->number, button->down);
    } else if (const auto* word = std::get_if<HandAct::Word>(&act.what)) {
      const auto before = Clock::now();
      (*word)();
      raise(trace);
      began += Clock::now() - before;  // the hands wait meanwhile
    }
    const auto done = [&](std::size_t n) { return n * static_cast<std::size_t>(unplugs) / acts.size(); };
    if (done(i + 1) == done(i)) continue;
    const auto before = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(40));  // what the hand did has been seen
    board_.unplug();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    board_.plug();
    wait_joined();
    began += Clock::now() - before;
  }
  const Json state = wait_for(
      "/api/state", [](const Json& now) { return now.at("phase") == "over"; }, 6);
  if (state.at("phase") != "over") post("/api/game/abort");
  const Json document = get("/api/games/latest?format=json");
  KeptGame kept{document.at("steps").get<std::vector<std::string>>(), document.at("result"), 0};
  for (const Json& event : document.at("events")) kept.illegal += event.at("type") == "illegal" ? 1 : 0;
  return kept;
}

Trace trace_named(const std::string& name) {
  auto trace = read_trace_file(std::string(MEREL_TEST_DATA) + "/traces/" + name + ".trace");
  if (!trace) throw std::runtime_error(trace.error().text(name));
  return std::move(*trace);
}

KeptGame truth_about(const std::string& name) {
  std::ifstream file(std::string(MEREL_TEST_DATA) + "/traces/truth.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json truth = Json::parse(line);
    if (truth.at("file") == name + ".trace") return {truth.at("steps"), truth.at("result"), truth.at("illegal")};
  }
  throw std::runtime_error("no truth about " + name);
}

}  // namespace merel
