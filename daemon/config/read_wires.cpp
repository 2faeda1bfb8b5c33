#include "daemon/config/read_wires.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "drivers/hall/calibration.h"
#include "drivers/spi/led_frame.h"

namespace merel {
namespace {

constexpr std::size_t kMostChannels = 1024;
constexpr unsigned kMostOffset = 65535;
constexpr std::int64_t kMostScans = 1000;
constexpr std::size_t kMostAddressLines = 6;
constexpr std::size_t kMostDataLines = 64;     ///< a request for lines cannot have more (GPIO_V2_LINES_MAX)
constexpr std::size_t kMostLinkChannels = 64;  ///< link::kMaxChannels
constexpr std::size_t kMostNamed = 5;          ///< channels in one message
constexpr std::array<std::string_view, 4> kBiases = {"as-is", "disabled", "pull-up", "pull-down"};  ///< in the order of Bias
constexpr std::array<std::string_view, 3> kLedKinds = {"apa102", "sk9822", "ws2812b"};
constexpr std::string_view kLinesRight = "a list of line names or offsets, or a range of offsets like \"0-15\"";

/// A line of a profile; its name is empty when it is there and wrong.
struct WiredLine {
  LineName name;
  std::size_t at = 0;  ///< line of the file
};

std::optional<unsigned> offset_in(std::string_view text) {
  unsigned offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc{} || end != text.data() + text.size() || offset > kMostOffset) return std::nullopt;
  return offset;
}

/// `line 'GPIO5' of chip 'pinctrl-*'`
std::string in_words(const LineName& name) {
  return "line " + in_quotes(name.line) + (name.chip.empty() ? "" : " of chip " + in_quotes(name.chip));
}

std::string counted(std::size_t n, const std::string& noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

class WiresReader {
 public:
  WiresReader(TableReader& top, TableReader& sensors, TableReader& lights, ReadBeforeWires before, BoardProfile& profile,
              FileProblems& problems)
      : top_(top), sensors_(sensors), lights_(lights), before_(before), profile_(profile), problems_(problems) {
    std::size_t side = 1;  // the lattice itself may be wrong
    while (side * side < profile.channel.size()) ++side;
    cells_.resize(profile.channels());
    for (std::size_t cell = 0; cell < profile.channel.size(); ++cell) {
      const std::uint16_t channel = profile.channel[cell];
      if (channel != BoardProfile::kNone) cells_[channel] = built_cell_name(cell / side, cell % side);
    }
  }

  void read() {
    if (chosen(sensors_, "gpio", profile_.sensor_driver, before_.sensor_driver)) read_gpio();
    if (chosen(sensors_, "mux", profile_.sensor_driver, before_.sensor_driver)) read_mux();
    if (chosen(sensors_, "link", profile_.sensor_driver, before_.sensor_driver)) read_link();
    if (chosen(lights_, "spi", profile_.light_driver, before_.light_driver)) read_spi();
    if (before_.sensor_driver && profile_.light_driver == "link" && profile_.sensor_driver != "link") {
      lights_.wrong("driver",
                    "is 'link', but sensor driver " + in_quotes(profile_.sensor_driver) + " has no lights of its own");
    }
    read_buttons();
    read_buzzer();
    if (!before_.sensor_driver || profile_.sensor_driver == "sim") return;
    if (profile_.colour && profile_.sensor_driver != "link")
      top_.wrong("colour", "is true, but sensors that are only on or off cannot tell whose piece it is");
    if (profile_.trays) top_.wrong("trays", "is true, but sensor driver '" + profile_.sensor_driver + "' has no trays");
  }

 private:
  struct Use {
    std::string chip;
    std::string what;
    std::size_t at;
  };

  /// True when the driver is the chosen one, so that its table is to be read. The table of another one is a problem.
  bool chosen(TableReader& parent, std::string_view driver, const std::string& chosen_driver, bool known) {
    const bool there = parent.table(driver).there();
    if (!known) return false;
    if (driver == chosen_driver) {
      if (!there && !parent.has(driver)) {
        parent.wrong(driver, "is missing; driver '" + chosen_driver + "' needs this table");
      }
      return there;
    }
    if (there) {
      parent.wrong(driver, "is a table for driver " + in_quotes(driver) + ", but the driver is " + in_quotes(chosen_driver) +
                               "; take it out or choose that driver");
    }
    return false;
  }

  // ---- lines ----

  void read_input(TableReader& table, InputWiring& input) {
    if (const auto bias = table.choice("bias", kBiases)) input.bias = static_cast<Bias>(*bias);
    input.active_low = table.flag("active_low").value_or(input.active_low);
  }

  std::string read_chip(TableReader& table) { return table.text("chip").value_or(""); }

  WiredLine one_line_name(const std::string& chip, const toml::node& node, const std::string& label) {
    WiredLine line{{chip, ""}, line_of(node)};
    const auto wrong = [&](const std::string& what) { problems_.add(line.at, label + " " + what); };
    const auto number = node.value_exact<std::int64_t>();
    const auto text = node.value_exact<std::string>();
    std::optional<unsigned> offset;
    if (number) {
      if (*number < 0 || *number > static_cast<std::int64_t>(kMostOffset)) {
        wrong("has offset " + std::to_string(*number) + "; offsets go from 0 to " + std::to_string(kMostOffset));
        return line;
      }
      offset = static_cast<unsigned>(*number);
    } else if (!text) {
      wrong("must be names or offsets of lines, not " + std::string(kind_of(node)));
      return line;
    } else if (text->empty() || !one_line(*text)) {
      wrong("has a line name that is empty or has control characters");
      return line;
    } else {
      offset = offset_in(*text);
    }
    if (offset && chip.empty()) {
      wrong("has offset " + std::to_string(*offset) + ", which means nothing without 'chip'");
      return line;
    }
    line.name.line = offset ? std::to_string(*offset) : *text;
    return line;
  }

  /// The lines under a key, in their order; nothing when it is not there or no list of lines.
  std::optional<std::vector<WiredLine>> read_lines(TableReader& table, std::string_view key, const std::string& chip) {
    const toml::node* node = table.any(key);
    if (node == nullptr) {
      table.wrong(key, "is missing; it must be " + std::string(kLinesRight));
      return std::nullopt;
    }
    std::vector<WiredLine> out;
    if (const toml::array* list = node->as_array()) {
      out.reserve(list->size());
      for (const toml::node& item : *list) out.push_back(one_line_name(chip, item, table.label(key)));
      return out;
    }
    const std::string text = node->value_exact<std::string>().value_or("");
    const std::size_t dash = text.find('-');
    const auto first = offset_in(std::string_view(text).substr(0, dash));
    const auto last = dash == std::string::npos ? std::nullopt : offset_in(std::string_view(text).substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMostChannels) {
      table.wrong(key, (text.empty() ? "is " + std::string(kind_of(*node)) : "is " + in_quotes(text)) + "; it must be " +
                           std::string(kLinesRight));
      return std::nullopt;
    }
    if (chip.empty()) {
      table.wrong(key, "is a range of offsets, which means nothing without 'chip'");
      return std::nullopt;
    }
    out.reserve(*last - *first + 1);
    for (unsigned offset = *first; offset <= *last; ++offset) {
      out.push_back({{chip, std::to_string(offset)}, line_of(*node)});
    }
    return out;
  }

  /// Notes that the line serves this; a second use of it is a problem.
  void use(const WiredLine& line, std::string what) {
    if (line.name.line.empty()) return;
    std::vector<Use>& uses = uses_[line.name.line];
    // A name without a chip is the line of that name wherever it is; whether two patterns mean the same chip is seen on the machine.
    const auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& other) {
      return other.chip == line.name.chip || other.chip.empty() || line.name.chip.empty();
    });
    if (same != uses.end()) {
      problems_.add(line.at, in_words(line.name) + " is used twice: for " + same->what + " (line " +
                                 std::to_string(same->at) + ") and for " + what + " (line " + std::to_string(line.at) +
                                 "); each needs its own");
      return;
    }
    uses.push_back({line.name.chip, std::move(what), line.at});
  }

