#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "drivers/spi/frame_sender.h"

namespace merel {

/// Gets the latest frame onto the wire, and keeps trying.
class FrameWriter {
 public:
  /// Told on the loop's thread: why frames do not go out, and once they do again, an empty sentence. Each once.
  using Told = std::function<void(const std::string&)>;

  FrameWriter() = default;
  virtual ~FrameWriter() = default;
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Before the first frame.
  virtual void on_trouble(Told told) = 0;
  /// This frame is to be on the wire; one that has not gone out yet is given up for it. A frame that fails is tried again
  /// soon, then less and less often, down to once a second, until it or a later one has gone out.
  virtual void write(std::span<const std::uint8_t> frame) = 0;
  /// The end: what write() was told last is tried once more if it has not gone out, and nothing after that. Waits for the
  /// wire.
  virtual void finish() = 0;
};

/// On a thread of its own, so that write() never waits: a transfer takes 0.4 to 1.8 ms for 49 lights, and as long as the
/// kernel has patience on a sick bus. The thread sleeps while no frame is new.
[[nodiscard]] std::unique_ptr<FrameWriter> make_thread_writer(boost::asio::io_context& loop, FrameSender sender);

/// On the loop's thread: write() waits for the wire, and no time is lost on the way to another thread.
[[nodiscard]] std::unique_ptr<FrameWriter> make_loop_writer(boost::asio::io_context& loop, FrameSender sender);

}  // namespace merel
