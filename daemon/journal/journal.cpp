#include "daemon/journal/journal.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <variant>

#include "daemon/journal/archive_file.h"
#include "daemon/journal/game_store.h"

namespace merel {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestRetry{30'000};
constexpr milliseconds kFarewell{500};  ///< to write what is left at the end
/// The log goes into the database after this many pages: seldom enough that a page is copied once for many turns, often enough
/// that a start reads less than a MiB of it.
constexpr int kCheckpointPages = 512;

struct Begin {
  std::unique_ptr<const GameHeader> header;  ///< much larger than the other calls
};
struct Append {
  std::string id;
  std::vector<StoredEvent> events;
  std::uint64_t last = 0;  ///< number of the batch's last event, also when that was minor and found no room
};
struct Close {
  std::string id;
  Verdict verdict;
  std::int64_t ended_ms = 0;
};

/// One call that writes.
struct Write {
  std::variant<Begin, Append, Close> what;

  [[nodiscard]] std::size_t events() const {
    const auto* const append = std::get_if<Append>(&what);
    return append == nullptr ? 0 : append->events.size();
  }
  [[nodiscard]] const std::string& id() const {
    if (const auto* const begin = std::get_if<Begin>(&what)) return begin->header->id;
    if (const auto* const append = std::get_if<Append>(&what)) return append->id;
    return std::get<Close>(what).id;
  }
  /// Room that it takes in memory, about.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = sizeof(Write) + id().size();
    if (const auto* const begin = std::get_if<Begin>(&what)) {
      sum += sizeof(GameHeader) + begin->header->board.size();
      for (const std::string& player : begin->header->players) sum += sizeof(std::string) + player.size();
    } else if (const auto* const append = std::get_if<Append>(&what)) {
      for (const StoredEvent& event : append->events) sum += sizeof(event) + event.data.size();
    }
    return sum;
  }
  /// Takes out what does not change the record; answers how many events that were.
  std::size_t drop_minor() {
    auto* const append = std::get_if<Append>(&what);
    return append == nullptr ? 0 : std::erase_if(append->events, [](const StoredEvent& event) { return event.minor; });
  }
};

bool changes_record(const Json& event) {
  static const std::set<std::string> kTypes = {"step", "amend", "takeback", "over"};
  const auto type = event.find("type");
  return type != event.end() && type->is_string() && kTypes.contains(type->get_ref<const std::string&>());
}

}  // namespace

class Journal::Impl {
 public:
  Impl(JournalSettings settings, Post post, Listener listener)
      : settings_(std::move(settings)),
        post_(std::move(post)),
        listener_(std::make_shared<const Listener>(std::move(listener))),
        thread_([this] { work(); }) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void begin(const GameHeader& header) {
    const std::lock_guard lock(mutex_);
    numbered_ = header.id;
    next_ = 1;
    enqueue({Begin{std::make_unique<const GameHeader>(header)}});
  }

  void append(const std::string& id, std::uint64_t first, std::vector<Json> events) {
    Append batch = batch_of(id, first, std::move(events));
    const std::lock_guard lock(mutex_);
    append_locked(std::move(batch), first);
  }

  void close(const std::string& id, std::uint64_t first, std::vector<Json> events, const Verdict& verdict,
             std::int64_t ended_ms) {
    Append batch = batch_of(id, first, std::move(events));
    const std::lock_guard lock(mutex_);  // once for both, so that take() finds them together
    append_locked(std::move(batch), first);
    enqueue({Close{id, verdict, ended_ms}});
  }

