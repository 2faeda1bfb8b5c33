#include "drivers/virtual_board.h"

#include <algorithm>

namespace merel {

VirtualBoard::VirtualBoard(std::size_t channels, bool colour) : sensors_(channels), colour_(colour) {}

void VirtualBoard::listen(SensorListener* listener, Time now) {
  listener_ = listener;
  if (listener_ == nullptr) return;
  for (std::uint16_t channel = 0; channel < channels(); ++channel) {
    listener_->on_reading({now, channel, sensors_[channel].told});
  }
}

Contents VirtualBoard::sensed(Contents piece) const { return piece.is_empty() || colour_ ? piece : Contents::occupied(); }

/// Tells what the sensor reads, when that is something new.
void VirtualBoard::tell(std::uint16_t channel, Time now) {
  Sensor& sensor = sensors_[channel];
  if (sensor.fault == SensorFault::stuck || sensor.fault == SensorFault::flapping) return;
  const Contents reads = unplugged_ ? Contents::empty() : sensed(sensor.piece);
  if (reads == sensor.told) return;
  if (sensor.fault == SensorFault::dropped) {
    sensor.fault.reset();
    return;
  }
  sensor.told = reads;
  if (listener_ != nullptr) listener_->on_reading({now, channel, reads});
}

void VirtualBoard::set(std::uint16_t channel, Contents piece, Time now) {
  if (channel >= sensors_.size()) return;
  sensors_[channel].piece = piece;
  tell(channel, now);
}

void VirtualBoard::button(std::uint8_t number, bool down, Time now) {
  if (listener_ != nullptr) listener_->on_button(number, down, now);
}

void VirtualBoard::tray(std::uint8_t number, int count, Time now) {
  if (listener_ != nullptr) listener_->on_tray(number, count, now);
}

void VirtualBoard::breaks(std::uint16_t channel, SensorFault fault, Time now) {
  if (channel >= sensors_.size()) return;
  sensors_[channel].fault = fault;
  if (fault == SensorFault::flapping && !flap_) flap_ = now + kFlap;
}

void VirtualBoard::unplug(Time now) {
  unplugged_ = true;
  for (std::uint16_t channel = 0; channel < channels(); ++channel) tell(channel, now);
}

void VirtualBoard::mend(Time now) {
  unplugged_ = false;
  flap_.reset();
  for (std::uint16_t channel = 0; channel < channels(); ++channel) {
    sensors_[channel].fault.reset();
    tell(channel, now);
  }
}

void VirtualBoard::tick(Time now) {
  if (!flap_ || *flap_ > now) return;
  flap_ = now + kFlap;
  for (std::uint16_t channel = 0; channel < channels(); ++channel) {
    Sensor& sensor = sensors_[channel];
    if (sensor.fault != SensorFault::flapping) continue;
    const Contents other = sensor.piece.is_empty() ? Contents::occupied() : sensed(sensor.piece);
    sensor.told = sensor.told.is_empty() ? other : Contents::empty();
    if (listener_ != nullptr) listener_->on_reading({now, channel, sensor.told});
  }
}

std::optional<Time> VirtualBoard::deadline() const { return flap_; }

}  // namespace merel
