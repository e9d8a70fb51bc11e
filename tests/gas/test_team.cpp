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
