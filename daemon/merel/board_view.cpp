#include "daemon/merel/board_view.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "daemon/player_colour.h"

namespace merel {
namespace {

// ---- what a role looks like ------------------------------------------------------------------------------------------------

struct Mark {
  char left;
  char right;
  std::string_view meaning;
};

constexpr Mark mark(Role role) {
  switch (role) {
    case Role::last: return {'(', ')', "last turn"};
    case Role::origin: return {'<', '>', "in the hand, from here"};
    case Role::target: return {'[', ']', "may go here"};
    case Role::remove: return {'x', 'x', "may be taken"};
    case Role::put: return {'+', '+', "a piece comes here"};
    case Role::illegal: return {'!', '!', "wrong"};
    case Role::back: return {'^', '^', "must go back here"};
    case Role::take_off: return {'-', '-', "must be taken off"};
    case Role::choose: return {'?', '?', "which one?"};
    case Role::out: return {'#', '#', "out of the game"};
    case Role::pass: return {'~', '~', "had to pass"};
    case Role::win: return {'*', '*', "has won"};
    case Role::turn: return {':', ':', "can move"};
  }
  return {' ', ' ', ""};
}

// ---- the terminal's eight colours (ECMA-48, SGR) ---------------------------------------------------------------------------

constexpr int kForeground = 30;
constexpr int kBackground = 40;
constexpr int kBright = 60;  // on top of either
constexpr int kBlack = 0;
constexpr int kRed = 1;
constexpr int kGreen = 2;
constexpr int kYellow = 3;
constexpr int kBlue = 4;
constexpr int kMagenta = 5;
constexpr int kCyan = 6;
constexpr int kWhite = 7;

int code(const GameInfo& game, Player player) {
  switch (player_colour(game, player)) {
    case PlayerColour::white: return kWhite;
    case PlayerColour::black: return kBlack;
    case PlayerColour::red: return kRed;
    case PlayerColour::green: return kGreen;
    case PlayerColour::yellow: return kYellow;
    case PlayerColour::blue: return kBlue;
    case PlayerColour::unknown: break;
  }
  return kMagenta;
}

int code(const GameInfo& game, const Light& light) {
  switch (light.hue) {
    case Hue::white: return kWhite;
    case Hue::blue: return kBlue;
    case Hue::green: return kGreen;
    case Hue::amber: return kYellow;
    case Hue::red: return kRed;
    case Hue::cyan: return kCyan;
    case Hue::violet: return kMagenta;
    case Hue::player: return code(game, light.player);
  }
  return kWhite;
}

std::string painted(std::string_view text, const std::string& sgr) {
  return "\x1b[" + sgr + "m" + std::string(text) + "\x1b[0m";
}

std::string on_background(std::string_view text, int colour, bool bright) {
  const bool dark = colour == kBlack || (!bright && (colour == kRed || colour == kBlue || colour == kMagenta));
  const int ink = dark ? kForeground + kBright + kWhite : kForeground;
  return painted(text, std::to_string(ink) + ";" + std::to_string(kBackground + colour + (bright ? kBright : 0)));
}

std::string lit(std::string_view text, const GameInfo& game, const Light& light) {
  const int colour = code(game, light);
  if (light.brightness != Brightness::faint) return on_background(text, colour, light.brightness == Brightness::full);
  return painted(text, std::to_string(kForeground + colour + (colour == kBlack ? kBright : 0)));
}

std::string piece(std::string_view letter, const GameInfo& game, Player player) {
  const int own = code(game, player);
  return on_background(letter, own, own == kWhite);
}

// ---- the board -------------------------------------------------------------------------------------------------------------

/// The rank in a site's name: what follows its letter.
std::string_view rank_of(std::string_view name) {
  while (!name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) == 0) name.remove_prefix(1);
  return name.substr(std::min<std::size_t>(1, name.size()));
}
char file_of(std::string_view name) {
  const auto at = std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return at == name.end() ? ' ' : *at;
}

class BoardDrawing {
 public:
  BoardDrawing(const GameInfo& game, const TrackerView& view, const Scene& scene, Ink ink)
      : game_(game), view_(view), board_(geometry(view.position)), pieces_(game, view.position), scene_(scene), ink_(ink) {}

