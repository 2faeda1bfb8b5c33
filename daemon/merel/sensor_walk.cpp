#include "daemon/merel/sensor_walk.h"

#include <algorithm>
#include <functional>
#include <set>

#include "daemon/merel/json_look.h"

namespace merel {
namespace {

std::string level_text(const Json& level) {
  if (level.empty()) return "";
  const std::string pole = text_at(level, "pole");
  const std::string letter = pole.empty() ? "." : pole == "north" ? "N" : "S";
  const std::int64_t deviation = number_at(level, "deviation");
  return (flag_at(level, "weak") ? (pole == "north" ? "n" : "s") : letter) + (deviation < 0 ? "" : "+") +
         std::to_string(deviation) + "/" + std::to_string(number_at(level, "margin"));
}

}  // namespace

void SensorWalk::look(const Json& sensors) {
  const Json& source = at(sensors, "source");
  source_ = flag_at(source, "well") ? "" : text_at(source, "what");
  if (source_.empty() && !flag_at(source, "well")) source_ = "the board does not answer";

  std::vector<std::string> changed;
  for (const Json& told : list_at(sensors, "sensors")) {
    const std::string cell = text_at(told, "cell");
    const auto changes = static_cast<std::uint64_t>(number_at(told, "changes"));
    History& history = history_[cell];
    // Fewer changes than before: the daemon was restarted.
    if (!begun_ || changes < history.before) history.first = since_start_ ? 0 : changes;
    const bool news = begun_ && changes > history.before;
    history.before = changes;
    history.row = news ? history.row + 1 : 0;
    // Once flapping, a sensor stays so for this walk: it may rest for a while.
    history.flapped = history.flapped || history.row >= kFlapping || flag_at(told, "flapping");
    if (news) changed.push_back(cell);
  }
  for (const std::string& cell : changed) {
    History& history = history_[cell];
    std::vector<std::string> others = changed;
    others.erase(std::find(others.begin(), others.end(), cell));
    if (history.looks++ == 0) {
      history.companions = others;
    } else {
      std::erase_if(history.companions,
                    [&](const std::string& c) { return std::find(others.begin(), others.end(), c) == others.end(); });
    }
  }
  begun_ = true;

  sensors_.clear();
  for (const Json& told : list_at(sensors, "sensors")) {
    WalkedSensor& sensor = sensors_.emplace_back();
    sensor.cell = text_at(told, "cell");
    sensor.site = text_at(told, "site");
    sensor.channel = number_at(told, "channel");
    sensor.contents = text_at(told, "contents");
    sensor.raw = text_at(told, "raw");
    judge(sensor, told);
    sensor.level = level_text(object_at(told, "level"));
  }
}

void SensorWalk::judge(WalkedSensor& sensor, const Json& told) const {
  const History& history = history_.at(sensor.cell);
  sensor.changes = history.before - history.first;
  if (history.flapped) {
    sensor.verdict = SensorVerdict::flapping;
  } else if (flag_at(told, "aside")) {
    sensor.verdict = SensorVerdict::aside;
  } else if (history.looks >= 2 && !history.companions.empty()) {
    sensor.verdict = SensorVerdict::together;
    sensor.partner = history.companions.front();
  } else if (sensor.changes >= 2) {
    sensor.verdict = SensorVerdict::seen;
  } else if (sensor.changes == 1) {
    sensor.verdict = SensorVerdict::half;
  }
}

const WalkedSensor* SensorWalk::find(const std::string& cell) const {
  const auto found = std::find_if(sensors_.begin(), sensors_.end(), [&](const WalkedSensor& s) { return s.cell == cell; });
  return found == sensors_.end() ? nullptr : &*found;
}

std::size_t SensorWalk::count(SensorVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(sensors_.begin(), sensors_.end(), [verdict](const WalkedSensor& s) { return s.verdict == verdict; }));
}

std::vector<std::string> draw_sensors(const SensorWalk& walk, std::string (*cell)(const WalkedSensor&), std::size_t width) {
  std::map<int, std::map<char, std::string>, std::greater<>> ranks;
  std::set<char> files;
  for (const WalkedSensor& sensor : walk.sensors()) {
    int rank = 0;
    for (const char c : sensor.cell.substr(std::min<std::size_t>(1, sensor.cell.size()))) {
      if (c >= '0' && c <= '9' && rank < 1000) rank = rank * 10 + (c - '0');
    }
    if (sensor.cell.empty()) continue;
    files.insert(sensor.cell.front());
    ranks[rank][sensor.cell.front()] = cell(sensor);
  }
  std::vector<std::string> lines;
  const auto padded = [](std::string text, std::size_t wide) {
    text.resize(std::max(text.size(), wide), ' ');
    return text;
  };
  for (const auto& [rank, cells] : ranks) {
    std::string line = (rank < 10 ? " " : "") + std::to_string(rank) + " ";
    for (const char file : files) {
      const auto there = cells.find(file);
      line += padded(there == cells.end() ? "" : there->second, width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  std::string foot = "   ";
  for (const char file : files) foot += padded(std::string(" ") + file, width);
  foot.erase(foot.find_last_not_of(' ') + 1);
  lines.push_back(foot);
  return lines;
}

}  // namespace merel
