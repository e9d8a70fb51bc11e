// What gas-plan makes of samples.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tools/plan/fit.hpp"
#include "tools/plan/forecast.hpp"

using namespace gas::tools;

TEST_CASE("a fit has no number below 0 and is the nearest such", "[gas-plan]") {
  Eigen::MatrixXd terms(4, 2);
  terms << 1, 1, 1, 2, 1, 3, 1, 4;
  SECTION("planted numbers are found") {
    const Eigen::Vector2d planted(3, 0.5);
    const Eigen::VectorXd found = fit_not_negative(terms, terms * planted);
    CHECK(found[0] == Approx(3));
    CHECK(found[1] == Approx(0.5));
  }
  SECTION("where the nearest line falls, the nearest of those that do not is level") {
    const Eigen::Vector4d seen(4, 3, 2, 1);
    const Eigen::VectorXd found = fit_not_negative(terms, seen);
    // By hand: Σ (c / y − 1)² is least at c = Σ 1/y / Σ 1/y².
    const double level = (1.0 / 4 + 1.0 / 3 + 1.0 / 2 + 1) / (1.0 / 16 + 1.0 / 9 + 1.0 / 4 + 1);
    CHECK(found[0] == Approx(level));
    CHECK(found[1] == 0);
  }
}

namespace {

/// A machine of two cores: rounds of 0.01 s + share × 8 s of one core + 0.002 s × ranks; a rank
/// sends `first` bytes to each other one before the rounds, 97 in the first and 100 in each other.
/// Beyond that, 0.1 s + share × 2 s.
std::vector<Sample> planted(const std::function<std::uint64_t(double)>& first) {
  std::vector<Sample> samples;
  const auto add = [&](int ranks, double share, std::uint64_t rounds) {
    samples.push_back({.ranks = ranks,
                       .share = share,
                       .load = 0.5,
                       .partition = 3 * share,
                       .round = 0.01 + share * 8 / std::min(2, ranks) + 0.002 * ranks,
                       .beyond = 0.1 + 2 * share,
                       .messages = ranks - 1.0,
                       .rounds = rounds,
                       .bytes = static_cast<std::uint64_t>(ranks * (ranks - 1)) *
                                (first(share) + 100 * rounds - (rounds > 0 ? 3 : 0))});
  };
  for (const int ranks : {1, 2, 4}) {
    add(ranks, 1, 0);
    for (const double share : {0.025, 0.05, 0.1}) add(ranks, share, 10);
    add(ranks, 0.1, 5);
    add(ranks, 0.1, 0);
  }
  return samples;
}

std::uint64_t seven(double) { return 7; }

}  // namespace

TEST_CASE("bytes grow as those that are sent before the rounds", "[gas-plan]") {
  std::vector<Sample> samples =
      planted([](double share) { return static_cast<std::uint64_t>(std::lround(400 * share)); });
  samples.push_back({.ranks = 8, .share = 1, .load = 0.7, .partition = 2, .bytes = 56 * 600});
  const Forecaster forecaster(samples, 2, 1);
  const Forecast four = forecaster.here(4, 50);
  CHECK(!four.exact_bytes);
  CHECK(four.bytes == Approx(12 * 10 * (37 + 100 * 50)));
  const Forecast eight = forecaster.here(8, 50);  // which was cut, but not run
  CHECK(!eight.run);
  CHECK(eight.bytes == Approx(56 * 15 * (37 + 100 * 50)));
  CHECK(forecaster.here(1, 50).bytes == 0);
}

TEST_CASE("bytes of samples that end after the same round are estimates", "[gas-plan]") {
  std::vector<Sample> samples = planted(seven);
  for (Sample& sample : samples) {
    sample.rounds = std::min<std::uint64_t>(sample.rounds, 4);
    sample.bytes = sample.ranks == 1 ? 0 : 10 + 100 * sample.rounds;
  }
  const Forecaster forecaster(samples, 2, 1);
  const Forecast found = forecaster.here(2, 50);
  CHECK(!found.exact_bytes);
  CHECK(found.bytes == Approx(10 + 50 * 100));
  CHECK(forecaster.here(1, 50).bytes == 0);
}

TEST_CASE("rounds on all of the input tell its times and bytes", "[gas-plan]") {
  std::vector<Sample> samples = planted(seven);
  const auto whole = [](std::uint64_t rounds) {
    return Sample{.ranks = 2,
                  .share = 1,
                  .load = 0.6,
                  .partition = 1,
                  .round = rounds == 10 ? 9.0 : 11.0,
                  .beyond = 0.4,
                  .rounds = rounds,
                  .bytes = 14 + 300 * rounds};
  };
  for (const std::uint64_t rounds : {10, 5}) samples.push_back(whole(rounds));
  const Forecaster forecaster(samples, 2, 1);
  const Forecast found = forecaster.here(2, 50);
  CHECK(found.set_up == Approx(2));
  CHECK(found.round == Approx(9));
  CHECK(found.bytes == 14 + 300 * 50);
  CHECK(!found.exact_bytes);  // a share sent others
  CHECK(forecaster.here(4, 50).round == Approx(4.018));
}

TEST_CASE("forecasts find planted times and bytes", "[gas-plan]") {
  const Forecaster forecaster(planted(seven), 2, 1);
  for (const int ranks : {1, 2, 4}) {
    const Forecast found = forecaster.here(ranks, 50);
    CHECK(found.run);
    CHECK(found.set_up == Approx(5.6));
    CHECK(found.round == Approx(0.01 + 8.0 / std::min(2, ranks) + 0.002 * ranks));
    CHECK(found.seconds == Approx(5.6 + 50 * found.round));
    CHECK(found.exact_bytes);
    CHECK(found.bytes == ranks * (ranks - 1) * (4 + 100 * 50));
  }
  const Forecast other = forecaster.here(3, 50);
  CHECK(!other.run);
  CHECK(!other.exact_bytes);
  CHECK(other.round == Approx(0.01 + 4 + 0.002 * 3).epsilon(0.01));

  const Host host{.cores = 4, .bandwidth = 1000, .latency = 0.5, .price = 2};
  const Forecast there = forecaster.on(host, 4, 50);
  // Each rank has a thread, and so uses a core.
  const double waits = 3 * 0.5 + 3.0 * (4 + 100 * 50) / 50 / 1000;
  CHECK(there.round == Approx((0.012 + 8) / 4 + waits));
  const Forecaster shared(planted(seven), 2, 0);  // as many threads as there are cores
  CHECK(shared.on(host, 4, 50).round == Approx(2 * (0.012 + 8) / 16 + waits));
  CHECK(there.price == Approx(4 * 2 * there.seconds / 3600));

  // Without rounds what is sent takes its time all the same.
  CHECK(forecaster.on({.bandwidth = 1000}, 4, 0).seconds == Approx(5.6 / 4 + 3.0 * 4 / 1000));
}