  /// Notes all of them as `NOUN 1` and so on, and gives their names.
  std::vector<LineName> use_all(const std::vector<WiredLine>& lines, const std::string& noun, std::size_t first) {
    std::vector<LineName> out;
    out.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      use(lines[i], noun + std::to_string(first + i));
      out.push_back(lines[i].name);
    }
    return out;
  }

  // ---- sensors with a line each ----

  void read_gpio() {
    TableReader table = sensors_.table("gpio");
    GpioSensors gpio;
    read_input(table, gpio.input);
    if (const auto scans = table.whole("scans_per_second", 0, kMostScans)) {
      gpio.scans_per_second = static_cast<std::uint32_t>(*scans);
    }
    if (const auto ms = table.whole("kernel_debounce_ms", 0, 50)) gpio.kernel_debounce = std::chrono::milliseconds(*ms);
    read_banks(table, gpio);
    table.finish();
    profile_.wires.gpio = std::move(gpio);
  }

  void read_banks(TableReader& table, GpioSensors& gpio) {
    const toml::array* banks = table.list("lines");
    if (!table.has("lines")) {
      table.wrong("lines",
                  R"(is missing; it names the lines of all channels: [ { chip = "1-0020", lines = "0-15", first = 0 } ])");
    }
    if (banks == nullptr) return;
    std::vector<std::optional<WiredLine>> by_channel(kMostChannels);
    bool complete = true;
    for (const toml::node& node : *banks) complete = read_bank(table, node, by_channel) && complete;

    gpio.lines.resize(cells_.size());
    std::vector<std::size_t> without;
    for (std::size_t channel = 0; channel < cells_.size(); ++channel) {
      if (cells_[channel].empty()) continue;
      if (const auto& line = by_channel[channel]) {
        use(*line, "channel " + std::to_string(channel) + ", under " + cells_[channel]);
        gpio.lines[channel] = line->name;
      } else {
        without.push_back(channel);
      }
    }
    if (complete && !without.empty()) without_line(table, without);
  }

  /// False when it cannot be known which channels it serves.
  bool read_bank(const TableReader& parent, const toml::node& node, std::vector<std::optional<WiredLine>>& by_channel) {
    const std::string label = parent.label("lines");
    if (!node.is_table()) {
      problems_.add(line_of(node),
                    label + R"( must be a list of tables like { chip = "1-0020", lines = "0-15", first = 0 }, but has )" +
                        std::string(kind_of(node)) + " in it");
      return false;
    }
    TableReader table(node.as_table(), "sensors.gpio.lines", problems_);
    const std::string chip = read_chip(table);
    const auto lines = read_lines(table, "lines", chip);
    const auto first = table.whole("first", 0, static_cast<std::int64_t>(kMostChannels) - 1);
    if (!table.has("first")) table.wrong("first", "is missing; it is the channel of the first of these lines");
    table.finish();
    if (!lines || !first) return false;

    const auto begin = static_cast<std::size_t>(*first);
    if (begin + lines->size() > kMostChannels) {
      table.wrong("first", "is " + std::to_string(begin) + ", so the last of these lines has channel " +
                               std::to_string(begin + lines->size() - 1) + "; the highest is " +
                               std::to_string(kMostChannels - 1));
      return false;
    }
    std::size_t doubled = 0;
    std::string example;
    for (std::size_t i = 0; i < lines->size(); ++i) {
      std::optional<WiredLine>& kept = by_channel[begin + i];
      if (!kept) {
        kept = (*lines)[i];
      } else if (++doubled == 1) {
        example = "channel " + std::to_string(begin + i) + " has two lines: " + in_words(kept->name) + " (line " +
                  std::to_string(kept->at) + ") and " + in_words((*lines)[i].name) + " (line " +
                  std::to_string((*lines)[i].at) + ")";
      }
    }
    if (doubled > 1) example += ", and so have " + counted(doubled - 1, "more channel");
    if (doubled > 0) problems_.add(table.line("first"), example + "; each channel needs one");
    return true;
  }

  /// A problem at the key that should name them.
  void without_line(TableReader& table, const std::vector<std::size_t>& channels) {
    if (channels.size() == 1) {
      problems_.add(table.line("lines"), "channel " + std::to_string(channels[0]) + ", under " + cells_[channels[0]] +
                                             ", has no line in " + table.label("lines"));
      return;
    }
    std::string named;
    for (std::size_t i = 0; i < std::min(channels.size(), kMostNamed); ++i) {
      named += (i == 0 ? "" : ", ") + std::to_string(channels[i]) + " (" + cells_[channels[i]] + ")";
    }
    if (channels.size() > kMostNamed) named += " and " + std::to_string(channels.size() - kMostNamed) + " more";
    problems_.add(table.line("lines"), "channels " + named + " have no line in " + table.label("lines"));
  }

  // ---- sensors behind multiplexers ----

  void read_mux() {
    TableReader table = sensors_.table("mux");
    MuxSensors mux;
    const std::string chip = read_chip(table);
    const auto address = read_lines(table, "address", chip);
    const auto data = read_lines(table, "data", chip);
    read_input(table, mux.input);
    if (const auto us = table.whole("settle_us", 0, 10000)) mux.settle = std::chrono::microseconds(*us);
    if (const auto scans = table.whole("scans_per_second", 1, kMostScans)) {
      mux.scans_per_second = static_cast<std::uint32_t>(*scans);
    }
    mux.idle_scans_per_second = std::min(mux.idle_scans_per_second, mux.scans_per_second);
    if (const auto scans = table.whole("idle_scans_per_second", 1, kMostScans)) {
      mux.idle_scans_per_second = static_cast<std::uint32_t>(*scans);
      if (mux.idle_scans_per_second > mux.scans_per_second) {
        table.wrong("idle_scans_per_second", "is " + std::to_string(*scans) +
                                                 "; it must not be above scans_per_second, which is " +
                                                 std::to_string(mux.scans_per_second));
      }
    }
    if (const auto ms = table.whole("idle_after_ms", 0, 3'600'000)) mux.idle_after = std::chrono::milliseconds(*ms);

    const bool addressed = count(table, "address", address, kMostAddressLines);
    const bool read_out = count(table, "data", data, kMostDataLines);
    if (address) mux.address = use_all(*address, "address line S", 0);
    if (data) mux.data = use_all(*data, "multiplexer ", 1);
    if (addressed && read_out) fits(table, mux);
    table.finish();
    profile_.wires.mux = std::move(mux);
  }

  /// False when there are no lines, or not 1 to `most` of them.
  bool count(TableReader& table, std::string_view key, const std::optional<std::vector<WiredLine>>& lines,
             std::size_t most) {
    if (!lines) return false;
    if (!lines->empty() && lines->size() <= most) return true;
    table.wrong(key, "has " + counted(lines->size(), "line") + "; it needs 1 to " + std::to_string(most));
    return false;
  }

  void fits(TableReader& table, const MuxSensors& mux) {
    const std::size_t inputs = std::size_t{1} << mux.address.size();
    const std::size_t channels = inputs * mux.data.size();
    if (cells_.size() > channels) {
      table.wrong("data", "gives " + std::to_string(mux.data.size()) + " x " + std::to_string(inputs) + " = " +
                              std::to_string(channels) + " channels, but channel " + std::to_string(cells_.size() - 1) +
                              " is under " + cells_.back());
    }
    const auto most = Time(std::chrono::seconds(1)) / std::max(mux.settle * static_cast<Time::rep>(inputs), Time(1));
    if (mux.scans_per_second > most) {
      table.wrong("scans_per_second", "is " + std::to_string(mux.scans_per_second) + ", but " + std::to_string(inputs) +
                                          " addresses of " + std::to_string(mux.settle.count()) + " us each allow " +
                                          std::to_string(most));
    }
  }

  // ---- buttons, buzzer, lights ----

  void read_buttons() {
    TableReader table = top_.table("button_lines");
    const bool own = profile_.sensor_driver == "sim" || profile_.sensor_driver == "link";
    if (!table.there()) {
      if (before_.sensor_driver && before_.buttons && !own && profile_.buttons > 0 && !top_.has("button_lines")) {
        problems_.add(top_.line("buttons"), top_.label("button_lines") + " is missing; " + top_.label("buttons") + " is " +
                                                std::to_string(profile_.buttons) +
                                                ", so its 'lines' must name as many (buttons = 0 when there are none)");
      }
      return;
    }
    if (before_.sensor_driver && own) {
      top_.wrong("button_lines", "is for buttons on wires, but sensor driver " + in_quotes(profile_.sensor_driver) +
                                     " has buttons of its own; take it out");
      return;
    }
    const auto lines = read_lines(table, "lines", read_chip(table));
    read_input(table, profile_.wires.buttons.input);
    if (lines) {
      profile_.wires.buttons.lines = use_all(*lines, "button ", 1);
      if (before_.buttons && lines->size() != profile_.buttons) {
        table.wrong("lines", "has " + counted(lines->size(), "line") + ", but " + top_.label("buttons") + " is " +
                                 std::to_string(profile_.buttons));
      }
    }
    table.finish();
  }

  void read_buzzer() {
    TableReader table = top_.table("buzzer");
    if (!table.there()) return;
    if (before_.sensor_driver && profile_.sensor_driver == "link") {
      top_.wrong("buzzer", "is for a buzzer on a wire, but sensor driver 'link' has one of its own; take it out");
      return;
    }
    BuzzerLine buzzer;
    const std::string chip = read_chip(table);
    if (const toml::node* node = table.any("line")) {
      const WiredLine line = one_line_name(chip, *node, table.label("line"));
      use(line, "the buzzer");
      buzzer.line = line.name;
    } else {
      table.wrong("line", "is missing; it is the name or the offset of the buzzer's line");
    }
    buzzer.active_low = table.flag("active_low").value_or(buzzer.active_low);
    table.finish();
    profile_.wires.buzzer = std::move(buzzer);
  }

  void read_link() {
    TableReader table = sensors_.table("link");
    LinkWiring link;
    if (auto device = table.path("device")) link.device = std::move(*device);
    if (const auto baud = table.whole("baud", 9'600, 3'000'000)) link.baud = static_cast<std::uint32_t>(*baud);
    if (const auto revision = table.whole("revision", 0, 65'535)) link.revision = static_cast<std::uint16_t>(*revision);
    if (const auto limit = table.whole("limit_ma", 100, 20'000)) link.limit_ma = static_cast<std::uint16_t>(*limit);
    link.gamma = table.number("gamma", 1, 4).value_or(link.gamma);
    if (const auto ms = table.whole("debounce_ms", 0, 60)) link.debounce = std::chrono::milliseconds(*ms);
    table.finish();
    link.lattice = profile_.lattice;
    link.crosstalk = nominal_crosstalk(MagnetKind::strong);
    if (cells_.size() > kMostLinkChannels) {
      sensors_.wrong("channels", "go up to " + std::to_string(cells_.size() - 1) + "; a board on the link has 0 to " +
                                     std::to_string(kMostLinkChannels - 1));
    }
    profile_.wires.link = std::move(link);
  }

  void read_spi() {
    TableReader table = lights_.table("spi");
    SpiWiring spi;
    if (auto device = table.path("device")) spi.device = std::move(*device);
    const auto kind = table.choice("kind", kLedKinds);
    if (!table.has("kind")) table.wrong("kind", "is missing; it can be: " + joined(kLedKinds));
    if (kind && kLedKinds[*kind] == "ws2812b") spi.kind = LedKind::ws2812b;
    const auto speed = table.whole("speed_hz", 100'000, 32'000'000);
    if (speed) spi.speed_hz = static_cast<std::uint32_t>(*speed);
    if (spi.kind == LedKind::ws2812b) {
      if (speed && *speed != kWs2812bSpeed) {
        table.wrong("speed_hz", "is " + std::to_string(*speed) + "; for ws2812b it is always " +
                                    std::to_string(kWs2812bSpeed) + ", so leave it out");
      }
      spi.speed_hz = kWs2812bSpeed;
    }
    spi.gamma = table.number("gamma", 1, 4).value_or(spi.gamma);
    if (const auto limit = table.whole("limit_ma", 100, 20'000)) spi.limit_ma = static_cast<std::uint32_t>(*limit);
    table.finish();
    profile_.wires.spi = std::move(spi);
  }

  TableReader& top_;
  TableReader& sensors_;
  TableReader& lights_;
  ReadBeforeWires before_;
  BoardProfile& profile_;
  FileProblems& problems_;
  std::vector<std::string> cells_;                ///< by channel, as built; empty where no cell has it
  std::map<std::string, std::vector<Use>> uses_;  ///< by line
};

}  // namespace

std::string built_cell_name(std::size_t file, std::size_t rank) {
  return std::string(1, static_cast<char>('a' + file)) + std::to_string(rank + 1);
}

void read_wires(TableReader& top, TableReader& sensors, TableReader& lights, ReadBeforeWires before, BoardProfile& profile,
                FileProblems& problems) {
  WiresReader(top, sensors, lights, before, profile, problems).read();
}

}  // namespace merel
