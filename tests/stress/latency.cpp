// From a reading to the lights, inside a daemon with the virtual board of 49 sites: a thousand readings a second while twenty clients
// follow the event stream, five of which never read. Prints the figures beside what they must reach.
#include <atomic>

#include "daemon/client/daemon_client.h"
#include "tests/stress/figures.h"
#include "tests/stress/raw_client.h"
#include "tests/stress/storm.h"

namespace merel {
namespace {

/// How late this machine wakes a thread that does nothing but sleep: what no daemon on it can be better than.
class MachineJitter {
 public:
  MachineJitter()
      : thread_([this] {
          for (auto due = LoopClock::Steady::now(); !over_;) {
            due += std::chrono::milliseconds(1);
            std::this_thread::sleep_until(due);
            lateness_.add(std::chrono::duration_cast<Time>(LoopClock::Steady::now() - due));
          }
        }) {}
  const LatencyHistogram& end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return lateness_;
  }
  ~MachineJitter() { end(); }
  MachineJitter(const MachineJitter&) = delete;
  MachineJitter& operator=(const MachineJitter&) = delete;

 private:
  std::atomic<bool> over_ = false;
  LatencyHistogram lateness_;
  std::thread thread_;
};

constexpr int kFollowing = 15;
constexpr int kStuck = 5;

int run(int seconds) {
  Figures figures;
  // First as owners have it; then without debouncing, so that every single edge goes through tracker, guide and lights at once.
  for (const bool debounced : {true, false}) {
    Folder folder;
    Config config = config_in(folder);
    if (!debounced) {
      config.debounce.hold = Time{};
      config.debounce.flap_changes = 65'535;  // every bounce is a change now, and no sensor is sick for it
    }
    RunningHouse house(config);
    const std::uint16_t port = house.daemon.server().ports().front();

    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> messages = 0;
    std::vector<std::thread> followers;
    for (int i = 0; i < kFollowing; ++i) {
      followers.emplace_back([&] {
        const DaemonClient client(folder.file("merel.sock"));
        while (!over) {
          [[maybe_unused]] const auto end = client.follow([&](const std::string&) {
            ++messages;
            return !over;
          });
        }
      });
    }
    std::vector<RawClient> stuck;
    for (int i = 0; i < kStuck; ++i) {
      stuck.emplace_back(port, 4096);
      if (!stuck.back().upgrade()) std::fprintf(stderr, "a client that never reads could not connect\n");
    }
    begin_classic(house);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const Metrics before = house.on_loop([&] {
      const GameRecord& record = house.daemon.session().tracker()->record();
      house.daemon.sim()->play(straightening_hands(house.daemon.config().board, record, seconds, 7));
      return house.daemon.counted();
    });
    MachineJitter jitter;
    std::this_thread::sleep_for(std::chrono::seconds(seconds) + std::chrono::milliseconds(500));
    const LatencyHistogram machine = jitter.end();
    const auto [after, server] =
        house.on_loop([&] { return std::pair(house.daemon.counted(), house.daemon.server().statistics()); });
    over = true;
    house.on_loop([&] {  // wakes the followers up
      house.daemon.help(false);
      return 0;
    });
    for (std::thread& follower : followers) follower.join();

    const std::string way = debounced ? " (debounced)" : " (every edge)";
    figures.at_least("readings a second" + way, static_cast<double>(after.readings - before.readings) / seconds, 990, "/s");
    figures.tell("pictures of lights a second" + way, static_cast<double>(after.scenes - before.scenes) / seconds, "/s");
    figures.tell("messages to the clients" + way, static_cast<double>(messages), "");
    figures.at_least("streams that fell behind and were dropped" + way, static_cast<double>(server.dropped_streams), kStuck,
                     "");
    const auto ms = [](Time time) { return static_cast<double>(time.count()) / 1000.0; };
    figures.tell("bare sleeping thread, 99th percentile late" + way, ms(machine.quantile(0.99)), "ms");
    figures.tell("bare sleeping thread, worst late" + way, ms(machine.worst()), "ms");
    figures.tell("reading to lights, median" + way, ms(after.reading_to_lights.quantile(0.5)), "ms");
    figures.at_most("reading to lights, 99th percentile" + way, ms(after.reading_to_lights.quantile(0.99)), 2, "ms");
    figures.at_most("reading to lights, worst" + way, ms(after.reading_to_lights.worst()), 20, "ms");
  }
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) { return merel::run(argc > 1 ? std::atoi(argv[1]) : 20); }
