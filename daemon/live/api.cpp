#include "daemon/live/api.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>

#include "daemon/live/log.h"
#include "daemon/live/preflight_report.h"
#include "daemon/live/state_json.h"
#include "daemon/live/trace_hands.h"

namespace merel {
namespace {

constexpr std::string_view kGames = "/api/games/";

void json(const Reply& reply, const Json& body, unsigned status = 200) {
  reply({status, body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", "application/json", ""});
}

void refuse(const Reply& reply, unsigned status, const std::string& sentence) { json(reply, {{"error", sentence}}, status); }

void plain(const Reply& reply, std::string body, std::string file_name = "") {
  reply({200, std::move(body), "text/plain; charset=utf-8", std::move(file_name)});
}

/// What the journal could not do: a thing that is not there is the caller's affair, the rest the disk's.
unsigned status_of(const std::string& error) { return error.rfind("no game", 0) == 0 ? 404 : 409; }

/// Reads files that were written at once, joined; empty when none can be read.
std::string joined(const std::vector<std::string>& files) {
  std::string out;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!out.empty()) out += "# the board was interrupted here\n";
    out.append(std::istreambuf_iterator<char>(in), {});
  }
  return out;
}

}  // namespace

std::span<const Daemon::Api::Route> Daemon::Api::routes() {
  static constexpr std::array kRoutes = {
      Route{"GET", "/api/state", &Api::get_state},
      Route{"GET", "/api/rules", &Api::get_rules},
      Route{"GET", "/api/sensors", &Api::get_sensors},
      Route{"GET", "/api/preflight", &Api::get_preflight},
      Route{"GET", "/api/calibration", &Api::get_calibration},
      Route{"POST", "/api/calibration", &Api::record_picture},
      Route{"POST", "/api/calibration/finish", &Api::finish_calibration},
      Route{"DELETE", "/api/calibration", &Api::forget_calibration},
      Route{"GET", "/api/support", &Api::get_support},
      Route{"GET", "/metrics", &Api::get_metrics},
      Route{"POST", "/api/game", &Api::new_game},
      Route{"POST", "/api/game/takeback", &Api::take_back},
      Route{"POST", "/api/game/choose", &Api::choose},
      Route{"POST", "/api/game/resign", &Api::resign},
      Route{"POST", "/api/game/draw", &Api::draw},
      Route{"POST", "/api/game/abort", &Api::abort},
      Route{"POST", "/api/help", &Api::help},
      Route{"POST", "/api/record", &Api::record},
      Route{"GET", "/api/games", &Api::list_games},
      Route{"POST", "/api/games", &Api::import_game},
      Route{"DELETE", "/api/games", &Api::delete_games},
      Route{"GET", "/api/sim", &Api::get_sim},
      Route{"POST", "/api/sim/lift", &Api::sim_lift},
      Route{"POST", "/api/sim/put", &Api::sim_put},
      Route{"POST", "/api/sim/arrange", &Api::sim_arrange},
      Route{"POST", "/api/sim/tray", &Api::sim_tray},
      Route{"POST", "/api/sim/button", &Api::sim_button},
      Route{"POST", "/api/sim/fault", &Api::sim_fault},
      Route{"POST", "/api/sim/play", &Api::sim_play},
  };
  return kRoutes;
}

void Daemon::Api::handle(const Request& request, Reply reply) {
  const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
  bool there = false;
  for (const Route& route : routes()) {
    if (route.path != request.path) continue;
    if (route.method == method) return (this->*route.handler)(request, reply);
    there = true;
  }
  if (request.path.rfind(kGames, 0) == 0 && request.path.size() > kGames.size()) {
    if (method == "GET") return get_game(request, reply);
    there = true;
  }
  if (there) return refuse(reply, 405, request.path + " does not know " + request.method);
  refuse(reply, 404, "there is no " + request.path + "; see docs/openapi.yaml");
}

std::string Daemon::Api::state() { return daemon_.state().dump(-1, ' ', false, Json::error_handler_t::replace); }

void Daemon::Api::done(const Done& done, const Reply& reply) {
  if (!done) return refuse(reply, done.error().status, done.error().sentence);
  json(reply, daemon_.state());
}

// ---- what is so ------------------------------------------------------------------------------------------------------------

void Daemon::Api::get_state(const Request& /*request*/, const Reply& reply) { json(reply, daemon_.state()); }

void Daemon::Api::get_rules(const Request& /*request*/, const Reply& reply) {
  json(reply, rules_json(daemon_.config().board));
}

void Daemon::Api::get_sensors(const Request& /*request*/, const Reply& reply) { json(reply, daemon_.sensors()); }

void Daemon::Api::get_preflight(const Request& /*request*/, const Reply& reply) {
  const BoardProfile& board = daemon_.config().board;
  json(reply, findings_json(board, findings_of(board)));
}

void Daemon::Api::get_calibration(const Request& /*request*/, const Reply& reply) {
  if (!daemon_.calibrator_) return refuse(reply, 409, daemon_.calibrating().error().sentence);
  json(reply, daemon_.calibrator_->state());
}

void Daemon::Api::record_picture(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto what = body.text("picture");
  const auto kind = body.text("kind");
  const auto pole = body.text("pole");
  const auto cells = body.texts("cells");
  if (!what) body.missing("picture", "dark, lit or pieces");
  std::string error = body.error();
  CalibrationPicture picture;
  if (error.empty() && *what == "pieces") {
    picture.what = CalibrationPicture::What::pieces;
    const auto known = kind ? magnet_kind(*kind) : std::nullopt;
    if (!known) {
      error = "kind: must be strong, weak or sphere";
    } else if (pole != "north" && pole != "south") {
      error = "pole: must be north or south, whichever is up";
    } else if (!cells || cells->empty()) {
      error = "cells: names the cells on which the pieces stand, [\"b2\", \"f6\"]";
    } else {
      picture.kind = *known;
      picture.north_up = pole == "north";
    }
    for (std::size_t i = 0; error.empty() && i < cells->size(); ++i) {
      const auto channel = daemon_.cell_channel((*cells)[i]);
      if (!channel) error = "cells: this board has no sensor under '" + (*cells)[i] + "'";
      if (channel) picture.channels.push_back(*channel);
    }
  } else if (error.empty() && *what == "lit") {
    picture.what = CalibrationPicture::What::lit;
  } else if (error.empty() && *what != "dark") {
    error = "picture: '" + *what + "' is not known; it is dark, lit or pieces";
  }
  if (!error.empty()) return refuse(reply, 400, error);
  const auto calibrator = daemon_.calibrating();
  if (!calibrator) return refuse(reply, calibrator.error().status, calibrator.error().sentence);
  const bool lit = picture.what == CalibrationPicture::What::lit;
  daemon_.flood(lit ? Lamp{{255, 255, 255}, Effect::solid} : Lamp{});
  (*calibrator)->record(picture, [this, reply](const Result<Json, std::string>& recorded) {
    daemon_.flood(std::nullopt);
    if (!recorded) return refuse(reply, 409, recorded.error());
    json(reply, *recorded);
  });
}

void Daemon::Api::finish_calibration(const Request& /*request*/, const Reply& reply) {
  const auto calibrator = daemon_.calibrating();
  if (!calibrator) return refuse(reply, calibrator.error().status, calibrator.error().sentence);
  (*calibrator)->finish([reply](const Result<Json, std::string>& result) {
    if (!result) return refuse(reply, 409, result.error());
    json(reply, *result);
  });
}

void Daemon::Api::forget_calibration(const Request& /*request*/, const Reply& reply) {
  const auto calibrator = daemon_.calibrating();
  if (!calibrator) return refuse(reply, calibrator.error().status, calibrator.error().sentence);
  (*calibrator)->forget();
  json(reply, (*calibrator)->state());
}

void Daemon::Api::get_support(const Request& /*request*/, const Reply& reply) { json(reply, daemon_.support()); }

void Daemon::Api::get_metrics(const Request& /*request*/, const Reply& reply) {
  reply({200, daemon_.metrics(), "text/plain; version=0.0.4; charset=utf-8", ""});
}

// ---- the game --------------------------------------------------------------------------------------------------------------

void Daemon::Api::new_game(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  NewGame wanted;
  wanted.game = body.text("game");
  wanted.options = body.table("options");
  wanted.position = body.text("position");
  wanted.players = body.texts("players");
  wanted.no_clock = body.is_null("clock");
  std::string error;
  if (auto clock = body.object("clock")) {
    constexpr double kDay = 86'400;
    const auto initial = clock->number("initial_s", 1, kDay);
    const auto increment = clock->number("increment_s", 0, 3600);
    if (!initial) clock->missing("initial_s", "the seconds that each player has");
    error = clock->error();
    const auto time = [](double s) { return Time(static_cast<std::int64_t>(s * 1e6)); };
    wanted.clock = ClockSettings{time(initial.value_or(1)), time(increment.value_or(0))};
  }
  if (error.empty()) error = body.error();
  if (!error.empty()) return refuse(reply, 400, error);
  done(daemon_.begin(wanted), reply);
}

void Daemon::Api::take_back(const Request& request, const Reply& reply) {
  const JsonBody body(request.body);
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.take_back(), reply);
}

