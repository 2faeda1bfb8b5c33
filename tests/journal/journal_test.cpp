// The archive on the disk: what was told durable is there, whatever happened to the program, the disk or the file.
#include "daemon/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "daemon/journal/database.h"
#include "tests/folder.h"
#include "tests/journal/sample_game.h"
#include "tests/places.h"

namespace merel {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Stands in for the daemon's loop: jobs come from the journal and run on the test's thread.
class Loop {
 public:
  Journal::Post post() {
    return [this](Journal::Job job) {
      {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
      }
      wake_.notify_one();
    };
  }
  /// Runs jobs until that holds; false when it does not come to it.
  template <class Condition>
  bool until(Condition&& holds) {
    while (!holds()) {
      std::unique_lock lock(mutex_);
      if (!wake_.wait_for(lock, std::chrono::seconds(60), [this] { return !jobs_.empty(); })) return false;
      const Journal::Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Journal::Job> jobs_;
};

/// A journal with a loop, and everything it told.
class Keeper {
 public:
  explicit Keeper(JournalSettings settings) { open(std::move(settings)); }
  explicit Keeper(const std::string& file) { open({file}); }

  void open(JournalSettings settings) {
    settings.retry_ms = 5;
    journal_.reset();
    Journal::Listener listener;
    listener.durable = [this](const std::string& id, std::uint64_t seq) { durable[id] = seq; };
    listener.status = [this](const JournalStatus& now) { told.push_back(now); };
    journal_ = std::make_unique<Journal>(std::move(settings), loop.post(), std::move(listener));
  }
  void shut() { journal_.reset(); }
  Journal* operator->() { return journal_.get(); }

  bool wait_durable(const std::string& id, std::uint64_t seq) {
    return loop.until([&] { return durable[id] >= seq; });
  }
  bool wait_well(bool well) {
    return loop.until([&] { return !told.empty() && told.back().well == well; });
  }
  Result<ArchivedGame, std::string> load(const std::string& id) {
    return wait<ArchivedGame>([&](auto answer) { journal_->load(id, answer); });
  }
  Result<std::vector<GameSummary>, std::string> list(std::size_t limit = 1000, const std::string& before = "") {
    return wait<std::vector<GameSummary>>([&](auto answer) { journal_->list(limit, before, answer); });
  }
  Result<std::size_t, std::string> remove(const std::vector<std::string>& ids) {
    return wait<std::size_t>([&](auto answer) { journal_->remove(ids, answer); });
  }
  Result<std::size_t, std::string> import(const ArchivedGame& game) {
    return wait<std::size_t>([&](auto answer) { journal_->import(game, answer); });
  }
  std::vector<std::string> ids() {
    std::vector<std::string> out;
    const auto games = list();
    EXPECT_TRUE(games.ok()) << games.error();
    if (games.ok()) {
      for (const GameSummary& game : *games) out.push_back(game.id);
    }
    return out;
  }
  /// Writes a game as the session does, event by event.
  void play(const ArchivedGame& game) {
    journal_->begin(game.header);
    for (std::size_t i = 0; i < game.events.size(); ++i) journal_->append(game.header.id, i + 1, {game.events[i]});
    if (game.verdict.over()) journal_->close(game.header.id, game.verdict, game.ended_ms);
  }

  Loop loop;
  std::map<std::string, std::uint64_t> durable;
  std::vector<JournalStatus> told;

 private:
  template <class Value, class Ask>
  Result<Value, std::string> wait(Ask&& ask) {
    std::optional<Result<Value, std::string>> got;
    ask([&](Result<Value, std::string> answer) { got.emplace(std::move(answer)); });
    if (!loop.until([&] { return got.has_value(); })) return std::string("no answer came");
    return *got;
  }

  std::unique_ptr<Journal> journal_;
};

/// The n-th sample game; morris when no other is asked for.
ArchivedGame sample(std::uint64_t seed, std::string_view game = "morris") { return sample_game(*find_game(game), seed); }

ArchivedGame running_sample(std::uint64_t seed) {
  ArchivedGame game = sample(seed);
  game.verdict = {};
  game.state = GameState::running;
  game.ended_ms = 0;
  return game;
}

const Verdict kAborted{Closing::aborted, {}, kNoPlayer, kNoPlayer};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> files(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void sql(const std::string& file, const std::string& script) {
  Database database(file);
  database.script(script);
  ASSERT_FALSE(database.failed()) << database.message();
}

TEST(Journal, GivesBackEveryGameAsItWasAlsoAfterARestart) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  std::vector<ArchivedGame> games;
  for (const GameInfo& info : merel::games()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      ArchivedGame game = sample_game(info, 1000 * (games.size() + 1) + seed);
      if (!game.verdict.over()) {
        game.verdict = kAborted;
        game.state = GameState::aborted;
        game.ended_ms = game.header.started_ms + 1;
      }
      keeper.play(game);
      games.push_back(std::move(game));
    }
  }
  for (int restart = 0; restart < 2; ++restart) {
    for (const ArchivedGame& game : games) {
      const auto back = keeper.load(game.header.id);
      ASSERT_TRUE(back.ok()) << back.error();
      EXPECT_EQ(to_json(*back), to_json(game));
    }
    EXPECT_EQ(to_json(*keeper.load("latest")), to_json(games.back()));
    keeper.open({folder.file("games.sqlite")});
  }
  EXPECT_EQ(keeper->status().dropped, 0U);
}

TEST(Journal, RunningGameComesBackAfterARestartWithAllThatWasDurable) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  const ArchivedGame game = running_sample(3);
  keeper.play(game);
  ASSERT_TRUE(keeper.wait_durable(game.header.id, game.events.size()));
  EXPECT_EQ(keeper->status().backlog, 0U);
  EXPECT_EQ(keeper->status().backlog_bytes, 0U);
  EXPECT_EQ(keeper->status().events, game.events.size());
  EXPECT_EQ(keeper->status().schema, 2);
  keeper.open({folder.file("games.sqlite")});
  const auto back = keeper->running();
  ASSERT_TRUE(back.ok() && back->has_value());
  EXPECT_EQ(to_json(**back), to_json(game));
  // It goes on with the next number.
  keeper->append(game.header.id, game.events.size() + 1, {{{"type", "restart"}}});
  EXPECT_TRUE(keeper.wait_durable(game.header.id, game.events.size() + 1));
  EXPECT_EQ(keeper.load("running")->events.size(), game.events.size() + 1);
}

TEST(Journal, GameThatWasClosedNeverComesBackAsRunning) {
  const Folder folder;
  for (const Verdict& verdict : {kAborted, Verdict{Closing::agreed_draw, {}, kNoPlayer, kNoPlayer},
                                 Verdict{Closing::resigned, {}, 0, 1}, Verdict{}}) {
    Keeper keeper(folder.file("games.sqlite"));
    ArchivedGame game = running_sample(static_cast<std::uint64_t>(verdict.closing) + 10);
    keeper.play(game);
    keeper->close(game.header.id, verdict, 7);
    keeper->append(game.header.id, game.events.size() + 1, {{{"type", "restart"}}});  // comes too late
    keeper.open({folder.file("games.sqlite")});
    const auto running = keeper->running();
    ASSERT_TRUE(running.ok()) << running.error();
    EXPECT_FALSE(running->has_value());
    EXPECT_EQ(keeper.load(game.header.id)->events.size(), game.events.size());
    EXPECT_EQ(keeper.load("running").error(), "no game is running");
  }
}

TEST(Journal, OfTwoRunningGamesTheNewestCounts) {
  const Folder folder;
  {
    Keeper keeper(folder.file("games.sqlite"));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const ArchivedGame game = running_sample(seed);
      keeper.play(game);  // aborts the one before
    }
    const auto games = keeper.list();
    ASSERT_TRUE(games.ok()) << games.error();
    EXPECT_EQ((*games)[0].state, GameState::running);
    EXPECT_EQ((*games)[1].state, GameState::aborted);
    EXPECT_EQ((*games)[2].state, GameState::aborted);
  }
  sql(folder.file("games.sqlite"), "UPDATE games SET state = 'running', closing = 'open', steps = NULL");
  Keeper keeper(folder.file("games.sqlite"));
  const auto running = keeper->running();
  ASSERT_TRUE(running.ok() && running->has_value());
  EXPECT_EQ((*running)->header.id, running_sample(3).header.id);
  EXPECT_EQ((*keeper.list())[1].state, GameState::aborted);
}

