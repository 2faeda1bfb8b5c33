// What every game promises, whatever its rules: random games from the start and from the positions of perft.tsv, under every
// rule option. A new game inherits all of it through its row in the game table.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <unordered_map>

#include "rules/record.h"
#include "tests/places.h"

namespace merel {

static_assert(std::is_trivially_copyable_v<Pinuid64> && std::is_trivially_copyable_v<Pinuid256>);
static_assert(std::is_trivially_copyable_v<Pylos> && std::is_trivially_copyable_v<Morris>);

namespace {

constexpr int kGamesFromStart = 8;
constexpr int kMostStepsFromStart = 300;
constexpr int kMostStepsFromElsewhere = 40;
constexpr std::size_t kOtherStarts = 30;

/// A game under some rule options.
struct Case {
  const GameInfo* game;
  Options options;
  std::string name;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

/// Every game with its defaults, with each option changed alone, and with all changed together.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const GameInfo& game : games()) {
    const std::string name(game.name);
    all.push_back({&game, game.defaults(), test_name(name)});
    Options every = game.defaults();
    for (const OptionSpec& spec : game.options) {
      for (const std::string_view value : spec.values.subspan(1)) {
        Options one = game.defaults();
        EXPECT_TRUE(one.set(spec.key, value).ok() && every.set(spec.key, value).ok());
        all.push_back({&game, one, test_name(name + " " + std::string(spec.key) + " " + std::string(value))});
      }
    }
    if (every != game.defaults()) all.push_back({&game, every, test_name(name + " all changed")});
  }
  return all;
}

/// Some positions of that game out of perft.tsv: owed rows, players who are out, flying men, large boards.
std::vector<std::string> other_starts(std::string_view game) {
  std::ifstream file(MEREL_TEST_DATA "/vectors/perft.tsv");
  std::set<std::string> texts;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    std::string options;
    std::string position;
    std::getline(fields, name, '\t');
    std::getline(fields, options, '\t');
    std::getline(fields, position, '\t');
    if (name == game) texts.insert(position);
  }
  std::vector<std::string> some(texts.begin(), texts.end());
  std::shuffle(some.begin(), some.end(), std::mt19937(1));
  some.resize(std::min(some.size(), kOtherStarts));
  return some;
}

/// A position of a random game.
struct Visit {
  const Position& position;
  bool counts_passes;  ///< the position may hold passes in succession, which its text does not carry
};

class EveryGame : public testing::TestWithParam<Case> {
 protected:
  const GameInfo& game() const { return *GetParam().game; }

  Position read(std::string_view position_text) const {
    const auto position = game().read(GetParam().options, position_text);
    if (!position) {
      ADD_FAILURE() << "'" << position_text << "' is refused: " << position.error().line();
      return *game().read(game().defaults(), game().start(game().defaults()));
    }
    return *position;
  }

  /// Plays random games, always the same ones, and shows each position to `look`; stops at the first failure.
  template <class Look>
  void play_random_games(const Look& look) {
    const auto play = [&](Position position, int most_steps) {
      bool passed = false;
      for (int i = 0; !HasFailure(); ++i) {
        SCOPED_TRACE(text(position));
        look(Visit{position, passed});
        const StepList steps = legal_steps(position);
        if (steps.empty() || i == most_steps) return;
        const Step step = steps[random_() % steps.size()];
        const auto next = merel::apply(position, step);
        ASSERT_TRUE(next.ok()) << text(position, step) << ": " << sentence(next.error());
        passed = step.kind == StepKind::pass;
        position = *next;
      }
    };
    const std::string start = game().start(GetParam().options);
    for (int i = 0; i < kGamesFromStart; ++i) play(read(start), kMostStepsFromStart);
    for (const std::string& other : other_starts(game().name)) play(read(other), kMostStepsFromElsewhere);
  }

  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_{2024};
};

