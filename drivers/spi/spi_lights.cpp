#include "drivers/spi/spi_lights.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "drivers/light_effects.h"
#include "drivers/spi/led_frame.h"

namespace merel {
namespace {

class SpiLights final : public LightSink, public std::enable_shared_from_this<SpiLights> {
 public:
  SpiLights(boost::asio::io_context& loop, const LoopClock& clock, LedFrame frame, std::size_t lights,
            std::unique_ptr<FrameWriter> writer)
      : clock_(clock),
        timer_(loop),
        states_(lights),
        effects_(states_),
        colours_(lights),
        frame_(std::move(frame)),
        writer_(std::move(writer)) {}
  ~SpiLights() override {
    show_colours({}, false);
    writer_->finish();
  }
  SpiLights(const SpiLights&) = delete;
  SpiLights& operator=(const SpiLights&) = delete;

  void listen() {
    writer_->on_trouble([weak = weak_from_this()](const std::string& sentence) {
      if (const auto self = weak.lock()) self->heard(sentence);
    });
  }

  void show(std::span<const Lamp> lamps) override {
    now_ = std::max(now_, clock_.now());
    effects_.show(lamps, now_);
    refresh(true);
  }

  void on_trouble(std::function<void(const std::string&)> told) override { told_ = std::move(told); }

 private:
  /// `prompt`: not only an animation goes on.
  void refresh(bool prompt) {
    for (std::size_t i = 0; i < colours_.size(); ++i) colours_[i] = effects_.colour(i, now_);
    show_colours(colours_, prompt);
    arm();
  }

  void show_colours(std::span<const Rgb> colours, bool prompt) {
    const std::span<const std::uint8_t> frame = frame_.encode(colours);
    if (std::equal(frame.begin(), frame.end(), written_.begin(), written_.end())) return;
    written_.assign(frame.begin(), frame.end());
    writer_->write(frame, prompt);
  }

  void arm() {
    const std::optional<Time> next = well_ ? effects_.next_change(now_) : std::nullopt;
    if (next == armed_) return;
    armed_ = next;
    if (!next) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(clock_.at(*next));
    timer_.async_wait([weak = weak_from_this(), due = *next](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (!self || error || self->armed_ != due) return;  // the end, or another deadline came first
      self->armed_.reset();
      self->now_ = std::max(due, self->clock_.now());  // the clock may be held
      self->refresh(false);
    });
  }

  /// Nothing is animated that nobody sees.
  void heard(const std::string& sentence) {
    well_ = sentence.empty();
    now_ = std::max(now_, clock_.now());
    refresh(false);
    if (told_) told_(sentence);
  }

  const LoopClock& clock_;
  boost::asio::steady_timer timer_;
  std::vector<LightState> states_;
  LightEffects effects_;
  std::vector<Rgb> colours_;
  LedFrame frame_;
  std::vector<std::uint8_t> written_;  ///< the last frame that was handed over
  std::unique_ptr<FrameWriter> writer_;
  std::function<void(const std::string&)> told_;
  std::optional<Time> armed_;
  Time now_{};
  bool well_ = true;
};

}  // namespace

std::shared_ptr<LightSink> make_spi_lights(boost::asio::io_context& loop, const LoopClock& clock, const SpiWiring& wiring,
                                           std::size_t lights) {
  const std::uint32_t speed_hz = wiring.kind == LedKind::ws2812b ? kWs2812bSpeed : wiring.speed_hz;
  return make_spi_lights(loop, clock, wiring, lights,
                         [device = wiring.device, speed_hz] { return open_spidev(device, speed_hz); });
}

std::shared_ptr<LightSink> make_spi_lights(boost::asio::io_context& loop, const LoopClock& clock, const SpiWiring& wiring,
                                           std::size_t lights, OpenSpi open) {
  FrameSender sender(wiring.device, divisible(wiring.kind), std::move(open));
  auto out =
      std::make_shared<SpiLights>(loop, clock, LedFrame(wiring, lights), lights, make_frame_writer(loop, std::move(sender)));
  out->listen();
  return out;
}

}  // namespace merel
