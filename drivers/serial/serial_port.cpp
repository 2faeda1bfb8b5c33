#include "drivers/serial/serial_port.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace merel {
namespace {

std::optional<speed_t> speed_of(std::uint32_t baud) {
  switch (baud) {
    case 9'600: return B9600;
    case 19'200: return B19200;
    case 38'400: return B38400;
    case 57'600: return B57600;
    case 115'200: return B115200;
    case 230'400: return B230400;
    case 460'800: return B460800;
    case 500'000: return B500000;
    case 576'000: return B576000;
    case 921'600: return B921600;
    case 1'000'000: return B1000000;
    case 1'152'000: return B1152000;
    case 1'500'000: return B1500000;
    case 2'000'000: return B2000000;
    case 3'000'000: return B3000000;
    default: return std::nullopt;
  }
}

/// errno, or 0.
int make_raw(int descriptor, speed_t speed) {
  termios how{};
  if (tcgetattr(descriptor, &how) != 0) return errno;
  cfmakeraw(&how);
  how.c_cflag |= CREAD | CLOCAL;
  how.c_cflag &= ~static_cast<tcflag_t>(CRTSCTS | CSTOPB);
  how.c_cc[VMIN] = 1;  // with 0 a read that finds nothing looks like the end
  how.c_cc[VTIME] = 0;
  if (cfsetspeed(&how, speed) != 0 || tcsetattr(descriptor, TCSANOW, &how) != 0) return errno;
  return tcflush(descriptor, TCIOFLUSH) == 0 ? 0 : errno;
}

struct Process {
  pid_t number;
  std::filesystem::path folder;
};

std::vector<Process> processes(const std::string& proc) {
  std::vector<Process> out;
  std::error_code error;
  for (std::filesystem::directory_iterator process(proc, error), end; !error && process != end; process.increment(error)) {
    const std::string number = process->path().filename();
    pid_t pid = 0;
    const auto [last, wrong] = std::from_chars(number.data(), number.data() + number.size(), pid);
    if (wrong == std::errc{} && last == number.data() + number.size()) out.push_back({pid, process->path()});
  }
  return out;
}

std::string name_of(const Process& process) {
  std::string name;
  std::ifstream comm(process.folder / "comm");
  std::getline(comm, name);
  return name;
}

}  // namespace

Result<OpenPort, PortFailure> open_serial_port(const std::string& device, std::uint32_t baud) {
  const auto speed = speed_of(baud);
  if (!speed) return PortFailure{EINVAL};
  const int descriptor = open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return PortFailure{errno};
  int error = 0;
  if (isatty(descriptor) == 0) {
    error = ENOTTY;
  } else if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || ioctl(descriptor, TIOCEXCL) != 0) {
    error = errno;
  } else {
    error = make_raw(descriptor, *speed);
    if (error != 0) ioctl(descriptor, TIOCNXCL);
  }
  if (error == 0) return OpenPort{descriptor};
  close(descriptor);
  return PortFailure{error};
}

void release_serial_port(int descriptor) {
  ioctl(descriptor, TIOCNXCL);
  flock(descriptor, LOCK_UN);
}

std::vector<PortOwner> find_port_owners(const std::string& device, const std::string& proc) {
  std::vector<PortOwner> owners;
  struct stat wanted {};
  if (stat(device.c_str(), &wanted) != 0 || !S_ISCHR(wanted.st_mode)) return owners;
  for (const Process& process : processes(proc)) {
    std::error_code closed;  // a process of somebody else, or one that has just ended
    for (std::filesystem::directory_iterator file(process.folder / "fd", closed), end; !closed && file != end;
         file.increment(closed)) {
      struct stat has {};
      if (stat(file->path().c_str(), &has) != 0 || !S_ISCHR(has.st_mode) || has.st_rdev != wanted.st_rdev) continue;
      owners.push_back({process.number, name_of(process)});
      break;
    }
  }
  return owners;
}

std::optional<PortOwner> find_port_owner(const std::string& device, const std::string& proc) {
  for (PortOwner& owner : find_port_owners(device, proc)) {
    if (owner.process != getpid()) return std::move(owner);
  }
  return std::nullopt;
}

bool program_runs(const std::string& name, const std::string& proc) {
  const std::vector<Process> all = processes(proc);
  return std::any_of(all.begin(), all.end(), [&name](const Process& process) { return name_of(process) == name; });
}

}  // namespace merel
