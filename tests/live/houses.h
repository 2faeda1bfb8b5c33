#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <stdexcept>
#include <thread>

#include "daemon/live/daemon.h"
#include "daemon/live/trace_hands.h"
#include "tests/folder.h"
#include "tests/session/plain_board.h"

namespace merel {

/// A configuration that keeps everything in that folder and listens on a free port.
inline Config config_in(const Folder& folder, const BoardProfile& board = plain_board()) {
  Config config;
  config.board = board;
  config.socket = folder.file("merel.sock");
  config.journal = folder.file("games.sqlite");
  config.traces = folder.file("traces");
  config.token_file = folder.file("token");
  config.web = folder.file("web");
  config.listen = {{"127.0.0.1", 0}};
  return config;
}

/// A daemon in virtual time, on the caller's thread: a game takes as long as its computing.
class VirtualHouse {
 public:
  explicit VirtualHouse(Config config) : daemon(loop, std::move(config)) {
    daemon.hold_clock(now);
    if (const auto started = daemon.start(); !started) throw std::runtime_error(started.error());
    loop.poll();
  }

  /// Lets time pass up to `until`; what is due happens in between.
  void advance(Time until) {
    while (daemon.deadline() && *daemon.deadline() <= until) step(*daemon.deadline());
    step(until);
  }
  void step(Time to) {
    now = std::max(now, to);
    daemon.hold_clock(now);
    loop.poll();
  }
  /// Everything stands at once as the record says.
  void arrange() {
    const GameRecord& record = daemon.session().tracker()->record();
    const Picture picture(record.game(), record.position());
    const auto sites = daemon.config().board.sites(geometry(record.position()));
    for (std::uint16_t i = 0; i < sites.size(); ++i) {
      daemon.sim()->board().set(i, sites[i] == kNoSite ? Contents::empty() : picture[sites[i]], now);
    }
    advance(now + std::chrono::seconds(1));
  }
  /// Begins the trace's game with the pieces there, and lets its hands play it to the end. An error is the daemon's own sentence.
  Result<std::monostate, std::string> play(const Trace& trace) {
    if (const auto begun = daemon.begin(game_of(trace)); !begun) return begun.error().sentence;
    arrange();
    const auto script = hands_of(
        trace, daemon.config().board,
        [this](const std::vector<Step>& steps) { [[maybe_unused]] const auto done = daemon.choose(steps); },
        [this] { [[maybe_unused]] const auto done = daemon.take_back(); });
    const Time began = now;
    for (const HandAct& act : script) {
      advance(began + act.time);
      VirtualBoard& board = daemon.sim()->board();
      if (const auto* piece = std::get_if<HandAct::Piece>(&act.what)) {
        board.set(piece->channel, piece->piece, now);
      } else if (const auto* button = std::get_if<HandAct::Button>(&act.what)) {
        board.button(button->number, button->down, now);
      } else if (const auto* tray = std::get_if<HandAct::Tray>(&act.what)) {
        board.tray(tray->number, tray->count, now);
      } else {
        std::get<HandAct::Word>(act.what)();
      }
    }
    advance(now + std::chrono::seconds(10));
    return std::monostate{};
  }
  /// Runs the loop until the journal has answered.
  template <class T, class Ask>
  T answer(Ask ask) {
    std::optional<T> answered;
    ask([&answered](T answer) { answered.emplace(std::move(answer)); });
    while (!answered) {
      loop.restart();
      loop.run_one_for(std::chrono::milliseconds(20));
    }
    return std::move(*answered);
  }
  ArchivedGame load(const std::string& id) {
    auto loaded = answer<Result<ArchivedGame, std::string>>([&](auto done) { daemon.journal().load(id, done); });
    if (!loaded) throw std::runtime_error(loaded.error());
    return std::move(*loaded);
  }

  boost::asio::io_context loop;
  Time now{};
  Daemon daemon;
};

/// A daemon in real time, its loop on a thread of its own.
class RunningHouse {
 public:
  explicit RunningHouse(Config config) : daemon(loop, std::move(config)) {
    if (const auto started = daemon.start(); !started) throw std::runtime_error(started.error());
    thread_ = std::thread([this] { loop.run(); });
  }
  ~RunningHouse() {
    on_loop([this] {
      daemon.stop();
      return 0;
    });
    work_.reset();
    loop.stop();
    thread_.join();
  }
  RunningHouse(const RunningHouse&) = delete;
  RunningHouse& operator=(const RunningHouse&) = delete;

  /// Runs something on the loop's thread and brings back what it answers.
  template <class Job>
  std::invoke_result_t<Job> on_loop(Job job) {
    std::packaged_task<decltype(job())()> task(std::move(job));
    auto answer = task.get_future();
    boost::asio::post(loop, [&task] { task(); });
    return answer.get();
  }

  boost::asio::io_context loop{1};
  Daemon daemon;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = boost::asio::make_work_guard(loop);
  std::thread thread_;
};

}  // namespace merel
