// The least that a program with libgpiod 2.x can do: `bare_mirror CHIP LINE CHIP LINE` lets the second line follow the first.
#include <gpiod.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

gpiod_line_request* request(const std::string& label, unsigned line, gpiod_line_direction direction, gpiod_line_edge edge,
                            gpiod_line_value value) {
  for (int number = 0; number < 16; ++number) {
    gpiod_chip* chip = gpiod_chip_open(("/dev/gpiochip" + std::to_string(number)).c_str());
    if (chip == nullptr || label != gpiod_chip_info_get_label(gpiod_chip_get_info(chip))) continue;
    gpiod_line_settings* settings = gpiod_line_settings_new();
    gpiod_line_settings_set_direction(settings, direction);
    gpiod_line_settings_set_edge_detection(settings, edge);
    gpiod_line_settings_set_output_value(settings, value);
    gpiod_line_config* lines = gpiod_line_config_new();
    gpiod_line_config_add_line_settings(lines, &line, 1, settings);
    gpiod_request_config* who = gpiod_request_config_new();
    gpiod_request_config_set_consumer(who, "bare_mirror");
    return gpiod_chip_request_lines(chip, who, lines);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto from = static_cast<unsigned>(std::atoi(argv[2]));
  const auto to = static_cast<unsigned>(std::atoi(argv[4]));
  gpiod_line_request* input =
      request(argv[1], from, GPIOD_LINE_DIRECTION_INPUT, GPIOD_LINE_EDGE_BOTH, GPIOD_LINE_VALUE_INACTIVE);
  gpiod_line_request* output =
      request(argv[3], to, GPIOD_LINE_DIRECTION_OUTPUT, GPIOD_LINE_EDGE_NONE, gpiod_line_request_get_value(input, from));
  if (input == nullptr || output == nullptr) return 1;
  std::puts("ready");
  std::fflush(stdout);
  gpiod_edge_event_buffer* events = gpiod_edge_event_buffer_new(1);
  while (gpiod_line_request_wait_edge_events(input, -1) == 1 && gpiod_line_request_read_edge_events(input, events, 1) == 1) {
    const bool rising =
        gpiod_edge_event_get_event_type(gpiod_edge_event_buffer_get_event(events, 0)) == GPIOD_EDGE_EVENT_RISING_EDGE;
    if (gpiod_line_request_set_value(output, to, rising ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE) != 0)
      return 1;
  }
  return 1;
}