TEST(Journal, ListIsNewestFirstInPagesWithStepsAndResults) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  std::vector<ArchivedGame> games;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    games.push_back(sample(seed));
    if (!games.back().verdict.over()) games.back().verdict = kAborted;
  }
  games.push_back(running_sample(10));
  for (const ArchivedGame& game : games) keeper.play(game);

  std::vector<GameSummary> all;
  for (std::string before; all.size() < games.size(); before = all.back().id) {
    const auto page = keeper.list(3, before);
    ASSERT_TRUE(page.ok() && !page->empty() && page->size() <= 3);
    all.insert(all.end(), page->begin(), page->end());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ArchivedGame& game = games[games.size() - 1 - i];
    EXPECT_EQ(all[i].id, game.header.id);
    EXPECT_EQ(all[i].game, "morris");
    EXPECT_EQ(all[i].players, game.header.players);
    EXPECT_EQ(all[i].steps, static_cast<std::int64_t>(game.record()->steps().size()));
    EXPECT_EQ(all[i].result, result_text(*game.header.game, game.verdict));
    EXPECT_EQ(all[i].ending, game.verdict.over() ? sentence(game.verdict, *game.header.game) : "");
    EXPECT_EQ(all[i].started_ms, game.header.started_ms);
  }
  EXPECT_THAT(*keeper.list(3, all.back().id), IsEmpty());
  EXPECT_EQ(keeper.list(3, "nobody").error(), "no game 'nobody' is in the archive");
}

