#include "drivers/hall/field.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace merel {
namespace {

/// The field of a dipole at `away` from it; `moment` in millitesla times cubic millimetres, which is B_r V / 4 pi.
Vector3 dipole(Vector3 moment, Vector3 away) {
  const double square = dot(away, away);
  const double cube = square * std::sqrt(square);
  return (3 * dot(moment, away) / (square * cube)) * away - (1 / cube) * moment;
}

double moment_of(const Disc& disc) { return disc.remanence_mt * disc.radius_mm * disc.radius_mm * disc.thickness_mm / 4; }

constexpr Vector3 cross(Vector3 a, Vector3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace

std::string_view name(MagnetKind kind) {
  switch (kind) {
    case MagnetKind::strong: return "strong";
    case MagnetKind::weak: return "weak";
    case MagnetKind::sphere: return "sphere";
  }
  return "";
}

std::optional<MagnetKind> magnet_kind(std::string_view name) {
  for (const MagnetKind kind : {MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere}) {
    if (merel::name(kind) == name) return kind;
  }
  return std::nullopt;
}

double axial_field(const Disc& disc, double from_face_mm) {
  const double far = from_face_mm + disc.thickness_mm;
  return disc.remanence_mt / 2 *
         (far / std::hypot(far, disc.radius_mm) - from_face_mm / std::hypot(from_face_mm, disc.radius_mm));
}

double dipole_field(const Disc& disc, double across_mm, double along_mm) {
  return dipole({0, 0, moment_of(disc)}, {across_mm, 0, along_mm}).z;
}

Vector3 field_of(const Magnet& magnet, Vector3 point) {
  constexpr double kFarRadii = 20;
  const Vector3 away = point - magnet.centre;
  const Vector3 moment = magnet.strength * moment_of(magnet.disc) * magnet.up;
  const double far = kFarRadii * magnet.disc.radius_mm;
  if (dot(away, away) > far * far) return dipole(moment, away);

  // Any two directions at right angles to the axis and to each other.
  const Vector3 aside = std::abs(magnet.up.z) > 0.5 ? Vector3{1, 0, 0} : Vector3{0, 0, 1};
  Vector3 first = cross(magnet.up, aside);
  first = (1 / std::sqrt(dot(first, first))) * first;
  const Vector3 second = cross(magnet.up, first);
  const double ring = magnet.disc.radius_mm * std::sqrt(2.0 / 3);
  const double layer = magnet.disc.thickness_mm / 2 / std::numbers::sqrt3;
  const Vector3 centre_share = 0.125 * moment;
  const Vector3 ring_share = 0.0625 * moment;
  Vector3 sum;
  for (const double height : {-layer, layer}) {
    const Vector3 from_layer = away - height * magnet.up;
    sum = sum + dipole(centre_share, from_layer);
    for (int i = 0; i < 6; ++i) {
      const double angle = i * std::numbers::pi / 3;
      sum = sum + dipole(ring_share, from_layer - ring * std::cos(angle) * first - ring * std::sin(angle) * second);
    }
  }
  return sum;
}

std::uint16_t counts_in(const HallSensor& sensor, Vector3 field, double noise) {
  const double counts = sensor.quiescent + sensor.counts_per_mt * dot(field, sensor.axis) + noise;
  return static_cast<std::uint16_t>(std::lround(std::clamp(counts, 0.0, 4095.0)));
}

}  // namespace merel
