#include <catch2/catch.hpp>
#include <numeric>

#include "gas/graph/error.hpp"
#include "gas/graph/team.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

TEST_CASE("collectives agree with what each rank put in", "[team][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::vector<std::int64_t>>(ranks, [](gas::Transport& team) {
      const auto me = static_cast<std::int64_t>(team.rank());
      std::vector<std::int64_t> mine(static_cast<std::size_t>(me), me);  // rank r gives r times r
      std::vector<std::int64_t> all;
      for (const auto& block : gas::all_gather(team, std::span<const std::int64_t>(mine)))
        all.insert(all.end(), block.begin(), block.end());
      all.push_back(gas::all_sum(team, me));
      all.push_back(gas::all_max(team, me));
      const auto told = gas::broadcast(team, std::span<const std::int64_t>(mine), team.size() - 1);
      all.push_back(static_cast<std::int64_t>(told.size()));
      return all;
    });
    std::vector<std::int64_t> expected;
    for (std::int64_t r = 0; r < ranks; ++r)
      expected.insert(expected.end(), static_cast<std::size_t>(r), r);
    expected.insert(expected.end(), {ranks * (ranks - 1) / 2, ranks - 1, ranks - 1});
    for (const auto& result : results) CHECK(result == expected);
  }
}

TEST_CASE("sums of floats are folded in rank order on every rank", "[team][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto of_rank = [](int rank) { return rank % 2 == 0 ? 1e16 : 1.0; };
    const auto results = run_ranks<double>(
        ranks, [&](gas::Transport& team) { return gas::all_sum(team, of_rank(team.rank())); });
    double sum = of_rank(0);
    for (int rank = 1; rank < ranks; ++rank) sum += of_rank(rank);
    for (const double result : results) CHECK(result == sum);
  }
}

TEST_CASE("blocks beyond what MPI can count arrive whole", "[.big]") {
  // 2 ranks and 7 GiB: mpirun -n 2 build/bin/test_gas [.big]
  for (const int ranks : rank_counts()) {
    if (ranks != 2) continue;
    const auto right = run_ranks<bool>(ranks, [](gas::Transport& team) {
      const auto me = static_cast<std::uint64_t>(team.rank());
      const std::uint64_t each = (std::uint64_t{1} << 28U) + 5;
      std::vector<std::uint32_t> mine(each - 3 * me);
      for (std::uint64_t i = 0; i < mine.size(); ++i)
        mine[i] = static_cast<std::uint32_t>(2 * i + me);
      const auto all = gas::all_gather(team, std::span<const std::uint32_t>(mine));
      bool same = true;
      for (std::uint64_t r = 0; r < 2; ++r) {
        same = same && all[r].size() == each - 3 * r;
        for (std::uint64_t i = 0; i < all[r].size(); ++i)
          same = same && all[r][i] == static_cast<std::uint32_t>(2 * i + r);
      }
      const auto told = gas::broadcast(team, std::span<const std::uint32_t>(mine), 1);
      return same && std::ranges::equal(told, all[1]);
    });
    for (const bool r : right) CHECK(r);
  }
}

TEST_CASE("an error on one rank is thrown on all, with its type", "[team][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::string>(ranks, [](gas::Transport& team) -> std::string {
      try {
        gas::together(team, [&] {
          if (team.rank() == team.size() - 1)
            throw gas::located_error("f", 3, 7, "'x'", "a number");
        });
      } catch (const gas::InputError& error) {
        return error.what();
      }
      return "nothing thrown";
    });
    for (const auto& result : results) CHECK(result == "f:3:7: found 'x', expected a number");
  }
}

TEST_CASE("home ranges cover every row once", "[team]") {
  for (const std::uint64_t rows : {0, 1, 3, 4, 5, 1000})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const gas::HomeRange home{rows, ranks};
      std::uint64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(home.first(rank) == next);
        for (std::uint64_t i = 0; i < home.count(rank); ++i) CHECK(home.home(next + i) == rank);
        next += home.count(rank);
      }
      CHECK(next == rows);
    }
}
