#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "daemon/config/table_reader.h"
#include "rules/game.h"

namespace merel {
namespace {

constexpr std::string_view kDefaultBoard = "virtual7";
constexpr std::array<std::string_view, 2> kPalettes = {"standard", "colour-blind"};  ///< in the order of Palette
constexpr std::array<std::string_view, 5> kLevels = {"trace", "debug", "info", "warning", "error"};
constexpr std::int64_t kMostWait = 60000;    ///< milliseconds
constexpr std::int64_t kMostMib = 1 << 20U;  ///< of the journal
constexpr std::size_t kMostNamedSites = 5;
constexpr std::size_t kMostSocketPath = sizeof(sockaddr_un::sun_path) - 1;

template <class Kept, class Read>
void keep(Kept& kept, std::optional<Read> read) {
  if (read) kept = std::move(*read);
}

Time seconds(double s) { return std::chrono::round<Time>(std::chrono::duration<double>(s)); }

/// The names of the profiles in that folder, sorted.
std::string profiles_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".toml") names.push_back(at->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "none" : joined(std::vector<std::string_view>(names.begin(), names.end()));
}

/// The address in `text`, or what is wrong with it.
Result<ListenAddress, std::string> read_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view left = text.substr(0, colon);
  const bool bracketed = left.size() > 2 && left.front() == '[' && left.back() == ']';
  const std::string host(bracketed ? left.substr(1, left.size() - 2) : left);
  in6_addr binary{};
  if (colon == std::string_view::npos || inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), &binary) != 1) {
    return std::string("it must be a numeric address and a port, like 127.0.0.1:7357 or [::1]:7357");
  }
  const std::string_view right = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(right.data(), right.data() + right.size(), port);
  if (error != std::errc{} || end != right.data() + right.size()) {
    return std::string("its port must be a whole number from 0 to 65535");
  }
  return ListenAddress{host, port};
}

/// As a browser sends it: scheme, host and perhaps a port, nothing behind.
bool is_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) {
      return text.size() > scheme.size() && text.find_first_of("/?#*@ ", scheme.size()) == std::string_view::npos;
    }
  }
  return false;
}

class ConfigReader {
 public:
  ConfigReader(const std::string& share, FileProblems& problems) : share_(share), problems_(problems) {}

  void read(const toml::table& file) {
    TableReader top(&file, "", problems_);
    read_board(top);
    read_game(top);
    read_play(top);
    read_lights(top);
    read_server(top);
    read_journal(top);
    TableReader log = top.table("log");
    if (const auto level = log.choice("level", kLevels)) config_.log_level = kLevels[*level];
    log.finish();
    top.finish();
  }

  Config config_;
  ConfigProblems profile_problems_;

