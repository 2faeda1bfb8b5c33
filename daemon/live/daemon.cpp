#include "daemon/live/daemon.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "daemon/event_words.h"
#include "daemon/live/api.h"
#include "daemon/live/cell_names.h"
#include "daemon/live/log.h"
#include "daemon/live/state_json.h"
#include "daemon/live/version.h"

namespace merel {
namespace {

constexpr Time kPublish = std::chrono::milliseconds(25);  // between two looks of the clients at what changes all the time

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string new_id() { return to_string(boost::uuids::random_generator()()); }

/// Appends to a file and makes its folder; 0, or the error number.
int append_to_file(const std::string& file, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  std::size_t written = 0;
  while (out >= 0 && written < text.size()) {
    const ssize_t n = write(out, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  const int reason = errno;
  if (out >= 0) close(out);
  return written < text.size() ? reason : 0;
}

Json level_json(const SensorLevel& level) {
  const bool north = level.piece == PieceClass::north || level.piece == PieceClass::weak_north;
  return {{"counts", level.counts},
          {"baseline", level.baseline},
          {"deviation", level.deviation},
          {"margin", std::round(level.margin)},
          {"pole", level.piece == PieceClass::none ? ""
                   : north                         ? "north"
                                                   : "south"},
          {"weak", level.piece == PieceClass::weak_north || level.piece == PieceClass::weak_south}};
}

std::string lower_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

/// The source may hold a contact for a part of the debounce time; the rest is ours.
SessionSettings Daemon::session_settings() const {
  DebounceSettings debounce = config_.debounce;
  debounce.hold -= std::min(debounce.hold, shared_debounce_);
  return {config_.board, config_.tracker, debounce, config_.help};
}

Daemon::Daemon(boost::asio::io_context& loop, Config config)
    : loop_(loop),
      config_(std::move(config)),
      timer_(loop),
      session_(session_settings()),
      recorder_(config_.traces, [this](const std::string& file, std::string text) {
        if (journal_) journal_->run([this, file, text = std::move(text)] { write_trace(file, text); });
      }) {
  recorder_.set_on(config_.record_traces);
}

Daemon::~Daemon() {
  try {
    stop();
  } catch (const std::exception& error) {
    log(LogLevel::error, std::string("Not everything could be closed: ") + error.what());
  }
}

Journal::Post Daemon::to_loop() const {
  return [&loop = loop_](Journal::Job job) { boost::asio::post(loop, std::move(job)); };
}

/// On the journal's thread. That it fails is told once, and not with every piece of a trace.
void Daemon::write_trace(const std::string& file, const std::string& text) {
  const int failed = append_to_file(file, text);
  if (failed != 0 && !trace_failing_) {
    log(LogLevel::warning, "The trace cannot be written: " + std::generic_category().message(failed), {{"file", file}});
  }
  trace_failing_ = failed != 0;
}

// ---- start and stop --------------------------------------------------------------------------------------------------------

Result<std::monostate, std::string> Daemon::start() {
  Journal::Listener listener;
  listener.durable = [this](const std::string& id, std::uint64_t n) {
    if (id == header_.id) durable_ = std::max(durable_, n);
    publish({{"type", "durable"}, {"id", id}, {"n", n}});
  };
  listener.status = [this](const JournalStatus& status) {
    if (status.well) {
      log(LogLevel::info, "Games are written to the disk again");
    } else {
      log(LogLevel::error, status.what, {{"backlog", std::to_string(status.backlog)}});
    }
    publish({{"type", "journal"}, {"journal", journal_json(status)}});
  };
  JournalSettings settings;
  settings.file = config_.journal;
  settings.max_mib = config_.journal_max_mib;
  journal_ = std::make_unique<Journal>(settings, to_loop(), listener);

  auto opened = open_board(loop_, clock_,
                           {config_.board.sensor_driver, config_.board.light_driver, config_.board.channels(),
                            config_.board.lights(), config_.board.colour, config_.board.wires, config_.debounce.hold});
  if (!opened) return opened.error();
  board_ = *opened;
  lamps_.resize(config_.board.lights());
  if (board_.link) {
    std::vector<std::string> names;
    while (names.size() < config_.board.channels()) {
      const auto channel = static_cast<std::uint16_t>(names.size());
      names.push_back(cells_text(config_.board, std::span(&channel, 1)));
    }
    calibrator_ = std::make_unique<Calibrator>(loop_, *board_.link, std::move(names), config_.board.lattice);
  }
  board_.lights->on_trouble([this](const std::string& what) { on_light_trouble(what); });

  ServerSettings server;
  server.socket = config_.socket;
  server.web = config_.web;
  server.origins = config_.origins;
  const auto loopback = [](const ListenAddress& a) { return a.host.rfind("127.", 0) == 0 || a.host == "::1"; };
  for (const ListenAddress& address : config_.listen) server.listen.push_back({address.host, address.port});
  if (!std::all_of(config_.listen.begin(), config_.listen.end(), loopback)) {
    auto token = read_or_make_token(config_.token_file);
    if (!token) return token.error();
    server.token = token->text;
  }
  api_ = std::make_unique<Api>(*this);
  server_ = std::make_unique<Server>(loop_, server, *api_);
  if (auto started = server_->start(); !started) return started.error();

  auto running = journal_->running();
  board_.sensors->start(*this);
  share_debounce();
  if (!running) {
    log(LogLevel::error, "The archive cannot say which game was running: " + running.error());
  } else if (*running) {
    resume(**running);
  }
  settle(clock_.now());
  return std::monostate{};
}

/// Takes up the game that the power cut interrupted.
void Daemon::resume(const ArchivedGame& game) {
  const auto record = game.record();
  header_ = game.header;
  // Not the number of events: a full disk may have cost some.
  event_ = durable_ = game.events.empty() ? 0 : game.events.back().value("n", std::uint64_t{game.events.size()});
  if (!record) {
    log(LogLevel::error, "The running game cannot be read and is closed: " + record.error(), {{"game", header_.id}});
    journal_->close(header_.id, {Closing::aborted, {}, kNoPlayer, kNoPlayer}, unix_ms());
    return;
  }
  std::vector<Time> left;
  if (header_.clock) left.assign(header_.game->colours.size(), header_.clock->initial);
  for (const Json& event : game.events) {
    if (!header_.clock || event.value("type", "") != "step" || !event.contains("left_ms")) continue;
    const Player player = header_.game->player(event.value("player", "?")[0]);
    if (player < left.size()) left[player] = std::chrono::milliseconds(event.value("left_ms", std::int64_t{0}));
  }
  session_.resume(*record, header_.clock, left, clock_.now());
  use_board();
  log(LogLevel::info, "The game that was running goes on", {{"game", header_.id}});
}

void Daemon::stop() {
  if (!journal_) return;
  timer_.cancel();
  if (board_.lights) board_.lights->show({});
  if (board_.sensors) board_.sensors->stop();
  calibrator_.reset();
  recorder_.end(clock_.now());
  if (server_) server_->stop();
  journal_.reset();
  server_.reset();
  api_.reset();
}

std::vector<std::string> Daemon::reload(Config config) {
  std::vector<std::string> later;
  const auto keep = [&later](auto& now, auto& wanted, const char* what) {
    if (now == wanted) return;
    later.emplace_back(std::string(what) + " changes with the next restart: sudo systemctl restart mereld");
    wanted = now;
  };
  keep(config_.socket, config.socket, "[server] socket");
  keep(config_.listen, config.listen, "[server] listen");
  keep(config_.web, config.web, "[server] web");
  keep(config_.origins, config.origins, "[server] origins");
  keep(config_.token_file, config.token_file, "[server] token_file");
  keep(config_.journal, config.journal, "[journal] file");
  keep(config_.journal_max_mib, config.journal_max_mib, "[journal] max_mib");
  keep(config_.traces, config.traces, "[journal] traces");
  const BoardProfile& now = config_.board;
  const BoardProfile& wanted = config.board;
  if (now.sensor_driver != wanted.sensor_driver || now.light_driver != wanted.light_driver || now.colour != wanted.colour ||
      now.channels() != wanted.channels() || now.lights() != wanted.lights() || now.buttons != wanted.buttons ||
      now.wires != wanted.wires) {
    later.emplace_back("the board's drivers change with the next restart: sudo systemctl restart mereld");
    config.board = now;
  }
  config_ = std::move(config);
  session_.configure(session_settings(), clock_.now());
  set_log_level(log_level(config_.log_level));
  relight_ = true;
  publish({{"type", "config"}, {"board", config_.board.name}, {"help", config_.help}});
  settle(clock_.now());
  return later;
}

// ---- what the board says ---------------------------------------------------------------------------------------------------

void Daemon::on_reading(const Reading& reading) {
  ++metrics_.readings;
  if (logs(LogLevel::trace)) {
    log(LogLevel::trace, "Reading",
        {{"channel", std::to_string(reading.channel)}, {"empty", reading.contents.is_empty() ? "yes" : "no"}});
  }
  recorder_.reading(reading);
  session_.reading(reading);
  settle(reading.time);
}

void Daemon::on_button(std::uint8_t number, bool down, Time time) {
  session_.button(number, down, time);
  settle(time);
}

void Daemon::on_tray(std::uint8_t number, int count, Time time) {
  recorder_.tray(number, count, time);
  session_.tray(number, count, time);
  settle(time);
}

void Daemon::on_health(const SourceHealth& told, Time time) {
  SourceHealth health = told;
  if (!health.lost.empty()) health.what += "; the game goes on without " + cells_text(config_.board, health.lost);
  if (health != health_) {
    const bool said = !health.well && health.what == light_trouble_;
    if (!said) log(health.well ? LogLevel::info : LogLevel::error, health.well ? "The board answers again" : health.what);
    publish({{"type", "health"}, {"part", "sensors"}, {"well", health.well}, {"what", health.what}});
  }
  health_ = std::move(health);
  share_debounce();
  session_.source_well(health_.well || health_.partial, time);
  session_.channels_lost(health_.lost, time);
  settle(time);
}

void Daemon::on_light_trouble(const std::string& what) {
  if (what == light_trouble_) return;
  // A board on a link tells of itself for its sensors and for its lights; the log says it once.
  const bool of_board = !health_.well && (what.empty() ? light_trouble_ : what) == health_.what;
  light_trouble_ = what;
  if (!of_board) log(what.empty() ? LogLevel::info : LogLevel::error, what.empty() ? "The lights answer again" : what);
  publish({{"type", "health"}, {"part", "lights"}, {"well", what.empty()}, {"what", what}});
}

void Daemon::check() {
  board_.sensors->check();
  const bool weak = sim() == nullptr && under_voltage();
  if (weak == weak_) return;
  weak_ = weak;
  log(weak ? LogLevel::warning : LogLevel::info, weak ? under_voltage_sentence() : "The supply voltage is well again");
  publish({{"type", "health"}, {"part", "power"}, {"well", !weak}, {"what", weak ? under_voltage_sentence() : ""}});
}

void Daemon::share_debounce() {
  const Time shared = board_.sensors->debounced();
  if (shared == shared_debounce_) return;
  shared_debounce_ = shared;
  session_.configure(session_settings(), clock_.now());
}

/// What the game makes of the sensors.
void Daemon::use_board() {
  const GameRecord& record = session_.tracker()->record();
  const Geometry& board = geometry(record.position());
  BoardUse use;
  use.players = static_cast<std::uint8_t>(record.game().colours.size());
  for (const Site site : config_.board.sites(board)) use.levels.push_back(site == kNoSite ? 0 : board.info(site).level);
  board_.sensors->use(use);
}

/// Sensors that can make something of it are told what the game knows of the board.
void Daemon::tell_known() {
  if (!board_.link) return;
  KnownBoard known = session_.known();
  if (known == known_) return;
  known_ = std::move(known);
  board_.sensors->know(known_);
}

void Daemon::beep(Beep beep) {
  if (config_.sound && board_.buzzer) board_.buzzer->sound(beep);
}

// ---- the way through the house ---------------------------------------------------------------------------------------------

/// Something happened at `since`: lights first, then the story, then everything that may wait.
void Daemon::settle(Time since) {
  if (!server_) return;
  show_lights();
  metrics_.reading_to_lights.add(std::max(clock_.now() - since, Time{}));
  tell_story();
  tell_known();
  keep_trace();
  changed_ = true;
  arm();
}

void Daemon::show_lights() {
  if (flood_) return;
  Scene scene = session_.scene();
  if (!relight_ && scene == scene_) return;
  relight_ = false;
  scene_ = std::move(scene);
  std::fill(lamps_.begin(), lamps_.end(), Lamp{});
  if (const Tracker* tracker = session_.tracker()) {
    const Geometry& board = geometry(tracker->record().position());
    for (const auto& [site, light] : scene_) {
      const SiteInfo& info = board.info(site);
      const std::uint16_t at = config_.board.light_at(info.file, info.rank);
      // Seats above the second level share the light below them; what is already lit there stays.
      if (at < lamps_.size() && (info.sensed || lamps_[at] == Lamp{})) {
        lamps_[at] = lamp(light, tracker->record().game(), config_.palette, config_.brightness);
      }
    }
  }
  board_.lights->show(lamps_);
  ++metrics_.scenes;
}

void Daemon::flood(std::optional<Lamp> lamp) {
  flood_ = lamp;
  if (flood_) {
    std::fill(lamps_.begin(), lamps_.end(), *flood_);
    board_.lights->show(lamps_);
    return;
  }
  relight_ = true;
  settle(clock_.now());
}

/// What has happened goes to the log, the clients and the journal; what was understood together is kept together.
void Daemon::tell_story() {
  const std::vector<SessionEvent> events = session_.take_events();
  if (events.empty()) return;
  std::vector<Json> kept;
  const std::uint64_t first = event_ + 1;
  const GameClosed* closed = nullptr;
  bool new_game = false;
  for (const SessionEvent& event : events) {
    if (std::holds_alternative<ButtonPressed>(event.what))
      recorder_.press(std::get<ButtonPressed>(event.what).player, event.time);
    if (std::holds_alternative<TakebackAsked>(event.what)) recorder_.take_back(event.time);
    if (std::holds_alternative<TakebackAsked>(event.what)) beep(Beep::tick);
    if (std::holds_alternative<NewGameWanted>(event.what)) new_game = true;
    if (std::holds_alternative<GameClosed>(event.what)) closed = &std::get<GameClosed>(event.what);
    tell(event, kept);
  }
  if (new_game) beep(Beep::tick);
  if (closed != nullptr) {
    beep(Beep::end);
    journal_->close(header_.id, first, std::move(kept), closed->verdict, unix_ms());
    recorder_.end(clock_.now());
    publish({{"type", "game"}, {"game", game()}});
  } else if (!kept.empty()) {
    journal_->append(header_.id, first, std::move(kept));
  }
  if (!new_game) return;
  if (const auto begun = begin({}); !begun) log(LogLevel::warning, "No new game: " + begun.error().sentence);
}

void Daemon::tell(const SessionEvent& event, std::vector<Json>& kept) {
  if (session_.tracker() == nullptr) return;
  const GameRecord& record = session_.tracker()->record();
  Json story = story_json(event, record.game(), record.position());
  if (story.is_null()) return;
  const std::string type = story["type"];
  metrics_.steps += type == "step" ? 1U : 0U;
  metrics_.amends += type == "amend" ? 1U : 0U;
  metrics_.takebacks += type == "takeback" ? 1U : 0U;
  metrics_.illegal += type == "illegal" ? 1U : 0U;
  metrics_.ambiguous += type == "ambiguous" ? 1U : 0U;
  metrics_.faults += type == "fault" ? 1U : 0U;
  if (type == "illegal" || type == "ambiguous") beep(Beep::warning);
  const bool minor = type == "ignored" || type == "resolved";
  log(type == "fault" ? LogLevel::warning
      : minor         ? LogLevel::debug
                      : LogLevel::info,
      story_sentence(event, record.game(), record.position()), {{"game", header_.id}, {"event", type}});
  if (type != "ignored") {
    story["n"] = ++event_;
    story["at"] = unix_ms();
    kept.push_back(story);
  }
  publish(story);
}

/// A trace begins where the pieces stand as the record says.
void Daemon::keep_trace() {
  const bool wanted = recorder_.on() && session_.phase() == Phase::play;
  if (wanted && !recorder_.recording()) {
    recorder_.begin(header_.id, session_.tracker()->record(), config_.board, config_.tracker.settle, clock_.now());
  }
}

// ---- the clients -----------------------------------------------------------------------------------------------------------

void Daemon::publish(const Json& message) {
  if (!server_) return;
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  server_->publish(std::make_shared<const std::string>("{\"seq\":" + std::to_string(++seq_) + "," + body.substr(1)));
}

/// What changes with every touch is told at most every kPublish, and only when somebody listens.
void Daemon::publish_changes() {
  changed_ = false;
  publish_at_.reset();
  published_ = clock_.now();
  if (const Phase phase = session_.phase(); phase != told_phase_) {
    told_phase_ = phase;
    publish({{"type", "phase"}, {"phase", name(phase)}});
  }
  Json picture = picture_json(session_);
  if (picture != told_picture_) {
    Json all = told_picture_;
    all.update(picture);
    for (const auto& [site, unused] : all.items()) {
      const std::string was = told_picture_.value(site, ".");
      const std::string is = picture.value(site, ".");
      if (was != is) publish({{"type", "picture"}, {"site", site}, {"contents", is}});
    }
    told_picture_ = std::move(picture);
  }
  const auto changed = [this](Json& told, Json now, const char* type, const char* key) {
    if (told == now) return;
    told = std::move(now);
    publish({{"type", type}, {key, told}});
  };
  changed(told_view_, view_json(session_), "view", "view");
  changed(told_lights_, lights_json(session_, scene_), "scene", "lights");
  changed(told_offers_, draw_offers_json(session_), "draw_offers", "draw_offers");
  if (session_.clock() == nullptr) return;
  Json clock = clock_json(session_, clock_.now());
  if (clock["running"] == told_running_) return;
  told_running_ = clock["running"];
  publish({{"type", "clock"}, {"clock", std::move(clock)}});
}

Json Daemon::journal_json(const JournalStatus& status) const {
  return {{"well", status.well}, {"what", status.what}, {"backlog", status.backlog}, {"dropped", status.dropped}};
}

Json Daemon::game() const {
  return session_.tracker() == nullptr ? Json(nullptr) : game_json(session_, header_, event_, durable_);
}

Json Daemon::state() {
  if (changed_) publish_changes();
  const Time now = clock_.now();
  return {{"seq", seq_},
          {"type", "state"},
          {"version", kVersion},
          {"board",
           {{"name", config_.board.name},
            {"title", config_.board.title},
            {"lattice", config_.board.lattice},
            {"colour", config_.board.colour},
            {"trays", config_.board.trays},
            {"buttons", config_.board.buttons},
            {"sim", sim() != nullptr},
            {"well", health_.well},
            {"what", health_.what},
            {"lights", {{"well", light_trouble_.empty()}, {"what", light_trouble_}}},
            {"power", {{"well", !weak_}, {"what", weak_ ? under_voltage_sentence() : ""}}}}},
          {"phase", name(session_.phase())},
          {"help", config_.help},
          {"recording", recorder_.on()},
          {"game", game()},
          {"clock", clock_json(session_, now)},
          {"draw_offers", draw_offers_json(session_)},
          {"picture", picture_json(session_)},
          {"view", view_json(session_)},
          {"lights", lights_json(session_, scene_)},
          {"journal", journal_json(journal_->status())}};
}

Json Daemon::sensors() {
  Json list = Json::array();
  const auto levels = board_.link ? board_.link->look(clock_.now()) : std::nullopt;
  const Tracker* tracker = session_.tracker();
  const Geometry* board = tracker == nullptr ? nullptr : &geometry(tracker->record().position());
  const std::string_view colours = tracker == nullptr ? find_game(config_.game)->colours : tracker->record().game().colours;
  const std::vector<Site> sites = board == nullptr ? std::vector<Site>() : config_.board.sites(*board);
  for (std::uint8_t file = 0; file < config_.board.lattice; ++file) {
    for (std::uint8_t rank = 0; rank < config_.board.lattice; ++rank) {
      const std::uint16_t channel = config_.board.channel_at(file, rank);
      if (channel == BoardProfile::kNone) continue;
      const Site site = channel < sites.size() ? sites[channel] : kNoSite;
      const bool on_board = site != kNoSite;
      const auto light = scene_.find(site);
      list.push_back({{"cell", cell_name(file, rank)},
                      {"channel", channel},
                      {"site", on_board ? std::string(board->info(site).name()) : std::string()},
                      {"contents", contents_text(on_board ? session_.contents(site) : session_.raw(channel), colours)},
                      {"raw", contents_text(session_.raw(channel), colours)},
                      {"changes", session_.changes(channel)},
                      {"flapping", on_board && session_.flapping(site)},
                      {"aside", on_board && tracker->aside(site)},
                      {"lost", std::binary_search(health_.lost.begin(), health_.lost.end(), channel)},
                      {"light", on_board && light != scene_.end() ? Json(name(light->second.role)) : Json("")}});
      if (levels && channel < levels->size()) list.back()["level"] = level_json((*levels)[channel]);
    }
  }
  return {{"source", {{"well", health_.well}, {"what", health_.what}}},
          {"lights", {{"well", light_trouble_.empty()}, {"what", light_trouble_}}},
          {"sensors", list}};
}

std::string Daemon::metrics() const {
  return metrics_text(metrics_, board_.sensors->counts(), journal_->status(), server_->statistics(), clock_.now());
}

Json Daemon::support() {
  const ServerStatistics server = server_->statistics();
  const JournalStatus journal = journal_->status();
  Json out = {{"versions", versions_json()},
              {"profile",
               {{"name", config_.board.name},
                {"title", config_.board.title},
                {"revision", config_.board.revision},
                {"sensors", config_.board.sensor_driver},
                {"lights", config_.board.light_driver},
                {"lattice", config_.board.lattice},
                {"turned", static_cast<int>(config_.board.turned) * 90}}},
              {"config",
               {{"game", config_.game},
                {"help", config_.help},
                {"journal", config_.journal},
                {"settle_ms", config_.tracker.settle / std::chrono::milliseconds(1)},
                {"debounce_ms", config_.debounce.hold / std::chrono::milliseconds(1)},
                {"log_level", config_.log_level}}},
              {"uptime_s", clock_.now() / std::chrono::seconds(1)},
              {"state", state()},
              {"sensors", sensors()},
              {"journal",
               {{"well", journal.well},
                {"what", journal.what},
                {"backlog", journal.backlog},
                {"events", journal.events},
                {"dropped", journal.dropped},
                {"bytes", journal.bytes},
                {"schema", journal.schema}}},
              {"server",
               {{"connections", server.connections},
                {"streams", server.streams},
                {"requests", server.requests},
                {"refused", server.refused},
                {"dropped_streams", server.dropped_streams}}},
              {"metrics", metrics()},
              {"trace", recorder_.recent()},
              {"log", recent_log()}};
  return out;
}

// ---- time ------------------------------------------------------------------------------------------------------------------

void Daemon::arm() {
  std::optional<Time> first = session_.deadline();
  const auto sooner = [&first](std::optional<Time> due) {
    if (due && (!first || *due < *first)) first = due;
  };
  sooner(recorder_.deadline());
  if (changed_ && server_->statistics().streams > 0) {
    if (!publish_at_) publish_at_ = std::max(clock_.now(), published_ + kPublish);
    sooner(publish_at_);
  }
  if (first == armed_) return;
  armed_ = first;
  if (!first) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(clock_.at(*first));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) due();  // the only error: another deadline came first, or the end
  });
}

void Daemon::due() {
  const Time now = clock_.now();
  armed_.reset();
  recorder_.flush(now);
  const auto deadline = session_.deadline();
  if (deadline && *deadline <= now) {
    session_.tick(now);
    settle(*deadline);
  }
  if (publish_at_ && *publish_at_ <= now) publish_changes();
  arm();
}

void Daemon::hold_clock(Time now) {
  clock_.hold(now);
  if (armed_ && *armed_ <= now) due();
}

// ---- what people ask for ---------------------------------------------------------------------------------------------------

Daemon::Done Daemon::answer(const Session::Answer& answer, Time since) {
  settle(since);
  if (!answer) return Refused{409, answer.error()};
  return std::monostate{};
}

Daemon::Done Daemon::begin(const NewGame& wanted) {
  if (calibrator_ && calibrator_->busy()) return Refused{409, "the board is being calibrated; wait for it"};
  const GameInfo* game = find_game(wanted.game.value_or(config_.game));
  if (game == nullptr) {
    std::string names;
    for (const GameInfo& known : games()) names.append(names.empty() ? "" : ", ").append(known.name);
    return Refused{400, "game: '" + *wanted.game + "' is not a game; it is one of " + names};
  }
  Options options = game->defaults();
  if (game->name == config_.game) {
    for (const auto& [key, value] : config_.options) [[maybe_unused]] const auto known = options.set(key, value);
  }
  for (const auto& [key, value] : wanted.options) {
    if (const auto set = options.set(key, value); !set) return Refused{400, "options: " + set.error().message};
  }
  const auto start = game->read(options, wanted.position.value_or(game->start(options)));
  if (!start) return Refused{400, "position: " + start.error().line()};
  const GameRecord record(*game, options, *start);
  if (const auto may = session_.may_begin(record); !may) return Refused{409, may.error()};
  if (journal_->crowded())
    return Refused{503, "no new game while games cannot be written: " + lower_first(journal_->status().what)};

  GameHeader header;
  header.id = new_id();
  header.game = game;
  header.options = options;
  header.start = *start;
  header.players = wanted.players.value_or(config_.players);
  if (header.players.size() > game->colours.size()) {
    if (wanted.players) {
      return Refused{400, "players: " + std::string(game->title) + " is played by " + std::to_string(game->colours.size())};
    }
    header.players.resize(game->colours.size());
  }
  header.board = config_.board.name;
  header.clock = wanted.clock ? wanted.clock : wanted.no_clock ? std::nullopt : config_.clock;
  header.started_ms = unix_ms();

  const Time now = clock_.now();
  if (const auto begun = session_.begin(record, header.clock, now); !begun) return Refused{409, begun.error()};
  header_ = std::move(header);
  use_board();
  event_ = durable_ = 0;
  ++metrics_.games;
  relight_ = true;
  journal_->begin(header_);
  log(LogLevel::info, std::string("A game of ") + std::string(game->title) + " begins", {{"game", header_.id}});
  publish({{"type", "game"}, {"game", this->game()}});
  publish({{"type", "clock"}, {"clock", clock_json(session_, now)}});
  settle(now);
  return std::monostate{};
}

Result<Calibrator*, Refused> Daemon::calibrating() {
  if (!calibrator_) {
    return Refused{409, "the sensors of board '" + config_.board.name +
                            "' are only on or off, so there is nothing to calibrate; a board with a Pico has levels"};
  }
  if (session_.phase() != Phase::idle && session_.phase() != Phase::over) {
    return Refused{409, "a game is on the board; end it first (merel abort)"};
  }
  if (calibrator_->busy()) return Refused{409, "a picture is being recorded; wait for it"};
  return calibrator_.get();
}

Daemon::Done Daemon::take_back() {
  const Time now = clock_.now();
  return answer(session_.take_back(now), now);
}

Daemon::Done Daemon::choose(const std::vector<std::string>& steps) {
  if (session_.tracker() == nullptr) return Refused{409, "no game is running; begin one with merel new"};
  std::vector<Step> chosen;
  for (const std::string& step : steps) {
    const auto read = read_step(session_.tracker()->record().position(), step);
    if (!read) return Refused{400, "steps: '" + step + "': " + read.error().line()};
    chosen.push_back(*read);
  }
  return choose(chosen);
}

Daemon::Done Daemon::choose(const std::vector<Step>& steps) {
  const Time now = clock_.now();
  recorder_.choose(steps, now);
  return answer(session_.choose(steps, now), now);
}

/// Without a game the seats are those of the configured one.
Result<Player, Refused> Daemon::player(const std::string& letter) const {
  const GameInfo& game = session_.tracker() == nullptr ? *find_game(config_.game) : session_.tracker()->record().game();
  const Player found = letter.size() == 1 ? game.player(letter[0]) : kNoPlayer;
  if (found != kNoPlayer) return found;
  return Refused{400, "player: '" + letter + "' does not play here; the players are " + std::string(game.colours)};
}

Daemon::Done Daemon::resign(const std::string& letter) {
  const Time now = clock_.now();
  if (letter.empty() || session_.tracker() == nullptr) return answer(session_.resign(std::nullopt, now), now);
  const auto who = player(letter);
  if (!who) return who.error();
  return answer(session_.resign(*who, now), now);
}

Daemon::Done Daemon::draw(const std::string& letter) {
  const Time now = clock_.now();
  if (letter.empty() || session_.tracker() == nullptr) return answer(session_.draw(std::nullopt, now), now);
  const auto who = player(letter);
  if (!who) return who.error();
  return answer(session_.draw(*who, now), now);
}

Daemon::Done Daemon::abort() {
  const Time now = clock_.now();
  return answer(session_.abort(now), now);
}

void Daemon::help(bool on) {
  config_.help = on;
  session_.set_help(on);
  publish({{"type", "help"}, {"on", on}});
  settle(clock_.now());
}

Daemon::Done Daemon::record(bool on) {
  recorder_.set_on(on);
  if (!on) recorder_.end(clock_.now());
  publish({{"type", "recording"}, {"on", on}});
  settle(clock_.now());
  return std::monostate{};
}

std::optional<std::uint16_t> Daemon::cell_channel(const std::string& cell) const {
  for (std::uint8_t file = 0; file < config_.board.lattice; ++file) {
    for (std::uint8_t rank = 0; rank < config_.board.lattice; ++rank) {
      const std::uint16_t channel = config_.board.channel_at(file, rank);
      if (cell_name(file, rank) == cell && channel != BoardProfile::kNone) return channel;
    }
  }
  return std::nullopt;
}

Result<std::uint16_t, std::string> Daemon::channel(const std::string& site) const {
  std::uint16_t found = BoardProfile::kNone;
  if (const Tracker* tracker = session_.tracker()) {
    const Geometry& board = geometry(tracker->record().position());
    const Site named = board.find(site);
    if (named == kNoSite) return "site: " + std::string(tracker->record().game().title) + " has no site '" + site + "'";
    const SiteInfo& info = board.info(named);
    if (!info.sensed) return "site: no sensor reaches " + site + "; say what was played with merel choose";
    found = config_.board.channel_at(info.file, info.rank);
  } else {
    found = cell_channel(site).value_or(BoardProfile::kNone);
  }
  if (found == BoardProfile::kNone) return "site: this board has no sensor under '" + site + "'";
  return found;
}

}  // namespace merel
