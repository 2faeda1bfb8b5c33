#pragma once
#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace merel {

/// Prints measured figures beside what they must reach, and remembers whether one missed it.
class Figures {
 public:
  /// `bar`: the most that is allowed.
  void at_most(const std::string& what, double value, double bar, const char* unit) {
    const bool reached = value <= bar;
    missed_ = missed_ || !reached;
    std::printf("%-46s %12.3f %-8s <= %10.3f   %s\n", what.c_str(), value, unit, bar, reached ? "reached" : "MISSED");
    std::fflush(stdout);
  }
  void at_least(const std::string& what, double value, double bar, const char* unit) {
    const bool reached = value >= bar;
    missed_ = missed_ || !reached;
    std::printf("%-46s %12.3f %-8s >= %10.3f   %s\n", what.c_str(), value, unit, bar, reached ? "reached" : "MISSED");
    std::fflush(stdout);
  }
  void tell(const std::string& what, double value, const char* unit) {
    std::printf("%-46s %12.3f %s\n", what.c_str(), value, unit);
    std::fflush(stdout);
  }
  /// Exit code of the program.
  [[nodiscard]] int end() const { return missed_ ? 1 : 0; }

 private:
  bool missed_ = false;
};

/// Resident memory of a process in MiB (proc(5), statm); 0 for this one.
inline double resident_mib(int process = 0) {
  std::ifstream file("/proc/" + (process == 0 ? std::string("self") : std::to_string(process)) + "/statm");
  long all = 0;
  long resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

/// Open descriptors of this process.
inline int descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder != nullptr && readdir(folder) != nullptr) ++count;
  if (folder != nullptr) closedir(folder);
  return count - 3;  // ., .. and the folder itself
}

}  // namespace merel
