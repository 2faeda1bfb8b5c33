#include "drivers/gpio/line_inputs.h"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <tuple>

namespace merel {
namespace {

constexpr Time kUdev = std::chrono::milliseconds(150);  // a new device gets its group from udev, a moment after it appears
constexpr Time kFirstRetry = std::chrono::milliseconds(100);  // a bus may stumble once; the pause doubles
constexpr Time kLastRetry = std::chrono::seconds(2);          // after that check() looks
constexpr std::uint32_t kRescueRate = 50;                     // scans a second of a chip that has lost its supply
constexpr std::uint32_t kIdleShare = 10;                      // a still board is polled so many times more slowly
constexpr Time kIdleAfter = std::chrono::seconds(5);
constexpr int kNotSupported = 524;  // ENOTSUPP, which the kernel keeps to itself and still lets out here

/// The chip has no interrupt for its lines; the two interfaces of the kernel word it differently.
bool means_no_edges(int code) {
  return code == ENXIO || code == ENODEV || code == EOPNOTSUPP || code == kNotSupported || code == EINVAL;
}

}  // namespace

LineInputs::LineInputs(boost::asio::io_context& loop, const LoopClock& clock, std::vector<WantedLine> wanted,
                       LineListener& listener, ListChips chips)
    : clock_(clock),
      wanted_(std::move(wanted)),
      listener_(listener),
      chips_(std::move(chips)),
      trouble_(wanted_.size()),
      open_(wanted_.size(), false),
      edges_(loop),
      folder_(loop),
      rest_timer_(loop),
      look_timer_(loop),
      scan_timer_(loop) {}

LineInputs::~LineInputs() {
  boost::system::error_code ignored;
  edges_.close(ignored);
  folder_.close(ignored);
}

void LineInputs::start() {
  if (running_ || wanted_.empty()) return;
  running_ = true;
  edges_.assign(epoll_create1(EPOLL_CLOEXEC));
  watch_folder();
  open_missing();
  await_edges();
}

void LineInputs::stop() {
  running_ = false;
  boost::system::error_code ignored;
  edges_.close(ignored);
  folder_.close(ignored);
  rest_timer_.cancel();
  look_timer_.cancel();
  scan_timer_.cancel();
  pace_.reset();
  groups_.clear();
  open_.assign(wanted_.size(), false);
  resting_ = true;
}

void LineInputs::check() {
  if (!running_) return;
  for (const auto& group : groups_) read(*group, true);
  sweep();
  if (any_missing()) open_missing();
}

bool LineInputs::any_missing() const { return std::find(open_.begin(), open_.end(), false) != open_.end(); }

/// The same kind of trouble with a line is no news.
void LineInputs::set_trouble(std::size_t line, LineTrouble trouble) {
  silences_changed_ = silences_changed_ || !trouble_[line] || trouble_[line]->kind != trouble.kind;
  trouble_[line] = std::move(trouble);
}

std::vector<LineInputs::Silence> LineInputs::silences() const {
  std::vector<Silence> out;
  const auto add = [&out](const LineTrouble& trouble, std::size_t line) {
    // One missing chip is one cause, however many lines it takes away.
    const auto same = std::find_if(out.begin(), out.end(), [&trouble](const Silence& s) {
      const bool of_line = trouble.kind == LineTrouble::Kind::busy || trouble.kind == LineTrouble::Kind::no_line ||
                           (trouble.kind == LineTrouble::Kind::no_chip && trouble.name.chip.empty());
      return s.trouble.kind == trouble.kind && s.trouble.name.chip == trouble.name.chip && s.trouble.chip == trouble.chip &&
             !of_line;
    });
    if (same == out.end()) {
      out.push_back({trouble, {line}});
    } else {
      same->lines.push_back(line);
    }
  };
  for (std::size_t line = 0; line < wanted_.size(); ++line) {
    if (trouble_[line]) add(*trouble_[line], line);
  }
  return out;
}

Time LineInputs::debounced() const {
  Time longest{};
  for (const auto& group : groups_) {
    if (group->lines && !group->polled) longest = std::max(longest, Time(group->lines->debounced()));
  }
  return longest;
}

// ---- opening ---------------------------------------------------------------------------------------------------------------

/// Requests every wanted line that is not open, as far as it can be had now.
void LineInputs::open_missing() {
  const LineFinder finder(chips_());
  // Lines of one chip with the same settings are requested together.
  using Key = std::tuple<std::size_t, Bias, bool, std::chrono::microseconds, std::uint32_t>;
  std::map<Key, std::vector<std::pair<FoundLine, std::size_t>>> groups;
  for (std::size_t line = 0; line < wanted_.size(); ++line) {
    const WantedLine& wanted = wanted_[line];
    if (open_[line] || wanted.name.line.empty()) continue;
    const auto found = finder.find(wanted.name);
    if (!found) {
      set_trouble(line, found.error());
      continue;
    }
    const InputSettings& settings = wanted.settings;
    groups[{found->chip, settings.wiring.bias, settings.wiring.active_low, settings.debounce, wanted.scans_per_second}]
        .emplace_back(*found, line);
  }
  for (const auto& [key, lines] : groups) {
    for (std::size_t first = 0; first < lines.size(); first += kMostLinesOfRequest) {
      std::vector<FoundLine> found;
      std::vector<std::size_t> wanted;
      const std::size_t end = std::min(lines.size(), first + kMostLinesOfRequest);
      found.reserve(end - first);
      wanted.reserve(end - first);
      for (std::size_t i = first; i < end; ++i) {
        found.push_back(lines[i].first);
        wanted.push_back(lines[i].second);
      }
      open_group(finder.chips()[std::get<0>(key)], std::move(found), std::move(wanted));
    }
  }
  sweep();
}

void LineInputs::open_group(const ChipEntry& chip, std::vector<FoundLine> found, std::vector<std::size_t> wanted) {
  const auto trouble = [&](std::size_t line, LineTrouble::Kind kind, std::string consumer, int code) {
    set_trouble(line, {kind, wanted_[line].name, chip.text(), std::move(consumer), code});
  };
  // A line that somebody else has is left out, so that the others can be had.
  for (std::size_t i = found.size(); i-- > 0;) {
    const auto state = chip.chip->line(found[i].offset);
    if (!state || !state->used) continue;
    trouble(wanted[i], LineTrouble::Kind::busy, state->consumer, EBUSY);
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (wanted.empty()) return;

  std::vector<unsigned> offsets;
  offsets.reserve(found.size());
  for (const FoundLine& line : found) offsets.push_back(line.offset);
  const WantedLine& sample = wanted_[wanted.front()];
  InputSettings settings = sample.settings;
  auto lines = chip.chip->inputs(offsets, settings);
  // An expander that was without supply has forgotten how to tell edges, and its driver does not know: from now on it is asked.
  const auto& before = trouble_[wanted.front()];
  const bool rescued = before && before->kind == LineTrouble::Kind::silent;
  if (!lines && settings.edges && means_no_edges(lines.error().code)) {
    settings.edges = false;
    settings.debounce = {};
    auto without = chip.chip->inputs(offsets, settings);
    if (without && sample.scans_per_second == 0) {
      for (const std::size_t line : wanted) trouble(line, LineTrouble::Kind::no_edges, "", lines.error().code);
      return;
    }
    lines = std::move(without);
  }
  if (!lines) {
    for (const std::size_t line : wanted) trouble(line, LineTrouble::Kind::other, "", lines.error().code);
    return;
  }
  // A chip that is known to the kernel need not be there.
  if (const auto values = (*lines)->values(); !values) {
    for (const std::size_t line : wanted) trouble(line, LineTrouble::Kind::silent, "", values.error().code);
    return;
  }
  auto group = std::make_unique<Group>();
  group->chip = chip.text();
  group->name = chip.name;
  group->wanted = std::move(wanted);
  group->lines = std::move(*lines);
  group->edges = settings.edges;
  group->polled = !settings.edges || rescued;
  const std::uint32_t rate = rescued ? std::max(kRescueRate, sample.scans_per_second) : sample.scans_per_second;
  const bool polled = group->polled;
  add(std::move(group));
  if (polled) poll(rate);
}

/// Takes a requested group in: its lines' levels are told first.
void LineInputs::add(std::unique_ptr<Group> group) {
  // The place of one that was closed is free again.
  std::size_t place = 0;
  while (place < groups_.size() && groups_[place]->lines) ++place;
  if (place == groups_.size()) groups_.emplace_back();
  groups_[place] = std::move(group);
  Group& added = *groups_[place];
  const std::vector<int> descriptors = added.lines->descriptors();
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = (static_cast<std::uint64_t>(place) << 32U) | i;
    epoll_ctl(edges_.native_handle(), EPOLL_CTL_ADD, descriptors[i], &event);
  }
  for (const std::size_t line : added.wanted) open_[line] = true;
  read(added, false);
}

void LineInputs::poll(std::uint32_t rate) {
  if (pace_) return;
  pace_.emplace(rate, std::max(rate / kIdleShare, std::uint32_t{1}), kIdleAfter);
  scan_due_ = clock_.now();
  arm_scan();
}

/// The group's lines are no longer heard.
void LineInputs::drop(Group& group, int code) {
  for (const std::size_t line : group.wanted) {
    set_trouble(line, {LineTrouble::Kind::silent, wanted_[line].name, group.chip, "", code});
  }
  group.dropped = true;
}

/// Closes what was dropped, and tells of silences that are new.
void LineInputs::sweep() {
  for (const auto& group : groups_) {
    if (!group->dropped || !group->lines) continue;
    for (const std::size_t line : group->wanted) open_[line] = false;
    group->lines.reset();  // its place stays: the numbers of the others are with the kernel
    look_again(retry_ = kFirstRetry);
  }
  if (!silences_changed_) return;
  silences_changed_ = false;
  listener_.on_silences(stamp(LoopClock::Steady::now()));
}

// ---- edges -----------------------------------------------------------------------------------------------------------------

void LineInputs::await_edges() {
  edges_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error || !running_) return;  // stopped
    take_edges();
    if (running_) await_edges();
  });
}

