#include "daemon/merel/complaint.h"

#include <iostream>
#include <string>

namespace merel {

int complain(std::string_view what, int exit_code) {
  std::string line = "merel: ";
  for (const char c : what) line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  std::cerr << line + "\n" << std::flush;
  return exit_code;
}

}  // namespace merel
