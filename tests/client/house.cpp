#include "tests/client/house.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>

#include "tests/places.h"

House::House() { folder_.write("etc/merel.toml", "[play]\nsettle_ms = 60\n[server]\nlisten = []\n"); }

void House::start() {
  daemon_ = std::make_unique<merel::DaemonProcess>(MEREL_DAEMON, MEREL_SOURCE, folder_.path(), file("etc/merel.toml"));
}

void House::stop() {
  if (daemon_) daemon_->end(SIGTERM);
  daemon_.reset();
}

Ran House::merel(const std::string& arguments) const {
  static int run = 0;
  const std::string out = file("out" + std::to_string(++run));
  const std::string err = file("err" + std::to_string(run));
  const std::string command = "cd " + folder_.path() + " && MEREL_SOCKET=" + socket() + " " MEREL_TOOL " " + arguments +
                              " >" + out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

nlohmann::json House::state() const { return nlohmann::json::parse(merel("status --json").out, nullptr, false); }

void House::begin_morris() const {
  const Ran begun = merel("new morris --player Anna --player Ben");
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  ASSERT_EQ(merel("sim arrange record").exit_code, 0);
  ASSERT_TRUE(soon([this] { return state().value("phase", "") == "play"; }));
}