TEST(Journal, DeletingManyGamesIsDurableAndTheirRoomIsUsedAgain) {
  const Folder folder;
  std::vector<std::string> ids;
  const auto fill = [&](Keeper& keeper, std::uint64_t from) {
    for (std::uint64_t seed = from; seed < from + 300; ++seed) {
      ArchivedGame game = sample(seed);
      if (!game.verdict.over()) game.verdict = kAborted;
      keeper.play(game);
      ids.push_back(game.header.id);
      if (seed % 20 == 0) (void)keeper.list(1);  // does not outrun the disk
    }
    return keeper.ids().size();
  };
  Keeper keeper(folder.file("games.sqlite"));
  ASSERT_EQ(fill(keeper, 1), 300U);
  keeper.shut();  // the log goes into the file
  const auto size = fs::file_size(folder.file("games.sqlite"));
  keeper.open({folder.file("games.sqlite")});
  const std::string kept = ids[150];
  std::vector<std::string> gone = ids;
  std::erase(gone, kept);
  gone.emplace_back("not-there");
  EXPECT_EQ(*keeper.remove(gone), 299U);
  keeper.open({folder.file("games.sqlite")});
  EXPECT_THAT(keeper.ids(), ElementsAre(kept));
  EXPECT_FALSE(keeper.load(ids[0]).ok());
  EXPECT_EQ(*keeper.remove(gone), 0U);
  ASSERT_EQ(fill(keeper, 1001), 301U);
  keeper.shut();
  EXPECT_LT(fs::file_size(folder.file("games.sqlite")), size + size / 5);
}

TEST(Journal, RunningGameIsNotDeletedAndNothingElseWithIt) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  ArchivedGame over = sample(1);
  over.verdict = kAborted;
  const ArchivedGame running = running_sample(2);
  keeper.play(over);
  keeper.play(running);
  const auto removed = keeper.remove({over.header.id, running.header.id});
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error(), "game " + running.header.id + " is running: abort it first");
  EXPECT_EQ(keeper.ids().size(), 2U);
}

TEST(Journal, DeletedGameIsNotBroughtBackByLateEvents) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  const ArchivedGame game = running_sample(1);
  keeper.play(game);
  keeper->close(game.header.id, kAborted, 5);
  ASSERT_EQ(*keeper.remove({game.header.id}), 1U);
  keeper->append(game.header.id, game.events.size() + 1, {{{"type", "restart"}}, {{"type", "resolved"}}});
  keeper->close(game.header.id, kAborted, 6);
  EXPECT_THAT(keeper.ids(), IsEmpty());
  EXPECT_EQ(keeper->status().dropped, 2U);
  EXPECT_TRUE(keeper->status().well);
}

