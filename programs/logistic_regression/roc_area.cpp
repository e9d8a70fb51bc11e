#include "programs/logistic_regression/roc_area.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gas/base/rank_sums.hpp"

namespace gas {
namespace {

constexpr std::size_t ranges = std::size_t{1} << 14U;

/// Bits that ascend with the score.
std::uint64_t ordered(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // −0 is 0
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct Scored {
  std::uint64_t score;
  std::uint64_t larger;  // 0 or 1
};

/// By range of scores, the rank that counts it: about as many examples each.
std::vector<int> ranks_of(Communicator& comm, std::vector<std::uint64_t> counts) {
  add_ranks(comm, counts);
  std::uint64_t total = 0, before = 0;
  for (const std::uint64_t count : counts) total += count;
  std::vector<int> ranks;
  for (const std::uint64_t count : counts) {
    const auto at =
        static_cast<double>(before) / static_cast<double>(std::max<std::uint64_t>(1, total));
    ranks.push_back(std::min(comm.size() - 1, static_cast<int>(at * comm.size())));
    before += count;
  }
  return ranks;
}

}  // namespace

double roc_area(Communicator& comm, std::span<const double> scores, std::span<const char> larger) {
  // The least and greatest tell what their ranges divide.
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
  for (const double score : scores) {
    least = std::min(least, ordered(score));
    most = std::max(most, ordered(score));
  }
  least = all_min(comm, least);
  most = all_max(comm, most);
  if (least > most) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t each = (most - least) / ranges + 1;
  const auto range_of = [&](std::uint64_t score) { return (score - least) / each; };
  std::vector<std::uint64_t> counts(ranges);
  for (const double score : scores) ++counts[range_of(ordered(score))];
  const std::vector<int> ranks = ranks_of(comm, std::move(counts));
  std::vector<std::vector<Scored>> out(static_cast<std::size_t>(comm.size()));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::uint64_t score = ordered(scores[i]);
    out[static_cast<std::size_t>(ranks[range_of(score)])].push_back(
        {score, larger[i] != 0 ? std::uint64_t{1} : 0});
  }
  std::vector<Scored> mine;
  for (const auto& block : all_to_all(comm, std::move(out)))
    mine.insert(mine.end(), block.begin(), block.end());
  std::ranges::sort(mine, {}, &Scored::score);

  std::uint64_t twice = 0;  // pairs in order count 2, equal ones 1
  std::uint64_t smaller_ones = 0, larger_ones = 0;
  for (std::size_t i = 0; i < mine.size();) {
    std::uint64_t equal_smaller = 0, equal_larger = 0;
    const std::uint64_t score = mine[i].score;
    for (; i < mine.size() && mine[i].score == score; ++i)
      ++(mine[i].larger == 1 ? equal_larger : equal_smaller);
    twice += equal_larger * (2 * smaller_ones + equal_smaller);
    smaller_ones += equal_smaller;
    larger_ones += equal_larger;
  }
  const auto smaller_of = all_gather(comm, smaller_ones);
  for (int rank = 0; rank < comm.rank(); ++rank)
    twice += 2 * larger_ones * smaller_of[static_cast<std::size_t>(rank)];
  const auto pairs = static_cast<double>(all_sum(comm, smaller_ones)) *
                     static_cast<double>(all_sum(comm, larger_ones));
  const auto ordered_twice = static_cast<double>(all_sum(comm, twice));
  return pairs > 0 ? ordered_twice / 2 / pairs : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gas
