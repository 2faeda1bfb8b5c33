// Leads through the calibration of a board that tells levels: the empty board, dark and lit, then pieces of each kind on a few cells. What is
// to be done goes to standard error, what comes out to standard output.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/state_words.h"

namespace merel {
namespace {

constexpr const char* kTarget = "/api/calibration";
// Three cells apart, so that each piece is far from the others; spheres lie only on every other cell.
const std::vector<std::string> kPegCells = {"b2", "b6", "f2", "f6"};
const std::vector<std::string> kSphereCells = {"a1", "a5", "e1", "e5"};

struct Wanted {
  std::vector<std::string> kinds = {"strong"};
  std::vector<std::string> cells;  ///< empty: those above
};

/// `4 strong pieces (pegs or men), north pole up,`
std::string pieces(std::size_t count, const std::string& kind, const std::string& pole) {
  const std::string noun = kind == "sphere" ? "sphere" : kind == "weak" ? "weak peg" : "peg or man";
  const std::string many = kind == "sphere" ? "spheres" : kind == "weak" ? "weak pegs" : "pegs or men";
  return std::to_string(count) + " " + (count == 1 ? noun : many) + " with the " + pole + " pole up";
}

/// A line of the input; nothing when it has ended.
std::optional<std::string> answer_to(const std::string& question) {
  std::cerr << question << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}
/// Waits for Enter; false when the input has ended.
bool ready(const std::string& what) { return answer_to(what + ", then press Enter (Ctrl-C gives up): ").has_value(); }

int give_up() { return complain("calibrate: given up; nothing has been changed", kNo); }

/// Records a picture until nothing is wrong in it, or until that is to stay so.
int record(const DaemonLink& link, const Json& picture) {
  for (;;) {
    const auto recorded = link.ask("POST", kTarget, written(picture), "calibrate");
    if (!recorded) return recorded.error();
    std::cerr << "recorded\n";
    const Json answer = read_answer(*recorded);
    const Json& findings = list_at(answer, "findings");
    if (findings.empty()) return kDone;
    for (const Json& finding : findings) std::cerr << "- " << harmless(text_at(finding, "what")) << '\n';
    const auto again = answer_to("Put it right and press Enter to look again, or type 'leave' to go on as it is: ");
    if (!again) return give_up();
    if (*again == "leave") return kDone;
  }
}

void print_sites(const Json& result) {
  std::cout << "\nsite  baseline  noise  lights\n";
  for (const Json& site : list_at(result, "sites")) {
    char line[80];
    const auto number = [&site](const char* key) {
      return site.contains(key) && site[key].is_number() ? site[key].get<double>() : 0;
    };
    std::snprintf(line, sizeof line, "%-4s %9.1f %6.1f %+7.1f", harmless(text_at(site, "site")).c_str(), number("baseline"),
                  number("noise"), number("light_shift"));
    std::cout << line << '\n';
  }
}

void print_margins(const Json& result) {
  std::cout << "\nsite  kind    pole   deviation  margin   (counts of 0.027 mT)\n";
  for (const Json& margin : list_at(result, "margins")) {
    char line[100];
    const auto number = [&margin](const char* key) {
      return margin.contains(key) && margin[key].is_number() ? margin[key].get<double>() : 0;
    };
    std::snprintf(line, sizeof line, "%-5s %-7s %-6s %+9.1f %+7.1f", harmless(text_at(margin, "site")).c_str(),
                  harmless(text_at(margin, "kind")).c_str(), harmless(text_at(margin, "pole")).c_str(), number("deviation"),
                  number("margin"));
    std::cout << line << '\n';
  }
}

int report(const Json& result) {
  print_sites(result);
  print_margins(result);
  const Json& thresholds = object_at(result, "thresholds");
  std::cout << "\nthresholds: a piece from " << number_at(thresholds, "piece") << ", a strong one from "
            << number_at(thresholds, "strong") << ", hysteresis " << number_at(thresholds, "hysteresis") << " counts\n";
  if (flag_at(result, "good")) {
    std::cout << "The board (revision " << number_at(result, "revision") << ") keeps this calibration.\n";
    return kDone;
  }
  std::cout << "The calibration is refused, and nothing has been changed:\n";
  for (const Json& finding : list_at(result, "findings")) std::cout << "- " << harmless(text_at(finding, "what")) << '\n';
  return kNo;
}

int run(const DaemonLink& link, const Wanted& wanted) {
  if (const auto fresh = link.ask("DELETE", kTarget, {}, "calibrate"); !fresh) return fresh.error();
  if (!ready("Take every piece off the board")) return give_up();
  for (const char* light : {"dark", "lit"}) {
    std::cerr << "the empty board, lights " << (light == std::string("lit") ? "on" : "off") << ": " << std::flush;
    if (const int failed = record(link, {{"picture", light}}); failed != kDone) return failed;
  }
  for (const std::string& kind : wanted.kinds) {
    for (const char* pole : {"north", "south"}) {
      const auto& cells = !wanted.cells.empty() ? wanted.cells : kind == "sphere" ? kSphereCells : kPegCells;
      if (!ready("Put " + pieces(cells.size(), kind, pole) + " on " + joined(cells, ", ") + " and nothing else")) {
        return give_up();
      }
      const Json picture = {{"picture", "pieces"}, {"kind", kind}, {"pole", pole}, {"cells", cells}};
      if (const int failed = record(link, picture); failed != kDone) return failed;
    }
  }
  const auto answer = link.ask("POST", std::string(kTarget) + "/finish", "{}", "calibrate");
  if (!answer) return answer.error();
  const Json result = read_answer(*answer);
  if (!link.json()) return report(result);
  print_answer(*answer);
  return flag_at(result, "good") ? kDone : kNo;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("calibrate", "Teach a board with a Pico what its empty cells and its pieces read");
  const auto link = std::make_shared<DaemonLink>();
  const auto wanted = std::make_shared<Wanted>();
  command->add_option("--kinds", wanted->kinds, "the magnets of your pieces: strong, weak, sphere")
      ->delimiter(',')
      ->check(CLI::IsMember({"strong", "weak", "sphere"}))
      ->capture_default_str();
  command->add_option("--cells", wanted->cells, "where the pieces are to stand (b2,b6,f2,f6; spheres: a1,a5,e1,e5)")
      ->delimiter(',');
  link->add_options(*command);
  command->footer(
      "Examples:\n  merel calibrate\n  merel calibrate --kinds strong,weak,sphere\n\n"
      "Pegs and men have strong magnets, the second pair of players in Quatro weak ones. A calibration replaces the one\n"
      "before, so name every kind that will be played with. A board whose margins are too small is refused with the reason\n"
      "for each site, and keeps the calibration that it had. It takes two minutes.");
  command->callback([link, wanted, &exit_code] { exit_code = run(*link, *wanted); });
}

}  // namespace merel
