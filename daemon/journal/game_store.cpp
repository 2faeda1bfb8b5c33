#include "daemon/journal/game_store.h"

#include <algorithm>
#include <map>

#include "daemon/journal/game_document.h"

namespace merel {
namespace {

/// Steps that are left after all amendments and take-backs; JSON in SQL, so that no event travels for it.
constexpr const char* kCountSteps =
    "(SELECT coalesce(sum(CASE json_extract(data, '$.type') WHEN 'step' THEN 1 "
    "WHEN 'amend' THEN json_array_length(data, '$.added') - json_array_length(data, '$.removed') "
    "WHEN 'takeback' THEN -json_array_length(data, '$.steps') ELSE 0 END), 0) "
    "FROM events WHERE events.game = games.number)";

std::string letter(const GameInfo* game, Player player) {
  return game == nullptr || player == kNoPlayer ? "" : std::string(1, game->colours[player]);
}

GameState read_state(std::string_view state) {
  if (state == name(GameState::running)) return GameState::running;
  return state == name(GameState::aborted) ? GameState::aborted : GameState::over;
}

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

std::string no_such_game(const std::string& id) {
  if (id == "running") return "no game is running";
  if (id == "latest") return "no game is in the archive yet";
  return "no game '" + id + "' is in the archive";
}

}  // namespace

std::string stored_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void GameStore::insert_row(const GameHeader& header, GameState state) {
  db_.run(
      "INSERT INTO games(id, game, options, start, players, board, clock, state, closing, loser, result, ending, started, "
      "ended) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, 'open', '', 'unfinished', '', ?, 0)",
      header.id, header.game->name, stored_text(options_json(header.options)), text(header.start),
      stored_text(Json(header.players)), header.board, stored_text(clock_json(header.clock)), name(state),
      header.started_ms);
}

void GameStore::end_row(const std::string& id, const Verdict& verdict, std::int64_t ended_ms) {
  std::string game_name;
  db_.query(
      "SELECT game FROM games WHERE id = ?", [&](const Database::Row& row) { game_name = row.text(0); }, id);
  const GameInfo* const game = find_game(game_name);
  const GameState state = verdict.closing == Closing::aborted ? GameState::aborted : GameState::over;
  const std::string sql =
      std::string("UPDATE games SET state = ?, closing = ?, loser = ?, result = ?, ending = ?, ended = ?, steps = ") +
      kCountSteps + " WHERE id = ?";
  db_.run(sql.c_str(), name(state), name(verdict.closing), letter(game, verdict.loser),
          game == nullptr ? "unfinished" : result_text(*game, verdict), game == nullptr ? "" : sentence(verdict, *game),
          ended_ms, id);
}

bool GameStore::begin(const GameHeader& header) {
  bool known = false;
  bool same = false;
  db_.query(
      "SELECT state, started FROM games WHERE id = ?",
      [&](const Database::Row& row) {
        known = true;
        same = row.text(0) == name(GameState::running) && row.number(1) == header.started_ms;
      },
      header.id);
  if (known) return same;
  for (const std::string& id : running())
    end_row(id, Verdict{Closing::aborted, {}, kNoPlayer, kNoPlayer}, header.started_ms);
  insert_row(header, GameState::running);
  return true;
}

bool GameStore::append(const std::string& id, const std::vector<StoredEvent>& events) {
  const std::int64_t number = db_.number("SELECT number FROM games WHERE id = ? AND state = 'running'", id);
  if (number == 0) return db_.failed();
  std::map<std::uint64_t, std::string> there;
  db_.query(
      "SELECT n, data FROM events WHERE game = ? AND n >= ?",
      [&](const Database::Row& row) { there.emplace(static_cast<std::uint64_t>(row.number(0)), row.text(1)); }, number,
      static_cast<std::int64_t>(events.front().n));
  const auto is_there = [&](const StoredEvent& event) { return there.contains(event.n); };
  const auto differs = [&](const StoredEvent& event) { return is_there(event) && there[event.n] != event.data; };
  if (std::any_of(events.begin(), events.end(), differs)) return false;
  for (const StoredEvent& event : events) {
    if (!is_there(event)) insert_event(number, event.n, event.data);
  }
  return true;
}

bool GameStore::close(const std::string& id, const Verdict& verdict, std::int64_t ended_ms) {
  if (runs(id)) {
    end_row(id, verdict, ended_ms);
    return true;
  }
  return has(id) || db_.failed();
}

void GameStore::insert_event(std::int64_t number, std::uint64_t n, const std::string& data) {
  db_.run("INSERT INTO events(game, n, data) VALUES(?, ?, ?)", number, static_cast<std::int64_t>(n), data);
}

void GameStore::insert(const ArchivedGame& game) {
  insert_row(game.header, game.state);
  const std::int64_t number = db_.number("SELECT number FROM games WHERE id = ?", game.header.id);
  std::uint64_t n = 0;
  for (const Json& event : game.events) insert_event(number, n = event.value("n", n + 1), stored_text(event));
  if (game.state != GameState::running) end_row(game.header.id, game.verdict, game.ended_ms);
}

bool GameStore::has(const std::string& id) { return db_.number("SELECT count(*) FROM games WHERE id = ?", id) > 0; }

bool GameStore::runs(const std::string& id) {
  return db_.number("SELECT count(*) FROM games WHERE id = ? AND state = 'running'", id) > 0;
}

bool GameStore::remove(const std::string& id) {
  db_.run("DELETE FROM games WHERE id = ?", id);  // its events go with it
  return db_.changed() > 0;
}

Result<std::vector<GameSummary>, std::string> GameStore::list(std::size_t limit, const std::string& before) {
  std::int64_t end = INT64_MAX;
  if (!before.empty()) {
    end = db_.number("SELECT number FROM games WHERE id = ?", before);
    if (end == 0) return no_such_game(before);
  }
  std::vector<GameSummary> games;
  const std::string sql = std::string("SELECT id, game, players, state, result, ending, started, ended, coalesce(steps, ") +
                          kCountSteps + ") FROM games WHERE number < ? ORDER BY number DESC LIMIT ?";
  db_.query(
      sql.c_str(),
      [&](const Database::Row& row) {
        GameSummary game{row.text(0),   row.text(1),   {},           read_state(row.text(3)), row.text(4), row.text(5),
                         row.number(6), row.number(7), row.number(8)};
        for (const Json& player : parsed(row.text(2)))
          game.players.push_back(player.is_string() ? player.get<std::string>() : "");
        games.push_back(std::move(game));
      },
      end, static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)));
  return games;
}

