#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/gpio/gpio_chip.h"
#include "drivers/gpio/line_finder.h"
#include "drivers/gpio/scan_pace.h"
#include "drivers/loop_clock.h"
#include "drivers/sensor_source.h"

namespace merel {

/// One input that somebody wants to watch.
struct WantedLine {
  LineName name;
  InputSettings settings;
  std::uint32_t scans_per_second = 0;  ///< when its chip cannot tell edges; 0: then it is a trouble
};

/// Whoever watches lines. Lines go by their index among the wanted ones; times never go backwards.
class LineListener {
 public:
  LineListener() = default;
  virtual ~LineListener() = default;
  LineListener(const LineListener&) = delete;
  LineListener& operator=(const LineListener&) = delete;

  virtual void on_level(std::size_t line, bool active, Time time) = 0;
  /// Some lines have fallen silent or are heard again: LineInputs::silences() says which.
  virtual void on_silences(Time time) = 0;
};

/// Input lines of any number of chips, watched: first what each is, then every change in the order of the kernel's times. No wake-ups
/// while nothing moves.
///
/// The kernel's word is checked: when it has dropped edges, or they contradict each other, everything is read again at once, and once
/// more when the lines have come to rest. A chip that goes away takes only its own lines with it and is taken up again when it comes
/// back; so is a line that another program lets go.
class LineInputs {
 public:
  static constexpr Time kRest = std::chrono::milliseconds(50);  ///< lines without an edge for this long are at rest

  struct Silence {
    LineTrouble trouble;
    std::vector<std::size_t> lines;
  };

  LineInputs(boost::asio::io_context& loop, const LoopClock& clock, std::vector<WantedLine> wanted, LineListener& listener,
             ListChips chips = gpio_chips);
  ~LineInputs();
  LineInputs(const LineInputs&) = delete;
  LineInputs& operator=(const LineInputs&) = delete;

  void start();
  void stop();
  /// Reads everything again, and looks for what is missing.
  void check();

  /// What is not heard and why, one entry a cause.
  [[nodiscard]] std::vector<Silence> silences() const;
  /// The longest that the kernel debounces any of the lines.
  [[nodiscard]] Time debounced() const;
  [[nodiscard]] const SourceCounts& counts() const { return counts_; }

 private:
  /// Lines that were requested together.
  struct Group {
    std::string chip;  ///< for people
    std::string name;  ///< `gpiochip0`
    std::vector<std::size_t> wanted;
    std::vector<bool> level;
    std::unique_ptr<InputLines> lines;
    LoopClock::Steady::time_point read_at;  ///< edges up to then are old news
    bool edges = true;                      ///< its chip tells edges
    bool polled = false;                    ///< is read on a timer
    bool touched = false;                   ///< has had edges since it was last read
    bool doubtful = false;
    bool dropped = false;  ///< is to be closed
  };
  struct Pending {
    Group* group;
    Edge edge;
  };

  void open_missing();
  [[nodiscard]] bool any_missing() const;
  void set_trouble(std::size_t line, LineTrouble trouble);
  void open_group(const ChipEntry& chip, std::vector<FoundLine> found, std::vector<std::size_t> wanted);
  void add(std::unique_ptr<Group> group);
  void poll(std::uint32_t rate);
  void drop(Group& group, int code);
  void sweep();
  void watch_folder();
  void await_edges();
  void take_edges();
  void await_folder();
  void read_folder();
  void look_again(Time after);
  bool read(Group& group, bool repair);
  void rest();
  void scan();
  void arm_scan();
  void tell(Group& group, std::size_t index, bool active, Time time);
  [[nodiscard]] Time stamp(LoopClock::Steady::time_point point);

  const LoopClock& clock_;
  std::vector<WantedLine> wanted_;
  LineListener& listener_;
  ListChips chips_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::optional<LineTrouble>> trouble_;  ///< by wanted line
  std::vector<bool> open_;                           ///< by wanted line
  boost::asio::posix::stream_descriptor edges_;      ///< an epoll of all lines
  boost::asio::posix::stream_descriptor folder_;     ///< an inotify of /dev
  boost::asio::steady_timer rest_timer_;
  boost::asio::steady_timer look_timer_;
  boost::asio::steady_timer scan_timer_;
  std::optional<ScanPace> pace_;
  Time scan_due_{};
  Time retry_{};         ///< pause before the next look for what is missing
  bool resting_ = true;  ///< nothing waits for the lines to come to rest
  Time last_edge_{};
  Time last_told_{};
  std::vector<Pending> pending_;
  std::vector<Edge> taken_;
  SourceCounts counts_;
  bool silences_changed_ = false;
  bool running_ = false;
};

}  // namespace merel
