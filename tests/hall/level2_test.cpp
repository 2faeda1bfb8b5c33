// The second level of Pylos, read from all sensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "drivers/hall/level2_reader.h"
#include "tests/hall/trials.h"

namespace merel {

void PrintTo(Pole pole, std::ostream* out) {
  *out << (pole == Pole::none ? "none" : pole == Pole::north ? "north" : "south");
}

namespace {

using namespace pylos_seats;  // NOLINT(google-build-using-namespace)
using hall_trials::mean_deviations;
using hall_trials::show;

constexpr std::size_t k2a1 = kLevel1;
constexpr std::size_t k2b2 = kLevel1 + 4;
constexpr std::size_t k3a1 = kLevel1 + kLevel2;

SphereStack full_ground() {
  SphereStack stack{};
  for (std::size_t seat = 0; seat < kLevel1; ++seat) stack[seat] = seat % 3 == 0 ? Pole::south : Pole::north;
  return stack;
}

/// What a reader of quiet, exact parts says of that stack when told its first level.
UpperSeats read_exactly(const SphereStack& stack, const PartSpread& expected = {}) {
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  show(board, {}, stack);
  return Level2Reader(expected, 16).read(mean_deviations(board, dark, 1), stack);
}

TEST(Level2Reader, SeesEverySphereOnItsOwnSeatAndItsPole) {
  for (std::size_t seat = kLevel1; seat < kLevel1 + kLevel2; ++seat) {
    for (const Pole pole : {Pole::north, Pole::south}) {
      SphereStack stack = full_ground();
      stack[seat] = pole;
      const UpperSeats seats = read_exactly(stack);
      for (std::size_t other = kLevel1; other < kLevel1 + kLevel2; ++other) {
        EXPECT_EQ(seats[other - kLevel1].pole, stack[other]) << "seat " << other << " with a sphere on " << seat;
      }
      EXPECT_GT(seats[seat - kLevel1].log_odds, 3);
    }
  }
}

TEST(Level2Reader, TakesTheFourBelowForNothingWhateverTheirPoles) {
  for (unsigned poles = 0; poles < 16; ++poles) {
    SphereStack stack{};
    unsigned bit = 0;
    for (const std::size_t seat : {0U, 1U, 4U, 5U}) stack[seat] = (poles >> bit++ & 1U) != 0 ? Pole::north : Pole::south;
    EXPECT_EQ(read_exactly(stack)[0].pole, Pole::none) << poles;
    stack[k2a1] = Pole::south;
    EXPECT_EQ(read_exactly(stack)[0].pole, Pole::south) << poles;
  }
}

TEST(Level2Reader, NothingLiesWhereTheFourBelowAreNotAll) {
  SphereStack stack = full_ground();
  stack[k2a1] = Pole::north;
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  show(board, {}, stack);
  const Level2Reader reader;
  for (const std::size_t missing : {0U, 1U, 4U, 5U}) {
    SphereStack known = stack;
    known[missing] = Pole::none;
    const SeatReading seat = reader.read(mean_deviations(board, dark, 1), known)[0];
    EXPECT_EQ(seat.pole, Pole::none);
    EXPECT_TRUE(seat.sure && std::isinf(seat.log_odds));
  }
}

TEST(Level2Reader, SpheresAboveAreNotTakenForSpheresOfTheSecondLevel) {
  SphereStack stack = full_ground();
  for (const std::size_t seat : {0U, 1U, 3U, 4U}) stack[kLevel1 + seat] = seat % 2 == 0 ? Pole::north : Pole::south;
  for (const Pole pole : {Pole::none, Pole::north, Pole::south}) {
    stack[k3a1] = pole;
    const UpperSeats seats = read_exactly(stack);
    for (std::size_t seat = kLevel1; seat < k3a1; ++seat) EXPECT_EQ(seats[seat - kLevel1].pole, stack[seat]) << seat;
    EXPECT_EQ(seats[k3a1 - kLevel1].pole, pole);
  }
}

TEST(Level2Reader, NothingLiesInTheAirHoweverWellThatWouldExplainTheLevels) {
  SphereStack stack = full_ground();
  for (const std::size_t seat : {0U, 1U, 3U}) stack[kLevel1 + seat] = Pole::north;
  stack[k3a1] = Pole::north;  // held by a hand: 2b2 is missing under it
  const UpperSeats seats = read_exactly(stack);
  EXPECT_EQ(seats[k2b2 - kLevel1].pole, Pole::none);
  EXPECT_EQ(seats[k3a1 - kLevel1].pole, Pole::none);
}

TEST(Level2Reader, IsTheSurerTheLessItsPartsSpread) {
  SphereStack stack = full_ground();
  stack[k2b2] = Pole::north;
  PartSpread upright;
  upright.tilt_degrees = 2;
  const double spread = read_exactly(stack)[k2b2 - kLevel1].log_odds;
  const double exact = read_exactly(stack, upright)[k2b2 - kLevel1].log_odds;
  EXPECT_GT(exact, spread + 5);
}

TEST(Level2Reader, SaysThatItIsNotSureHalfwayBetweenTwoStacks) {
  SphereStack stack = full_ground();
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  show(board, {}, stack);
  const auto empty = mean_deviations(board, dark, 1);
  stack[k2a1] = Pole::north;
  show(board, full_ground(), stack);
  auto halfway = mean_deviations(board, dark, 1);
  for (std::size_t channel = 0; channel < halfway.size(); ++channel)
    halfway[channel] = (halfway[channel] + empty[channel]) / 2;
  const SeatReading seat = Level2Reader({}, 16).read(halfway, stack)[0];
  EXPECT_FALSE(seat.sure);
  EXPECT_LT(seat.log_odds, 2);
}

TEST(Level2Reader, NobodyHasMoreThanFifteenSpheres) {
  // Fifteen north ones below and one south one: what looks like a north one more cannot be one.
  SphereStack stack{};
  for (std::size_t seat = 0; seat < kLevel1; ++seat) stack[seat] = Pole::north;
  stack[kLevel1 - 1] = Pole::south;
  stack[k2a1] = Pole::north;
  EXPECT_NE(read_exactly(stack)[0].pole, Pole::north);
  stack[k2a1] = Pole::south;
  EXPECT_EQ(read_exactly(stack)[0].pole, Pole::south);
}

TEST(Level2Change, IsSureWhereAPictureByItselfIsNot) {
  // A whole board tilted at random: the picture alone leaves seats open, the sphere that comes does not.
  std::size_t unsure_alone = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    AnalogueBoard board(PartSpread{}, seed);
    LevelRecord dark;
    hall_trials::record(board, dark, 64);
    SphereStack before = full_ground();
    show(board, {}, before);
    const Level2Reader reader({}, 4);
    const Level2Reader::Picture earlier{mean_deviations(board, dark, 4), before};
    SphereStack now = before;
    now[k2b2] = Pole::south;
    show(board, before, now);
    const auto deviations = mean_deviations(board, dark, 4);
    const UpperSeats alone = reader.read(deviations, now);
    unsure_alone +=
        static_cast<std::size_t>(std::count_if(alone.begin(), alone.end(), [](const SeatReading& s) { return !s.sure; }));
    const UpperSeats change = reader.read_change(earlier, deviations, now);
    for (std::size_t seat = kLevel1; seat < k3a1; ++seat) {
      EXPECT_EQ(change[seat - kLevel1].pole, now[seat]);
      EXPECT_TRUE(change[seat - kLevel1].sure);
    }
  }
  EXPECT_GT(unsure_alone, 5U);
}

TEST(Level2Watch, KeepsWhatWasSaidUntilAReadingIsSure) {
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  SphereStack stack = full_ground();
  stack[k2a1] = Pole::north;
  show(board, {}, stack);
  const auto there = mean_deviations(board, dark, 1);
  show(board, stack, full_ground());
  const auto gone = mean_deviations(board, dark, 1);
  // The sphere fades away, a thousandth at a time: kept while it is there, while it is likelier gone, and not kept from sure on.
  Level2Watch watch;
  std::size_t kept = 0;
  std::size_t kept_against_odds = 0;
  bool let_go = false;
  for (int part = 0; part <= 1000; ++part) {
    auto fading = there;
    for (std::size_t i = 0; i < fading.size(); ++i) fading[i] += (gone[i] - there[i]) * part / 1000;
    watch.set(there, stack);
    const Pole said = watch.read(fading, stack)[k2a1];
    const SeatReading& seat = watch.seats()[0];
    if (part == 500) {  // as much for the one as for the other, but for what was there before
      EXPECT_EQ(seat.pole, Pole::north);
      EXPECT_GT(seat.log_odds, 1);
    }
    if (said == Pole::north) {
      EXPECT_FALSE(let_go);
      ++kept;
      kept_against_odds += seat.pole == Pole::none ? 1U : 0U;
      EXPECT_FALSE(seat.sure && seat.pole == Pole::none);
    } else {
      EXPECT_TRUE(seat.sure);
      let_go = true;
    }
  }
  EXPECT_TRUE(let_go);
  EXPECT_GT(kept, 400U);
  EXPECT_GT(kept_against_odds, 0U);
}

TEST(Level2Watch, ForgetsASphereWhoseFootingIsGone) {
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  SphereStack stack = full_ground();
  stack[k2a1] = Pole::north;
  show(board, {}, stack);
  Level2Watch watch;
  watch.set(mean_deviations(board, dark, 1), stack);
  SphereStack known = stack;
  known[0] = Pole::none;
  EXPECT_EQ(watch.read(mean_deviations(board, dark, 1), known)[k2a1], Pole::none);
  watch.forget();
  EXPECT_EQ(watch.stack(), SphereStack{});
}

TEST(Level2Watch, AgreesToNothingThatThePictureSpeaksAgainst) {
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  const SphereStack without = full_ground();
  SphereStack with = without;
  with[k2a1] = Pole::north;
  show(board, {}, without);
  const auto empty = mean_deviations(board, dark, 1);
  show(board, without, with);
  const auto there = mean_deviations(board, dark, 1);
  // From the empty seat to the sphere, a hundredth at a time, by one who expects the one or the other: sure of nothing for a while, and in
  // the middle of that ready to agree to either. E: only to the empty seat, S: only to the sphere, B: to both, each sure or not.
  std::string agreed;
  for (int part = 0; part <= 100; ++part) {
    auto halfway = empty;
    for (std::size_t i = 0; i < halfway.size(); ++i) halfway[i] += (there[i] - empty[i]) * part / 100;
    const auto agrees = [&](const SphereStack& stack) {
      Level2Watch watch;
      watch.expect(stack);
      watch.read(halfway, without);
      return watch.agree(stack);
    };
    const bool to_empty = agrees(without);
    const bool to_sphere = agrees(with);
    ASSERT_TRUE(to_empty || to_sphere) << part;
    const char letter = to_empty && to_sphere ? 'B' : to_empty ? 'E' : 'S';
    if (agreed.empty() || agreed.back() != letter) agreed += letter;
  }
  EXPECT_EQ(agreed, "EBS");
}

TEST(Level2Watch, AgreesToNothingElseThanItHasSaid) {
  AnalogueBoard board(kIdealParts, 1);
  LevelRecord dark;
  dark.add(board.levels());
  SphereStack stack = full_ground();
  show(board, {}, stack);
  Level2Watch watch;
  watch.expect(stack);
  EXPECT_FALSE(watch.agree(stack)) << "nothing has been read";
  ASSERT_EQ(watch.read(mean_deviations(board, dark, 1), stack), stack);
  SphereStack other = stack;
  other[0] = Pole::none;
  EXPECT_FALSE(watch.agree(other));
  other = stack;
  other[k3a1] = Pole::north;  // no sensor sees it: the game knows
  EXPECT_TRUE(watch.agree(other));
  EXPECT_EQ(watch.stack(), other);
}

TEST(Level1OfStacks, IsReadByTheBoardItselfAndNothingElseIs) {
  for (const auto& kinds : {std::initializer_list<MagnetKind>{MagnetKind::sphere},
                            std::initializer_list<MagnetKind>{MagnetKind::strong, MagnetKind::weak, MagnetKind::sphere}}) {
    const hall_trials::Score score = hall_trials::try_first_level(PartSpread{}, 31, 300, kinds);
    EXPECT_GE(score.percent(), 99.9) << score.wrong << " wrong";
  }
}

TEST(Level2OfStacks, IsRightThroughGamesOnBoardsOfSpreadParts) {
  const hall_trials::Level2Trial trial = hall_trials::try_level2(PartSpread{}, 21, 60);
  ASSERT_EQ(trial.followed.sensors, 60U * kLevel2);
  EXPECT_GT(trial.followed_open.sensors, 150U) << "most of it must be open for the figure to mean something";
  EXPECT_GE(trial.followed.percent(), 99.9) << trial.followed.wrong << " wrong";
  EXPECT_GE(trial.on_the_way.percent(), 99.9) << trial.on_the_way.wrong << " wrong";
}

TEST(Level2OfStacks, AreTakenUpAgainAfterARestart) {
  const hall_trials::RestartTrial trial = hall_trials::try_restarts(PartSpread{}, 23, 150);
  ASSERT_GT(trial.stacks.sensors, 50U);
  EXPECT_EQ(trial.stacks.wrong, 0U);
  EXPECT_GE(trial.next.percent(), 95);
  EXPECT_EQ(trial.invented, 0U);
}

TEST(Level2OfStacks, IsHardlyEverWrongWherePicturesByThemselvesAreSure) {
  const hall_trials::Level2Trial trial = hall_trials::try_level2(PartSpread{}, 22, 150);
  EXPECT_GE(trial.single.percent(), 98);
  EXPECT_GE(trial.single_sure.percent(), 99.8);
  EXPECT_GT(trial.single_sure.sensors, trial.single_open.sensors / 2);
}

}  // namespace
}  // namespace merel
