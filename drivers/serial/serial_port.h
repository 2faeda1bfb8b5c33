#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/result.h"

namespace merel {

/// Why a port could not be opened.
struct PortFailure {
  int error = 0;  ///< errno(3); EBUSY and EWOULDBLOCK: another program has it; ENOTTY: it is no serial port
};

/// A descriptor of an open serial port.
struct OpenPort {
  int descriptor = -1;
};

/// Opens a serial port for this program alone (flock(2), and TIOCEXCL of ioctl_tty(2)): raw, 8N1, no flow control, not blocking, with
/// whatever had come in before thrown away. Nothing is opened for a rate that the kernel has no name for (EINVAL).
[[nodiscard]] Result<OpenPort, PortFailure> open_serial_port(const std::string& device, std::uint32_t baud);

/// Lets the port go: without this a pseudo terminal would stay exclusive for as long as its other end lives.
void release_serial_port(int descriptor);

/// A process that has a device open.
struct PortOwner {
  pid_t process = 0;
  std::string name;  ///< as in /proc/PID/comm
};

/// The processes that have the device open, as far as /proc lets this one see: without being root only the user's own. `proc` is for
/// tests.
[[nodiscard]] std::vector<PortOwner> find_port_owners(const std::string& device, const std::string& proc = "/proc");
/// One of them other than this process.
[[nodiscard]] std::optional<PortOwner> find_port_owner(const std::string& device, const std::string& proc = "/proc");
/// True while a program of that name runs, whosever it is.
[[nodiscard]] bool program_runs(const std::string& name, const std::string& proc = "/proc");

}  // namespace merel