 private:
  void read_board(TableReader& top) {
    const auto given = top.text("board");
    if (!given && top.has("board")) return;
    const std::string name = given.value_or(std::string(kDefaultBoard));
    const std::string folder = share_ + "/boards";
    const bool named = name.find('/') == std::string::npos;
    if (!named && !top.path("board")) return;
    const std::string file = named ? folder + "/" + name + ".toml" : name;

    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      top.wrong("board", "is " + in_quotes(name) + ", which does not exist; " + folder + " has: " + profiles_in(folder));
      return;
    }
    auto profile = read_profile(file);
    if (!profile) {
      profile_problems_ = profile.error();
      return;
    }
    config_.board = std::move(*profile);
    config_.tracker.trays = config_.board.trays;
    board_read_ = true;
  }

  void read_game(TableReader& top) {
    TableReader table = top.table("game");
    std::vector<std::string_view> names;
    for (const GameInfo& info : games()) names.push_back(info.name);
    const auto chosen = table.choice("game", names);
    if (chosen) config_.game = names[*chosen];
    const GameInfo* game = chosen || !table.has("game") ? find_game(config_.game) : nullptr;

    TableReader options = table.table("options");
    for (auto& [key, value, line] : options.entries()) {
      if (game == nullptr) continue;
      Options one = game->defaults();
      if (const auto set = one.set(key, value); !set) {
        problems_.add(line, set.error().message);
      } else {
        config_.options[key] = std::move(value);
      }
    }
    if (const auto players = table.texts("players")) {
      for (const auto& player : *players) config_.players.push_back(player.text);
      if (game != nullptr && players->size() > game->colours.size()) {
        table.wrong("players", "has " + std::to_string(players->size()) + " names; " + config_.game + " has at most " +
                                   std::to_string(game->colours.size()) + " players");
      }
    }
    if (table.has("clock")) read_clock(table);
    table.finish();
    if (game == nullptr || !board_read_) return;
    const std::vector<std::string> blind = blind_sites(*game);
    // A board too small for any game is there to be tried out; nobody has asked for one.
    if (blind.empty() || (!table.has("game") && too_small())) return;
    cannot_play(*game, blind, table.has("game") ? table.line("game") : top.line("board"));
  }

  void read_clock(TableReader& game) {
    TableReader table = game.table("clock");
    const auto initial = table.number("initial_s", 1, 86400);
    const auto increment = table.number("increment_s", 0, 3600);
    if (table.there() && !table.has("initial_s")) {
      table.wrong("initial_s", "is missing; it is the time of each player in seconds");
    }
    config_.clock = ClockSettings{seconds(initial.value_or(1)), seconds(increment.value_or(0))};
    table.finish();
  }

  /// Names of the game's sensed sites under which the board has no sensor.
  [[nodiscard]] std::vector<std::string> blind_sites(const GameInfo& game) const {
    const Options options = game.defaults();
    const auto start = game.read(options, game.start(options));
    if (!start) return {};
    const Geometry& board = geometry(*start);
    std::vector<std::string> names;
    for (const Site site : config_.board.blind(board)) names.emplace_back(board.info(site).name());
    return names;
  }

  /// Too few files and ranks for every game, whatever sensors there are.
  [[nodiscard]] bool too_small() const {
    const auto& all = games();
    return std::none_of(all.begin(), all.end(), [&](const GameInfo& game) {
      const Options options = game.defaults();
      const auto start = game.read(options, game.start(options));
      if (!start) return false;
      const auto& sites = geometry(*start).sites;
      return std::all_of(sites.begin(), sites.end(), [&](const SiteInfo& site) {
        return site.file < config_.board.lattice && site.rank < config_.board.lattice;
      });
    });
  }

  void cannot_play(const GameInfo& game, const std::vector<std::string>& blind, std::size_t line) {
    const std::size_t named = std::min(blind.size(), kMostNamedSites);
    const std::vector<std::string_view> sites(blind.begin(), blind.begin() + static_cast<std::ptrdiff_t>(named));
    std::string message = std::string(game.name) + " cannot be played on board " + in_quotes(config_.board.name) +
                          ", which has no sensor under " + joined(sites);
    if (blind.size() > named) message += " and " + std::to_string(blind.size() - named) + " more sites";
    problems_.add(line, message + "; choose another game or board");
  }

  void read_play(TableReader& top) {
    TableReader table = top.table("play");
    const auto wait = [&](std::string_view key, std::int64_t least, std::int64_t most, Time& kept) {
      const auto ms = table.whole(key, least, most);
      if (ms) kept = std::chrono::milliseconds(*ms);
      return ms || !table.has(key);
    };
    keep(config_.help, table.flag("help"));
    keep(config_.sound, table.flag("sound"));
    const bool settle_known = wait("settle_ms", 20, kMostWait, config_.tracker.settle);
    wait("wrong_placing_ms", 20, kMostWait, config_.tracker.wrong_placing);
    wait("wrong_lift_ms", 20, kMostWait, config_.tracker.wrong_lift);
    const bool ask_known = wait("ask_ms", 20, kMostWait, config_.tracker.ask);
    wait("debounce_ms", 0, 200, config_.debounce.hold);
    table.finish();
    if (settle_known && ask_known && config_.tracker.settle > config_.tracker.ask) settle_is_too_long(table);
  }

  /// The players are asked only about what has settled.
  void settle_is_too_long(TableReader& table) const {
    const auto ms = [](Time time) { return std::to_string(time / std::chrono::milliseconds(1)); };
    const std::string settle = ms(config_.tracker.settle);
    const std::string ask = ms(config_.tracker.ask);
    if (table.has("settle_ms")) {
      table.wrong("settle_ms", "is " + settle + "; it must not be longer than ask_ms, which is " + ask);
    } else {
      table.wrong("ask_ms", "is " + ask + "; it must not be shorter than settle_ms, which is " + settle);
    }
  }

  void read_lights(TableReader& top) {
    TableReader table = top.table("lights");
    keep(config_.brightness, table.number("brightness", 0, 1));
    if (const auto palette = table.choice("palette", kPalettes)) config_.palette = static_cast<Palette>(*palette);
    table.finish();
  }

  void read_server(TableReader& top) {
    TableReader table = top.table("server");
    if (auto socket = table.path("socket")) {
      if (socket->size() > kMostSocketPath) {
        table.wrong("socket", "is " + std::to_string(socket->size()) + " bytes long; the path of a socket can have " +
                                  std::to_string(kMostSocketPath));
      }
      config_.socket = std::move(*socket);
    }
    if (const auto addresses = table.texts("listen")) {
      config_.listen.clear();
      for (const auto& [text, line] : *addresses) {
        const auto wrong = [&, at = line, given = in_quotes(text)](const std::string& why) {
          problems_.add(at, table.label("listen").append(" has ").append(given).append("; ").append(why));
        };
        const auto address = read_address(text);
        if (!address) {
          wrong(address.error());
        } else if (std::find(config_.listen.begin(), config_.listen.end(), *address) != config_.listen.end()) {
          wrong("that is there already, so leave it out");
        } else {
          config_.listen.push_back(*address);
        }
      }
    }
    keep(config_.web, table.path("web"));
    if (const auto origins = table.texts("origins")) {
      for (const auto& [text, line] : *origins) {
        if (!is_origin(text)) {
          problems_.add(line,
                        table.label("origins") + " has " + in_quotes(text) + "; it must be like https://board.example");
        }
        config_.origins.push_back(text);
      }
    }
    keep(config_.token_file, table.path("token_file"));
    table.finish();
  }

  void read_journal(TableReader& top) {
    TableReader table = top.table("journal");
    keep(config_.journal, table.path("file"));
    if (const auto mib = table.whole("max_mib", 0, kMostMib)) config_.journal_max_mib = static_cast<std::uint32_t>(*mib);
    keep(config_.record_traces, table.flag("record_traces"));
    keep(config_.traces, table.path("traces"));
    table.finish();
  }

  const std::string& share_;
  FileProblems& problems_;
  bool board_read_ = false;
};

}  // namespace

Result<Config, ConfigProblems> read_config_text(const std::string& text, const std::string& file, const std::string& share) {
  FileProblems problems(file);
  const auto parsed = parse_toml(text, problems);
  if (!parsed) return problems.take();
  ConfigReader reader(share, problems);
  reader.read(*parsed);
  ConfigProblems all = problems.take();
  all.insert(all.end(), reader.profile_problems_.begin(), reader.profile_problems_.end());
  if (!all.empty()) return all;
  return std::move(reader.config_);
}

Result<Config, ConfigProblems> read_config(const std::string& file, const std::string& share) {
  const auto content = read_file(file);
  if (!content) return ConfigProblems{content.error()};
  return read_config_text(*content, file, share);
}

Result<Config, ConfigProblems> default_config(const std::string& share) {
  return read_config_text("", "default configuration", share);
}

}  // namespace merel