void Daemon::Api::choose(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto steps = body.texts("steps");
  if (!steps) body.missing("steps", "the steps of the turn, [\"d3-e4\", \"xd3\"]");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.choose(*steps), reply);
}

void Daemon::Api::resign(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto player = body.text("player");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.resign(player.value_or("")), reply);
}

void Daemon::Api::draw(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto player = body.text("player");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.draw(player.value_or("")), reply);
}

void Daemon::Api::abort(const Request& request, const Reply& reply) {
  const JsonBody body(request.body);
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.abort(), reply);
}

void Daemon::Api::help(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto on = body.flag("on");
  if (!on) body.missing("on", "true or false");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  daemon_.help(*on);
  json(reply, daemon_.state());
}

void Daemon::Api::record(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  const auto on = body.flag("on");
  if (!on) body.missing("on", "true or false");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  done(daemon_.record(*on), reply);
}

// ---- the archive -----------------------------------------------------------------------------------------------------------

void Daemon::Api::list_games(const Request& request, const Reply& reply) {
  std::size_t limit = 50;
  if (const auto at = request.query.find("limit"); at != request.query.end()) {
    const char* end = at->second.data() + at->second.size();
    const auto [stop, code] = std::from_chars(at->second.data(), end, limit);
    if (code != std::errc{} || stop != end || limit < 1 || limit > 1000) {
      return refuse(reply, 400, "limit: must be a whole number from 1 to 1000");
    }
  }
  const auto before = request.query.find("before");
  daemon_.journal().list(limit, before == request.query.end() ? "" : before->second, [reply](const auto& listed) {
    if (!listed) return refuse(reply, status_of(listed.error()), listed.error());
    Json list = Json::array();
    for (const GameSummary& game : *listed) list.push_back(to_json(game));
    json(reply, {{"games", list}});
  });
}

