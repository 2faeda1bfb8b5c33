#pragma once
#include <atomic>
#include <mutex>

#include "daemon/journal/game_archive.h"
#include "tests/hands/scripted_hands.h"
#include "tests/live/daemon_process.h"

namespace merel {

/// Plays scripted games on a real daemon's virtual board, kills it at random moments and looks at what is left. One object plays on
/// through as many cuts as are asked for.
class PowerCut {
 public:
  /// The game that the hands play, one of games(); `home` holds the daemon's files.
  PowerCut(std::string program, std::string share, std::string home, std::uint64_t seed)
      : program_(std::move(program)), share_(std::move(share)), home_(std::move(home)), dice_(seed) {
    // The board of four players without trays, for the hands only know its sites.
    std::ifstream in(share_ + "/boards/virtual7-colour.toml");
    std::string profile{std::istreambuf_iterator<char>(in), {}};
    constexpr std::string_view kTrays = "trays = true";
    if (const auto at = profile.find(kTrays); at != std::string::npos) profile.replace(at, kTrays.size(), "trays = false");
    std::ofstream(home_ + "/board.toml") << profile;
    // Quick hands: whatever stands still for 40 ms is taken as meant.
    std::ofstream(config()) << "board = \"" << home_
                            << "/board.toml\"\n[play]\nsettle_ms = 40\ndebounce_ms = 4\n[server]\nlisten = []\n";
  }

  /// One life of the daemon: take up what is left, play on, cut the power. An error is what was found broken.
  Result<std::monostate, std::string> live(const GameInfo& game) try {
    DaemonProcess daemon(program_, share_, home_, config());
    const DaemonClient& client = daemon.client();
    if (const auto whole = compare(client); !whole) return whole.error();
    Listening listening(home_ + "/merel.sock");
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200 + dice_.below(900));
    const bool went_on = running_;
    bool accepted = false;
    while (std::chrono::steady_clock::now() < end || (went_on && !accepted)) {
      Json state = ask(client, "GET", "/api/state");
      if (state["game"].is_null() || state["game"].value("closing", "open") != "open") {
        if (went_on && !accepted) return std::string("the game that was running is gone after the restart");
        ask(client, "POST", "/api/game", Json{{"game", game.name}}.dump());
        ask(client, "POST", "/api/sim/arrange", R"({"to":"record"})");
        continue;
      }
      const std::string phase = state.value("phase", "");
      if (phase == "setup" || phase == "restore") {
        ask(client, "POST", "/api/sim/arrange", R"({"to":"record"})");
        wait(client, [](const Json& now) { return now.value("phase", "") == "play"; });
        continue;
      }
      if (!turn(client, state)) {
        if (went_on && !accepted) return "no legal move was accepted after the restart: " + last_;
        ask(client, "POST", "/api/game/abort");
        continue;
      }
      accepted = true;
      ++turns_;
    }
    daemon.end(SIGKILL);
    listening.join();
    told_ = listening.told();
    ++cuts_;
    return std::monostate{};
  } catch (const std::exception& error) {
    return std::string(error.what());
  }

  [[nodiscard]] int cuts() const { return cuts_; }
  [[nodiscard]] int turns() const { return turns_; }
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  /// What the daemon has announced, by somebody who listens: events by number, and up to which one all are durable.
  struct Told {
    std::string id;
    std::map<std::uint64_t, Json> events;
    std::uint64_t durable = 0;
  };

  class Listening {
   public:
    explicit Listening(const std::string& socket)
        : thread_([this, socket] {
            const DaemonClient client(socket);
            [[maybe_unused]] const auto end = client.follow([this](const std::string& text) {
              const std::lock_guard lock(mutex_);
              const Json message = Json::parse(text, nullptr, false);
              if (message.is_discarded()) return true;
              const std::string type = message.value("type", "");
              if (type == "state" || type == "game") {
                const Json& game = message["game"];
                if (!game.is_null() && game.value("id", "") != told_.id) {
                  told_ = {game.value("id", ""), {}, game.value("durable", std::uint64_t{0})};
                }
              } else if (type == "durable" && message.value("id", "") == told_.id) {
                told_.durable = message.value("n", std::uint64_t{0});
              } else if (message.contains("n")) {
                told_.events[message.value("n", std::uint64_t{0})] = message;
              }
              return true;
            });
          }) {}
    ~Listening() { join(); }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    void join() {
      if (thread_.joinable()) thread_.join();
    }
    Told told() {
      const std::lock_guard lock(mutex_);
      return told_;
    }

   private:
    std::mutex mutex_;
    Told told_;
    std::thread thread_;
  };

  [[nodiscard]] std::string config() const { return home_ + "/merel.toml"; }

  Json ask(const DaemonClient& client, const std::string& method, const std::string& target, const std::string& body = {}) {
    const auto answer = client.call(method, target, body);
    if (!answer) throw std::runtime_error("the daemon does not answer: " + answer.error());
    if (answer->status >= 400) last_ = target + ": " + answer->body;
    return Json::parse(answer->body);
  }

