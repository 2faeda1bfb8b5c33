// Writes turns into an archive in a temporary folder, each a transaction of its own as at a board, and prints what one costs.

#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "daemon/journal/journal.h"
#include "tests/folder.h"

int main(int argc, char** argv) {
  using namespace merel;
  const std::uint64_t turns = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5000;
  if (turns == 0) {
    std::cerr << "usage: journal_bytes [TURNS]\n";
    return 2;
  }

  const Folder folder;
  std::mutex mutex;
  std::condition_variable wake;
  std::uint64_t durable = 0;
  Journal::Listener listener;
  listener.durable = [&](const std::string&, std::uint64_t seq) {
    const std::lock_guard lock(mutex);
    durable = seq;
    wake.notify_one();
  };
  {
    Journal journal(
        {folder.file("games.sqlite")}, [](const Journal::Job& job) { job(); }, listener);
    const GameInfo& game = *find_game("pylos-standard");
    const Options options = game.defaults();
    const GameHeader header{"bytes",       &game,      options, *game.read(options, game.start(options)),
                            {"Ann", "Bo"}, "virtual7", {},      1};
    journal.begin(header);
    (void)journal.running();  // waits until that is written
    const std::uint64_t before = journal.status().bytes;
    for (std::uint64_t n = 1; n <= turns; ++n) {
      journal.append(header.id, n,
                     {{{"type", "step"},
                       {"n", n},
                       {"at", 1796040180000 + 4000 * n},
                       {"player", n % 2 == 1 ? "W" : "B"},
                       {"step", "1a1-2a1"},
                       {"think_ms", 3800},
                       {"left_ms", 299000}}});
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return durable >= n; });
    }
    (void)journal.running();  // the last checkpoint is done
    std::cout << "bytes per turn: " << (journal.status().bytes - before) / turns << '\n';
  }
  return 0;
}