TEST(Journal, ImportedExportIsTheSameGame) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  std::uint64_t seed = 0;
  for (const GameInfo& info : games()) {
    ArchivedGame game = sample_game(info, ++seed);
    if (!game.verdict.over()) game.verdict = lost(Closing::resigned, 0, *game.record());
    game.state = game.verdict.closing == Closing::aborted ? GameState::aborted : GameState::over;
    for (const bool as_text : {false, true}) {
      const auto read = read_game(as_text ? to_text(game) : to_json(game).dump());
      ASSERT_TRUE(read.ok()) << read.error();
      const auto steps = keeper.import(*read);
      ASSERT_TRUE(steps.ok()) << steps.error();
      EXPECT_EQ(*steps, game.record()->steps().size());
      const auto back = keeper.load(game.header.id);
      ASSERT_TRUE(back.ok()) << back.error();
      EXPECT_EQ(to_json(*back), to_json(*read));
      if (!as_text) {
        EXPECT_EQ(to_json(*back), to_json(game));
      }
      EXPECT_EQ(keeper.import(*read).error(), "game " + game.header.id + " is in the archive already");
      ASSERT_EQ(*keeper.remove({game.header.id}), 1U);
    }
  }
}

TEST(Journal, ImportedGameThatWasStillRunningIsKeptAsAborted) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  ASSERT_TRUE(keeper.import(running_sample(1)).ok());
  EXPECT_EQ(keeper.load("latest")->verdict, kAborted);
  keeper.open({folder.file("games.sqlite")});
  EXPECT_FALSE(keeper->running()->has_value());
}

TEST(Journal, EventsWithAGapOrARepetitionInTheirNumbersAreNotKept) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  const ArchivedGame game = running_sample(1);
  const std::string& id = game.header.id;
  const std::vector<Json>& events = game.events;
  keeper->begin(game.header);
  keeper->append(id, 1, {events[0], events[1]});
  keeper->append(id, 2, {events[1]});             // again
  keeper->append(id, 4, {events[3], events[4]});  // one is missing
  keeper->append(id, 3, {events[2]});
  ASSERT_TRUE(keeper.wait_durable(id, 3));
  EXPECT_EQ(keeper->status().dropped, 3U);
  EXPECT_TRUE(keeper->status().well);
  EXPECT_EQ(keeper->status().what, "events of a game came with number 4 instead of 3 and were not kept");
  EXPECT_EQ(keeper.load(id)->events, (std::vector<Json>{events[0], events[1], events[2]}));

  // After a restart the numbers are known only from the disk: the same again is right, other events are not.
  keeper.open({folder.file("games.sqlite")});
  keeper->append(id, 3, {events[2]});
  keeper->append(id, 4, {events[3]});
  ASSERT_TRUE(keeper.wait_durable(id, 4));
  EXPECT_EQ(keeper->status().dropped, 0U);
  keeper.open({folder.file("games.sqlite")});
  keeper->append(id, 4, {{{"type", "resolved"}}});
  keeper->append(id, 5, {events[4]});  // behind what was refused
  EXPECT_EQ(keeper.load(id)->events.size(), 4U);
  EXPECT_EQ(keeper->status().dropped, 2U);
}

TEST(Journal, JobsForOtherFilesRunOnItsThread) {
  const Folder folder;
  Keeper keeper(folder.file("games.sqlite"));
  std::thread::id ran_on;
  bool done = false;
  keeper->run([&] {
    ran_on = std::this_thread::get_id();
    keeper.loop.post()([&] { done = true; });
  });
  ASSERT_TRUE(keeper.loop.until([&] { return done; }));
  EXPECT_NE(ran_on, std::this_thread::get_id());
}

// ---- power cuts ------------------------------------------------------------------------------------------------------------

std::string kill_id(std::uint64_t round, std::uint64_t game) {
  return "round-" + std::to_string(round) + "-" + std::to_string(game);
}
/// The batches of that game: how many events each has.
std::vector<std::size_t> batches(const ArchivedGame& game, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<std::size_t> out;
  for (std::size_t left = game.events.size(); left > 0; left -= out.back()) out.push_back(std::min(left, 1 + dice.below(3)));
  return out;
}
struct Told {
  std::uint64_t game;
  std::uint64_t events;
};

/// What a game ends with here, in one transaction with its end.
const Json kEnd = {{"type", "over"}};

