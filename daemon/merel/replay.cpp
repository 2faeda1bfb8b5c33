#include <iostream>
#include <string>
#include <vector>

#include "daemon/event_json.h"
#include "daemon/merel/commands.h"
#include "daemon/merel/trace_files.h"
#include "daemon/playback.h"

namespace merel {
namespace {

struct ReplayArguments {
  std::vector<std::string> files;
  bool scenes = false;
};

void replay(const Trace& trace, bool scenes) {
  Playback playback(trace);
  Scene shown;
  while (playback.next()) {
    for (const TrackerEvent& event : playback.advance()) {
      std::cout << to_json(event, *trace.game, trace.start) << '\n';
    }
    if (!scenes) continue;
    if (Scene scene = playback.scene(); scene != shown) {
      shown = std::move(scene);
      std::cout << to_json(shown, playback.now(), *trace.game, trace.start) << '\n';
    }
  }
  std::cout << to_json(playback.tracker().record(), playback.now()) << '\n';
}

int run(const ReplayArguments& arguments) {
  const auto traces = read_trace_files(arguments.files);
  if (!traces) return kBadInput;
  for (const Trace& trace : *traces) replay(trace, arguments.scenes);
  return kDone;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "replay", "Read what the players did from the sensor events in trace files; one JSON object a line");
  const auto arguments = std::make_shared<ReplayArguments>();
  command->add_option("FILE", arguments->files, "Trace files")->required();
  command->add_flag("--scenes", arguments->scenes, "Also tell what the lights show whenever that changes");
  command->footer("Example:\n  merel replay tests/traces/morris-l1-occ-101-000.trace");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace merel