  std::vector<std::string> draw() {
    const auto level = [](const SiteInfo& a, const SiteInfo& b) { return a.level < b.level; };
    const int levels = std::max_element(board_.sites.begin(), board_.sites.end(), level)->level;
    for (int i = 1; i <= levels; ++i) add_level(i, levels > 1);
    for (std::string& line : lines_) line.erase(line.find_last_not_of(' ') + 1);
    return std::move(lines_);
  }

 private:
  /// One level, to the right of those before it and resting on the same line.
  void add_level(int level, bool named) {
    std::map<int, char> files;
    std::map<int, std::map<int, const SiteInfo*>, std::greater<>> ranks;
    for (const SiteInfo& info : board_.sites) {
      if (info.level != level) continue;
      files[info.file] = file_of(info.name());
      ranks[info.rank][info.file] = &info;
    }
    std::vector<std::string> block;
    std::string head = named ? "   level " + std::to_string(level) : "";
    head.resize(std::max(head.size(), 3 + 4 * files.size()), ' ');
    const std::size_t width = head.size();
    if (named) block.push_back(head);
    for (const auto& [rank, sites] : ranks) {
      const std::string label(rank_of(sites.begin()->second->name()));
      std::string line = std::string(2 - std::min<std::size_t>(2, label.size()), ' ') + label + " ";
      for (const auto& [file, letter] : files) {
        const auto at = sites.find(file);
        line += at == sites.end() ? "    " : cell(*at->second) + " ";
      }
      block.push_back(line + std::string(width - 3 - 4 * files.size(), ' '));
    }
    std::string foot = "   ";
    for (const auto& [file, letter] : files) foot += std::string(" ") + letter + "  ";
    foot.resize(width, ' ');
    block.push_back(foot);

    while (lines_.size() < block.size()) lines_.insert(lines_.begin(), std::string(width_, ' '));
    while (block.size() < lines_.size()) block.insert(block.begin(), std::string(width, ' '));
    for (std::size_t i = 0; i < block.size(); ++i) lines_[i] += block[i];
    width_ += width;
  }

  [[nodiscard]] std::string cell(const SiteInfo& info) const {
    const Player player = pieces_[info.site].player();
    std::string middle = ".";
    if (holds(view_.out_of_place, info.site) || holds(view_.extra, info.site)) {
      middle = "o";
    } else if (player != kNoPlayer) {
      middle = game_.colours[player];
      if (holds(view_.in_hand, info.site) || holds(view_.missing, info.site)) {
        middle[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(middle[0])));
      } else if (ink_ == Ink::colour) {
        middle = piece(middle, game_, player);
      }
    }
    const auto at = scene_.find(info.site);
    if (at == scene_.end()) return " " + middle + " ";
    const Mark sides = mark(at->second.role);
    const std::string left(1, sides.left);
    const std::string right(1, sides.right);
    if (ink_ == Ink::plain) return left + middle + right;
    if (middle.size() == 1) return lit(left + middle + right, game_, at->second);
    return lit(left, game_, at->second) + middle + lit(right, game_, at->second);
  }

  static bool holds(const std::vector<Site>& sites, Site site) {
    return std::find(sites.begin(), sites.end(), site) != sites.end();
  }

  const GameInfo& game_;
  const TrackerView& view_;
  const Geometry& board_;
  Picture pieces_;
  const Scene& scene_;
  Ink ink_;
  std::vector<std::string> lines_;
  std::size_t width_ = 0;
};

}  // namespace

std::vector<std::string> draw_board(const GameInfo& game, const TrackerView& view, const Scene& scene, Ink ink) {
  return BoardDrawing(game, view, scene, ink).draw();
}

std::vector<std::string> draw_legend(const GameInfo& game, const Scene& scene, std::size_t width, Ink ink) {
  std::map<Role, Light> lights;
  for (const auto& [site, light] : scene) lights.emplace(light.role, light);
  std::vector<std::string> lines;
  std::size_t used = 0;
  for (const auto& [role, light] : lights) {
    const Mark sides = mark(role);
    const std::string sample{sides.left, ' ', sides.right};
    const std::size_t needed = sample.size() + 1 + sides.meaning.size();
    if (lines.empty() || used + 3 + needed > width) {
      lines.emplace_back();
      used = 0;
    } else {
      lines.back() += "   ";
      used += 3;
    }
    lines.back() += (ink == Ink::colour ? lit(sample, game, light) : sample) + " " + std::string(sides.meaning);
    used += needed;
  }
  return lines;
}

}  // namespace merel