std::vector<std::string> GameStore::running() {
  std::vector<std::string> ids;
  db_.query("SELECT id FROM games WHERE state = 'running' ORDER BY number DESC",
            [&](const Database::Row& row) { ids.push_back(row.text(0)); });
  return ids;
}

Result<ArchivedGame, std::string> GameStore::load(const std::string& id) {
  std::int64_t number = 0;
  if (id == "latest") {
    number = db_.number("SELECT max(number) FROM games");
  } else if (id == "running") {
    number = db_.number("SELECT max(number) FROM games WHERE state = 'running'");
  } else {
    number = db_.number("SELECT number FROM games WHERE id = ?", id);
  }
  if (number == 0) return no_such_game(id);
  Json document = {{"version", kDocumentVersion}, {"events", Json::array()}};
  db_.query(
      "SELECT id, game, options, start, players, board, clock, state, closing, loser, result, started, ended FROM games "
      "WHERE number = ?",
      [&](const Database::Row& row) {
        document["id"] = row.text(0);
        document["game"] = row.text(1);
        document["options"] = parsed(row.text(2));
        document["start"] = row.text(3);
        document["players"] = parsed(row.text(4));
        document["board"] = row.text(5);
        document["clock"] = row.null(6) ? Json() : parsed(row.text(6));
        document["state"] = row.text(7);
        document["closing"] = row.text(8);
        document["loser"] = row.text(9);
        document["result"] = row.text(10);
        document["started_ms"] = row.number(11);
        document["ended_ms"] = row.number(12);
      },
      number);
  db_.query(
      "SELECT data FROM events WHERE game = ? ORDER BY n",
      [&](const Database::Row& row) { document["events"].push_back(parsed(row.text(0))); }, number);
  if (db_.failed()) return std::string();
  auto game = read_document(document);
  if (!game) return "the archive holds this game, but it cannot be read: " + game.error();
  return game;
}

}  // namespace merel