bool consistent(const Position& position) {
  return std::visit([](const auto& p) { return p.consistent(); }, position);
}
std::uint64_t count_steps(const Position& position) {
  return std::visit([](const auto& p) { return p.count_steps(); }, position);
}
std::optional<Refusal> refuse(const Position& position, Step step) {
  return std::visit([step](const auto& p) { return p.refuse(step); }, position);
}

TEST_P(EveryGame, StartTextIsInItsNormalForm) {
  const std::string start = game().start(GetParam().options);
  EXPECT_EQ(text(read(start)), start);
  EXPECT_FALSE(legal_steps(read(start)).empty());
}

TEST_P(EveryGame, PositionTextRoundTrips) {
  play_random_games([this](const Visit& visit) {
    const Position again = read(text(visit.position));
    EXPECT_EQ(text(again), text(visit.position));
    if (visit.counts_passes) return;
    EXPECT_TRUE(again == visit.position);
    EXPECT_EQ(hash(again), hash(visit.position));
  });
}

TEST_P(EveryGame, DifferentPositionsHashDifferently) {
  std::unordered_map<std::uint64_t, Position> seen;
  play_random_games([&seen](const Visit& visit) {
    const auto [entry, fresh] = seen.try_emplace(hash(visit.position), visit.position);
    EXPECT_TRUE(fresh || entry->second == visit.position) << "hashes like " << text(entry->second);
  });
  EXPECT_GT(seen.size(), 100U);
}

TEST_P(EveryGame, LegalStepsAreUniqueAndSortedAlsoAsTexts) {
  play_random_games([](const Visit& visit) {
    const StepList steps = legal_steps(visit.position);
    std::vector<std::string> texts;
    for (const Step step : steps) texts.push_back(text(visit.position, step));
    for (std::size_t i = 1; i < steps.size(); ++i) {
      EXPECT_LT(steps[i - 1], steps[i]) << texts[i - 1] << " before " << texts[i];
      if (geometry(visit.position).lattice <= 9) {
        EXPECT_LT(texts[i - 1], texts[i]);
      }
    }
  });
}

TEST_P(EveryGame, StepTextRoundTrips) {
  play_random_games([](const Visit& visit) {
    for (const Step step : legal_steps(visit.position)) {
      const auto again = read_step(visit.position, text(visit.position, step));
      ASSERT_TRUE(again.ok()) << text(visit.position, step) << ": " << again.error().line();
      EXPECT_EQ(*again, step) << text(visit.position, step);
    }
  });
}

TEST_P(EveryGame, IllegalStepIsAnErrorValueAndChangesNothing) {
  play_random_games([this](const Visit& visit) {
    const Position before = visit.position;
    const StepList legal = legal_steps(before);
    const auto& sites = geometry(before).sites;
    const auto any_site = [&] {
      return random()() % 4 == 0 ? static_cast<Site>(random()()) : sites[random()() % sites.size()].site;
    };
    GameRecord record(game(), GetParam().options, before);
    for (int i = 0; i < 48; ++i) {
      // A kind that does not exist among them: bytes from elsewhere must be safe.
      const auto kind = static_cast<StepKind>(i % 7);
      const Step step{kind, random()() % 4 == 0 ? kNoSite : any_site(), random()() % 4 == 0 ? kNoSite : any_site()};
      const bool allowed = std::find(legal.begin(), legal.end(), step) != legal.end();
      const auto refusal = refuse(before, step);
      const auto next = merel::apply(before, step);
      ASSERT_EQ(!refusal, allowed) << i << ": " << int{step.from} << " " << int{step.to};
      ASSERT_EQ(next.ok(), allowed);
      EXPECT_TRUE(visit.position == before);
      if (allowed) continue;
      EXPECT_EQ(next.error(), *refusal);
      EXPECT_FALSE(sentence(*refusal).empty());
      EXPECT_FALSE(record.play(step).ok());
      EXPECT_TRUE(record.steps().empty() && record.position() == before);
    }
  });
}

