#include "drivers/hall/analogue_board.h"

#include <algorithm>
#include <cmath>

namespace merel {

AnalogueBoard::AnalogueBoard(const PartSpread& spread, std::uint64_t seed)
    : spread_(spread), dice_(seed), noise_dice_(dice_.next()) {
  for (std::size_t channel = 0; channel < kChannels; ++channel) sensors_[channel] = dice_.sensor(spread, channel);
  noise_.fill(spread.noise_counts);
}

void AnalogueBoard::spread_field(Piece& piece) const {
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    const double factor = channel == lattice7::channel(piece.spot) ? 1 : spread_.beside;
    piece.fields[channel] = factor * field_of(piece.magnet, sensors_[channel].place);
  }
}

void AnalogueBoard::put(MagnetKind kind, const Magnet& magnet, lattice7::Spot spot) {
  lift(spot);
  Piece& piece = pieces_.emplace_back(Piece{spot, kind, magnet, {}});
  spread_field(piece);
}

void AnalogueBoard::lift(lattice7::Spot spot) {
  std::erase_if(pieces_, [spot](const Piece& piece) { return piece.spot == spot; });
}

void AnalogueBoard::jog(double part) {
  const double kept = std::sqrt(1 - part * part);
  for (Piece& piece : pieces_) {
    const Vector3 place = lattice7::magnet_place(piece.kind, piece.spot);
    const Magnet other = dice_.magnet(spread_, piece.kind, true, piece.spot);
    const Vector3 up = kept * Vector3{piece.magnet.up.x, piece.magnet.up.y, 0} + part * Vector3{other.up.x, other.up.y, 0};
    piece.magnet.centre = place + kept * (piece.magnet.centre - place) + part * (other.centre - place);
    piece.magnet.up = {up.x, up.y, std::sqrt(1 - dot(up, up))};
    spread_field(piece);
  }
}

double AnalogueBoard::field(std::size_t channel) const {
  double sum = 0;
  for (const Piece& piece : pieces_) sum += piece.fields[channel].z;
  return sum;
}

AnalogueBoard::Levels AnalogueBoard::levels() {
  Levels levels{};
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    Vector3 field;
    for (const Piece& piece : pieces_) field = field + piece.fields[channel];
    const double disturbance = noise_dice_.normal(noise_[channel]) + (lights_on_ ? interference_[channel] : 0);
    levels[channel] = counts_in(sensors_[channel], field, disturbance);
  }
  return levels;
}

}  // namespace merel
