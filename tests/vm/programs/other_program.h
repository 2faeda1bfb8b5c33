#pragma once
#include <fcntl.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/vm/programs/wires.h"

namespace merel {

/// Another program's hand on a line, as long as the object lives; straight through the kernel's interface (linux/gpio.h).
class OtherProgram {
 public:
  OtherProgram(const std::string& label, unsigned line, const std::string& name) {
    for (int number = 0; number < 16 && line_ < 0; ++number) {
      // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg)
      const int chip = open(("/dev/gpiochip" + std::to_string(number)).c_str(), O_RDWR | O_CLOEXEC);
      if (chip < 0) continue;
      gpiochip_info info{};
      if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) == 0 && label == info.label) {
        gpio_v2_line_request request{};
        request.offsets[0] = line;
        request.num_lines = 1;
        request.config.flags = GPIO_V2_LINE_FLAG_INPUT;
        name.copy(request.consumer, sizeof(request.consumer) - 1);
        if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) == 0) line_ = request.fd;
      }
      // NOLINTEND(cppcoreguidelines-pro-type-vararg)
      close(chip);
    }
    if (line_ < 0) throw std::runtime_error("no line " + std::to_string(line) + " of " + label + " for " + name);
  }
  ~OtherProgram() { close(line_); }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;

 private:
  int line_ = -1;
};

}  // namespace merel