TEST_P(EveryGame, EveryLegalStepIsNotRefused) {
  play_random_games([](const Visit& visit) {
    for (const Step step : legal_steps(visit.position)) {
      EXPECT_FALSE(refuse(visit.position, step))
          << text(visit.position, step) << ": " << name(*refuse(visit.position, step));
    }
  });
}

TEST_P(EveryGame, RedundantFieldsAgreeWithTheRestAfterEveryStep) {
  play_random_games([](const Visit& visit) {
    EXPECT_TRUE(consistent(visit.position));
    for (const Step step : legal_steps(visit.position)) {
      EXPECT_TRUE(consistent(*merel::apply(visit.position, step))) << "after " << text(visit.position, step);
    }
  });
}

TEST_P(EveryGame, CountingStepsAgreesWithListingThem) {
  play_random_games([](const Visit& visit) {
    const StepList steps = legal_steps(visit.position);
    EXPECT_EQ(count_steps(visit.position), steps.size());
    EXPECT_EQ(perft(visit.position, 1), steps.size());
    std::uint64_t two = 0;
    for (const Step step : steps) two += legal_steps(*merel::apply(visit.position, step)).size();
    EXPECT_EQ(perft(visit.position, 2), two);
  });
}

TEST_P(EveryGame, NoStepsExactlyWhenTheGameIsOver) {
  play_random_games([this](const Visit& visit) {
    const Outcome end = outcome(visit.position);
    EXPECT_EQ(legal_steps(visit.position).empty(), end.over());
    EXPECT_LT(to_act(visit.position), game().colours.size());
    EXPECT_TRUE(end.winner == kNoPlayer || (end.over() && end.winner < game().colours.size()));
  });
}

TEST_P(EveryGame, SitesHaveUniqueNamesInTheOrderOfTheirNumbers) {
  for (std::string start : {game().start(GetParam().options), other_starts(game().name).front()}) {
    const Position position = read(start);
    const Geometry& board = geometry(position);
    std::set<std::string_view> names;
    for (const SiteInfo& site : board.sites) {
      names.insert(site.name());
      EXPECT_EQ(board.find(site.name()), site.site);
      EXPECT_EQ(board.info(site.site).name(), site.name());
      EXPECT_LT(site.file, board.lattice);
      EXPECT_LT(site.rank, board.lattice);
    }
    EXPECT_EQ(names.size(), board.sites.size());
    for (const std::string_view wrong : {"", "a", "a0", "z9", "a1 ", "A1", "a01", "1", "5a1"}) {
      EXPECT_EQ(board.find(wrong), kNoSite) << wrong;
    }
  }
}

/// One byte changed, dropped or added somewhere.
std::string damage(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "0123456789WBRGYabcdefghvtx/|:;!,- \n\xff";
  const std::size_t at = random() % text.size();
  const char byte = kBytes[random() % kBytes.size()];
  switch (random() % 3) {
    case 0: text[at] = byte; break;
    case 1: text.erase(at, 1); break;
    default: text.insert(at, 1, byte);
  }
  return text;
}

TEST_P(EveryGame, DamagedPositionTextIsRefusedOrStillAPosition) {
  play_random_games([this](const Visit& visit) {
    const std::string damaged = damage(text(visit.position), random());
    SCOPED_TRACE(damaged);
    const auto position = game().read(GetParam().options, damaged);
    if (!position) {
      EXPECT_FALSE(position.error().field.empty() || position.error().message.empty());
      EXPECT_GE(position.error().column, 1U);
      EXPECT_LE(position.error().column, damaged.size() + 1);
      return;
    }
    EXPECT_TRUE(consistent(*position));
    EXPECT_TRUE(read(text(*position)) == *position);
    EXPECT_EQ(legal_steps(*position).empty(), outcome(*position).over());
    for (const Step step : legal_steps(*position)) EXPECT_TRUE(consistent(*merel::apply(*position, step)));
  });
}

INSTANTIATE_TEST_SUITE_P(, EveryGame, testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace merel
