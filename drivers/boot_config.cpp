#include "drivers/boot_config.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace merel {
namespace {

constexpr std::string_view kFamily = "Raspberry Pi ";

/// A model filter of config.txt, and how the names of the models that it means begin.
struct ModelFilter {
  std::string_view filter;
  std::string_view begins;
};
constexpr std::array<ModelFilter, 20> kFilters = {{
    {"pi1", "Model "},
    {"pi1", "Compute Module Rev"},
    {"pi2", "2 Model"},
    {"pi3", "3 Model"},
    {"pi3", "Compute Module 3"},
    {"pi3+", "3 Model A Plus"},
    {"pi3+", "3 Model B Plus"},
    {"pi4", "4 Model"},
    {"pi4", "400"},
    {"pi4", "Compute Module 4"},
    {"pi400", "400"},
    {"cm4", "Compute Module 4 "},
    {"cm4s", "Compute Module 4S"},
    {"pi0", "Zero"},
    {"pi0w", "Zero W"},
    {"pi0w", "Zero 2"},
    {"pi02", "Zero 2"},
    {"pi5", "5 Model"},
    {"pi5", "500"},
    {"pi5", "Compute Module 5"},
}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// What makes one model another, behind the family's name; empty for a machine of another family.
std::string_view kind_of_model(std::string_view model) {
  return model.starts_with(kFamily) ? model.substr(kFamily.size()) : std::string_view();
}

/// Which of the lines behind a section's head count. Filters of one type replace each other, those of different types must all hold.
class Section {
 public:
  explicit Section(std::string_view model) : kind_(kind_of_model(model)) {}

  void begin(std::string_view head) {
    if (head == "all") {
      model_ = other_ = true;
    } else if (head.starts_with("pi") || head.starts_with("cm") || head.starts_with("board-type=") || head == "none") {
      model_ = std::any_of(kFilters.begin(), kFilters.end(), [&](const ModelFilter& filter) {
        return filter.filter == head && !kind_.empty() && kind_.starts_with(filter.begins);
      });
    } else {
      other_ = false;
    }
  }
  [[nodiscard]] bool counts() const { return model_ && other_; }

 private:
  std::string_view kind_;
  bool model_ = true;
  bool other_ = true;
};

/// The first of these keys that is set to a whole number, in MHz.
int frequency(const std::map<std::string, std::string>& settings, std::initializer_list<const char*> keys, int otherwise) {
  for (const char* key : keys) {
    const auto at = settings.find(key);
    if (at == settings.end()) continue;
    const std::string& text = at->second;
    int mhz = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), mhz).ec == std::errc{}) return mhz;
  }
  return otherwise;
}

}  // namespace

std::map<std::string, std::string> boot_settings(std::string_view config, std::string_view model) {
  std::map<std::string, std::string> out;
  Section section(model);
  while (!config.empty()) {
    const std::size_t end = std::min(config.find('\n'), config.size());
    const std::string_view line = trimmed(config.substr(0, end));
    config.remove_prefix(std::min(end + 1, config.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      section.begin(line.substr(1, std::min(line.find(']'), line.size()) - 1));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !section.counts()) continue;
    out[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
  }
  return out;
}

CoreClock core_clock(const std::map<std::string, std::string>& settings, std::string_view model) {
  const std::string_view kind = kind_of_model(model);
  const auto is = [kind](std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [kind](std::string_view one) { return kind.starts_with(one); });
  };
  CoreClock clock;
  int most = 0;
  int least = 0;
  if (is({"3 Model", "Compute Module 3", "Zero"})) {
    most = 400;
    least = 250;
    clock.remedy = "core_freq=250";
  } else if (is({"4 Model", "400", "Compute Module 4"})) {
    most = 500;
    least = 200;
    clock.remedy = "core_freq=500 and core_freq_min=500";
  } else {
    return clock;  // 1 and 2: 250 MHz always; 5: its SPI has a clock of its own
  }
  const auto turbo = settings.find("force_turbo");
  clock.varies =
      (turbo == settings.end() || turbo->second != "1") &&
      frequency(settings, {"core_freq", "gpu_freq"}, most) > frequency(settings, {"core_freq_min", "gpu_freq_min"}, least);
  if (!clock.varies) clock.remedy.clear();
  return clock;
}

}  // namespace merel
