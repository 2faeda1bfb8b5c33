#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/event_json.h"
#include "drivers/hall/calibration.h"
#include "drivers/serial/link_source.h"
#include "rules/result.h"

namespace merel {

/// A picture that is recorded for a calibration.
struct CalibrationPicture {
  enum class What : std::uint8_t {
    dark,    ///< nothing on the board, lights off
    lit,     ///< nothing on the board, lights on
    pieces,  ///< pieces of one kind and pole on these cells, and nothing else
  };
  What what = What::dark;
  MagnetKind kind = MagnetKind::strong;
  bool north_up = true;
  std::vector<std::size_t> channels;
};

/// Leads a board that tells levels through its calibration: pictures one after the other, then the arithmetic (drivers/hall), then
/// the board keeps it. On the loop's thread.
class Calibrator {
 public:
  static constexpr std::size_t kScans = 64;
  static constexpr std::size_t kSkip = 20;  ///< scans until new lights have certainly settled
  static constexpr auto kPatience = std::chrono::seconds(5);
  using Told = std::function<void(const Result<Json, std::string>&)>;

  /// `names` by channel.
  Calibrator(boost::asio::io_context& loop, LinkSource& source, std::vector<std::string> names, std::size_t lattice);

  /// Records a picture, unless it is busy(); one of the same kind that was recorded before is forgotten. Tells the state, with what is
  /// wrong in this very picture as far as it shows already. An error is one sentence.
  void record(const CalibrationPicture& picture, Told done);
  /// Calculates, unless it is busy(), and gives the board what comes out when nothing speaks against it. Tells margins and findings.
  void finish(Told done);
  /// What has been recorded, and what the board uses.
  [[nodiscard]] Json state() const;
  /// Recording right now, or waiting for the board to keep a calibration.
  [[nodiscard]] bool busy() const { return done_ != nullptr || finishing_; }
  void forget();

 private:
  [[nodiscard]] bool nothing_recorded() const;
  void keep(const CalibrationPicture& picture, const LevelRecord& levels);
  [[nodiscard]] Json wrong_in(const CalibrationPicture& picture) const;
  [[nodiscard]] Json findings_json(const std::vector<CalibrationFinding>& findings) const;
  void end(const Result<Json, std::string>& result);
  [[nodiscard]] std::string name(std::size_t channel) const;

  LinkSource& source_;
  std::vector<std::string> names_;
  CalibrationRecords records_;
  boost::asio::steady_timer patience_;
  Told done_;
  bool finishing_ = false;
  std::uint32_t board_session_ = 0;  ///< of the board that the first picture is of
};

}  // namespace merel
