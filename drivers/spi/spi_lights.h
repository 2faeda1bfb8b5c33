#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "drivers/light_sink.h"
#include "drivers/loop_clock.h"
#include "drivers/spi/frame_writer.h"
#include "drivers/spi/spi_port.h"
#include "drivers/wiring.h"

namespace merel {

/// A chain of APA102 or WS2812B lights on spidev, its effects animated here: the loop is woken only while something
/// animates, and only frames that differ go out. A new picture goes out at once, the frames of an animation on a thread of
/// their own, and so does everything while the bus is slow (FrameWriter); the latest wins. A device that is missing or fails is tried again, at least once a second, and shows the last picture when it is
/// back; the listener of on_trouble() hears of each trouble and of its end once. When the sink goes, the lights go dark, if
/// the bus answers. The loop and the clock must outlive it.
[[nodiscard]] std::shared_ptr<LightSink> make_spi_lights(boost::asio::io_context& loop, const LoopClock& clock,
                                                         const SpiWiring& wiring, std::size_t lights);

/// The same on a port of the caller's, for tests. `open` is called on the thread that sends.
[[nodiscard]] std::shared_ptr<LightSink> make_spi_lights(boost::asio::io_context& loop, const LoopClock& clock,
                                                         const SpiWiring& wiring, std::size_t lights, OpenSpi open);

}  // namespace merel