/// Plays games without end and tells through the pipe what is durable; is killed.
[[noreturn]] void play_until_killed(const std::string& file, std::uint64_t round, int pipe) {
  Journal::Listener listener;
  listener.durable = [pipe](const std::string& id, std::uint64_t seq) {
    const Told told{std::stoull(id.substr(id.rfind('-') + 1)), seq};
    if (write(pipe, &told, sizeof(told)) != sizeof(told)) _exit(1);
  };
  Journal journal(
      {file}, [](const Journal::Job& job) { job(); }, std::move(listener));
  for (std::uint64_t number = 1;; ++number) {
    ArchivedGame game = running_sample(number);
    game.header.id = kill_id(round, number);
    journal.begin(game.header);
    std::uint64_t first = 1;
    for (const std::size_t count : batches(game, number)) {
      const auto from = game.events.begin() + static_cast<std::ptrdiff_t>(first) - 1;
      journal.append(game.header.id, first, {from, from + static_cast<std::ptrdiff_t>(count)});
      first += count;
      while (journal.status().backlog > 8) usleep(100);
    }
    journal.close(game.header.id, first, {kEnd}, kAborted, 1);
  }
}

TEST(Journal, KilledAtAnyMomentItHasEverythingThatWasDurableAndNoHalfBatch) {
  const Folder folder;
  Dice dice(30);
  for (std::uint64_t round = 1; round <= 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) play_until_killed(folder.file("games.sqlite"), round, ends[1]);
    close(ends[1]);
    std::map<std::uint64_t, std::uint64_t> durable;
    Told told{};
    std::size_t until = 1 + dice.below(80);
    while (read(ends[0], &told, sizeof(told)) == sizeof(told)) {
      durable[told.game] = told.events;
      if (--until == 0) {
        usleep(static_cast<useconds_t>(dice.below(3000)));
        kill(child, SIGKILL);
      }
    }
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";

    Keeper keeper(folder.file("games.sqlite"));
    for (const auto& [game, events] : durable) {
      auto back = keeper.load(kill_id(round, game));
      ASSERT_TRUE(back.ok()) << back.error();
      EXPECT_GE(back->events.size(), events);
      const ArchivedGame played = running_sample(game);
      const bool ended = !back->events.empty() && back->events.back().value("type", "") == "over";
      EXPECT_EQ(back->state == GameState::running, !ended) << "a game that ended comes back, or the other way round";
      if (ended) back->events.pop_back();
      std::size_t whole = 0;
      for (const std::size_t count : batches(played, game)) {
        if (whole < back->events.size()) whole += count;
      }
      EXPECT_EQ(back->events.size(), whole) << "half a batch";
      EXPECT_TRUE(std::equal(back->events.begin(), back->events.end(), played.events.begin()));
    }
    const auto running = keeper->running();
    ASSERT_TRUE(running.ok()) << running.error();
    EXPECT_TRUE(!running->has_value() || (*running)->record().ok());
  }
}

// ---- disks that fail -------------------------------------------------------------------------------------------------------

TEST(Journal, FullDiskIsToldAndTheBacklogIsWrittenWhenThereIsRoom) {
  const Folder folder;
  JournalSettings settings{folder.file("games.sqlite")};
  settings.max_mib = 1;
  Keeper keeper(settings);
  const std::string long_text(1000, 'x');
  const auto chat = [&](std::uint64_t n) { return Json{{"type", "illegal"}, {"n", n}, {"sentence", long_text}}; };
  const ArchivedGame first = running_sample(1);
  const ArchivedGame second = running_sample(2);
  keeper->begin(first.header);
  for (std::uint64_t n = 1; n <= 400; ++n) keeper->append(first.header.id, n, {chat(n)});
  keeper->close(first.header.id, kAborted, 1);
  keeper->begin(second.header);
  for (std::uint64_t n = 1; n <= 800; ++n) keeper->append(second.header.id, n, {chat(n)});
  ASSERT_TRUE(keeper.wait_well(false));
  EXPECT_THAT(keeper->status().what, HasSubstr("is full: delete games"));
  EXPECT_GT(keeper->status().backlog, 0U);
  EXPECT_LT(keeper.durable[second.header.id], 800U);
  // What is there can be read, and deleting makes room.
  EXPECT_EQ(keeper.load(first.header.id)->events.size(), 400U);
  EXPECT_FALSE(keeper.import(sample_game(*find_game("pylos-expert"), 5)).ok() && keeper->status().backlog == 0);
  ASSERT_EQ(*keeper.remove({first.header.id}), 1U);
  ASSERT_TRUE(keeper.wait_durable(second.header.id, 800));
  ASSERT_TRUE(keeper.wait_well(true));
  EXPECT_EQ(keeper.load(second.header.id)->events.size(), 800U);
  EXPECT_EQ(keeper->status().dropped, 0U);
  EXPECT_EQ(keeper->status().backlog, 0U);
  EXPECT_THAT(keeper->status().what, IsEmpty());
}

