// Configuration files and board profiles: any bytes. The first byte says which of the two the rest is (`1`: configuration). What is
// refused gets one line for each problem, with a line of the file; what is accepted lies within its ranges and can be used.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/config/config.h"
#include "rules/game.h"
#include "tests/fuzz/demand.h"
#include "tests/places.h"

namespace merel {
namespace {

/// Holds boards/ as the share folder does.
const std::string kShare = MEREL_SOURCE;

void check_problems(const ConfigProblems& problems, std::string_view given) {
  DEMAND(!problems.empty());
  const auto lines = 1U + static_cast<std::size_t>(std::count(given.begin(), given.end(), '\n'));
  for (const ConfigProblem& problem : problems) {
    DEMAND(!problem.message.empty() && problem.text().find('\n') == std::string::npos);
    DEMAND(problem.file != "F" || problem.line <= lines);
  }
}

/// Every channel with a cell can be read and every button can be pressed, each on a line of its own.
void check_wires(const BoardProfile& board) {
  const Wires& wires = board.wires;
  DEMAND(wires.gpio.has_value() == (board.sensor_driver == "gpio") &&
         wires.mux.has_value() == (board.sensor_driver == "mux"));
  DEMAND(wires.spi.has_value() == (board.light_driver == "spi"));
  DEMAND(wires.buttons.lines.size() == (board.sensor_driver == "sim" ? 0 : board.buttons));

  std::vector<LineName> used = wires.buttons.lines;
  if (wires.buzzer) used.push_back(wires.buzzer->line);
  if (wires.gpio) {
    DEMAND(wires.gpio->lines.size() == board.channels() && wires.gpio->scans_per_second <= 1000);
    const std::set<std::uint16_t> channels(board.channel.begin(), board.channel.end());
    for (std::size_t i = 0; i < wires.gpio->lines.size(); ++i) {
      const LineName& line = wires.gpio->lines[i];
      DEMAND(line.line.empty() != channels.contains(static_cast<std::uint16_t>(i)));
      if (!line.line.empty()) used.push_back(line);
    }
  }
  if (wires.mux) {
    const MuxSensors& mux = *wires.mux;
    DEMAND(!mux.address.empty() && mux.address.size() <= 6 && !mux.data.empty());
    DEMAND(board.channels() <= (mux.data.size() << mux.address.size()));
    DEMAND(mux.idle_scans_per_second >= 1 && mux.idle_scans_per_second <= mux.scans_per_second);
    DEMAND(mux.settle * static_cast<Time::rep>(mux.scans_per_second << mux.address.size()) <= std::chrono::seconds(1));
    used.insert(used.end(), mux.address.begin(), mux.address.end());
    used.insert(used.end(), mux.data.begin(), mux.data.end());
  }
  std::set<std::pair<std::string, std::string>> different;
  for (const LineName& line : used) {
    DEMAND(!line.line.empty() && line.line.find('\n') == std::string::npos);
    DEMAND(different.emplace(line.chip, line.line).second);
  }
  if (wires.spi) DEMAND(wires.spi->device.starts_with('/') && wires.spi->speed_hz >= 100'000 && wires.spi->gamma >= 1);
}

/// Turning loses and doubles no cell, and each sensed site of each game is either found or blind.
void check_profile(const BoardProfile& board) {
  DEMAND(board.lattice >= 3 && board.lattice <= 15 && board.buttons <= 4);
  const std::size_t cells = std::size_t{board.lattice} * board.lattice;
  DEMAND(board.channel.size() == cells && board.light.size() == cells);
  DEMAND(board.channels() <= 1024 && board.lights() <= 1024);
  check_wires(board);

  std::multiset<std::uint16_t> turned;
  for (std::uint8_t file = 0; file < board.lattice; ++file) {
    for (std::uint8_t rank = 0; rank < board.lattice; ++rank) turned.insert(board.channel_at(file, rank));
  }
  DEMAND(turned == std::multiset<std::uint16_t>(board.channel.begin(), board.channel.end()));

  for (const GameInfo& game : games()) {
    const Options options = game.defaults();
    const Position start = *game.read(options, game.start(options));
    const auto& all = geometry(start).sites;
    const std::vector<Site> sites = board.sites(geometry(start));
    const auto found = sites.size() - static_cast<std::size_t>(std::count(sites.begin(), sites.end(), kNoSite));
    const auto sensed = std::count_if(all.begin(), all.end(), [](const SiteInfo& info) { return info.sensed; });
    DEMAND(found + board.blind(geometry(start)).size() == static_cast<std::size_t>(sensed));
  }
}

void check_config(const Config& config) {
  const GameInfo* game = find_game(config.game);
  DEMAND(game != nullptr && config.players.size() <= game->colours.size());
  Options options = game->defaults();
  for (const auto& [key, value] : config.options) DEMAND(options.set(key, value).ok());
  DEMAND(!config.clock || (config.clock->initial > Time{} && config.clock->increment >= Time{}));
  DEMAND(config.tracker.settle > Time{} && config.tracker.settle <= config.tracker.ask && config.debounce.hold >= Time{});
  DEMAND(config.brightness >= 0 && config.brightness <= 1);
  for (const std::string& path : {config.socket, config.web, config.token_file, config.journal, config.traces}) {
    DEMAND(path.starts_with('/'));
  }
  for (const ListenAddress& address : config.listen) DEMAND(address.host.find_first_of("[]") == std::string::npos);
  check_profile(config.board);
}

}  // namespace
}  // namespace merel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  if (size == 0) return 0;
  const std::string given(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == '1') {
    const auto config = read_config_text(given, "F", kShare);
    if (config) {
      check_config(*config);
    } else {
      check_problems(config.error(), given);
    }
  } else {
    const auto board = read_profile_text(given, "F");
    if (board) {
      check_profile(*board);
    } else {
      check_problems(board.error(), given);
    }
  }
  return 0;
}
