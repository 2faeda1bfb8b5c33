// `mereld`: reads its configuration, joins the house to the operating system (signals, systemd, log) and runs the loop.
#include <malloc.h>
#include <systemd/sd-daemon.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "daemon/live/daemon.h"
#include "daemon/live/log.h"
#include "daemon/live/preflight_report.h"
#include "daemon/live/version.h"

namespace merel {
namespace {

enum ExitCode : int {
  kDone = 0,
  kNo = 1,        // the configuration or the board has problems, or the daemon could not start
  kBadInput = 2,  // wrong use
};

struct Arguments {
  std::string config = "/etc/merel/merel.toml";
  bool config_named = false;
  std::string share = MEREL_SHARE;
  std::string home;
  bool check = false;
  bool check_config = false;
};

/// The file when it is there or was named, otherwise the defaults.
Result<Config, ConfigProblems> read(const Arguments& arguments) {
  std::error_code error;
  const bool file = arguments.config_named || std::filesystem::exists(arguments.config, error);
  auto config = file ? read_config(arguments.config, arguments.share) : default_config(arguments.share);
  if (config && !arguments.home.empty()) {
    config->socket = arguments.home + "/merel.sock";
    config->journal = arguments.home + "/games.sqlite";
    config->traces = arguments.home + "/traces";
    config->token_file = arguments.home + "/token";
    if (const std::string web = arguments.share + "/web"; std::filesystem::is_directory(web, error)) config->web = web;
  }
  return config;
}

void complain(const ConfigProblems& problems) {
  for (const ConfigProblem& problem : problems) std::cerr << problem.text() << '\n';
}

/// The files are well; looks at the wires too when asked to.
int check(const Config& config, bool wires) {
  const BoardProfile& board = config.board;
  const std::vector<Finding> findings = wires ? findings_of(board) : std::vector<Finding>();
  for (const Finding& finding : findings)
    std::cerr << "board " << board.name << ": " << finding_text(board, finding) << '\n';
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return !finding.warning; })) return kNo;
  std::cout << "configuration and board " << board.name << ": no problem found\n";
  return kDone;
}

/// The one wake-up while nothing happens: tells systemd every half of its patience that the loop still turns (sd_watchdog_enabled(3)),
/// and looks whether a real board still answers.
class Pulse {
 public:
  Pulse(boost::asio::io_context& loop, Daemon& daemon) : timer_(loop), daemon_(daemon) {
    std::uint64_t patience = 0;
    if (sd_watchdog_enabled(0, &patience) > 0) {
      beat(std::chrono::microseconds(patience / 2));
    } else if (daemon_.sim() == nullptr) {
      beat(std::chrono::seconds(5));
    }
  }
  void stop() { timer_.cancel(); }

 private:
  void beat(std::chrono::microseconds every) {
    sd_notify(0, "WATCHDOG=1");
    daemon_.check();
    timer_.expires_after(every);
    timer_.async_wait([this, every](const boost::system::error_code& error) {
      if (!error) beat(every);
    });
  }
  boost::asio::steady_timer timer_;
  Daemon& daemon_;
};

void notify_reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto microseconds =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds)).c_str());
}

int serve(const Arguments& arguments, const Config& config) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)
  open_log(log_level(config.log_level));
  boost::asio::io_context loop(1);
  Daemon daemon(loop, config);
  boost::asio::signal_set ends(loop, SIGTERM, SIGINT);
  boost::asio::signal_set reloads(loop, SIGHUP);
  if (const auto started = daemon.start(); !started) {
    log(LogLevel::error, started.error());
    daemon.stop();
    close_log();
    return kNo;
  }
  Pulse pulse(loop, daemon);
  ends.async_wait([&](const boost::system::error_code& error, int /*signal*/) {
    if (error) return;
    sd_notify(0, "STOPPING=1");
    log(LogLevel::info, "Stopping");
    pulse.stop();
    reloads.cancel();
    daemon.stop();
    loop.stop();
  });
  std::function<void()> wait_for_reload = [&] {
    reloads.async_wait([&](const boost::system::error_code& error, int /*signal*/) {
      if (error) return;
      notify_reloading();
      if (auto fresh = read(arguments)) {
        for (const std::string& later : daemon.reload(*fresh)) log(LogLevel::warning, later);
        log(LogLevel::info, "The configuration was read anew");
      } else {
        for (const ConfigProblem& problem : fresh.error()) log(LogLevel::error, problem.text());
        log(LogLevel::error, "The configuration has problems; the one before stays in force");
      }
      sd_notify(0, "READY=1");
      wait_for_reload();
    });
  };
  wait_for_reload();
  log(LogLevel::info, "Ready", {{"board", config.board.name}, {"socket", config.socket}});
  sd_notify(0, ("READY=1\nSTATUS=Board " + config.board.name).c_str());
  loop.run();
  close_log();
  return kDone;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("mereld: watches a board, leads the players, keeps every game, and answers the app and merel.", "mereld");
  app.set_version_flag("--version", kVersion);
  auto* file = app.add_option("--config", arguments.config, "Configuration (without the file: the virtual board, defaults)")
                   ->capture_default_str();
  app.add_option("--share", arguments.share, "Folder with boards/ and web/")->capture_default_str();
  app.add_option(
      "--home", arguments.home,
      "Keep games, traces, token and socket in this folder, whatever the configuration says: for trying things out");
  app.add_flag(
      "--check", arguments.check,
      "Say everything that is wrong in the configuration, in the board's profile and with the board's wires, start nothing");
  app.add_flag("--check-config", arguments.check_config, "The same without the wires: only the files");
  app.footer(
      "Examples:\n  mereld --check\n  mereld --home ~/merel       # no root, no installation; then: merel --socket "
      "~/merel/merel.sock "
      "status\n\nSIGHUP reads the configuration anew and keeps the running game; SIGTERM ends it within a second.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "mereld: " << error.what() << "; see mereld --help\n";
    return kBadInput;
  }
  arguments.config_named = file->count() > 0;
  std::error_code code;
  if (!arguments.home.empty()) {
    arguments.home = std::filesystem::absolute(arguments.home, code);
    std::filesystem::create_directories(arguments.home, code);
    if (code) {
      std::cerr << "mereld: --home " << arguments.home << ": " << code.message() << "; name a folder that you may write\n";
      return kNo;
    }
  }
  const auto config = read(arguments);
  if (!config) {
    complain(config.error());
    return kNo;
  }
  if (arguments.check || arguments.check_config) return check(*config, arguments.check);
  return serve(arguments, *config);
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) {
  // glibc otherwise learns from one large import to keep such blocks for ever; the daemon runs for months (mallopt(3)).
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  try {
    return merel::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mereld: %s\n", error.what());
    return merel::kNo;
  }
}
