#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "gas/map_reduce.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas::Context;
using gas::map_reduce;
using gas_test::make_executor;
using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

/// A number whose sums round, differently in different orders.
double odd(std::size_t i) { return std::ldexp(1 + 1 / (3.0 + double(i)), int(i * 7 % 40)); }

/// This rank's of so many, in blocks by rank.
std::vector<std::size_t> share(const Context& context, std::size_t count) {
  const gas::BlockDistribution blocks{count, context.ranks()};
  std::vector<std::size_t> mine(blocks.count(context.rank()));
  std::iota(mine.begin(), mine.end(), std::size_t{blocks.first(context.rank())});
  return mine;
}

/// On every rank, with several executors: `reduce`'s result.
template <class Result>
std::vector<Result> everywhere(int ranks, const std::function<Result(const Context&)>& reduce) {
  std::vector<Result> all;
  for (const unsigned threads : {1U, 2U, 3U})
    for (Result& result : run_ranks<Result>(ranks, [&](gas::Transport& transport) {
           return reduce(Context(transport, make_executor(threads)));
         }))
      all.push_back(std::move(result));
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (Result& result : run_ranks<Result>(ranks, [&](gas::Transport& transport) {
           return reduce(Context(transport, gas::make_deterministic_executor(4, seed)));
         }))
      all.push_back(std::move(result));
  return all;
}

/// x → a x + b. One after the other: associative, not commutative.
struct Affine {
  std::uint32_t a = 1, b = 0;
  bool operator==(const Affine&) const = default;
};
Affine then(const Affine& first, const Affine& second) {
  return {second.a * first.a, second.a * first.b + second.b};
}

}  // namespace

TEST_CASE("map_reduce: sums to the last bit on any threads, within rounding on any ranks",
          "[map_reduce][ranks]") {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 1000U}) {
    double expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += odd(i);
    for (const int ranks : rank_counts()) {
      const auto sums = everywhere<double>(ranks, [&](const Context& context) {
        return map_reduce(context, share(context, count), odd);
      });
      INFO(count << " slices, " << ranks << " ranks");
      CHECK(sums[0] == Approx(expected).epsilon(1e-12));
      for (const double sum : sums) CHECK(sum == sums[0]);
    }
  }
}

TEST_CASE("map_reduce: vectors by element, narrower than there are ranks and wider",
          "[map_reduce][ranks]") {
  for (const std::size_t width : {0U, 1U, 2U, 3U, 50U})
    for (const int ranks : rank_counts()) {
      const auto row = [&](std::size_t i) {
        Eigen::VectorXd values(static_cast<Eigen::Index>(width));
        for (std::size_t k = 0; k < width; ++k)
          values[static_cast<Eigen::Index>(k)] = odd(i * 5 + k);
        return values;
      };
      const auto wide = [&](std::size_t i) {
        std::vector<float> values(width);
        for (std::size_t k = 0; k < width; ++k) values[k] = float((i * 7 + k) % 31);
        return values;
      };
      using Both = std::pair<Eigen::VectorXd, std::vector<float>>;
      const auto results = everywhere<Both>(ranks, [&](const Context& context) {
        const auto larger = [](float a, float b) { return std::max(a, b); };
        return Both(map_reduce(context, share(context, 200), row),
                    map_reduce(context, share(context, 200), wide, larger));
      });
      INFO(width << " wide, " << ranks << " ranks");
      for (const auto& [sums, greatest] : results) {
        REQUIRE(sums.size() == static_cast<Eigen::Index>(width));
        CHECK(sums == results[0].first);
        for (std::size_t k = 0; k < width; ++k) {
          double expected = 0;
          for (std::size_t i = 0; i < 200; ++i) expected += odd(i * 5 + k);
          CHECK(sums[static_cast<Eigen::Index>(k)] == Approx(expected).epsilon(1e-12));
        }
        CHECK(greatest == std::vector<float>(width, 30));
      }
    }
}

TEST_CASE("map_reduce: slices and ranks in their order", "[map_reduce][ranks]") {
  const auto map = [](std::size_t i) {
    return Affine{static_cast<std::uint32_t>(2 * i + 3), static_cast<std::uint32_t>(i)};
  };
  Affine expected;
  for (std::size_t i = 0; i < 500; ++i) expected = then(expected, map(i));
  for (const int ranks : rank_counts())
    for (const Affine& all : everywhere<Affine>(ranks, [&](const Context& context) {
           return map_reduce(context, share(context, 500), map, then);
         }))
      CHECK(all == expected);
}

TEST_CASE("map_reduce: ranks without slices add nothing; without any the result is zero",
          "[map_reduce][ranks]") {
  for (const int ranks : rank_counts()) {
    // Products: a rank that added a zero would be seen.
    const auto products = everywhere<std::vector<int>>(ranks, [&](const Context& context) {
      const bool last = context.rank() + 1 == context.ranks();
      const std::vector<int> mine = last ? std::vector<int>{2, 3, 7} : std::vector<int>{};
      const auto product = map_reduce(
          context, mine, [](int i) { return i; }, std::multiplies<>());
      const auto wide = map_reduce(
          context, mine, [](int i) { return std::vector<int>(3, i); }, std::multiplies<>());
      const std::vector<int> none;
      const auto nothing = map_reduce(context, none, [](int i) { return i; });
      const auto empty = map_reduce(context, none, [](int i) { return std::vector<int>(3, i); });
      const auto zero = map_reduce(context, none, [](int) -> Eigen::Vector3d {
        throw std::logic_error("called without a slice");
      });
      return std::vector<int>{product,
                              wide.at(0),
                              wide.at(1),
                              wide.at(2),
                              nothing,
                              int(empty.size()),
                              zero.isZero(0) ? 0 : 1};
    });
    for (const std::vector<int>& got : products)
      CHECK(got == std::vector<int>{42, 42, 42, 42, 0, 0, 0});
  }
}

TEST_CASE("map_reduce: what one rank throws is thrown on all; so are unequal widths",
          "[map_reduce][ranks]") {
  for (const int ranks : rank_counts()) {
    using Texts = std::vector<std::string>;
    const auto results = everywhere<Texts>(ranks, [&](const Context& context) {
      const bool last = context.rank() + 1 == context.ranks();
      Texts texts;
      try {
        map_reduce(context, share(context, 100), [&](std::size_t i) {
          if (i == 99) throw gas::InputError("slice 99");
          return i;
        });
      } catch (const gas::InputError& error) {
        texts.emplace_back(error.what());
      }
      for (const bool by_rank : {false, true}) try {
          map_reduce(context, share(context, 100), [&](std::size_t i) {
            return std::vector<int>((by_rank ? last : i == 99) ? 4 : 5);
          });
        } catch (const gas::UsageError& error) {
          if (dynamic_cast<const gas::ThrownTogether*>(&error)) texts.emplace_back(error.what());
        }
      return texts;
    });
    for (const Texts& texts : results) {
      REQUIRE(texts.size() == (ranks == 1 ? 2 : 3));
      CHECK(texts[0] == "slice 99");
      for (std::size_t i = 1; i < texts.size(); ++i)
        CHECK(texts[i] == "map_reduce: f must return vectors of one length, found lengths 5 and 4");
    }
  }
}