void LineInputs::take_edges() {
  std::array<epoll_event, kMostLinesOfRequest> ready{};
  const int n = epoll_wait(edges_.native_handle(), ready.data(), static_cast<int>(ready.size()), 0);
  pending_.clear();
  for (int i = 0; i < n; ++i) {
    const std::uint64_t key = ready[static_cast<std::size_t>(i)].data.u64;
    Group& group = *groups_[key >> 32U];
    if (!group.lines || group.dropped) continue;
    taken_.clear();
    const auto lost = group.lines->take(key & 0xFFFFFFFFU, taken_);
    if (!lost) {
      drop(group, lost.error().code);
      continue;
    }
    group.doubtful = group.doubtful || *lost;
    group.touched = true;
    for (const Edge& edge : taken_) pending_.push_back({&group, edge});
  }
  counts_.edges += pending_.size();
  if (pending_.size() > 1) {
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const Pending& a, const Pending& b) { return a.edge.time < b.edge.time; });
  }
  for (const Pending& next : pending_) {
    Group& group = *next.group;
    const Edge& edge = next.edge;
    if (edge.time <= group.read_at) continue;
    if (group.level[edge.line] == edge.active) {
      group.doubtful = true;  // the edge between was lost
    } else {
      tell(group, edge.line, edge.active, stamp(edge.time));
    }
  }
  for (const auto& group : groups_) {
    if (!group->doubtful) continue;
    ++counts_.gaps;
    read(*group, true);
  }
  sweep();
  last_edge_ = clock_.now();
  if (resting_) {
    resting_ = false;
    rest();
  }
}

