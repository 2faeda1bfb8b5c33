// What the sensors of a board on a link are to a game: levels, how often they are wanted, and the second level of Pylos, scan by scan.
#include "drivers/serial/link_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "drivers/hall/analogue_board.h"
#include "tests/link/pty_board.h"

namespace merel {
namespace {

using link::MessageType;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

constexpr auto kPatience = seconds(20);  // longer than anything takes, on a machine with much else to do
constexpr std::size_t kWindow = 8;       // scans that are averaged

constexpr std::array<std::uint8_t, 2> kSides = {0, 2};  // of four spheres that carry one

std::uint16_t at(lattice7::Spot spot) { return static_cast<std::uint16_t>(lattice7::channel(spot)); }

/// Pylos on the lattice: 16 places below, 9 above them.
BoardUse pylos() {
  BoardUse use{std::vector<std::uint8_t>(49, 0), 2};
  for (std::size_t seat = 0; seat < pylos_seats::kLevel1 + pylos_seats::kLevel2; ++seat) {
    use.levels[at(pylos_seats::spot(seat))] = pylos_seats::spot(seat).level;
  }
  return use;
}
/// A game of one level.
BoardUse pegs() { return {std::vector<std::uint8_t>(49, 1), 2}; }

/// Keeps what each channel has been told to hold, and what was told on the second level, in order.
class Told final : public SensorListener {
 public:
  void on_reading(const Reading& reading) override {
    holds[reading.channel] = reading.contents;
    if (reading.channel == top)
      of_top.push_back(reading.contents.is_empty() ? '-' : reading.contents.player() == 0 ? 'N' : 'S');
  }
  void on_button(std::uint8_t /*number*/, bool /*down*/, Time /*time*/) override {}
  void on_tray(std::uint8_t /*number*/, int /*count*/, Time /*time*/) override {}
  void on_health(const SourceHealth& /*health*/, Time /*time*/) override {}

  std::map<std::uint16_t, Contents> holds;
  std::string of_top;  ///< of the one channel that is looked at
  std::uint16_t top = 0;
};

class Levels : public testing::Test {
 protected:
  static constexpr lattice7::Spot kTop{1, 1, 2};   ///< 2a1
  static constexpr std::size_t kTick = 6 * 7 + 5;  ///< between two places, far from there

