// The least that a program with libgpiod 1.x can do: `bare_mirror CHIP LINE CHIP LINE` lets the second line follow the first.
#include <gpiod.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  gpiod_chip* from = gpiod_chip_open_by_label(argv[1]);
  gpiod_chip* to = gpiod_chip_open_by_label(argv[3]);
  if (from == nullptr || to == nullptr) return 1;
  gpiod_line* input = gpiod_chip_get_line(from, static_cast<unsigned>(std::atoi(argv[2])));
  gpiod_line* output = gpiod_chip_get_line(to, static_cast<unsigned>(std::atoi(argv[4])));
  if (gpiod_line_request_both_edges_events(input, "bare_mirror") != 0) return 1;
  if (gpiod_line_request_output(output, "bare_mirror", gpiod_line_get_value(input)) != 0) return 1;
  std::puts("ready");
  std::fflush(stdout);
  gpiod_line_event event;
  while (gpiod_line_event_wait(input, nullptr) == 1 && gpiod_line_event_read(input, &event) == 0) {
    if (gpiod_line_set_value(output, event.event_type == GPIOD_LINE_EVENT_RISING_EDGE ? 1 : 0) != 0) return 1;
  }
  return 1;
}
