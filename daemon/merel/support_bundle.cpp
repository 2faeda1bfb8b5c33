// One file with everything that somebody needs who is to find out what is wrong with a board.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <regex>

#include "daemon/client/daemon_client.h"
#include "daemon/merel/child_process.h"
#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/daemon_link.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/state_words.h"
#include "daemon/merel/whole_file.h"

namespace merel {
namespace {

constexpr std::chrono::seconds kPatience{20};  // with each program that is asked

struct BundleArguments {
  DaemonLink link;
  std::string file;
  std::string config = "/etc/merel";
};

/// The text without what opens the board to others: values of keys that sound secret, and tokens in addresses and headers.
std::string without_secrets(const std::string& text) {
  static const std::regex key(R"(((^|\n)\s*#?\s*["']?[\w.-]*(token|secret|password|passwd|api_?key)["']?\s*=\s*)[^\n]*)",
                              std::regex::icase);
  static const std::regex query(R"((token=)[^&\s"']+)", std::regex::icase);
  static const std::regex header(R"((bearer\s+)[\w.~+/=-]+)", std::regex::icase);
  const std::string out = std::regex_replace(text, key, "$1\"(left out)\"");
  return std::regex_replace(std::regex_replace(out, query, "$1(left-out)"), header, "$1(left-out)");
}

std::string stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> out{};
  if (localtime_r(&now, &parts) == nullptr) return "";
  return {out.data(), std::strftime(out.data(), out.size(), "%Y%m%d-%H%M%S", &parts)};
}

/// A folder of its own, gone with everything in it at the end.
class Workshop {
 public:
  explicit Workshop(const std::string& name) {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error) / "merel-support-XXXXXX";
    if (!error && mkdtemp(path.data()) != nullptr) path_ = path;
    if (!path_.empty()) std::filesystem::create_directories(folder_ = path_ / name / "config", error);
    folder_ = folder_.parent_path();
  }
  ~Workshop() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Adds a file; the first that cannot be written is kept.
  void add(const std::string& name, const std::string& content) {
    const std::string error = write_whole_file(folder_ / name, without_secrets(content));
    if (problem_.empty()) problem_ = error;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path folder_;
  std::string problem_;
};

/// What the daemon reports, a file each.
void add_report(Workshop& bundle, const Json& report) {
  const auto pretty = [](const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; };
  Json rest = report;
  for (const char* key : {"versions", "state", "sensors"}) {
    bundle.add(std::string(key) + ".json", pretty(at(report, key)));
    if (rest.is_object()) rest.erase(key);
  }
  for (const char* key : {"metrics", "trace"}) {
    bundle.add(std::string(key) + ".txt", text_at(report, key));
    if (rest.is_object()) rest.erase(key);
  }
  std::string log;
  for (const std::string& line : texts_at(report, "log")) log += line + "\n";
  bundle.add("log.txt", log);
  if (rest.is_object()) rest.erase("log");
  bundle.add("daemon.json", pretty(rest));
}

void add_configuration(Workshop& bundle, const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    // Only files that lie here: a link might lead to something secret.
    if (entry.path().extension() != ".toml" || !entry.is_regular_file(error) || entry.is_symlink(error)) continue;
    const auto content = read_whole_file(entry.path());
    bundle.add("config/" + entry.path().filename().string(), content ? *content : "(it cannot be read)\n");
  }
}

void add_output(Workshop& bundle, const std::string& file, const std::vector<std::string>& command) {
  const ChildEnd end = run_program(command, kPatience);
  if (!end.started) return;
  bundle.add(file, "$ " + joined(command, " ") + "\n" + end.output + "exit code " + std::to_string(end.exit_code) + "\n");
}

int run(const BundleArguments& arguments) {
  const auto answer = DaemonClient(arguments.link.socket()).call("GET", "/api/support");
  const bool answered = answer && answer->status < 300;
  if (arguments.link.json()) {
    if (!answered) return arguments.link.ask("GET", "/api/support") ? kNo : kBadInput;
    print_answer(answer->body);
    return kDone;
  }
  umask(077);  // a bundle holds names and games; only its owner gives it away
  const std::string name = "merel-support-" + stamp();
  const std::string file = arguments.file.empty() ? name + ".tar.gz" : arguments.file;
  Workshop bundle(name);
  if (bundle.path().empty()) return complain("support-bundle: no temporary folder can be made; set TMPDIR", kBadInput);

  std::string readme = "What merel support-bundle found on this machine, " + stamp() + ".\n";
  if (answered) {
    readme += "mereld answered: versions, state, sensors, metrics, the last minutes of trace and of the log are its own.\n";
    add_report(bundle, read_answer(answer->body));
  } else {
    const std::string why = answer ? "it answered " + std::to_string(answer->status) : answer.error();
    readme += "mereld did not answer, so its own report is missing: " + why + "\n";
  }
  readme += "The token is never put in. Names of players and their games are.\n";
  bundle.add("README.txt", readme);
  add_configuration(bundle, arguments.config);
  std::vector<std::string> check{mereld_program(), "--check"};
  if (const std::string main = arguments.config + "/merel.toml"; access(main.c_str(), R_OK) == 0) {
    check.insert(check.end(), {"--config", main});
  }
  add_output(bundle, "check.txt", check);
  add_output(bundle, "journalctl.txt", {"journalctl", "-u", "mereld", "-n", "2000", "--no-pager"});
  if (!bundle.problem().empty()) return complain("support-bundle: " + bundle.problem(), kBadInput);

  const ChildEnd packed =
      run_program({"/usr/bin/tar", "--create", "--gzip", "--force-local",
                   "--file=" + std::filesystem::absolute(file).string(), "--directory=" + bundle.path().string(), name},
                  kPatience);
  if (!packed.started) return complain("support-bundle: /usr/bin/tar is missing: install the package tar", kBadInput);
  if (packed.exit_code != 0) return complain("support-bundle: " + file + ": " + packed.output, kBadInput);
  std::cout << file << '\n';
  if (!answered) std::cout << "mereld did not answer; README.txt inside says why\n";
  return kDone;
}

}  // namespace

void add_support_bundle(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("support-bundle", "Gather versions, settings, health, trace and log in one file for a report");
  const auto arguments = std::make_shared<BundleArguments>();
  command->add_option("-o,--output", arguments->file, "the file to write (default: merel-support-DATE.tar.gz here)")
      ->type_name("FILE.tar.gz");
  command->add_option("--config", arguments->config, "folder of the configuration")
      ->type_name("FOLDER")
      ->capture_default_str();
  arguments->link.add_options(*command);
  command->footer(
      "Example:\n  merel support-bundle -o board.tar.gz\n\nIt works without mereld too, and then says so inside.");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace merel
