// A daemon under abuse while a thousand readings a second go through it: malformed requests, oversized bodies, connections that
// dribble, five hundred connections at once. Memory must stay bounded and the readings must not be delayed.
#include <atomic>

#include "daemon/client/daemon_client.h"
#include "tests/stress/figures.h"
#include "tests/stress/raw_client.h"
#include "tests/stress/storm.h"

namespace merel {
namespace {

/// Something that no good client sends.
std::string malformed(Dice& dice) {
  switch (dice.below(8)) {
    case 0: return "GET\r\n\r\n";
    case 1: return "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n";
    case 2: return "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    case 3: return "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n";
    case 4: return "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    case 5:
      return "POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
             "7\r\n\r\n{\"game\"";
    case 6: return "GET /../../etc/passwd HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    default: break;
  }
  std::string noise(200 + dice.below(400), '\0');
  for (char& c : noise) c = static_cast<char>(dice.below(256));
  return noise + "\r\n\r\n";
}

int run(int requests) {
  Folder folder;
  RunningHouse house(config_in(folder));
  const std::uint16_t port = house.daemon.server().ports().front();
  begin_classic(house);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  house.on_loop([&] {
    const GameRecord& record = house.daemon.session().tracker()->record();
    house.daemon.sim()->play(straightening_hands(house.daemon.config().board, record, 120, 7));
    return 0;
  });
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = resident_mib();  // with the script of the hands, which is no part of a daemon

  Figures figures;
  Dice dice(11);
  int answered = 0;
  for (int i = 0; i < requests; ++i) {
    const RawClient client(port);
    if (client.send(malformed(dice)) && !client.receive().empty()) ++answered;
  }
  figures.tell("malformed requests", requests, "");
  figures.tell("  of them answered with an error", answered, "");

  int oversized = 0;
  for (int i = 0; i < 200; ++i) {
    const RawClient client(port);
    client.send(
        "POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 900000000\r\n\r\n" +
        std::string(60'000, 'x'));
    if (client.receive().find(" 413 ") != std::string::npos) ++oversized;
  }
  figures.at_least("oversized bodies refused with 413", oversized, 200, "");

  {
    std::vector<RawClient> loris;
    for (int i = 0; i < 100; ++i) {
      loris.emplace_back(port);
      loris.back().send("GET /api/state HTTP/1.1\r\nHost: loc");
    }
    std::vector<RawClient> crowd;
    for (int i = 0; i < 500; ++i) crowd.emplace_back(port);
    for (int second = 0; second < 12; ++second) {
      for (const RawClient& client : loris) client.send("a");
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }
  const auto [counted, server] =
      house.on_loop([&] { return std::pair(house.daemon.counted(), house.daemon.server().statistics()); });
  figures.at_least("slow connections cut", static_cast<double>(server.timeouts), 100, "");
  figures.at_least("connections turned away", static_cast<double>(server.turned_away), 300, "");
  const DaemonClient client(folder.file("merel.sock"));
  figures.at_least("the Unix socket answers throughout", client.call("GET", "/api/state") ? 1 : 0, 1, "");
  const RawClient again(port);
  again.send("GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  figures.at_least("TCP answers again afterwards", again.receive().find(" 200 ") != std::string::npos ? 1 : 0, 1, "");
  figures.at_most("growth of resident memory", resident_mib() - before, 16, "MiB");
  const auto ms = [](Time time) { return static_cast<double>(time.count()) / 1000.0; };
  figures.tell("readings meanwhile", static_cast<double>(counted.readings), "");
  figures.at_most("reading to lights, 99th percentile", ms(counted.reading_to_lights.quantile(0.99)), 2, "ms");
  figures.at_most("reading to lights, worst", ms(counted.reading_to_lights.worst()), 20, "ms");
  return figures.end();
}

}  // namespace
}  // namespace merel

int main(int argc, char** argv) { return merel::run(argc > 1 ? std::atoi(argv[1]) : 10'000); }