TEST(Journal, LimitThatWasRaisedLetsAFullArchiveGrow) {
  const Folder folder;
  JournalSettings settings{folder.file("games.sqlite")};
  settings.max_mib = 1;
  Keeper keeper(settings);
  const ArchivedGame game = running_sample(1);
  keeper->begin(game.header);
  const Json chat{{"type", "illegal"}, {"sentence", std::string(1000, 'x')}};
  for (std::uint64_t n = 1; n <= 1100; ++n) keeper->append(game.header.id, n, {chat});
  ASSERT_TRUE(keeper.wait_well(false));
  settings.max_mib = 2;
  keeper.open(settings);
  const std::uint64_t there = keeper.load("running")->events.size();
  ASSERT_LT(there, 1100U);
  for (std::uint64_t n = there + 1; n <= 1100; ++n) keeper->append(game.header.id, n, {chat});
  EXPECT_TRUE(keeper.wait_durable(game.header.id, 1100));
}

TEST(Journal, FolderThatAppearsLaterGetsEverythingThatHappenedBefore) {
  const Folder folder;
  Keeper keeper(folder.file("later/games.sqlite"));
  const ArchivedGame game = running_sample(4);
  keeper.play(game);
  keeper->close(game.header.id, kAborted, 9);
  ASSERT_TRUE(keeper.wait_well(false));
  EXPECT_THAT(keeper->status().what, HasSubstr("there is no folder " + folder.file("later")));
  EXPECT_EQ(keeper->status().backlog, game.events.size());
  EXPECT_EQ(keeper->status().schema, 0);
  EXPECT_THAT(keeper->running().error(), HasSubstr("there is no folder"));
  EXPECT_THAT(keeper.list().error(), HasSubstr("there is no folder"));
  EXPECT_THAT(keeper.remove({"x"}).error(), HasSubstr("there is no folder"));
  fs::create_directory(folder.file("later"));
  ASSERT_TRUE(keeper.wait_durable(game.header.id, game.events.size()));
  ASSERT_TRUE(keeper.wait_well(true));
  EXPECT_EQ(keeper.load(game.header.id)->events, game.events);
  EXPECT_EQ(keeper->status().backlog, 0U);
}

/// In a child that is not root: an archive in a folder that may only be read is refused with what to do. 0 when it is.
int see_read_only(const std::string& file) {
  if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return 2;
  Keeper keeper(file);
  keeper.play(running_sample(8));
  if (!keeper.wait_well(false)) return 3;
  const std::string what = keeper->status().what;
  return what.find("let the daemon's user write") != std::string::npos && keeper->status().backlog > 0 ? 0 : 4;
}

TEST(Journal, ReadOnlyArchiveIsToldWithWhatToDo) {
  const Folder folder;
  const ArchivedGame game = running_sample(7);
  {
    Keeper keeper(folder.file("games.sqlite"));
    keeper.play(game);
  }
  fs::permissions(folder.file("games.sqlite"), fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  const std::string before = content(folder.file("games.sqlite"));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(see_read_only(folder.file("games.sqlite")));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content(folder.file("games.sqlite")), before);
}

