#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// The field of the pieces' magnets at the sensors: lengths in millimetres, fields in millitesla, x to the east along the files, y to the
/// north along the ranks, z up; the origin is the sensor of a1. Pure.
namespace merel {

struct Vector3 {
  double x = 0;
  double y = 0;
  double z = 0;
  friend constexpr Vector3 operator+(Vector3 a, Vector3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vector3 operator-(Vector3 a, Vector3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vector3 operator*(double s, Vector3 v) { return {s * v.x, s * v.y, s * v.z}; }
  friend constexpr bool operator==(Vector3, Vector3) = default;
};
constexpr double dot(Vector3 a, Vector3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// A disc magnet, magnetised along its axis.
struct Disc {
  double radius_mm = 0;
  double thickness_mm = 0;
  double remanence_mt = 1300;  ///< N42 (HARDWARE.md)
};

/// The kinds of magnets that pieces have (HARDWARE.md).
enum class MagnetKind : std::uint8_t {
  strong,  ///< pegs and men
  weak,    ///< the weak pegs of Quatro
  sphere,  ///< spheres of Pylos
};
inline constexpr std::size_t kMagnetKinds = 3;
/// `strong`, `weak`, `sphere`.
[[nodiscard]] std::string_view name(MagnetKind kind);
/// The kind of that name; nothing for any other word.
[[nodiscard]] std::optional<MagnetKind> magnet_kind(std::string_view name);

/// The disc in a piece of that kind.
[[nodiscard]] constexpr Disc disc_of(MagnetKind kind) {
  switch (kind) {
    case MagnetKind::strong: return {3, 3};
    case MagnetKind::weak: return {2, 2};
    case MagnetKind::sphere: break;
  }
  return {7.5, 5};
}

/// A magnet somewhere on the board.
struct Magnet {
  Disc disc;
  Vector3 centre;       ///< mm
  Vector3 up{0, 0, 1};  ///< unit vector from its south to its north pole
  double strength = 1;  ///< part of the disc's nominal strength
};

/// The field of a disc on its axis, `from_face_mm` away from its nearer face: the formula of HARDWARE.md. Millitesla.
[[nodiscard]] double axial_field(const Disc& disc, double from_face_mm);

/// The vertical field far away from a disc with its axis upright, where it is a dipole: `across_mm` beside its axis, `along_mm` above or below
/// its centre. The formula of HARDWARE.md. Millitesla.
[[nodiscard]] double dipole_field(const Disc& disc, double across_mm, double along_mm);

/// The field of a magnet at a point outside it, in millitesla. Nearer than 20 radii the disc is fourteen dipoles, in the places and weights that
/// integrate any polynomial of fifth degree across the disc and of third along its axis exactly; beyond, it is one. Against axial_field that is
/// right to 0.2 % at every distance at which a piece stands over a sensor.
[[nodiscard]] Vector3 field_of(const Magnet& magnet, Vector3 point);

/// A linear hall sensor and the converter behind it.
struct HallSensor {
  Vector3 place;                 ///< mm
  Vector3 axis{0, 0, 1};         ///< unit vector; the field along it is what it feels
  double counts_per_mt = 37.24;  ///< 30 mV/mT with 3.3 V for 4096 counts (HARDWARE.md)
  double quiescent = 2048;       ///< counts without any field
};

/// What it reads in that field, in ADC counts, clipped to 0 … 4095 and rounded. `noise` is in counts.
[[nodiscard]] std::uint16_t counts_in(const HallSensor& sensor, Vector3 field, double noise);

/// The board's lattice and where pieces stand on it (HARDWARE.md, RULES.md).
namespace lattice7 {

inline constexpr std::size_t kFiles = 7;
inline constexpr std::size_t kChannels = kFiles * kFiles;
inline constexpr double kPitchMm = 22;
inline constexpr double kPegFaceMm = 7;           ///< the disc's lower face above the sensor
inline constexpr double kSphereCentreMm = 25;     ///< of a level-1 sphere
inline constexpr double kSphereLevelMm = 31.113;  ///< from one level to the next: spheres of 44 mm in a square touch
inline constexpr int kLevels = 4;

struct Spot {
  std::uint8_t file = 0;   ///< from 0
  std::uint8_t rank = 0;   ///< from 0
  std::uint8_t level = 1;  ///< 1 to 4 for spheres, else 1
  friend constexpr bool operator==(Spot, Spot) = default;
};

[[nodiscard]] constexpr std::size_t channel(Spot spot) { return spot.rank * kFiles + spot.file; }
[[nodiscard]] constexpr Vector3 sensor_place(std::size_t channel) {
  const std::size_t file = channel % kFiles;
  const std::size_t rank = channel / kFiles;
  return {kPitchMm * static_cast<double>(file), kPitchMm * static_cast<double>(rank), 0};
}
/// Where the magnet's centre is when a piece of that kind stands exactly on its place.
[[nodiscard]] constexpr Vector3 magnet_place(MagnetKind kind, Spot spot) {
  Vector3 place = sensor_place(channel(spot));
  place.z = kind == MagnetKind::sphere ? kSphereCentreMm + (spot.level - 1) * kSphereLevelMm
                                       : kPegFaceMm + disc_of(kind).thickness_mm / 2;
  return place;
}
/// Whether a sphere can lie there at all: on level L the files and ranks L-1, L+1, … 7-L, counted from 0.
[[nodiscard]] constexpr bool is_seat(Spot spot) {
  const auto fits = [&](int at) { return at >= spot.level - 1 && at <= 7 - spot.level && (at - (spot.level - 1)) % 2 == 0; };
  return spot.level >= 1 && spot.level <= kLevels && fits(spot.file) && fits(spot.rank);
}

}  // namespace lattice7
}  // namespace merel
