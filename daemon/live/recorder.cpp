#include "daemon/live/recorder.h"

#include <filesystem>

#include "daemon/event_json.h"
#include "daemon/live/state_json.h"

namespace merel {
namespace {

constexpr std::size_t kRemembered = 20'000;            // readings: minutes of the fastest play in 320 KB
constexpr std::size_t kMuch = std::size_t{32} << 10U;  // bytes that are handed on at once
constexpr Time kOld = std::chrono::seconds(2);

}  // namespace

Recorder::Recorder(std::string folder, Append append) : folder_(std::move(folder)), append_(std::move(append)) {}

std::vector<std::string> Recorder::files(const std::string& id) const {
  std::vector<std::string> out;
  std::error_code error;
  for (int part = 1;; ++part) {
    std::string file = folder_ + "/" + id + (part == 1 ? "" : "." + std::to_string(part)) + ".trace";
    if (!std::filesystem::is_regular_file(file, error)) return out;
    out.push_back(std::move(file));
  }
}

void Recorder::begin(const std::string& id, const GameRecord& record, const BoardProfile& board, Time settle, Time now) {
  end(now);
  if (!on_) return;
  const std::size_t part = files(id).size() + 1;
  file_ = folder_ + "/" + id + (part == 1 ? "" : "." + std::to_string(part)) + ".trace";
  const Geometry& geometry = merel::geometry(record.position());
  site_of_.clear();
  for (const Site site : board.sites(geometry)) {
    site_of_.emplace_back(site == kNoSite ? std::string_view() : geometry.info(site).name());
  }
  players_ = record.game().colours.size();
  writer_.emplace(record.game(), record.options(), record.position(), board.colour, settle, now);
  flush(now, true);
}

void Recorder::end(Time now) {
  if (!writer_) return;
  writer_->end(now);
  flush(now, true);
  writer_.reset();
}

void Recorder::reading(const Reading& reading) {
  recent_.push_back(reading);
  if (recent_.size() > kRemembered) recent_.pop_front();
  if (!writer_ || reading.channel >= site_of_.size() || site_of_[reading.channel].empty()) return;
  writer_->site(site_of_[reading.channel], reading.contents, reading.time);
  flush(reading.time);
}

void Recorder::tray(std::uint8_t number, int count, Time now) {
  if (writer_ && number < players_) writer_->tray(number, count, now);
}

void Recorder::press(std::uint8_t number, Time now) {
  if (writer_ && number < players_) writer_->button(number, now);
}

void Recorder::choose(const std::vector<Step>& steps, Time now) {
  if (writer_) writer_->choose(steps, now);
}

void Recorder::take_back(Time now) {
  if (writer_) writer_->take_back(now);
}

void Recorder::flush(Time now, bool all) {
  if (!writer_ || writer_->waiting() == 0) return;
  if (!flush_at_) flush_at_ = now + kOld;
  if (!all && writer_->waiting() < kMuch && now < *flush_at_) return;
  flush_at_.reset();
  append_(file_, writer_->take());
}

std::optional<Time> Recorder::deadline() const { return flush_at_; }

std::string Recorder::recent() const {
  std::string out;
  for (const Reading& reading : recent_) {
    out += Json(to_json(reading.time)).dump() + " " + std::to_string(reading.channel) + " ";
    const Player player = reading.contents.player();
    out += (player == kNoPlayer ? (reading.contents.is_empty() ? "." : "o") : std::to_string(player)) + std::string("\n");
  }
  return out;
}

}  // namespace merel