/// Once the lines are at rest they are read once more: what no edge told of must not stay unknown.
void LineInputs::rest() {
  rest_timer_.expires_at(clock_.at(last_edge_ + kRest));
  rest_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || !running_) return;
    if (clock_.now() - last_edge_ < kRest) return rest();
    resting_ = true;
    for (const auto& group : groups_) {
      if (group->touched) read(*group, true);
    }
    sweep();
  });
}

/// What the group's lines are now; differences are told, and counted when they repair something. False when the chip is silent.
bool LineInputs::read(Group& group, bool repair) {
  if (!group.lines || group.dropped) return false;
  group.doubtful = group.touched = false;
  const auto read_at = LoopClock::Steady::now();
  const auto values = group.lines->values();
  if (!values) {
    drop(group, values.error().code);
    return false;
  }
  group.read_at = read_at;
  const Time now = stamp(read_at);
  const bool first = group.level.empty();
  if (first) group.level.resize(values->size());
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!first && group.level[i] == (*values)[i]) continue;
    counts_.repaired += repair && group.edges ? 1U : 0U;
    tell(group, i, (*values)[i], now);
  }
  for (const std::size_t line : group.wanted) {
    silences_changed_ = silences_changed_ || trouble_[line].has_value();
    trouble_[line].reset();
  }
  return true;
}

