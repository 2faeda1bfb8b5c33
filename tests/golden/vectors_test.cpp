// What an independent implementation of RULES.md says (tests/vectors/): every line must come out the same here.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rules/record.h"
#include "tests/places.h"

namespace merel {
namespace {

/// One line of a file in tests/vectors/.
struct Line {
  std::string where;  ///< `perft.tsv:12`
  std::string text;
};

std::vector<Line> read_lines(const std::string& name) {
  std::ifstream file(MEREL_TEST_DATA "/vectors/" + name);
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) lines.push_back({name + ":" + std::to_string(lines.size() + 1), text});
  return lines;
}

/// One line of a table: game, options, position, and what is expected.
struct Row {
  std::string where;
  const GameInfo* game;
  Options options;
  std::string position;
  std::vector<std::string> expected;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> fields;
  std::istringstream in(text);
  for (std::string field; std::getline(in, field, separator);) fields.push_back(field);
  return fields;
}

/// The rows of a table that belong to one game. A row that cannot be understood fails the running test.
std::vector<Row> read_table(const std::string& name, const GameInfo& game) {
  std::vector<Row> rows;
  const std::vector<Line> lines = read_lines(name);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i].text, '\t');
    if (fields.size() < 4 || find_game(fields[0]) == nullptr) {
      ADD_FAILURE() << lines[i].where << ": not a row of a known game";
      continue;
    }
    if (fields[0] != game.name) continue;
    Options options = game.defaults();
    if (fields[1] != "-") {
      for (const std::string& pair : split(fields[1], ',')) {
        const auto set = options.set(pair);
        EXPECT_TRUE(set.ok()) << lines[i].where << ": " << (set ? "" : set.error().message);
      }
    }
    rows.push_back({lines[i].where, &game, options, fields[2], {fields.begin() + 3, fields.end()}});
  }
  return rows;
}

class Vectors : public testing::TestWithParam<const GameInfo*> {};

TEST_P(Vectors, PerftCountsAgree) {
  const std::vector<Row> rows = read_table("perft.tsv", *GetParam());
  ASSERT_FALSE(rows.empty());
  for (const Row& row : rows) {
    const auto position = row.game->read(row.options, row.position);
    ASSERT_TRUE(position.ok()) << row.where << ": " << position.error().line();
    EXPECT_EQ(std::to_string(perft(*position, std::stoi(row.expected[0]))), row.expected[1])
        << row.where << ": " << row.position;
  }
}

/// What positions.tsv says of a position: its legal steps, how the game ended, or that the text must be rejected.
std::string verdict(const GameInfo& game, const Options& options, const std::string& given, const std::string& where) {
  const auto position = game.read(options, given);
  if (!position) {
    const TextError& error = position.error();
    EXPECT_FALSE(error.field.empty() || error.message.empty()) << where;
    EXPECT_TRUE(error.column >= 1 && error.column <= given.size() + 1) << where << ": " << error.line();
    return "invalid";
  }
  if (const Outcome end = outcome(*position); end.over()) return "over: " + result_text(game, end);
  std::vector<std::string> texts;
  for (const Step step : legal_steps(*position)) texts.push_back(text(*position, step));
  std::sort(texts.begin(), texts.end());
  std::string joined;
  for (const std::string& step : texts) joined += (joined.empty() ? "" : " ") + step;
  return joined;
}

TEST_P(Vectors, PositionsHaveTheirStepsAndMalformedTextsAreRejected) {
  const std::vector<Row> rows = read_table("positions.tsv", *GetParam());
  ASSERT_FALSE(rows.empty());
  for (const Row& row : rows) {
    EXPECT_EQ(verdict(*row.game, row.options, row.position, row.where), row.expected[0])
        << row.where << ": " << row.position;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryGame, Vectors, testing::ValuesIn([] {
                           std::vector<const GameInfo*> all;
                           for (const GameInfo& game : games()) all.push_back(&game);
                           return all;
                         }()),
                         [](const auto& test) {
                           std::string name(test.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class RecordedGames : public testing::TestWithParam<std::string> {};

TEST_P(RecordedGames, PlayThroughToTheirEnd) {
  const std::vector<Line> lines = read_lines(GetParam());
  ASSERT_FALSE(lines.empty());
  for (const Line& line : lines) {
    SCOPED_TRACE(line.where);
    const auto game = nlohmann::json::parse(line.text);
    const GameInfo* info = find_game(game.at("game").get<std::string>());
    ASSERT_NE(info, nullptr);
    Options options = info->defaults();
    for (const auto& [key, value] : game.at("options").items()) ASSERT_TRUE(options.set(key, value.get<std::string>()).ok());
    const auto start = info->read(options, game.at("start").get<std::string>());
    ASSERT_TRUE(start.ok()) << start.error().line();
    GameRecord record(*info, options, *start);
    for (const auto& step_text : game.at("steps")) {
      const auto step = read_step(record.position(), step_text.get<std::string>());
      ASSERT_TRUE(step.ok()) << "step " << record.steps().size() + 1 << ", " << step_text << ": " << step.error().line();
      const auto played = record.play(*step);
      ASSERT_TRUE(played.ok()) << "step " << record.steps().size() + 1 << ", " << step_text << " in "
                               << text(record.position()) << ": " << sentence(played.error());
    }
    EXPECT_EQ(text(record.position()), game.at("final").get<std::string>());
    EXPECT_EQ(result_text(*info, record.outcome()), game.at("result").get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(, RecordedGames, testing::Values("games.jsonl", "openspiel/game.jsonl"),
                         [](const auto& test) { return test.index == 0 ? "reference" : "openspiel"; });

}  // namespace
}  // namespace merel