  void run(Job job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

  /// Reads on the journal's thread; `read` gives a Result whose error is a sentence.
  template <class Value, class Read>
  Result<Value, std::string> reading(Read&& read) {
    if (!archive_) return status().what;
    Result<Value, std::string> out = read(*archive_);
    if (!archive_->failed()) return out;
    const std::string why = trouble(*archive_, settings_);
    archive_failed(why, false);
    return why;
  }

  /// Writes on the journal's thread, in one transaction. When `work` gives a sentence why not, it must have written nothing.
  template <class Work>
  Result<std::size_t, std::string> writing(Work&& work) {
    if (!archive_) return status().what;
    std::string refused;
    std::size_t count = 0;
    const bool done = archive_->transaction([&] { refused = work(*archive_, count); });
    count_bytes();
    if (!done) {
      const std::string why = trouble(*archive_, settings_);
      archive_failed(why, false);
      return why;
    }
    archive_->checkpoint(kCheckpointPages);
    count_bytes();
    retry_at_ = Clock::now();  // games that were deleted may have made room for what waits
    if (!refused.empty()) return refused;
    return count;
  }

  /// Gives an answer on the loop's thread.
  template <class Callback, class Value>
  void answer(Callback callback, Value value) {
    post_([callback = std::move(callback), value = std::move(value)]() mutable { callback(std::move(value)); });
  }

  JournalStatus status() const {
    const std::lock_guard lock(mutex_);
    return status_locked();
  }
  bool crowded() const {
    const std::lock_guard lock(mutex_);
    return bytes_ >= settings_.backlog_bytes / 2;
  }

  Result<std::optional<ArchivedGame>, std::string> running() {
    using Answer = Result<std::optional<ArchivedGame>, std::string>;
    std::promise<Answer> promise;
    auto answer = promise.get_future();
    run([&] { promise.set_value(find_running()); });
    return answer.get();
  }

 private:
  static Append batch_of(const std::string& id, std::uint64_t first, std::vector<Json> events) {
    Append batch{id, {}, first + events.size() - 1};
    batch.events.reserve(events.size());
    for (Json& event : events) {
      const std::uint64_t n = first + batch.events.size();
      event["n"] = n;
      batch.events.push_back({n, stored_text(event), !changes_record(event)});
    }
    return batch;
  }

  // ---- on the thread of the caller, under the mutex ----

  void append_locked(Append batch, std::uint64_t first) {
    if (batch.events.empty()) return;
    if (numbered_ == batch.id && first != next_) {
      const std::string why = "events of a game came with number " + std::to_string(first) + " instead of " +
                              std::to_string(next_) + " and were not kept";
      return drop(batch.id, batch.events.size(), why);
    }
    numbered_ = batch.id;
    next_ = first;
    const std::uint64_t next = batch.last + 1;
    // A batch that found no room leaves its numbers open, so that nothing behind the gap is taken either.
    if (enqueue({std::move(batch)})) next_ = next;
  }

  /// Puts a call behind the others, at the price of what does not change a record when there is no room; false when it cannot be
  /// kept at all.
  bool enqueue(Write write) {
    // The last sixteenth is for closing games: one that was not closed would come back after a restart.
    const bool closes = std::holds_alternative<Close>(write.what);
    const std::size_t room = closes ? settings_.backlog_bytes : settings_.backlog_bytes - settings_.backlog_bytes / 16;
    const bool appends = std::holds_alternative<Append>(write.what);
    if (bytes_ + write.bytes() > room) {
      for (Write& waiting : queue_) {
        bytes_ -= waiting.bytes();
        backlog_ -= waiting.events();
        dropped_ += waiting.drop_minor();
        bytes_ += waiting.bytes();
        backlog_ += waiting.events();
      }
      std::erase_if(queue_, [this](const Write& waiting) {
        const bool empty = std::holds_alternative<Append>(waiting.what) && waiting.events() == 0;
        if (empty) bytes_ -= waiting.bytes();
        return empty;
      });
      dropped_ += write.drop_minor();
      notice_ = "some events found no room in memory and were not kept";
    }
    if (appends && write.events() == 0) return true;
    if (bytes_ + write.bytes() > room) {
      drop(write.id(), write.events(), "a part of a game found no room in memory and was not kept");
      return false;
    }
    bytes_ += write.bytes();
    backlog_ += write.events();
    queue_.push_back(std::move(write));
    wake_.notify_one();
    return true;
  }

  /// Something of that game is lost for good.
  void drop(const std::string& id, std::size_t events, const std::string& why) {
    torn_.insert(id);
    dropped_ += events;
    notice_ = why;
    announce();
  }

  JournalStatus status_locked() const {
    JournalStatus out;
    out.well = trouble_.empty();
    out.what = out.well ? notice_ : trouble_;
    if (!out.well && dropped_ > 0) out.what += "; " + notice_;
    out.backlog = backlog_;
    out.backlog_bytes = bytes_;
    out.events = events_;
    out.dropped = dropped_;
    out.bytes = written_;
    out.schema = schema_;
    return out;
  }

  /// Tells the loop when there is something new to say.
  void announce() {
    const JournalStatus now = status_locked();
    if (now.well == told_.well && now.what == told_.what) return;
    told_ = now;
    post_([listener = listener_, now] {
      if (listener->status) listener->status(now);
    });
  }

  // ---- on the journal's thread ----

  void work() {
    retry();
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      const auto due = [this] { return stopping_ || !jobs_.empty() || (trouble_.empty() && !queue_.empty()); };
      if (trouble_.empty()) {
        wake_.wait(lock, due);
      } else {
        wake_.wait_until(lock, retry_at_, due);
      }
      const bool failing = !trouble_.empty();
      lock.unlock();
      if (!failing || Clock::now() >= retry_at_) retry();
      run_jobs();
      lock.lock();
    }
    lock.unlock();
    const auto end = Clock::now() + kFarewell;
    if (archive_ || open()) archive_->wait_for_others(200);
    while (Clock::now() < end && write_some()) {
    }
    run_jobs();
  }