TEST(Journal, BacklogStaysInItsBoundAndLosesTheStoryBeforeTheSteps) {
  const Folder folder;
  JournalSettings settings{folder.file("later/games.sqlite")};
  settings.backlog_bytes = 24U << 10U;
  Keeper keeper(settings);
  ASSERT_TRUE(keeper.wait_well(false));
  EXPECT_FALSE(keeper->crowded());

  // Every step is followed by an attempt that the rules refuse, told at length.
  const ArchivedGame game = running_sample(5);
  std::vector<Json> steps;
  for (const Json& event : game.events) {
    if (steps.size() < 40 && event["type"] == "step") steps.push_back(event);
    if (event["type"] != "step" && event["type"] != "illegal" && event["type"] != "resolved") break;
  }
  ASSERT_GE(steps.size(), 3U);
  keeper->begin(game.header);
  std::uint64_t n = 0;
  std::uint64_t told = 0;
  const Json chat{{"type", "illegal"}, {"sentence", std::string(400, 'x')}};
  for (const Json& step : steps) {
    keeper->append(game.header.id, n + 1, {chat, step});
    keeper->append(game.header.id, n + 3, {chat});
    n += 3;
    for (int i = 0; i < 40; ++i) keeper->append(game.header.id, ++n, {chat});
    told += 42;
    EXPECT_LE(keeper->status().backlog_bytes, settings.backlog_bytes);
  }
  EXPECT_THAT(keeper->status().what, HasSubstr("found no room"));
  for (int i = 0; i < 30; ++i, ++told) keeper->append(game.header.id, ++n, {chat});
  EXPECT_TRUE(keeper->crowded());
  const std::uint64_t dropped = keeper->status().dropped;
  EXPECT_GT(dropped, 0U);
  fs::create_directory(folder.file("later"));
  ASSERT_TRUE(keeper.wait_durable(game.header.id, n));
  const auto back = keeper.load("running");
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(back->events.size(), told + steps.size() - dropped);
  std::vector<std::string> kept;
  for (const Json& event : back->events) {
    if (event["type"] == "step") kept.push_back(event["step"]);
  }
  std::vector<std::string> played;
  for (const Json& step : steps) played.push_back(step["step"]);
  EXPECT_EQ(kept, played);
  EXPECT_FALSE(keeper->crowded());
}

TEST(Journal, BoundHoldsForStepsTooAndTheGameIsThenArchivedUpToThere) {
  const Folder folder;
  JournalSettings settings{folder.file("later/games.sqlite")};
  settings.backlog_bytes = 4096;
  Keeper keeper(settings);
  ArchivedGame game = sample(6);
  ASSERT_GT(game.events.size(), 60U);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < game.events.size(); ++i) {
      if (i == 0) keeper->begin(game.header);
      keeper->append(game.header.id, i + 1, {game.events[i]});
      EXPECT_LE(keeper->status().backlog_bytes, settings.backlog_bytes);
    }
    keeper->close(game.header.id, game.verdict, 1);
    if (round == 0) game.header.id = "another-game";
  }
  EXPECT_GT(keeper->status().dropped, 0U);
  ASSERT_TRUE(keeper.wait_well(false));  // it was well as long as it had not tried
  fs::create_directory(folder.file("later"));
  ASSERT_TRUE(keeper.wait_well(true));
  const auto back = keeper.load(sample(6).header.id);
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(back->verdict, kAborted);
  EXPECT_LT(back->events.size(), game.events.size());
  EXPECT_TRUE(back->record().ok());
  EXPECT_FALSE(keeper->running()->has_value());
  EXPECT_THAT(keeper->status().what, HasSubstr("not kept"));
}

TEST(Journal, EndsSoonWhenNothingCanBeWritten) {
  const Folder folder;
  Keeper keeper(folder.file("never/games.sqlite"));
  keeper.play(running_sample(1));
  keeper.shut();
  EXPECT_FALSE(fs::exists(folder.file("never")));
}

TEST(Journal, WritesWhatIsLeftWhenItEnds) {
  const Folder folder;
  const ArchivedGame game = running_sample(9);
  Keeper keeper(folder.file("games.sqlite"));
  keeper.play(game);
  keeper.open({folder.file("games.sqlite")});
  EXPECT_EQ((*keeper->running())->events, game.events);
  EXPECT_THAT(files(folder), testing::Contains("games.sqlite"));
}

// ---- files of other kinds and times ----------------------------------------------------------------------------------------

TEST(Journal, ArchiveOfVersion1IsBroughtUpToDateWithAllItsGames) {
  const Folder folder;
  sql(folder.file("games.sqlite"), content(std::string(MEREL_TEST_DATA) + "/journal/data/archive-v1.sql"));
  for (int restart = 0; restart < 2; ++restart) {
    Keeper keeper(folder.file("games.sqlite"));
    const auto running = keeper->running();
    ASSERT_TRUE(running.ok()) << running.error();
    ASSERT_TRUE(running->has_value());
    EXPECT_EQ((*running)->header.id, "a-running");
    EXPECT_EQ((*running)->record()->steps().size(), 1U);
    EXPECT_EQ(keeper->status().schema, 2);
    EXPECT_THAT(keeper.ids(), ElementsAre("a-running", "a-win", "an-abort", "a-draw", "a-resigned"));
    EXPECT_EQ(keeper.load("a-resigned")->verdict, (Verdict{Closing::resigned, {}, 1, 0}));
    EXPECT_EQ(keeper.load("a-resigned")->header.players, (std::vector<std::string>{"Ann", "Bo"}));
    EXPECT_EQ(keeper.load("a-draw")->verdict.closing, Closing::agreed_draw);
    EXPECT_EQ(keeper.load("an-abort")->verdict, kAborted);
    EXPECT_EQ(keeper.load("a-win")->verdict.closing, Closing::rules);
    EXPECT_EQ(keeper.load("a-win")->verdict.winner, 1);
  }
}