/// Read on the journal's thread: four megabytes of somebody's text must not hold up a reading.
void Daemon::Api::import_game(const Request& request, const Reply& reply) {
  daemon_.journal().run([this, text = request.body, reply, post = daemon_.to_loop()] {
    auto game = std::make_shared<Result<ArchivedGame, std::string>>(read_game(text));
    post([this, game, reply] {
      if (!*game) return refuse(reply, 400, game->error());
      const std::string id = (*game)->header.id;
      daemon_.journal().import(std::move(**game), [reply, id](const auto& imported) {
        if (!imported) return refuse(reply, 409, imported.error());
        json(reply, {{"id", id}, {"steps", *imported}});
      });
    });
  });
}

void Daemon::Api::delete_games(const Request& request, const Reply& reply) {
  JsonBody body(request.body);
  auto ids = body.texts("ids");
  if (!ids) body.missing("ids", "the ids of the games to delete");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  daemon_.journal().remove(std::move(*ids), [reply](const auto& removed) {
    if (!removed) return refuse(reply, status_of(removed.error()), removed.error());
    json(reply, {{"deleted", *removed}});
  });
}

void Daemon::Api::get_game(const Request& request, const Reply& reply) {
  const std::string id = request.path.substr(kGames.size());
  const auto format = request.query.find("format");
  const std::string as = format == request.query.end() ? "json" : format->second;
  if (as != "json" && as != "text" && as != "trace") {
    return refuse(reply, 400, "format: '" + as + "' is not known; it is json, text or trace");
  }
  daemon_.journal().load(id, [this, reply, as](const auto& loaded) {
    if (!loaded) return refuse(reply, status_of(loaded.error()), loaded.error());
    if (as == "trace") return get_trace(loaded->header.id, reply);
    if (as == "text") return plain(reply, to_text(*loaded), loaded->header.id + ".txt");
    json(reply, to_json(*loaded));
  });
}

/// The file is read on the journal's thread, after everything that is still to be written to it.
void Daemon::Api::get_trace(const std::string& id, const Reply& reply) {
  const bool open = id == daemon_.game_id() && daemon_.recorder().recording();
  if (open) daemon_.recorder_.flush(daemon_.clock().now(), true);
  const double now = to_json(daemon_.clock().now());
  daemon_.journal().run([files = daemon_.recorder().files(id), id, reply, open, post = daemon_.to_loop(), now] {
    std::string text = joined(files);
    if (open && !text.empty()) text += Json(now).dump() + " end\n";
    post([text = std::move(text), id, reply] {
      if (text.empty()) {
        return refuse(reply, 404, "no trace of game " + id + " was recorded; switch recording on with merel record on");
      }
      plain(reply, text, id + ".trace");
    });
  });
}

