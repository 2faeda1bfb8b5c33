#include "daemon/merel/trace_files.h"

#include "daemon/merel/commands.h"
#include "daemon/merel/complaint.h"

namespace merel {

std::optional<std::vector<Trace>> read_trace_files(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  traces.reserve(files.size());
  for (const std::string& file : files) {
    auto trace = read_trace_file(file);
    if (!trace) {
      complain(trace.error().text(file), kBadInput);
      return std::nullopt;
    }
    traces.push_back(std::move(*trace));
  }
  return traces;
}

}  // namespace merel
