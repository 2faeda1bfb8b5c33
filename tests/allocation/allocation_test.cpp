// Move generation must not touch the heap: this program counts every allocation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>

#include "rules/game.h"

namespace {
std::size_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return ++allocations, std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return ++allocations, std::malloc(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace merel {
namespace {

constexpr int kGames = 20;
constexpr int kMostSteps = 400;

/// Plays one random game and returns how often legal_steps, apply and outcome allocated.
std::size_t allocations_of_a_game(Position position, std::mt19937& random) {
  const std::size_t before = allocations;
  for (int i = 0; i < kMostSteps && !outcome(position).over(); ++i) {
    const StepList steps = legal_steps(position);
    const Step chosen = steps[random() % steps.size()];
    const Step wrong{static_cast<StepKind>(random() % 6), static_cast<Site>(random()), static_cast<Site>(random())};
    (void)merel::apply(position, wrong);
    position = *merel::apply(position, chosen);
  }
  return allocations - before;
}

TEST(Allocation, TheCounterSeesAnAllocation) {
  const std::size_t before = allocations;
  const std::string long_enough_for_the_heap(100, 'x');
  EXPECT_GT(allocations, before) << long_enough_for_the_heap;
}

TEST(Allocation, LegalStepsApplyAndOutcomeNeverAllocate) {
  std::mt19937 random(7);
  for (const GameInfo& game : games()) {
    const Options options = game.defaults();
    const auto start = game.read(options, game.start(options));
    ASSERT_TRUE(start.ok()) << start.error().line();
    for (int i = 0; i < kGames; ++i) EXPECT_EQ(allocations_of_a_game(*start, random), 0U) << game.name;
  }
}

TEST(Allocation, LargeBoardsNeverAllocateEither) {
  std::mt19937 random(7);
  const GameInfo& game = *find_game("pinuid-classic");
  const auto start = game.read(game.defaults(), "BB2B2BB/B3B3B/9/9/9/9/9/W3W3W/WW2W2WW W - -");
  ASSERT_TRUE(start.ok()) << start.error().line();
  for (int i = 0; i < kGames; ++i) EXPECT_EQ(allocations_of_a_game(*start, random), 0U);
}

}  // namespace
}  // namespace merel
