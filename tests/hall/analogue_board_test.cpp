// The board without the board: superposition, spread, and the program that hands its levels to tests in other languages.
#include "drivers/hall/analogue_board.h"
#include "tests/folder.h"
#include "tests/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace merel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kD4 = 24;

TEST(AnalogueBoard, ItsPiecesAreTheSameHoweverOftenItsLevelsWereRead) {
  AnalogueBoard once(PartSpread{}, 5);
  AnalogueBoard often(PartSpread{}, 5);
  for (std::uint8_t file = 0; file < 7; file += 2) {
    for (AnalogueBoard* board : {&once, &often}) board->put(MagnetKind::sphere, file % 4 == 0, {file, 2, 1});
    for (int scan = 0; scan < 10; ++scan) static_cast<void>(often.levels());
  }
  for (std::size_t channel = 0; channel < AnalogueBoard::kChannels; ++channel) {
    EXPECT_EQ(once.field(channel), often.field(channel)) << channel;
  }
  EXPECT_NE(once.levels(), often.levels()) << "the noise goes on";
}

TEST(AnalogueBoard, FieldsOfPiecesAddUp) {
  AnalogueBoard one(kIdealParts, 1);
  AnalogueBoard other(kIdealParts, 1);
  AnalogueBoard both(kIdealParts, 1);
  one.put(MagnetKind::strong, true, {2, 3, 1});
  other.put(MagnetKind::weak, false, {3, 3, 1});
  both.put(MagnetKind::strong, true, {2, 3, 1});
  both.put(MagnetKind::weak, false, {3, 3, 1});
  for (std::size_t channel = 0; channel < AnalogueBoard::kChannels; ++channel) {
    EXPECT_NEAR(both.field(channel), one.field(channel) + other.field(channel), 1e-12);
  }
  both.lift({2, 3, 1});
  EXPECT_EQ(both.levels(), other.levels());
  both.clear();
  EXPECT_THAT(both.levels(), testing::Each(2048));
}

TEST(AnalogueBoard, PieceTakesThePlaceOfTheOneThatStoodThere) {
  AnalogueBoard board(kIdealParts, 1);
  board.put(MagnetKind::strong, true, {3, 3, 1});
  board.put(MagnetKind::strong, false, {3, 3, 1});
  EXPECT_LT(board.levels()[kD4], 1300);
  board.lift({3, 3, 1});
  EXPECT_THAT(board.levels(), testing::Each(2048));
}

TEST(AnalogueBoard, SameSeedGivesTheSameBoard) {
  const auto levels_of = [](std::uint64_t seed) {
    AnalogueBoard board(PartSpread{}, seed);
    board.put(MagnetKind::weak, true, {0, 0, 1});
    return board.levels();
  };
  EXPECT_EQ(levels_of(5), levels_of(5));
  EXPECT_NE(levels_of(5), levels_of(6));
}

TEST(AnalogueBoard, JogChangesLevelsALittleAndKeepsTheSpread) {
  PartSpread spread;
  spread.noise_counts = 0;
  AnalogueBoard board(spread, 9);
  board.put(MagnetKind::sphere, true, {2, 2, 1});
  constexpr std::size_t kBeside = 2 * 7 + 3;
  const double before = board.field(kBeside);
  board.jog(0.1);
  EXPECT_NE(board.field(kBeside), before);
  EXPECT_NEAR(board.field(kBeside), before, 0.2);
  for (int i = 0; i < 500; ++i) board.jog(0.3);
  EXPECT_NEAR(board.field(2 * 7 + 2), 10.4, 1.6) << "a sphere that has been nudged for long still lies on its seat";
}

TEST(AnalogueBoard, LightsDisturbOnlyWhileTheyAreOn) {
  AnalogueBoard board(kIdealParts, 1);
  board.interfere(3, 17);
  EXPECT_EQ(board.levels()[3], 2048);
  board.lights(true);
  EXPECT_EQ(board.levels()[3], 2065);
  EXPECT_EQ(board.levels()[4], 2048);
}

/// What the program answers to these lines.
std::vector<std::string> answers(const std::string& arguments, const std::string& lines) {
  const Folder folder;
  const std::string input = folder.write("lines", lines);
  std::FILE* pipe = popen((MEREL_FIELD_LEVELS " " + arguments + " <" + input).c_str(), "r");  // NOLINT(cert-env33-c)
  std::vector<std::string> out;
  std::array<char, 1024> line{};
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr) {
    out.emplace_back(line.data());
    out.back().pop_back();
  }
  EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0);
  return out;
}
std::vector<int> numbers(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<int>(words), {}};
}

TEST(FieldLevels, AnswersEachCommandWithALineOfLevels) {
  const auto said =
      answers("--ideal", "levels\nput a1 strong north\nput b1 weak south\nlift a1\nclear\nput 2a1 sphere south\n");
  ASSERT_EQ(said.size(), 6U);
  for (const std::string& line : said) ASSERT_EQ(numbers(line).size(), 49U) << line;
  EXPECT_THAT(numbers(said[0]), testing::Each(2048));
  EXPECT_GT(numbers(said[1])[0], 2048 + 900);
  EXPECT_LT(numbers(said[1])[1], 2048) << "the neighbour sees the field run back";
  EXPECT_LT(numbers(said[2])[1], 2048 - 300);
  EXPECT_THAT(numbers(said[3])[0], testing::AllOf(testing::Ge(2048), testing::Lt(2060)));
  EXPECT_THAT(numbers(said[4]), testing::Each(2048));
  EXPECT_EQ(numbers(said[5])[7 + 1], 2048 - 38) << "2a1 lies over b2";
}

TEST(FieldLevels, SaysWhatIsWrongAndGoesOn) {
  const auto said = answers(
      "3", "put h1 strong north\nput a1 heavy north\nput 2a1 strong north\nput 2d1 sphere north\njog 2\nhop\nlevels\n");
  ASSERT_EQ(said.size(), 7U);
  EXPECT_THAT(std::vector(said.begin(), said.begin() + 6),
              ElementsAre(HasSubstr("a1 to g7"), HasSubstr("strong, weak or sphere"), HasSubstr("only spheres"),
                          HasSubstr("1a1 to 4a1"), HasSubstr("0 to 1"), HasSubstr("'hop' is no command")));
  EXPECT_THAT(said[0], StartsWith("? "));
  EXPECT_EQ(numbers(said[6]).size(), 49U);
}

}  // namespace
}  // namespace merel