  void run_jobs() {
    std::deque<Job> jobs;
    {
      const std::lock_guard lock(mutex_);
      jobs.swap(jobs_);
    }
    for (const Job& job : jobs) job();
  }

  /// Opens the archive if need be and writes all that waits.
  void retry() {
    if (!archive_ && !open()) return;
    while (write_some()) {
    }
  }

  bool open() {
    auto opened = open_archive(settings_, suspect_);
    if (!opened) {
      archive_failed(opened.error(), true);
      return false;
    }
    suspect_ = false;
    archive_ = std::move(opened->database);
    const std::lock_guard lock(mutex_);
    schema_ = kSchema;
    if (!opened->notice.empty()) notice_ = opened->notice;
    return true;
  }

  /// Notes what is wrong. A full disk and a locked file pass; after anything else the archive is opened anew.
  void archive_failed(const std::string& why, bool writing) {
    bool wait = writing;
    if (archive_) {
      const int code = archive_->code();
      archive_->clear();
      if (code != SQLITE_FULL && code != SQLITE_BUSY && code != SQLITE_LOCKED) {
        suspect_ = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
        archive_.reset();
        wait = true;
      }
    }
    if (!wait) return;
    delay_ = delay_ == milliseconds(0) ? milliseconds(settings_.retry_ms) : std::min(2 * delay_, kLongestRetry);
    retry_at_ = Clock::now() + delay_;
    const std::lock_guard lock(mutex_);
    trouble_ = why;
    announce();
  }