  Levels() {
    told.top = at(kTop);
    board.board.hello.channels = 49;
    board.board.hello.lights = 49;
    link::CalibrationData calibrated{1, {200, 0, 20}, 49, {}};
    std::fill_n(calibrated.baselines.begin(), 49, std::uint16_t{2048});
    calibrated.pegs = {-1'900, -600};
    calibrated.spheres = {2'500, -140};
    board.board.kept = calibrated;
    board.cable.plug();
  }
  ~Levels() override { source.stop(); }

  template <typename Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    loop.restart();
    while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_for(milliseconds(20));
    return condition();
  }
  void join() {
    source.start(told);
    ASSERT_TRUE(until([this] { return link->facts().joined && source.calibration(); }));
  }
  /// The whole board tells its levels so many times, and each has been looked at.
  void scan(std::size_t times) {
    for (; times > 0; --times) {
      AnalogueBoard::Levels counts = magnets.levels();
      counts[kTick] = static_cast<std::uint16_t>(2044 + ++ticks % 8);  // so that one can see that it has come
      link::Levels levels;
      levels.channels = 49;
      std::copy(counts.begin(), counts.end(), levels.counts.begin());
      board.board.send(levels);
      board.flush();
      const auto come = [&] {
        const auto seen = source.look(clock.now());
        return seen && (*seen)[kTick].counts == counts[kTick];
      };
      ASSERT_TRUE(until(come));
    }
  }
  /// Four spheres that carry one, of which the board itself knows.
  void lay_square() {
    for (const std::uint8_t file : kSides) {
      for (const std::uint8_t rank : kSides) {
        const bool north = file == rank;
        magnets.put(MagnetKind::sphere, north, {file, rank, 1});
        board.board.seen.classes[at({file, rank, 1})] = north ? PieceClass::north : PieceClass::south;
      }
    }
  }
  /// A restart: four spheres carry one that does only `part` of what it should, and the game says what it has on top of them. What it said.
  KnownBoard take_up(double part, Contents on_top) {
    lay_square();
    magnets.put(MagnetKind::sphere,
                Magnet{disc_of(MagnetKind::sphere), lattice7::magnet_place(MagnetKind::sphere, kTop), {0, 0, 1}, part},
                kTop);
    source.use(pylos());
    join();
    KnownBoard known{std::vector<bool>(49, false), std::vector<Contents>(pylos_seats::kSeats, Contents::empty()), false};
    for (std::size_t seat = 0; seat < pylos_seats::kLevel1; ++seat) {
      const lattice7::Spot spot = pylos_seats::spot(seat);
      const bool of_square = spot.file <= kSides.back() && spot.rank <= kSides.back();
      if (of_square) known.sites[seat] = Contents::piece(spot.file == spot.rank ? Player{0} : Player{1});
    }
    known.sites[pylos_seats::kLevel1] = on_top;
    source.know(known);
    scan(2 * kWindow);
    return known;
  }
  [[nodiscard]] link::Settings settings() const { return board.board.last<link::Settings>(); }

  Folder folder;
  boost::asio::io_context loop;
  LoopClock clock;
  link::PtyBoard board{loop, clock, folder.file("merel-board")};
  AnalogueBoard magnets{kIdealParts, 1};
  Told told;
  unsigned ticks = 0;
  std::shared_ptr<LinkBoard> link = std::make_shared<LinkBoard>(loop, clock, wiring(), 49);
  LinkSource source{link, 49, true};

 private:
  [[nodiscard]] LinkWiring wiring() const {
    LinkWiring out;
    out.device = folder.file("merel-board");
    return out;
  }
};

TEST_F(Levels, NothingIsSaidOfTheSecondLevelBeforeTwoReadingsAgree) {
  lay_square();
  magnets.put(MagnetKind::sphere, false, kTop);
  source.use(pylos());
  join();
  EXPECT_EQ(told.of_top, "-");
  EXPECT_EQ(told.holds.at(at({0, 0, 1})).player(), 0);
  EXPECT_EQ(told.holds.at(at({0, 2, 1})).player(), 1);
  scan(2 * kWindow - 1);
  EXPECT_EQ(told.of_top, "-");
  scan(1);
  EXPECT_EQ(told.of_top, "-S");
  scan(2 * kWindow);
  EXPECT_EQ(told.of_top, "-S") << "nothing new";
  magnets.lift(kTop);
  scan(2 * kWindow);
  EXPECT_EQ(told.of_top, "-S-");
}

TEST_F(Levels, ASphereOnItsWayIsNotBelieved) {
  lay_square();
  source.use(pylos());
  join();
  scan(2 * kWindow);
  for (int hand = 0; hand < 4; ++hand) {  // held over its place, and taken away again
    scan(kWindow / 2);
    magnets.put(MagnetKind::sphere, true, kTop);
    scan(kWindow);
    magnets.lift(kTop);
    scan(kWindow / 2);
  }
  EXPECT_EQ(told.of_top, "-");
  magnets.put(MagnetKind::sphere, true, kTop);
  scan(3 * kWindow);
  EXPECT_EQ(told.of_top, "-N");
}

TEST_F(Levels, WhatTheGameHasThereIsHeldAgainstTheFirstReading) {
  // After a restart: the record says what lies there, and the picture is as far from the one as from the other.
  take_up(0.5, Contents::piece(Player{0}));
  EXPECT_EQ(told.of_top, "-N");
}

TEST_F(Levels, OfASphereThatCameUnseenDoNotMakeItsLiftASphereOfTheOtherPole) {
  // It was put there while nobody looked, and one picture alone is not sure of it: the game agrees to what it was told.
  KnownBoard known = take_up(0.7, Contents::empty());
  ASSERT_EQ(told.of_top, "-");
  known.agreed = true;
  source.know(known);
  scan(2 * kWindow);
  magnets.lift(kTop);
  scan(3 * kWindow);
  EXPECT_EQ(told.of_top, "-");
}

TEST_F(Levels, AnAgreedStackIsTheOneThatWasReadLastAndNotTheNext) {
  // After a restart the picture is not sure of a sphere that lies there, the game agrees, and the next move comes at once.
  KnownBoard known = take_up(0.55, Contents::piece(Player{0}));
  ASSERT_EQ(told.of_top, "-N");
  known.agreed = true;
  source.know(known);
  magnets.lift(kTop);
  scan(2 * kWindow);
  EXPECT_EQ(told.of_top, "-N-");
}

TEST_F(Levels, SayNothingOfTheStackBeforeTheBoardHasToldItsZeros) {
  // A sensor's zero is up to ten counts off the middle, and a sphere of the second level does 37: read without zeros it would be anything.
  lay_square();
  magnets.put(MagnetKind::sphere, true, kTop);
  const auto kept = *board.board.kept;
  board.board.kept.reset();  // its answer is late
  source.use(pylos());
  source.start(told);
  ASSERT_TRUE(until([this] { return link->facts().joined; }));
  scan(4 * kWindow);
  EXPECT_EQ(told.of_top, "-");
  board.board.kept = kept;
  ASSERT_TRUE(until([this] { return source.calibration().has_value(); }));
  scan(2 * kWindow);
  EXPECT_EQ(told.of_top, "-N");
}

TEST_F(Levels, OfTheStackAreReadAllTheSameWhereTheBoardKeepsNoZeros) {
  lay_square();
  magnets.put(MagnetKind::sphere, true, kTop);
  board.board.kept.reset();
  board.board.hello.capabilities &= static_cast<std::uint16_t>(~link::kKeepsCalibration);
  source.use(pylos());
  source.start(told);
  ASSERT_TRUE(until([this] { return link->facts().joined; }));
  scan(2 * kWindow);
  EXPECT_EQ(told.of_top, "-N");
}

TEST_F(Levels, OnlyWhereNothingStandsMayTheBoardFollowADriftAndNeverUnderSpheres) {
  source.use(pegs());
  join();
  std::vector<bool> empty(49, false);
  empty[3] = empty[48] = true;
  source.know({empty, {}, true});
  const std::uint64_t mask = std::uint64_t{1} << 3U | std::uint64_t{1} << 48U;
  ASSERT_TRUE(until([&] { return board.board.last<link::EmptySites>().channels == mask; }));
  source.use(pylos());
  source.know({empty, std::vector<Contents>(pylos_seats::kSeats, Contents::empty()), true});
  EXPECT_TRUE(until([&] { return board.board.last<link::EmptySites>().channels == 0; }));
}

TEST_F(Levels, AreToldAsOftenAsTheyAreNeeded) {
  source.use(pegs());
  join();
  EXPECT_TRUE(until([&] { return settings().crosstalk == Crosstalk{-1'900, -600}; })) << "as it was measured";
  EXPECT_EQ(settings().levels_hz, 0);
  EXPECT_FALSE(source.look(clock.now()));
  EXPECT_TRUE(until([&] { return settings().levels_hz == LinkSource::kLookRate; }));
  source.use(pylos());
  EXPECT_TRUE(until([&] {
    return settings().levels_hz == LinkSource::kStackRate && settings().crosstalk == Crosstalk{2'500, -140};
  }));
  source.use(pegs());
  EXPECT_TRUE(until([&] { return settings().levels_hz == LinkSource::kLookRate; }));
}

TEST_F(Levels, OfABoardWithoutACalibrationAreFreedOfWhatTheModelSays) {
  board.board.kept = link::CalibrationData{1, {200, 0, 20}, 0, {}};
  source.use(pylos());
  source.start(told);
  ASSERT_TRUE(until([this] { return link->facts().joined; }));
  EXPECT_TRUE(until([&] { return settings().crosstalk == nominal_crosstalk(MagnetKind::sphere); }));
  source.use(pegs());
  EXPECT_TRUE(until([&] { return settings().crosstalk == nominal_crosstalk(MagnetKind::strong); }));
}

TEST_F(Levels, HaveAMarginAndAPoleForWhoLooks) {
  magnets.put(MagnetKind::strong, false, {3, 3, 1});
  board.board.seen.classes[24] = PieceClass::south;
  source.use(pegs());
  join();
  scan(1);
  const auto seen = source.look(clock.now());
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->size(), 49U);
  EXPECT_EQ((*seen)[24].piece, PieceClass::south);
  EXPECT_EQ((*seen)[24].baseline, 2048);
  EXPECT_LT((*seen)[24].counts, 1300);
  EXPECT_GT((*seen)[24].margin, 500);
  EXPECT_EQ((*seen)[0].piece, PieceClass::none);
  EXPECT_EQ((*seen)[0].margin, 180);
}

TEST_F(Levels, HaveAMarginThatTheMagnetsAroundDoNotEat) {
  // Eight around an empty site do a quarter of what a weak peg does, and the board takes that out.
  auto kept = *board.board.kept;
  kept.pegs = nominal_crosstalk(MagnetKind::strong);
  board.board.kept = kept;
  for (std::uint8_t file = 2; file <= 4; ++file) {
    for (std::uint8_t rank = 2; rank <= 4; ++rank) {
      if (file == 3 && rank == 3) continue;
      magnets.put(MagnetKind::strong, true, {file, rank, 1});
      board.board.seen.classes[at({file, rank, 1})] = PieceClass::north;
    }
  }
  source.use(pegs());
  join();
  scan(1);
  const auto seen = source.look(clock.now());
  ASSERT_TRUE(seen);
  const SensorLevel& empty = (*seen)[at({3, 3, 1})];
  EXPECT_LT(empty.counts, 2048 - 80);
  EXPECT_NEAR(empty.deviation, 0, 8);
  EXPECT_GT(empty.margin, 170);
  EXPECT_GT((*seen)[at({2, 2, 1})].margin, 600);
}

TEST_F(Levels, AreRecordedWithoutTheFirstOfThem) {
  source.use(pegs());
  join();
  std::vector<LevelRecord> records;
  source.record(5, 3, [&records](const LevelRecord& levels) { records.push_back(levels); });
  magnets.put(MagnetKind::strong, true, {0, 0, 1});
  scan(3);
  magnets.clear();
  scan(4);
  EXPECT_THAT(records, IsEmpty());
  scan(2);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].scans(), 5U);
  EXPECT_EQ(records[0].mean(0), 2048) << "the lights had not settled in the first ones";
}

TEST_F(Levels, TwoWhoAskForTheCalibrationAreBothAnswered) {
  board.board.kept.reset();  // it takes its time
  source.start(told);
  ASSERT_TRUE(until([this] { return link->facts().joined; }));
  int answers = 0;
  for (int i = 0; i < 2; ++i) link->read_calibration([&answers](const auto& read) { answers += read.ok() ? 1 : 100; });
  link::CalibrationData calibrated{1, {200, 0, 20}, 49, {}};
  std::fill_n(calibrated.baselines.begin(), 49, std::uint16_t{2040});
  board.board.kept = calibrated;
  ASSERT_TRUE(until([&answers] { return answers != 0; }));
  EXPECT_EQ(answers, 2);
  EXPECT_EQ(source.calibration(), calibrated) << "the source has asked first";
}

}  // namespace
}  // namespace merel
