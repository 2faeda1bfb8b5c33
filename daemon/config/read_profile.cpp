#include <algorithm>
#include <filesystem>
#include <map>

#include "daemon/config/known_drivers.h"
#include "daemon/config/read_wires.h"

namespace merel {
namespace {

constexpr std::int64_t kLeastLattice = 3;
constexpr std::int64_t kMostLattice = 15;
constexpr std::array<std::int64_t, 4> kDegrees = {0, 90, 180, 270};  ///< in the order of Turned
constexpr std::int64_t kMostNumber = 1023;                           ///< of a channel or light

/// Reads a matrix of channels or lights as one looks at the board: the first row is the highest rank.
class MatrixReader {
 public:
  /// `noun`: channel or light; `device`: what has that number, for people.
  MatrixReader(TableReader& table, std::string_view key, std::string noun, std::string device, FileProblems& problems)
      : table_(table), key_(key), noun_(std::move(noun)), device_(std::move(device)), problems_(problems) {}

  /// By cell, file * side + rank. When `side` is 0 the number of rows is taken for it.
  std::vector<std::uint16_t> read(std::size_t side) {
    const toml::array* rows = table_.list(key_);
    if (rows == nullptr) {
      if (!table_.has(key_)) table_.wrong(key_, "is missing; it says the " + noun_ + " of every cell");
      return {};
    }
    side_ = side != 0 ? side : std::min(rows->size(), static_cast<std::size_t>(kMostLattice));
    cells_.assign(side_ * side_, BoardProfile::kNone);
    check_rows(rows->size());
    for (std::size_t i = 0; i < std::min(rows->size(), side_); ++i) read_row((*rows)[i], side_ - 1 - i);
    return std::move(cells_);
  }

 private:
  struct Use {
    std::string cell;
    std::size_t line;
  };

  void check_rows(std::size_t rows) {
    std::string message = "needs " + std::to_string(side_) + " rows, one for each rank, and has " + std::to_string(rows);
    if (rows < side_) {
      message += ", so " + built_cell_name(0, 0) + " to " + built_cell_name(side_ - 1, side_ - 1 - rows) + " are missing";
    }
    if (rows != side_) table_.wrong(key_, message);
  }

  void read_row(const toml::node& node, std::size_t rank) {
    const std::string label = "rank " + std::to_string(rank + 1) + " of " + table_.label(key_);
    const toml::array* row = node.as_array();
    if (row == nullptr) {
      problems_.add(line_of(node), label + " must be a list of " + std::to_string(side_) + " whole numbers, not " +
                                       std::string(kind_of(node)));
      return;
    }
    if (row->size() != side_) {
      std::string message = label + " needs " + std::to_string(side_) + " cells and has " + std::to_string(row->size());
      if (row->size() + 1 == side_) message += ", so " + built_cell_name(side_ - 1, rank) + " is missing";
      if (row->size() + 1 < side_) {
        message += ", so " + built_cell_name(row->size(), rank) + " to " + built_cell_name(side_ - 1, rank) + " are missing";
      }
      problems_.add(line_of(node), message);
    }
    for (std::size_t file = 0; file < std::min(row->size(), side_); ++file) read_cell((*row)[file], file, rank);
  }

  void read_cell(const toml::node& node, std::size_t file, std::size_t rank) {
    const std::string name = built_cell_name(file, rank);
    const std::string label = "cell " + name + " of " + table_.label(key_);
    const std::string right = "a whole number from 0 to " + std::to_string(kMostNumber) + ", or -1 for no " + device_;
    const auto number = node.value_exact<std::int64_t>();
    if (!number) {
      problems_.add(line_of(node), label + " is " + std::string(kind_of(node)) + "; it must be " + right);
      return;
    }
    if (*number < -1 || *number > kMostNumber) {
      problems_.add(line_of(node), label + " is " + std::to_string(*number) + "; it must be " + right);
      return;
    }
    if (*number == -1) return;
    const auto [first, fresh] = uses_.try_emplace(*number, Use{name, line_of(node)});
    if (!fresh) {
      problems_.add(line_of(node), noun_ + " " + std::to_string(*number) + " is used twice in " + table_.label(key_) +
                                       ": for " + first->second.cell + " (line " + std::to_string(first->second.line) +
                                       ") and " + name + " (line " + std::to_string(line_of(node)) +
                                       "); each cell needs its own");
      return;
    }
    cells_[file * side_ + rank] = static_cast<std::uint16_t>(*number);
  }

  TableReader& table_;
  std::string_view key_;
  std::string noun_;
  std::string device_;
  FileProblems& problems_;
  std::size_t side_ = 0;
  std::vector<std::uint16_t> cells_;
  std::map<std::int64_t, Use> uses_;
};

/// False when it is not there or wrong.
bool read_driver(TableReader& table, std::span<const std::string_view> known, std::string& driver) {
  const auto chosen = table.choice("driver", known);
  if (!table.has("driver")) table.wrong("driver", "is missing; it can be: " + joined(known));
  if (chosen) driver = known[*chosen];
  return chosen.has_value();
}

}  // namespace

Result<BoardProfile, ConfigProblems> read_profile_text(const std::string& text, const std::string& file) {
  FileProblems problems(file);
  const auto parsed = parse_toml(text, problems);
  if (!parsed) return problems.take();

  BoardProfile profile;
  profile.name = std::filesystem::path(file).stem().string();
  TableReader top(&*parsed, "", problems);
  profile.title = top.text("title").value_or(profile.name);
  profile.revision = top.text("revision").value_or("");
  const auto lattice = top.whole("lattice", kLeastLattice, kMostLattice);
  if (lattice) profile.lattice = static_cast<std::uint8_t>(*lattice);
  // A wrong size is a problem by itself; the matrices then speak for themselves.
  const std::size_t side = top.has("lattice") && !lattice ? 0 : profile.lattice;
  profile.turned = static_cast<Turned>(top.choice("turned", kDegrees).value_or(0));
  profile.colour = top.flag("colour").value_or(profile.colour);
  profile.trays = top.flag("trays").value_or(profile.trays);
  ReadBeforeWires before;
  const auto buttons = top.whole("buttons", 0, 4);
  if (buttons) profile.buttons = static_cast<std::uint8_t>(*buttons);
  before.buttons = buttons || !top.has("buttons");

  TableReader sensors = top.table("sensors");
  before.sensor_driver = read_driver(sensors, kSensorDrivers, profile.sensor_driver);
  profile.channel = MatrixReader(sensors, "channels", "channel", "sensor", problems).read(side);

  TableReader lights = top.table("lights");
  before.light_driver = read_driver(lights, kLightDrivers, profile.light_driver);
  if (profile.light_driver == "none" && !lights.has("order")) {
    profile.light.assign(profile.channel.size(), BoardProfile::kNone);
  } else {
    profile.light = MatrixReader(lights, "order", "light", "light", problems).read(side);
  }

  read_wires(top, sensors, lights, before, profile, problems);
  sensors.finish();
  lights.finish();
  top.finish();
  if (!problems.none()) return problems.take();
  return profile;
}

Result<BoardProfile, ConfigProblems> read_profile(const std::string& file) {
  const auto content = read_file(file);
  if (!content) return ConfigProblems{content.error()};
  return read_profile_text(*content, file);
}

}  // namespace merel
