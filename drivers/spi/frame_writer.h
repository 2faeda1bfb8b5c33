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
  /// soon, then less and less often, down to once a second, until it or a later one has gone out. `prompt`: somebody waits for it, and
  /// it may be sent before this returns.
  virtual void write(std::span<const std::uint8_t> frame, bool prompt) = 0;
  /// The end: what write() was told last is tried once more if it has not gone out, and nothing after that. Waits for the
  /// wire.
  virtual void finish() = 0;
};

/// A transfer takes 0.4 to 1.8 ms for 49 lights. Frames of an animation are sent on a thread of the writer's own, which sleeps while no
/// frame is new; prompt ones on the caller's, so that no time is lost on the way to another thread. After a transfer that failed or
/// took long (the kernel has patience with a sick bus) the thread alone sends, until it has sent one quickly.
[[nodiscard]] std::unique_ptr<FrameWriter> make_frame_writer(boost::asio::io_context& loop, FrameSender sender);

}  // namespace merel
