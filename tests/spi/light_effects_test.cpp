#include "drivers/light_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace merel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Rgb kBlack{};
constexpr Rgb kRed{255, 0, 0};
constexpr Rgb kWhite{255, 255, 255};
constexpr Time kStart = seconds(1'000) + Time(123);  // no round number of anything

class Lit {
 public:
  explicit Lit(std::size_t lights) : states_(lights), effects_(states_) {}

  void show(const std::vector<Lamp>& lamps, Time now) { effects_.show(lamps, now); }
  [[nodiscard]] Rgb colour(std::size_t light, Time now) const { return effects_.colour(light, now); }
  [[nodiscard]] std::vector<Rgb> picture(Time now) const {
    std::vector<Rgb> out;
    out.reserve(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) out.push_back(effects_.colour(i, now));
    return out;
  }
  [[nodiscard]] std::optional<Time> next(Time now) const { return effects_.next_change(now); }

 private:
  std::vector<LightState> states_;
  LightEffects effects_;
};

struct SwitchCase {
  const char* name;
  std::vector<Lamp> lamps;
  std::vector<std::pair<Time, std::vector<Rgb>>> shows;  ///< from that time after the start
};

class SwitchedLights : public testing::TestWithParam<SwitchCase> {};

/// Every change is announced, at its very microsecond, and what is announced is a change.
TEST_P(SwitchedLights, ChangeWhenTheyMustAndNeverElse) {
  const SwitchCase& wanted = GetParam();
  Lit lit(wanted.lamps.size());
  lit.show(wanted.lamps, kStart);
  Time now = kStart;
  for (const auto& [after, picture] : wanted.shows) {
    EXPECT_EQ(now, kStart + after);
    EXPECT_THAT(lit.picture(now), testing::ElementsAreArray(picture)) << "at " << after.count() << " us";
    const auto next = lit.next(now);
    if (!next) {
      EXPECT_EQ(&picture, &wanted.shows.back().second) << "still after " << after.count() << " us";
      return;
    }
    ASSERT_GT(*next, now);
    EXPECT_THAT(lit.picture(*next - Time(1)), testing::ElementsAreArray(picture))
        << "just before " << next->count() << " us";
    now = *next;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SwitchedLights,
    testing::Values(
        SwitchCase{"Solid", {{kRed, Effect::solid}, {kBlack, Effect::solid}}, {{{}, {kRed, kBlack}}}},
        SwitchCase{"DarkHasNoEffect", {{kBlack, Effect::blink_4hz}, {kBlack, Effect::breathing}}, {{{}, {kBlack, kBlack}}}},
        SwitchCase{"TwiceASecond",
                   {{kRed, Effect::blink_2hz}, {kWhite, Effect::blink_2hz}},
                   {{{}, {kRed, kWhite}},
                    {milliseconds(250), {kBlack, kBlack}},
                    {milliseconds(500), {kRed, kWhite}},
                    {milliseconds(750), {kBlack, kBlack}}}},
        SwitchCase{"FourTimesASecondAndAntiphase",
                   {{kWhite, Effect::blink_4hz_antiphase}, {kRed, Effect::blink_4hz}},
                   {{{}, {kBlack, kRed}},
                    {milliseconds(125), {kWhite, kBlack}},
                    {milliseconds(250), {kBlack, kRed}},
                    {milliseconds(375), {kWhite, kBlack}}}},
        SwitchCase{"AntiphaseAloneBeginsLit",
                   {{kWhite, Effect::blink_4hz_antiphase}},
                   {{{}, {kWhite}}, {milliseconds(125), {kBlack}}, {milliseconds(250), {kWhite}}}},
        SwitchCase{"ThreeCandidatesTakeTurns",
                   {{kRed, Effect::taking_turns, 1}, {kWhite, Effect::taking_turns, 0}, {kRed, Effect::taking_turns, 2}},
                   {{{}, {kBlack, kWhite, kBlack}},
                    {seconds(1), {kRed, kBlack, kBlack}},
                    {seconds(2), {kBlack, kBlack, kRed}},
                    {seconds(3), {kBlack, kWhite, kBlack}}}},
        SwitchCase{"OneCandidateIsStill", {{kRed, Effect::taking_turns, 0}}, {{{}, {kRed}}}}),
    [](const auto& each) { return each.param.name; });

TEST(LightEffects, AreInStepWithLightsThatHadTheEffectBefore) {
  Lit lit(2);
  lit.show({{kRed, Effect::blink_2hz}}, kStart);
  const Time later = kStart + milliseconds(300);
  lit.show({{kRed, Effect::blink_2hz}, {kWhite, Effect::blink_2hz}}, later);
  for (Time now = later; now < later + seconds(2); now += milliseconds(7)) {
    EXPECT_EQ(lit.colour(0, now) == kBlack, lit.colour(1, now) == kBlack);
  }
}

TEST(LightEffects, KeepTheTwoHalvesOfABeatApartWhicheverCameFirst) {
  for (const bool antiphase_first : {false, true}) {
    Lit lit(2);
    const Lamp beat{kRed, Effect::blink_4hz};
    const Lamp other{kWhite, Effect::blink_4hz_antiphase};
    lit.show({antiphase_first ? other : beat}, kStart);
    const Rgb first = lit.colour(0, kStart);
    EXPECT_NE(first, kBlack);
    Time now = kStart + milliseconds(40);
    lit.show(antiphase_first ? std::vector{other, beat} : std::vector{beat, other}, now);
    EXPECT_EQ(lit.colour(0, now), first) << "what was there goes on";
    for (; now < kStart + seconds(2); now += milliseconds(3)) {
      EXPECT_NE(lit.colour(0, now) == kBlack, lit.colour(1, now) == kBlack) << now.count();
    }
  }
}

TEST(LightEffects, BeginLitWheneverAPictureBringsThemIn) {
  for (const Effect effect :
       {Effect::solid, Effect::breathing, Effect::blink_2hz, Effect::blink_4hz, Effect::blink_4hz_antiphase,
        Effect::taking_turns, Effect::wave_then_solid, Effect::slow_wave, Effect::running_wave}) {
    for (int i = 0; i < 50; ++i) {
      const Time now = kStart + i * Time(37'037);
      Lit lit(1);
      lit.show({{kWhite, Effect::solid}}, kStart);
      lit.show({{kWhite, effect}}, now);
      EXPECT_NE(lit.colour(0, now), kBlack) << "effect " << static_cast<int>(effect);
    }
  }
}

TEST(LightEffects, BreatheBetweenFullAndAnEighthInTwoSecondsWithoutAJump) {
  Lit lit(1);
  lit.show({{kWhite, Effect::breathing}}, kStart);
  EXPECT_EQ(lit.colour(0, kStart), kWhite);
  EXPECT_EQ(lit.colour(0, kStart + seconds(1)), (Rgb{32, 32, 32}));
  EXPECT_EQ(lit.colour(0, kStart + seconds(2)), kWhite);
  int last = 255;
  for (Time now = kStart; now < kStart + seconds(4); now += LightEffects::kFrame) {
    const int is = lit.colour(0, now).red;
    EXPECT_GE(is, 32);
    EXPECT_LE(std::abs(is - last), 6);
    EXPECT_EQ(lit.colour(0, now), lit.colour(0, now + LightEffects::kBreath));
    last = is;
  }
}

TEST(LightEffects, GlideAtSixtyFramesASecond) {
  for (const Effect effect : {Effect::breathing, Effect::wave_then_solid, Effect::slow_wave, Effect::running_wave}) {
    Lit lit(2);
    lit.show({{kWhite, effect}, {kWhite, effect}}, kStart);
    Time now = kStart;
    int frames = 0;
    for (; now < kStart + milliseconds(600); ++frames) {
      const auto next = lit.next(now);
      ASSERT_TRUE(next && *next > now);
      now = *next;
    }
    EXPECT_NEAR(frames, 36, 1) << "effect " << static_cast<int>(effect);
  }
}

struct WaveCase {
  const char* name;
  Effect effect;
  Time step;
  Time width;
  Rgb before;  ///< what a light shows that the wave has not reached
  Rgb middle;  ///< in the middle of the wave
  Rgb after;
};

class EndingWave : public testing::TestWithParam<WaveCase> {};

TEST_P(EndingWave, RunsOnceOverItsLightsInOrderAndIsStillThen) {
  const WaveCase& wave = GetParam();
  // Lights 0, 2 and 3 have it; 1 is something else.
  const std::vector<Lamp> lamps = {
      {kWhite, wave.effect}, {kRed, Effect::solid}, {kWhite, wave.effect}, {kWhite, wave.effect}};
  const std::vector<std::size_t> order = {0, 2, 3};
  Lit lit(lamps.size());
  lit.show(lamps, kStart);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Time reached = kStart + static_cast<std::int64_t>(place) * wave.step;
    if (place > 0) {
      EXPECT_EQ(lit.colour(order[place], reached - Time(1)), wave.before);
    }
    EXPECT_EQ(lit.colour(order[place], reached + wave.width / 2), wave.middle);
    EXPECT_EQ(lit.colour(order[place], reached + wave.width), wave.after);
  }
  const Time end = kStart + 2 * wave.step + wave.width;
  const auto last = lit.next(end - Time(1));
  ASSERT_TRUE(last);
  EXPECT_GE(*last, end);
  EXPECT_EQ(lit.next(end), std::nullopt);
  EXPECT_THAT(lit.picture(*last), testing::ElementsAre(wave.after, kRed, wave.after, wave.after));
  EXPECT_EQ(lit.picture(end + seconds(3'600)), lit.picture(*last));

  // The same picture again, with a light more of another kind: no new wave.
  std::vector<Lamp> more = lamps;
  more[1] = {kRed, Effect::blink_2hz};
  lit.show(more, end + seconds(1));
  EXPECT_EQ(lit.colour(0, end + seconds(1) + wave.width / 2), wave.after);

  // A light that is given it later has its own; the others stay as they are.
  more[1] = {kWhite, wave.effect};
  const Time again = end + seconds(10);
  lit.show(more, again);
  EXPECT_EQ(lit.colour(1, again + wave.width / 2), wave.middle);
  EXPECT_EQ(lit.colour(2, again + wave.step + wave.width / 2), wave.after);
  EXPECT_EQ(lit.next(again + wave.width), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(All, EndingWave,
                         testing::Values(WaveCase{"ThenSolid", Effect::wave_then_solid, LightEffects::kWaveStep,
                                                  LightEffects::kWaveWidth, kWhite, Rgb{32, 32, 32}, kWhite},
                                         WaveCase{"Slow", Effect::slow_wave, LightEffects::kSlowWaveStep,
                                                  LightEffects::kSlowWaveWidth, Rgb{32, 32, 32}, kWhite, kBlack}),
                         [](const auto& each) { return each.param.name; });

TEST(LightEffects, RunAWaveWithoutEndOverTheLightsThatHaveIt) {
  const std::vector<Lamp> lamps(LightEffects::kRunningLights + 1, {kWhite, Effect::running_wave});
  Lit lit(lamps.size());
  lit.show(lamps, kStart);
  const Time later = LightEffects::kRunning / LightEffects::kRunningLights;
  for (Time now = kStart + LightEffects::kRunning; now < kStart + seconds(5); now += milliseconds(11)) {
    for (std::size_t i = 1; i < lamps.size(); ++i) EXPECT_EQ(lit.colour(i, now), lit.colour(i - 1, now - later));
    EXPECT_EQ(lit.colour(lamps.size() - 1, now), lit.colour(0, now)) << "a crest every so many lights";
  }
  EXPECT_TRUE(lit.next(kStart + seconds(86'400)));
}

/// next_change() tells of every change: between two of its times no picture differs.
TEST(LightEffects, NeverChangeUnannounced) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<Lamp> lamps(12);
    for (Lamp& lamp : lamps) {
      const bool gliding = round % 3 == 0;
      lamp.effect = static_cast<Effect>(random() % (gliding ? 9 : 6));
      if (!gliding && lamp.effect == Effect::breathing) lamp.effect = Effect::solid;
      lamp.colour = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()), 3};
      lamp.turn = static_cast<std::uint8_t>(random() % 3);
    }
    Lit lit(lamps.size());
    lit.show(lamps, kStart);
    Time now = kStart;
    for (int i = 0; i < 20; ++i) {
      const auto next = lit.next(now);
      if (!next) break;
      ASSERT_GT(*next, now);
      ASSERT_LE(*next, now + seconds(1));
      if (*next - now > LightEffects::kFrame) {
        EXPECT_EQ(lit.picture(now), lit.picture(*next - Time(1)));
      }
      now = *next;
    }
  }
}

TEST(LightEffects, LeaveLightsBeyondThePictureDark) {
  Lit lit(3);
  lit.show({{kRed, Effect::solid}, {kRed, Effect::solid}, {kRed, Effect::breathing}}, kStart);
  lit.show({{kRed, Effect::solid}}, kStart + seconds(1));
  EXPECT_THAT(lit.picture(kStart + seconds(1)), testing::ElementsAre(kRed, kBlack, kBlack));
  EXPECT_EQ(lit.next(kStart + seconds(1)), std::nullopt);
}

TEST(LightEffects, NeverLetAFaintLightGlideIntoBlack) {
  Lit lit(1);
  for (const Effect effect : {Effect::breathing, Effect::wave_then_solid, Effect::running_wave}) {
    lit.show({{{1, 0, 0}, effect}}, kStart);
    for (Time now = kStart; now < kStart + seconds(3); now += milliseconds(5)) ASSERT_EQ(lit.colour(0, now), (Rgb{1, 0, 0}));
  }
}

}  // namespace
}  // namespace merel
