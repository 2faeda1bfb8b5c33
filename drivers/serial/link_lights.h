#pragma once
#include <memory>

#include "drivers/light_sink.h"
#include "drivers/serial/link_board.h"

namespace merel {

/// The lights of a board on the link, which animates them itself. A board that comes back shows the last picture again.
class LinkLights final : public LightSink {
 public:
  explicit LinkLights(std::shared_ptr<LinkBoard> board);
  ~LinkLights() override;

  void show(std::span<const Lamp> lamps) override;
  void on_trouble(std::function<void(const std::string&)> told) override;

 private:
  std::shared_ptr<LinkBoard> board_;
  bool opened_ = false;
};

}  // namespace merel
