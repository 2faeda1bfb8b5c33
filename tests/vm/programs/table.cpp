#include "tests/vm/programs/table.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "daemon/picture.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;

/// A configuration in that folder; its path.
std::string configuration(const Folder& home, const Board& board, const std::string& settings) {
  const std::string profile = home.file(board.name + ".toml");
  std::ofstream(profile) << board.text();
  const std::string path = home.file("merel.toml");
  std::ofstream(path) << "board = \"" << profile << "\"\n" << settings;
  return path;
}

BoardProfile profile(const Board& board) {
  auto read = read_profile_text(board.text(), board.name);
  if (!read) throw std::runtime_error(read.error().front().text());
  return *read;
}

Json success(const std::string& target, const Result<Answer, std::string>& answer) {
  if (!answer) throw std::runtime_error(target + ": " + answer.error());
  if (answer->status != 200) throw std::runtime_error(target + ": " + answer->body);
  return Json::parse(answer->body);
}

}  // namespace

std::string Board::text() const {
  std::string out = file_text("/test/share/boards/" + name + ".toml");
  for (const auto& [from, to] : instead) {
    std::size_t at = out.find(from);
    if (at == std::string::npos) throw std::runtime_error(name + ".toml has no " + from);
    for (; at != std::string::npos; at = out.find(from, at + to.size())) out.replace(at, from.size(), to);
  }
  return out;
}

Board polled_expanders() {
  return {"lattice7-expander", {{"\"1-00", "\"0-00"}, {"bias = \"as-is\"", "bias = \"as-is\"\nscans_per_second = 100"}}};
}

Table::Table(const Board& board, const std::string& settings) : board_(profile(board)) {
  daemon_ =
      std::make_unique<DaemonProcess>("/test/mereld", "/test/share", home_.file(""), configuration(home_, board, settings));
}

Table::~Table() {
  const int status = daemon_->end(SIGKILL);
  if (status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) return;
  std::ifstream log(home_.file("log"));
  std::cout << "mereld ended with " << status << " (waitpid(2)):\n" << log.rdbuf();
}

Json Table::get(const std::string& target) const { return success(target, daemon_->client().call("GET", target)); }

Json Table::post(const std::string& target, const Json& body) const {
  return success(target, daemon_->client().call("POST", target, body.dump()));
}

Json Table::wait_for(const std::string& target, const std::function<bool(const Json&)>& fits, int seconds) const {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    Json answer = get(target);
    if (fits(answer) || Clock::now() > end) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

double Table::metric(const std::string& name) const {
  const auto answer = daemon_->client().call("GET", "/metrics");
  if (!answer) throw std::runtime_error(answer.error());
  const std::size_t at = answer->body.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(answer->body.substr(at + name.size() + 2));
}

std::vector<bool> Table::occupied() const {
  std::vector<bool> out(board_.channels());
  const Json answer = get("/api/sensors");
  for (const Json& sensor : answer.at("sensors")) out.at(sensor.at("channel")) = sensor.at("contents") != ".";
  return out;
}

void arrange(const Table& table, SensorWires& wires, const GameInfo& game, const Position& position) {
  const Picture picture(game, position);
  const auto sites = table.board().sites(geometry(position));
  for (std::uint16_t channel = 0; channel < sites.size(); ++channel) {
    wires.magnet(channel, sites[channel] != kNoSite && !picture[sites[channel]].is_empty());
  }
}

PlayedGame play(Table& table, SensorWires& wires, Header& header, const Trace& trace, std::vector<HandAct> meanwhile) {
  arrange(table, wires, *trace.game, trace.start);
  const NewGame wanted = game_of(trace);
  table.post("/api/game", {{"game", *wanted.game}, {"options", wanted.options}, {"position", *wanted.position}});
  const Json begun = table.wait_for("/api/state", [](const Json& state) { return state.at("phase") == "play"; });
  if (begun.at("phase") != "play") throw std::runtime_error("the game does not begin: " + begun.at("view").dump());

  const auto choose = [&](const std::vector<Step>& steps) {
    Json texts = Json::array();
    for (const Step step : steps) texts.push_back(text(trace.start, step));
    table.post("/api/game/choose", {{"steps", texts}});
  };
  const auto take_back = [&] { table.post("/api/game/takeback"); };
  std::vector<HandAct> acts = hands_of(trace, table.board(), choose, take_back);
  acts.insert(acts.end(), std::make_move_iterator(meanwhile.begin()), std::make_move_iterator(meanwhile.end()));
  std::stable_sort(acts.begin(), acts.end(), [](const HandAct& a, const HandAct& b) { return a.time < b.time; });

  auto began = Clock::now();
  for (const HandAct& act : acts) {
    std::this_thread::sleep_until(began + act.time);
    if (const auto* piece = std::get_if<HandAct::Piece>(&act.what)) {
      wires.magnet(piece->channel, !piece->piece.is_empty());
    } else if (const auto* button = std::get_if<HandAct::Button>(&act.what)) {
      header.button(button->number, button->down);
    } else if (const auto* word = std::get_if<HandAct::Word>(&act.what)) {
      const auto before = Clock::now();
      (*word)();
      began += Clock::now() - before;  // the hands wait meanwhile
    }
  }
  // Longer than any delay of the daemon: the picture stands still for good.
  const Json state = table.wait_for(
      "/api/state", [](const Json& now) { return now.at("phase") == "over"; }, 6);
  if (state.at("phase") != "over") table.post("/api/game/abort");

  const Json document = table.get("/api/games/latest?format=json");
  PlayedGame played;
  played.steps = document.at("steps").get<std::vector<std::string>>();
  played.result = document.at("result");
  for (const Json& event : document.at("events")) played.illegal += event.at("type") == "illegal" ? 1 : 0;
  return played;
}

Position start_of(const GameInfo& game) {
  auto position = game.read(game.defaults(), game.start(game.defaults()));
  if (!position) throw std::runtime_error("no start of " + std::string(game.name));
  return *position;
}

Trace trace_of(const std::string& name) {
  auto trace = read_trace_file("/test/traces/" + name + ".trace");
  if (!trace) throw std::runtime_error(trace.error().text(name));
  return std::move(*trace);
}

PlayedGame truth_of(const std::string& name) {
  std::ifstream file("/test/traces/truth.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json truth = Json::parse(line);
    if (truth.at("file") == name + ".trace") return {truth.at("steps"), truth.at("result"), truth.at("illegal")};
  }
  throw std::runtime_error("no truth about " + name);
}

Output run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  Output said;
  std::array<char, 4096> piece{};
  while (const std::size_t got = fread(piece.data(), 1, piece.size(), pipe)) said.text.append(piece.data(), got);
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

Output check(const Board& board) {
  const Folder home;
  return run("/test/mereld --check --config " + configuration(home, board, "") + " --share /test/share --home " +
             home.file(""));
}

}  // namespace merel