  /// Writes calls from the head of the queue in one transaction; true when some were written and more may wait.
  bool write_some() {
    if (!archive_) return false;
    std::deque<Write> taken = take();
    GameStore store(*archive_);
    std::vector<std::pair<std::string, std::size_t>> refused;
    std::map<std::string, std::uint64_t> durable;
    std::size_t events = 0;
    const bool done = taken.empty() || archive_->transaction([&] {
      for (const Write& write : taken) {
        if (!apply(store, write)) {
          refused.emplace_back(write.id(), write.events());
          continue;
        }
        events += write.events();
        if (const auto* const append = std::get_if<Append>(&write.what)) durable[append->id] = append->last;
      }
    });
    count_bytes();
    if (!done) {
      const std::string why = trouble(*archive_, settings_);
      give_back(std::move(taken));
      archive_failed(why, true);
      return false;
    }
    delay_ = milliseconds(0);
    {
      const std::lock_guard lock(mutex_);
      for (const Write& write : taken) {
        bytes_ -= write.bytes();
        backlog_ -= write.events();
        if (std::holds_alternative<Close>(write.what)) torn_.erase(write.id());
      }
      events_ += events;
      trouble_.clear();
      for (const auto& [id, count] : refused)
        drop(id, count, "a part of game " + id + " did not fit the archive and was not kept");
      announce();
    }
    for (const auto& [id, seq] : durable) {
      post_([listener = listener_, id = id, seq = seq] {
        if (listener->durable) listener->durable(id, seq);
      });
    }
    archive_->checkpoint(kCheckpointPages);
    count_bytes();
    return !taken.empty();
  }

  /// Calls for one transaction: few enough that most of the backlog stays where room can be made in it.
  std::deque<Write> take() {
    const std::lock_guard lock(mutex_);
    std::deque<Write> taken;
    std::size_t bytes = 0;
    // The end of a game goes with its last event: a power cut between them would bring an ended game back.
    const auto fits = [&](const Write& next) {
      return taken.empty() || std::holds_alternative<Close>(next.what) ||
             bytes + next.bytes() <= settings_.backlog_bytes / 8;
    };
    while (!queue_.empty() && fits(queue_.front())) {
      bytes += queue_.front().bytes();
      taken.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return taken;
  }
  void give_back(std::deque<Write> taken) {
    const std::lock_guard lock(mutex_);
    for (; !taken.empty(); taken.pop_back()) queue_.push_front(std::move(taken.back()));
  }

  bool apply(GameStore& store, const Write& write) {
    if (const auto* const begin = std::get_if<Begin>(&write.what)) return store.begin(*begin->header);
    if (const auto* const append = std::get_if<Append>(&write.what)) {
      // Nothing is kept behind a gap.
      const bool kept = !shut_.contains(append->id) && store.append(append->id, append->events);
      if (!kept) shut_.insert(append->id);
      return kept;
    }
    const auto& close = std::get<Close>(write.what);
    return store.close(close.id, verdict_of(close), close.ended_ms);
  }

  /// A game of which a part is lost did not come to that end in the archive.
  Verdict verdict_of(const Close& close) {
    const std::lock_guard lock(mutex_);
    const bool whole = close.verdict.over() && !torn_.contains(close.id);
    return whole ? close.verdict : Verdict{Closing::aborted, {}, kNoPlayer, kNoPlayer};
  }

  Result<std::optional<ArchivedGame>, std::string> find_running() {
    using Found = std::optional<ArchivedGame>;
    const auto ids = reading<std::vector<std::string>>(
        [](Database& db) -> Result<std::vector<std::string>, std::string> { return GameStore(db).running(); });
    if (!ids) return ids.error();
    if (ids->empty()) return Found();
    // More than one cannot be; should it be all the same, the newest counts.
    for (std::size_t i = 1; i < ids->size(); ++i) {
      (void)writing([&](Database& db, std::size_t&) {
        (void)GameStore(db).close((*ids)[i], Verdict{Closing::aborted, {}, kNoPlayer, kNoPlayer}, 0);
        return std::string();
      });
    }
    auto game = reading<ArchivedGame>([&](Database& db) { return GameStore(db).load(ids->front()); });
    if (!game) return game.error();
    return Found(std::move(*game));
  }

  void count_bytes() {
    if (!archive_) return;
    const std::uint64_t bytes = archive_->take_bytes();
    const std::lock_guard lock(mutex_);
    written_ += bytes;
  }

  const JournalSettings settings_;
  const Post post_;
  const std::shared_ptr<const Listener> listener_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Write> queue_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::size_t bytes_ = 0;    ///< of all calls that are not durable, those being written included
  std::size_t backlog_ = 0;  ///< their events
  std::uint64_t events_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t written_ = 0;
  int schema_ = 0;
  std::string trouble_;  ///< why nothing can be written
  std::string notice_;   ///< what the owner should know while all is well
  JournalStatus told_;
  std::string numbered_;        ///< the game that was written to last
  std::uint64_t next_ = 1;      ///< number of its next event
  std::set<std::string> torn_;  ///< games of which a part is lost

  // Of the journal's thread alone.
  std::unique_ptr<Database> archive_;
  bool suspect_ = false;        ///< the file may be damaged
  std::set<std::string> shut_;  ///< games of which a batch was refused
  milliseconds delay_{0};
  Clock::time_point retry_at_{};

  std::thread thread_;  ///< last: it uses everything above
};

Journal::Journal(JournalSettings settings, Post post, Listener listener)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(post), std::move(listener))) {}
Journal::~Journal() = default;