TEST(Journal, ArchiveThatCannotBeOursIsRefusedAndLeftAsItIs) {
  const struct {
    const char* script;
    const char* why;
  } cases[] = {
      {"PRAGMA application_id = 1298494060; PRAGMA user_version = 99; CREATE TABLE games(x); INSERT INTO games VALUES(1);",
       "was written by a newer version of Merel (tables 99, this one knows 2)"},
      {"CREATE TABLE bookmarks(x); INSERT INTO bookmarks VALUES(1);", "is the database of another program"},
      {"PRAGMA application_id = 7; PRAGMA user_version = 2; CREATE TABLE games(x);", "is the database of another program"},
  };
  for (const auto& [script, why] : cases) {
    const Folder folder;
    sql(folder.file("games.sqlite"), script);
    const std::string before = content(folder.file("games.sqlite"));
    {
      Keeper keeper(folder.file("games.sqlite"));
      keeper.play(running_sample(1));
      ASSERT_TRUE(keeper.wait_well(false));
      EXPECT_THAT(keeper->status().what, HasSubstr(why));
      EXPECT_THAT(keeper->running().error(), HasSubstr(why));
      EXPECT_GT(keeper->status().backlog, 0U);
    }
    EXPECT_EQ(content(folder.file("games.sqlite")), before);
    EXPECT_THAT(files(folder), ElementsAre("games.sqlite"));
  }
}

TEST(Journal, FileThatIsNoDatabaseIsSetAsideUntouched) {
  const Folder folder;
  const std::string letter = std::string(5000, 'x') + "This is a letter, not an archive.\n";
  std::ofstream(folder.file("games.sqlite"), std::ios::binary) << letter;
  const ArchivedGame game = running_sample(1);
  Keeper keeper(folder.file("games.sqlite"));
  EXPECT_FALSE(keeper->running()->has_value());
  keeper.play(game);
  ASSERT_TRUE(keeper.wait_durable(game.header.id, game.events.size()));
  EXPECT_TRUE(keeper->status().well);
  EXPECT_THAT(keeper->status().what,
              HasSubstr("the archive was damaged: it is kept as " + folder.file("games.sqlite") + ".damaged-"));
  std::string aside;
  for (const std::string& name : files(folder)) {
    if (name.starts_with("games.sqlite.damaged-")) aside = name;
  }
  EXPECT_EQ(content(folder.file(aside)), letter);
}

TEST(Journal, DamageFoundWhileAGameRunsTakesTheGameAlongIntoANewArchive) {
  const Folder folder;
  const ArchivedGame old = running_sample(11);
  const ArchivedGame game = running_sample(12);
  {
    Keeper keeper(folder.file("games.sqlite"));
    keeper.play(old);
    keeper->close(old.header.id, kAborted, 1);
    keeper.play(game);
  }
  // One page in the middle of the old game's events is overwritten.
  std::string bytes = content(folder.file("games.sqlite"));
  const std::size_t page = bytes.find("\"n\":" + std::to_string(old.events.size() / 2) + ",") / 1024;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * 1024), 1024, '\xFF');
  std::ofstream(folder.file("games.sqlite"), std::ios::binary) << bytes;

  Keeper keeper(folder.file("games.sqlite"));
  ASSERT_TRUE(keeper->running().ok());
  EXPECT_THAT(keeper.load(old.header.id).error(), HasSubstr("is damaged"));
  keeper->append(game.header.id, game.events.size() + 1, {{{"type", "restart"}}});
  ASSERT_TRUE(keeper.wait_durable(game.header.id, game.events.size() + 1));
  EXPECT_THAT(keeper->status().what, HasSubstr("the archive was damaged"));
  EXPECT_THAT(keeper.ids(), ElementsAre(game.header.id));
  EXPECT_EQ(keeper.load("running")->events.size(), game.events.size() + 1);
  EXPECT_EQ(keeper->status().dropped, 0U);
}

}  // namespace
}  // namespace merel
