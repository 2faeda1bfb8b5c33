// The power is cut (kill -9) at random moments of scripted games of every kind: no turn that was announced as durable may be lost, the
// record must be a legal game, and the next legal move must be accepted after the restart.
#include "tests/live/power_cut.h"
#include "tests/folder.h"
#include "tests/places.h"
#include "tests/stress/figures.h"

namespace merel {
namespace {

int run(int cuts) {
  Figures figures;
  int broken = 0;
  int all = 0;
  int turns = 0;
  std::uint64_t compared = 0;
  for (const GameInfo& game : games()) {
    Folder folder;
    PowerCut house(MEREL_DAEMON, MEREL_SOURCE, folder.file(""), 42 + static_cast<std::uint64_t>(&game - games().data()));
    const int wanted = (cuts + static_cast<int>(games().size()) - 1) / static_cast<int>(games().size());
    for (int cut = 0; cut < wanted; ++cut) {
      const auto lived = house.live(game);
      if (lived) continue;
      ++broken;
      std::printf("%s, cut %d: %s\n", std::string(game.name).c_str(), cut, lived.error().c_str());
    }
    std::printf("%-16s %4d cuts, %5d turns\n", std::string(game.name).c_str(), house.cuts(), house.turns());
    std::fflush(stdout);
    all += house.cuts();
    turns += house.turns();
    compared += house.compared();
  }
  figures.at_least("power cuts", all, cuts, "");
  figures.tell("turns played meanwhile", turns, "");
  figures.tell("durable events compared", static_cast<double>(compared), "");
  figures.at_most("lost, broken or stuck games", broken, 0, "");
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) { return merel::run(argc > 1 ? std::atoi(argv[1]) : 500); }
