// Twenty-four hours of play in virtual time: games of every kind, one after the other, through a whole daemon with its journal and a
// client of the event stream. Memory must stay flat and no descriptor may leak.
#include <atomic>

#include "daemon/client/daemon_client.h"
#include "tests/hands/scripted_hands.h"
#include "tests/live/houses.h"
#include "tests/stress/figures.h"

namespace merel {
namespace {

int run(int hours) {
  Folder folder;
  Config config = config_in(folder, plain_board(7, true));
  config.board.trays = true;
  config.record_traces = true;
  VirtualHouse house(config);
  std::atomic<bool> over = false;
  std::thread follower([&] {
    const DaemonClient client(config.socket);
    while (!over) {
      [[maybe_unused]] const auto end = client.follow([&](const std::string&) { return !over; });
    }
  });

  Figures figures;
  int played = 0;
  int closed = 0;
  double first_hour = 0;
  double most = 0;
  int descriptors_then = 0;
  for (int hour = 1; hour <= hours; ++hour) {
    while (house.now < std::chrono::hours(hour)) {
      const GameInfo& game = games()[static_cast<std::size_t>(played) % games().size()];
      Dice dice(static_cast<std::uint64_t>(1000 + played));
      const GameRecord record = random_game(game, dice, 200);
      ++played;
      if (geometry(record.position()).lattice > config.board.lattice) continue;
      const ScriptedGame script = play_by_hand(record, {3, true, true}, dice.next());
      const auto trace = read_trace(script.trace);
      if (!trace) throw std::runtime_error(trace.error().text("trace"));
      if (const auto done = house.play(*trace); !done) throw std::runtime_error(done.error());
      if (!house.daemon.session().verdict().over()) [[maybe_unused]]
        const auto aborted = house.daemon.abort();
      ++closed;
      house.arrange();
      // The disk is in real time: it may catch up between two games.
      while (house.daemon.journal().status().backlog > 0) {
        house.loop.restart();
        house.loop.run_one_for(std::chrono::milliseconds(5));
      }
    }
    most = std::max(most, resident_mib());
    if (hour == 1) {
      first_hour = resident_mib();
      descriptors_then = descriptors();
    }
    std::printf("hour %2d: %4d games, %6.1f MiB resident, %d descriptors\n", hour, closed, resident_mib(), descriptors());
    std::fflush(stdout);
  }
  figures.tell("games", closed, "");
  figures.tell("readings", static_cast<double>(house.daemon.counted().readings), "");
  figures.tell("steps", static_cast<double>(house.daemon.counted().steps), "");
  figures.at_most("memory, most beyond the first hour's", most - first_hour, 4, "MiB");
  figures.at_most("descriptors more than after the first hour", descriptors() - descriptors_then, 0, "");
  over = true;
  house.daemon.help(false);
  house.loop.restart();
  house.loop.run_for(std::chrono::milliseconds(200));
  house.daemon.stop();
  house.loop.restart();
  house.loop.run_for(std::chrono::milliseconds(200));
  follower.join();
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) { return merel::run(argc > 1 ? std::atoi(argv[1]) : 24); }
