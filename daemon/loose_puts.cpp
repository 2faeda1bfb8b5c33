#include "daemon/loose_puts.h"

#include <algorithm>
#include <array>

namespace merel {
namespace {

constexpr std::size_t kMostTried = 6000;  // steps that one search through all orders plays

/// Plays the steps from `from` to `to` as the record has them; false when the rules refuse one.
bool follow(const GameRecord& record, std::size_t from, std::size_t to, LoosePuts::Alternative& way) {
  for (std::size_t i = from; i < to; ++i) {
    const auto next = merel::apply(way.position, record.steps()[i]);
    if (!next) return false;
    way.position = *next;
    way.steps.push_back(record.steps()[i]);
  }
  return true;
}

/// Finds the orders of one bundle's puts that the rules allow, one for every resulting position.
class Shuffle {
 public:
  /// `budget`: steps that may still be played; shared by all bundles, so that the whole search stays bounded.
  Shuffle(const GameRecord& record, const std::vector<LoosePuts::Put>& bundle, std::size_t& budget)
      : record_(record), by_time_(bundle), budget_(budget) {
    std::sort(by_time_.begin(), by_time_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    for (const auto& put : bundle) last_ = std::max(last_, put.step);
  }

  std::vector<LoosePuts::Alternative> from(const LoosePuts::Alternative& start) {
    steps_ = start.steps;
    go_on(start.position, start.price, 0);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool loose(std::size_t step) const {
    return std::any_of(by_time_.begin(), by_time_.end(), [step](const auto& put) { return put.step == step; });
  }

  void play(const Position& position, Step step, double price, unsigned used) {
    if (budget_ == 0) return;
    --budget_;
    const auto next = merel::apply(position, step);
    if (!next) return;
    steps_.push_back(step);
    go_on(*next, price, used);
    steps_.pop_back();
  }

  void go_on(const Position& position, double price, unsigned used) {
    const std::size_t step = steps_.size();
    if (step > last_) return keep(position, price);
    if (!loose(step)) return play(position, record_.steps()[step], price, used);
    int earlier = 0;  // pieces that were set down before and have not been played yet
    Time first{};
    for (std::size_t i = 0; i < by_time_.size(); ++i) {
      if ((used >> i & 1U) != 0) continue;
      if (earlier == 0) first = by_time_[i].time;
      if (by_time_[i].time - first > 2 * kNearlyAtOnce) break;
      play(position, Step::put(by_time_[i].site), price + kInversionPrice * earlier, used | 1U << i);
      ++earlier;
    }
  }

  void keep(const Position& position, double price) {
    const auto same =
        std::find_if(found_.begin(), found_.end(), [&](const auto& other) { return other.position == position; });
    if (same == found_.end()) {
      found_.push_back({steps_, position, price});
    } else if (price < same->price) {
      *same = {steps_, position, price};
    }
  }

  const GameRecord& record_;
  std::vector<LoosePuts::Put> by_time_;
  std::size_t last_ = 0;
  std::size_t& budget_;
  std::vector<Step> steps_;
  std::vector<LoosePuts::Alternative> found_;
};

}  // namespace

void LoosePuts::note(const std::vector<Put>& puts) {
  for (const Put& put : puts) {
    const auto nearly = [&put](const Put& other) {
      return other.step != put.step && std::chrono::abs(other.time - put.time) <= kNearlyAtOnce;
    };
    const auto known = [&put](const Put& other) { return other.step == put.step; };
    if (std::any_of(puts.begin(), puts.end(), nearly) && std::none_of(puts_.begin(), puts_.end(), known))
      puts_.push_back(put);
  }
}

void LoosePuts::match(const GameRecord& record) {
  std::erase_if(puts_, [&record](const Put& put) {
    return put.step >= record.steps().size() || record.steps()[put.step] != Step::put(put.site);
  });
}

void LoosePuts::adopt(const std::vector<Step>& steps) {
  std::vector<Put> moved = puts_;
  for (Put& put : puts_) {
    if (put.step >= steps.size()) continue;
    const Site site = steps[put.step].to;
    const auto from = std::find_if(moved.begin(), moved.end(), [site](const Put& old) { return old.site == site; });
    put.site = site;
    if (from != moved.end()) put.time = from->time;
  }
}

std::vector<LoosePuts::Bundle> LoosePuts::bundles(std::size_t base) const {
  std::vector<Put> sorted;
  std::copy_if(puts_.begin(), puts_.end(), std::back_inserter(sorted), [base](const Put& put) { return put.step < base; });
  std::sort(sorted.begin(), sorted.end(), [](const Put& a, const Put& b) { return a.time < b.time; });
  std::vector<Bundle> out;
  for (const Put& put : sorted) {
    if (out.empty() || put.time - out.back().back().time > kNearlyAtOnce) out.emplace_back();
    out.back().push_back(put);
  }
  std::erase_if(out, [](const Bundle& bundle) { return bundle.size() < 2 || bundle.size() > kMostInBundle; });
  return out;
}

std::vector<LoosePuts::Alternative> LoosePuts::alternatives(const GameRecord& record, std::size_t base,
                                                            int most_changed) const {
  std::vector<Way> ways{{{{}, record.start(), 0}, 0}};
  std::size_t budget = kMostTried;
  for (const Bundle& bundle : bundles(base)) {
    const auto [first, last] =
        std::minmax_element(bundle.begin(), bundle.end(), [](const Put& a, const Put& b) { return a.step < b.step; });
    std::vector<Way> next;
    std::size_t shuffled_ways = 0;
    for (Way& way : ways) {
      if (!follow(record, way.so_far.steps.size(), first->step, way.so_far)) continue;
      Way unchanged = way;
      const bool possible = follow(record, first->step, last->step + 1, unchanged.so_far);
      // A large bundle has very many orders: those of the likeliest ways before it are enough.
      if (way.changed < most_changed && (bundle.size() <= kFewInBundle || ++shuffled_ways <= kFewWays)) {
        for (Alternative& shuffled : Shuffle(record, bundle, budget).from(way.so_far)) {
          if (possible && shuffled.position == unchanged.so_far.position) continue;
          next.push_back({std::move(shuffled), way.changed + 1});
        }
      }
      if (possible) next.push_back(std::move(unchanged));
    }
    std::stable_sort(next.begin(), next.end(), [](const Way& a, const Way& b) { return a.so_far.price < b.so_far.price; });
    if (next.size() > kMostWays) next.erase(next.begin() + kMostWays, next.end());
    ways = std::move(next);
  }
  std::vector<Alternative> out;
  for (Way& way : ways) {
    if (out.size() == kMost) break;
    if (way.changed != 0 && follow(record, way.so_far.steps.size(), base, way.so_far)) out.push_back(std::move(way.so_far));
  }
  return out;
}

}  // namespace merel