void Journal::begin(const GameHeader& header) { impl_->begin(header); }
void Journal::append(const std::string& id, std::uint64_t first, std::vector<Json> events) {
  impl_->append(id, first, std::move(events));
}
void Journal::close(const std::string& id, std::uint64_t first, std::vector<Json> events, const Verdict& verdict,
                    std::int64_t ended_ms) {
  impl_->close(id, first, std::move(events), verdict, ended_ms);
}
void Journal::close(const std::string& id, const Verdict& verdict, std::int64_t ended_ms) {
  impl_->close(id, 0, {}, verdict, ended_ms);
}

void Journal::list(std::size_t limit, const std::string& before, Listed answer) {
  impl_->run([impl = impl_.get(), limit, before, answer = std::move(answer)] {
    impl->answer(answer,
                 impl->reading<std::vector<GameSummary>>([&](Database& db) { return GameStore(db).list(limit, before); }));
  });
}

void Journal::load(const std::string& id, Loaded answer) {
  impl_->run([impl = impl_.get(), id, answer = std::move(answer)] {
    impl->answer(answer, impl->reading<ArchivedGame>([&](Database& db) { return GameStore(db).load(id); }));
  });
}

void Journal::remove(std::vector<std::string> ids, Done answer) {
  impl_->run([impl = impl_.get(), ids = std::move(ids), answer = std::move(answer)] {
    impl->answer(answer, impl->writing([&](Database& db, std::size_t& count) {
      GameStore store(db);
      for (const std::string& id : ids) {
        if (store.runs(id)) return "game " + id + " is running: abort it first";
      }
      for (const std::string& id : ids) {
        if (store.remove(id)) ++count;
      }
      return std::string();
    }));
  });
}

void Journal::import(ArchivedGame game, Done answer) {
  impl_->run([impl = impl_.get(), game = std::move(game), answer = std::move(answer)]() mutable {
    const auto record = game.record();
    if (!record) return impl->answer(answer, Result<std::size_t, std::string>(record.error()));
    if (game.state == GameState::running) {
      game.state = GameState::aborted;
      game.verdict = Verdict{Closing::aborted, {}, kNoPlayer, kNoPlayer};
    }
    impl->answer(answer, impl->writing([&](Database& db, std::size_t& count) {
      GameStore store(db);
      if (store.has(game.header.id)) return "game " + game.header.id + " is in the archive already";
      store.insert(game);
      count = record->steps().size();
      return std::string();
    }));
  });
}

Result<std::optional<ArchivedGame>, std::string> Journal::running() { return impl_->running(); }
JournalStatus Journal::status() const { return impl_->status(); }
bool Journal::crowded() const { return impl_->crowded(); }
void Journal::run(Job job) { impl_->run(std::move(job)); }

}  // namespace merel