// ---- the virtual board -----------------------------------------------------------------------------------------------------

SimDriver* Daemon::Api::sim(const Reply& reply) {
  if (daemon_.sim() == nullptr) refuse(reply, 409, "this is a real board; only the virtual board has hands here");
  return daemon_.sim();
}

std::optional<std::uint16_t> Daemon::Api::channel(JsonBody& body, const Reply& reply) {
  const auto site = body.text("site");
  if (!site) body.missing("site", "the name of a site, \"d3\"");
  if (!body.error().empty()) {
    refuse(reply, 400, body.error());
    return std::nullopt;
  }
  const auto found = daemon_.channel(*site);
  if (found) return *found;
  refuse(reply, 400, found.error());
  return std::nullopt;
}

void Daemon::Api::get_sim(const Request& /*request*/, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  const Config& config = daemon_.config();
  const Tracker* tracker = daemon_.session().tracker();
  const GameInfo& game = tracker == nullptr ? *find_game(config.game) : tracker->record().game();
  Json pieces = Json::object();
  Json lamps = Json::object();
  Json faults = Json::array();
  const auto look = [&](const std::string& site, std::uint8_t file, std::uint8_t rank) {
    const std::uint16_t at = config.board.channel_at(file, rank);
    if (at < driver->board().channels()) {
      const Contents there = driver->board().piece(at);
      if (!there.is_empty()) pieces[site] = contents_text(there, game.colours);
      if (const auto fault = driver->board().fault(at)) {
        constexpr std::array<const char*, 3> kKinds = {"stuck", "flapping", "dropped"};
        faults.push_back({{"site", site}, {"kind", kKinds[static_cast<std::size_t>(*fault)]}});
      }
    }
    const std::uint16_t light = config.board.light_at(file, rank);
    if (light >= driver->lamps().size()) return;
    const Lamp& lamp = driver->lamps()[light];
    if (lamp.colour == Rgb{}) return;
    lamps[site] = Json::array({lamp.colour.red, lamp.colour.green, lamp.colour.blue, name(lamp.effect)});
  };
  if (tracker != nullptr) {
    for (const SiteInfo& info : geometry(tracker->record().position()).sites) {
      if (info.sensed) look(std::string(info.name()), info.file, info.rank);
    }
  } else {
    for (std::uint8_t file = 0; file < config.board.lattice; ++file) {
      for (std::uint8_t rank = 0; rank < config.board.lattice; ++rank) look(cell_name(file, rank), file, rank);
    }
  }
  if (driver->board().unplugged()) faults.push_back({{"site", ""}, {"kind", "unplugged"}});
  json(reply, {{"pieces", pieces}, {"lamps", lamps}, {"faults", faults}});
}

void Daemon::Api::sim_lift(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  JsonBody body(request.body);
  const auto at = channel(body, reply);
  if (!at) return;
  const Contents piece = driver->board().piece(*at);
  if (piece.is_empty()) return refuse(reply, 409, "nothing stands there");
  hand_ = piece;
  driver->board().set(*at, Contents::empty(), daemon_.clock().now());
  json(reply, Json::object());
}

void Daemon::Api::sim_put(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  JsonBody body(request.body);
  const auto colour = body.text("colour");
  const auto at = channel(body, reply);
  if (!at) return;
  Contents piece = hand_;
  if (colour) {
    const auto player = daemon_.player(*colour);
    if (!player) return refuse(reply, player.error().status, player.error().sentence);
    piece = Contents::piece(*player);
  }
  if (piece.is_empty()) return refuse(reply, 409, "no piece is in the hand; name a colour or lift one first");
  if (!driver->board().piece(*at).is_empty()) return refuse(reply, 409, "a piece stands there already");
  if (!colour) hand_ = Contents::empty();
  driver->board().set(*at, piece, daemon_.clock().now());
  json(reply, Json::object());
}