void LineInputs::tell(Group& group, std::size_t index, bool active, Time time) {
  group.level[index] = active;
  if (pace_ && group.polled) pace_->changed(time);
  listener_.on_level(group.wanted[index], active, time);
}

/// The kernel's time as the loop's, never earlier than what was told before and never in the future.
Time LineInputs::stamp(LoopClock::Steady::time_point point) {
  last_told_ = std::max(last_told_, std::min(clock_.of(point), clock_.now()));
  return last_told_;
}

// ---- polling ---------------------------------------------------------------------------------------------------------------

void LineInputs::arm_scan() {
  scan_timer_.expires_at(clock_.at(scan_due_));
  scan_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || !running_) return;
    scan();
  });
}

void LineInputs::scan() {
  bool any = false;
  for (const auto& group : groups_) {
    if (group->polled && group->lines) any = read(*group, true) || any;
  }
  ++counts_.scans;
  sweep();
  if (!any) {
    pace_.reset();  // begins again when a chip comes back
    return;
  }
  scan_due_ = pace_->next(scan_due_, clock_.now());
  arm_scan();
}

// ---- chips that come and go ------------------------------------------------------------------------------------------------

/// /dev says when a chip appears, disappears, or gets its group.
void LineInputs::watch_folder() {
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return;  // check() finds out as well, only later
  folder_.assign(descriptor);
  inotify_add_watch(descriptor, "/dev", IN_CREATE | IN_DELETE | IN_ATTRIB);
  await_folder();
}

void LineInputs::await_folder() {
  folder_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error || !running_) return;
    read_folder();
    await_folder();
  });
}

void LineInputs::read_folder() {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  bool look = false;
  for (;;) {
    const ssize_t n = ::read(folder_.native_handle(), buffer.data(), buffer.size());
    if (n <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name(event.len == 0 ? "" : buffer.data() + at + sizeof event);
      at += sizeof event + event.len;
      if (!name.starts_with("gpiochip")) continue;
      look = true;
      if ((event.mask & IN_DELETE) == 0) continue;
      for (const auto& group : groups_) {
        if (group->name == name && group->lines) drop(*group, ENODEV);
      }
    }
  }
  sweep();
  if (look) look_again(kUdev);
}

void LineInputs::look_again(Time after) {
  look_timer_.expires_after(after);
  look_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || !running_) return;
    open_missing();
    retry_ *= 2;
    if (any_missing() && retry_ > Time{} && retry_ <= kLastRetry) look_again(retry_);
  });
}

}  // namespace merel
