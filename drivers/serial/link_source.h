#pragma once
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "drivers/hall/calibration.h"
#include "drivers/hall/level2_reader.h"
#include "drivers/sensor_source.h"
#include "drivers/serial/link_board.h"

namespace merel {

/// What each kind of magnet means on a board: by PieceClass.
using ClassContents = std::array<Contents, kPieceClasses>;

/// Without colours any magnet is a piece, whosever it is; with them pole and strength say whose (BoardUse::players).
[[nodiscard]] ClassContents class_contents(bool colour, std::uint8_t players);

/// What a channel's sensor reads, for people who look.
struct SensorLevel {
  std::uint16_t counts = 0;    ///< ADC counts, 0 to 4095
  std::uint16_t baseline = 0;  ///< of the empty site; 2048 before a calibration
  std::int16_t deviation = 0;  ///< from it, the part of the magnets around taken out, as the board does; positive: north up
  double margin = 0;  ///< of that to the nearest border of what the board makes of it (margin_of); 0 before a calibration
  PieceClass piece = PieceClass::none;
};

/// Sensors and buttons of a board on the link. The board itself tells pieces from nothing; the second level of Pylos, where the four spheres
/// below do as much as the one on top, is made of the levels here (Level2Reader).
class LinkSource final : public SensorSource, private LinkListener, private LevelsObserver {
 public:
  static constexpr std::uint8_t kLookRate = 10;    ///< levels a second while somebody looks
  static constexpr std::uint8_t kStackRate = 100;  ///< while the game has a second level, and while a picture is recorded
  static constexpr Time kLook = std::chrono::seconds(3);  ///< a look lasts so long
  using Recorded = std::function<void(const LevelRecord&)>;

  /// `channels`: how many the profile has; what the board tells of others is not looked at. `colour`: whose a piece is counts.
  LinkSource(std::shared_ptr<LinkBoard> board, std::size_t channels, bool colour);
  ~LinkSource() override;

  void start(SensorListener& listener) override;
  void stop() override;
  void use(const BoardUse& use) override;
  void know(const KnownBoard& known) override;
  void check() override { board_->check(); }
  /// The board's part of the debouncing.
  [[nodiscard]] Time debounced() const override { return board_->wiring().debounce; }
  [[nodiscard]] SourceCounts counts() const override;

  /// By channel, as of the last levels; nothing before the first. Somebody looks from `now` on for a while.
  [[nodiscard]] std::optional<std::vector<SensorLevel>> look(Time now);
  /// Records so many scans, the next `skip` left out (until lights have changed, say); `done` comes with them. One record at a time: a
  /// second one ends the first, which then is not told.
  void record(std::size_t scans, std::size_t skip, Recorded done);
  /// The calibration that the board uses; nothing before it has told it.
  [[nodiscard]] const std::optional<link::CalibrationData>& calibration() const { return calibration_; }
  /// Another one is in use by now.
  void calibrated(const link::CalibrationData& data);
  [[nodiscard]] LinkBoard& board() { return *board_; }

 private:
  struct Recording {
    LevelRecord levels;
    std::size_t skip;
    std::size_t scans;
    Recorded done;
  };

  void on_class(std::uint8_t channel, PieceClass what, Time time) override;
  void on_press(std::uint8_t button, bool down, Time time) override;
  void on_joined(const link::BoardHello& hello, Time time) override;
  void on_absent(const std::string& sentence, Time time) override;
  void on_levels(std::span<const std::uint16_t> counts, Time time) override;
  void tell(SourceHealth health, Time time);
  void tell(std::uint16_t channel, Contents contents, Time time);
  void choose_rate(Time now);
  [[nodiscard]] Crosstalk crosstalk() const;
  void read_stack(Time now);
  [[nodiscard]] bool on_top(std::uint16_t channel) const {
    return channel < use_.levels.size() && use_.levels[channel] == 2;
  }
  [[nodiscard]] bool has_stack() const;
  [[nodiscard]] std::uint16_t baseline(std::size_t channel) const;
  [[nodiscard]] Time stamp(Time time);

  static constexpr std::size_t kScans = 8;  ///< of which a level of the stack is the mean
  static constexpr std::uint16_t kMiddle = 2048;
  /// A level that changes by more than this while it is averaged is not at rest: noise does 7 counts, a level-2 sphere 37 (HARDWARE).
  static constexpr int kRestless = 16;

  std::shared_ptr<LinkBoard> board_;
  bool colour_;
  BoardUse use_;
  ClassContents contents_;
  std::vector<std::optional<PieceClass>> classes_;  ///< by channel, as the board says
  std::vector<std::optional<Contents>> told_;       ///< by channel
  std::optional<SourceHealth> health_;              ///< the last one told
  std::optional<link::CalibrationData> calibration_;
  bool calibration_read_ = false;                 ///< the board has told it since it has joined, or cannot
  std::vector<std::uint16_t> levels_;             ///< the last ones
  std::deque<std::vector<std::uint16_t>> scans_;  ///< the last ones, for the stack
  std::optional<Level2Watch> stack_;              ///< while the game has one
  std::optional<SphereStack> seen_;               ///< in the last reading of it: one that lasts is told
  std::optional<SphereStack> agreed_;             ///< the game has just agreed that this lies there; not yet taken over
  bool expecting_ = false;                        ///< nothing has been read of this game's stack yet
  std::optional<Recording> recording_;
  Time look_until_{-1};
  std::uint8_t rate_ = 0;
  SensorListener* listener_ = nullptr;
  Time last_{};
};

}  // namespace merel