/// Makes the virtual board show that picture; null: nothing stands on it.
void Daemon::Api::arrange(const Picture* picture) {
  VirtualBoard& board = daemon_.sim()->board();
  std::vector<Contents> wanted(board.channels());
  if (picture != nullptr) {
    const std::vector<Site> sites = daemon_.config().board.sites(geometry(daemon_.session().tracker()->record().position()));
    for (std::size_t i = 0; i < wanted.size() && i < sites.size(); ++i) {
      if (sites[i] != kNoSite) wanted[i] = (*picture)[sites[i]];
    }
  }
  const Time now = daemon_.clock().now();
  for (std::uint16_t i = 0; i < board.channels(); ++i) board.set(i, wanted[i], now);
}

void Daemon::Api::sim_arrange(const Request& request, const Reply& reply) {
  if (sim(reply) == nullptr) return;
  JsonBody body(request.body);
  const std::string to = body.text("to").value_or("record");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  if (to == "empty") {
    arrange(nullptr);
  } else if (to != "record") {
    return refuse(reply, 400, "to: must be record or empty");
  } else if (const Tracker* tracker = daemon_.session().tracker()) {
    const Picture picture(tracker->record().game(), tracker->record().position());
    arrange(&picture);
  } else {
    return refuse(reply, 409, "there is no game to arrange the pieces for");
  }
  json(reply, Json::object());
}

void Daemon::Api::sim_tray(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  JsonBody body(request.body);
  const auto letter = body.text("player");
  const auto count = body.number("count", 0, 255);
  if (!letter) body.missing("player", "a colour letter");
  if (!count) body.missing("count", "the number of spheres in the tray");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  const auto player = daemon_.player(*letter);
  if (!player) return refuse(reply, player.error().status, player.error().sentence);
  driver->board().tray(*player, static_cast<int>(*count), daemon_.clock().now());
  json(reply, Json::object());
}

void Daemon::Api::sim_button(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  JsonBody body(request.body);
  const auto letter = body.text("player");
  const double hold = body.number("hold_ms", 0, 60'000).value_or(100);
  if (!letter) body.missing("player", "a colour letter, \"W\"");
  if (!body.error().empty()) return refuse(reply, 400, body.error());
  const auto player = daemon_.player(*letter);
  if (!player) return refuse(reply, player.error().status, player.error().sentence);
  driver->board().button(*player, true, daemon_.clock().now());
  auto timer = std::make_shared<boost::asio::steady_timer>(daemon_.loop_, std::chrono::milliseconds(static_cast<int>(hold)));
  std::weak_ptr<SimDriver> still = daemon_.board_.sim;
  timer->async_wait([timer, still, player = *player, &daemon = daemon_](const boost::system::error_code& error) {
    const auto there = still.lock();
    if (!error && there) there->board().button(player, false, daemon.clock().now());
  });
  json(reply, Json::object());
}

void Daemon::Api::sim_fault(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  JsonBody body(request.body);
  const std::string kind = body.text("kind").value_or("");
  const Time now = daemon_.clock().now();
  if (kind == "unplugged" || kind == "none") {
    if (!body.error().empty()) return refuse(reply, 400, body.error());
    kind == "none" ? driver->board().mend(now) : driver->board().unplug(now);
  } else {
    const auto at = channel(body, reply);
    if (!at) return;
    if (kind == "stuck") {
      driver->board().breaks(*at, SensorFault::stuck, now);
    } else if (kind == "flapping") {
      driver->board().breaks(*at, SensorFault::flapping, now);
    } else if (kind == "dropped") {
      driver->board().breaks(*at, SensorFault::dropped, now);
    } else {
      return refuse(reply, 400, "kind: must be stuck, flapping, dropped, unplugged or none");
    }
  }
  driver->arm();
  json(reply, Json::object());
}

void Daemon::Api::sim_play(const Request& request, const Reply& reply) {
  SimDriver* driver = sim(reply);
  if (driver == nullptr) return;
  const auto trace = read_trace(request.body);
  if (!trace) return refuse(reply, 400, trace.error().text("trace"));
  if (const auto begun = daemon_.begin(game_of(*trace)); !begun)
    return refuse(reply, begun.error().status, begun.error().sentence);
  driver->play({});
  const Picture start(*trace->game, trace->start);
  arrange(&start);
  driver->play(hands_of(
      *trace, daemon_.config().board,
      [&daemon = daemon_](const std::vector<Step>& steps) {
        if (const auto done = daemon.choose(steps); !done) log(LogLevel::warning, done.error().sentence);
      },
      [&daemon = daemon_] {
        if (const auto done = daemon.take_back(); !done) log(LogLevel::warning, done.error().sentence);
      }));
  json(reply, {{"ends_in_s", static_cast<double>(trace->events.back().time.count()) / 1e6}});
}

}  // namespace merel