  template <class Until>
  bool wait(const DaemonClient& client, Until until) {
    for (int tries = 0; tries < 600; ++tries) {
      if (until(ask(client, "GET", "/api/state"))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  /// What was announced as durable must be there, and what is there must be a game.
  Result<std::monostate, std::string> compare(const DaemonClient& client) {
    running_ = false;
    if (told_.id.empty()) return std::monostate{};
    const auto answer = client.call("GET", "/api/games/" + told_.id);
    if (!answer) return answer.error();
    const Json kept = Json::parse(answer->body, nullptr, false);
    const auto game = read_game(answer->body);
    if (!game) return "the game cannot be read after the cut: " + game.error();
    if (const auto record = game->record(); !record) return "the record is broken after the cut: " + record.error();
    for (const auto& [n, event] : told_.events) {
      if (n > told_.durable) break;
      if (n > game->events.size()) return "event " + std::to_string(n) + " was announced as durable and is lost";
      for (const auto& [key, value] : event.items()) {
        if (key != "seq" && game->events[n - 1].value(key, Json()) != value) {
          return "event " + std::to_string(n) + " differs after the cut: " + event.dump();
        }
      }
      ++compared_;
    }
    running_ = game->state == GameState::running;
    return std::monostate{};
  }

  /// Makes a random legal turn on the virtual board, without a pause where it has several steps; false when it was not accepted.
  bool turn(const DaemonClient& client, const Json& state) {
    const Json& told = state["game"];
    const GameInfo& game = *find_game(told.value("game", ""));
    Options options = game.defaults();
    for (const auto& [key, value] : told["options"].items())
      [[maybe_unused]] const auto set = options.set(key, value.get<std::string>());
    const auto start = game.read(options, told.value("start", ""));
    if (!start) return false;
    GameRecord record(game, options, *start);
    for (const Json& step : told["steps"])
      [[maybe_unused]] const auto done = record.play(*read_step(*start, step.get<std::string>()));
    Position now = record.position();
    const Player mover = to_act(now);
    const Geometry& board = geometry(now);
    std::vector<Step> steps;
    bool unseen = false;
    while (!outcome(now).over() && to_act(now) == mover && steps.size() < 8) {
      // Nobody forgets a removal here: nothing would show it until the next player moves.
      std::vector<Step> legal;
      for (const Step step : legal_steps(now)) {
        if (step.kind != StepKind::forget) legal.push_back(step);
      }
      const Step step = legal[dice_.below(legal.size())];
      for (const Site site : {step.from, step.to}) unseen = unseen || (site != kNoSite && !board.info(site).sensed);
      // What was put and taken again looks like nothing; people say so, too.
      const auto just_put = [&step](Step before) { return before.to == step.from; };
      unseen = unseen || (step.kind == StepKind::take && std::any_of(steps.begin(), steps.end(), just_put));
      steps.push_back(step);
      now = *merel::apply(now, step);
    }
    const std::string colour(1, game.colours[mover]);
    const auto sensed = [&board](Site site) { return site != kNoSite && board.info(site).sensed; };
    bool stops = false;
    Json chosen = Json::array();  // with what was played of this turn before
    if (!record.steps().empty() && to_act(record.position(record.last_turn())) == mover) {
      for (std::size_t i = record.last_turn(); i < record.steps().size(); ++i)
        chosen.push_back(text(*start, record.steps()[i]));
    }
    for (const Step step : steps) {
      const auto name = [&](Site site) { return std::string(board.info(site).name()); };
      std::this_thread::sleep_for(std::chrono::milliseconds(8));  // no hand is quicker than the debounce time
      if (sensed(step.from)) ask(client, "POST", "/api/sim/lift", Json{{"site", name(step.from)}}.dump());
      std::this_thread::sleep_for(std::chrono::milliseconds(step.from == kNoSite ? 0 : 8));
      if (sensed(step.to)) ask(client, "POST", "/api/sim/put", Json{{"site", name(step.to)}, {"colour", colour}}.dump());
      stops = stops || step.kind == StepKind::stop;
      if (step.kind != StepKind::stop) chosen.push_back(text(now, step));
    }
    const std::string wanted = text(now);
    const bool nothing = std::none_of(steps.begin(), steps.end(), [](Step step) { return step.physical(); });
    if (unseen) {  // where no sensor reaches, people say what they did
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      ask(client, "POST", "/api/game/choose", Json{{"steps", chosen}}.dump());
    }
    if (stops || nothing) {
      std::this_thread::sleep_for(std::chrono::milliseconds(80));
      ask(client, "POST", "/api/sim/button", Json{{"player", colour}}.dump());
    }
    const auto played = [&](const Json& then) {
      return then["game"].is_object() && (then["game"].value("position", "") == wanted || then.value("phase", "") == "over");
    };
    if (wait(client, played)) return true;
    last_ = colour + " played";
    for (const Step step : steps) last_ += " " + text(now, step);
    last_ += "; now " + ask(client, "GET", "/api/state").dump();
    return false;
  }

  std::string program_;
  std::string share_;
  std::string home_;
  Dice dice_;
  Told told_;
  bool running_ = false;
  std::string last_;
  int cuts_ = 0;
  int turns_ = 0;
  std::uint64_t compared_ = 0;
};

}  // namespace merel
