#include "firmware/chip/buzzer.h"

#include <hardware/clocks.h>
#include <hardware/gpio.h>
#include <hardware/pwm.h>

#include "firmware/chip/pins.h"

namespace merel::firmware {
namespace {

constexpr std::uint32_t kTicksPerSecond = 1'000'000;

}  // namespace

void BuzzerPin::start() {
  slice_ = pwm_gpio_to_slice_num(pins::kBuzzer);
  pwm_config config = pwm_get_default_config();
  pwm_config_set_clkdiv_int(&config, clock_get_hz(clk_sys) / kTicksPerSecond);
  pwm_config_set_wrap(&config, kTicksPerSecond / 1'000);  // what is set counts when the counter has come around
  pwm_init(slice_, &config, true);
  pwm_set_gpio_level(pins::kBuzzer, 0);
  gpio_set_function(pins::kBuzzer, GPIO_FUNC_PWM);
}

void BuzzerPin::sound(std::uint16_t hertz) {
  if (hertz == hertz_) return;
  hertz_ = hertz;
  if (hertz == 0) {
    pwm_set_gpio_level(pins::kBuzzer, 0);
    return;
  }
  const std::uint32_t period = kTicksPerSecond / hertz;
  pwm_set_enabled(slice_, false);
  pwm_set_counter(slice_, 0);
  pwm_set_wrap(slice_, static_cast<std::uint16_t>(period - 1));
  pwm_set_gpio_level(pins::kBuzzer, static_cast<std::uint16_t>(period / 2));
  pwm_set_enabled(slice_, true);
}

}  // namespace merel::firmware
