// The programs of docs/lineage against serial loops of a few lines, on several ranks.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <sstream>

#include "tests/tools/support/process.hpp"

namespace {

/// What a program prints on so many ranks; 0: without mpirun.
std::string printed(const std::string& name, int ranks, const std::vector<std::string>& arguments) {
  const auto run = gas_test::run(GAS_EXAMPLES "/" + name, ranks, arguments);
  INFO(name << " on " << ranks << " ranks:\n" << run.err);
  REQUIRE(run.code == 0);
  return run.out;
}

/// The numbers of the lines that begin with a digit.
std::vector<std::vector<double>> rows_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] < '0' || line[0] > '9') continue;
    std::istringstream words(line);
    rows.push_back({std::istream_iterator<double>(words), {}});
  }
  return rows;
}

}  // namespace

TEST_CASE("the autoencoder's losses are the same bits both ways, on any ranks and threads",
          "[docs]") {
  const gas_test::TemporaryFolder folder;
  std::mt19937 draw(2);
  std::string text;
  for (int row = 0; row < 500; ++row) {  // stripes of a random phase
    const int phase = int(draw() % 4);
    for (int i = 0; i < 16; ++i)
      text += fmt::format("{} ", (i % 4 == phase ? 0.8 : 0.2) + double(draw() % 100) / 1000);
    text += '\n';
  }
  gas_test::write_text(folder / "patches", text);
  std::string expected;
  for (const char* way : {"map_reduce", "vertex"})
    for (const int ranks : {0, 2, 4})
      for (const char* threads : {"1", "2"}) {
        if (ranks > 0 && threads[0] == '2') continue;
        const std::string all =
            printed("sparse_autoencoder", ranks, {folder / "patches", way, "12", "6", threads});
        const std::string losses = all.substr(0, all.find("after"));
        if (expected.empty()) expected = losses;
        CHECK(losses == expected);
      }
  const double first = std::stod(expected.substr(2));
  const double last = std::stod(expected.substr(expected.rfind("12 ") + 3));
  CHECK(last < first / 2);
  const std::string advised =
      printed("sparse_autoencoder", 2, {"auto", folder / "patches", "map_reduce", "12", "6", "1"});
  CHECK(advised.substr(0, advised.find("after")) == expected);
}

TEST_CASE("online descent is the serial loop's at staleness 0; its regret grows as √T at any",
          "[docs]") {
  constexpr int streams = 4, rounds = 128, d = 3;
  const gas_test::TemporaryFolder folder;
  std::mt19937 draw(9);
  std::string text;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < streams * rounds; ++i) {
    std::vector<double> row(d + 1);
    for (int k = 0; k < d; ++k) row[k] = (int(draw() % 33) - 16) / 8.0;
    row[d] = row[0] - 0.5 * row[1] + double(draw() % 64) / 16 - 2 > 0 ? 1 : 0;
    for (const double number : row) text += fmt::format("{} ", number);
    text += '\n';
    rows.push_back(row);
  }
  gas_test::write_text(folder / "rows", text);
  std::vector<double> w(d), losses;  // sums up to each round
  double loss = 0;
  for (int t = 1; t <= rounds; ++t) {
    std::vector<double> move(d);
    for (int s = 0; s < streams; ++s) {
      const auto& row = rows[s * rounds + t - 1];
      const double sign = row[d] > 0 ? 1 : -1;
      double margin = 0;
      for (int k = 0; k < d; ++k) margin += sign * row[k] * w[k];
      loss += std::log1p(std::exp(-margin)) / streams;
      for (int k = 0; k < d; ++k) move[k] += sign * row[k] / (1 + std::exp(margin));
    }
    for (int k = 0; k < d; ++k) w[k] += 0.5 / std::sqrt(t) * move[k] / streams;
    losses.push_back(loss);
  }
  const auto run = [&](int ranks, const char* staleness, const char* delay) {
    return rows_of(
        printed("online_regret", ranks, {folder / "rows", staleness, "0.5", "4", delay}));
  };
  const auto expected = run(0, "0", "0");
  REQUIRE(expected.size() == 3);
  for (const auto& row : expected)
    CHECK(row[2] == Approx(losses[std::size_t(row[0]) - 1]).epsilon(1e-6));
  for (const int ranks : {2, 4}) {
    const auto same = run(ranks, "0", "0");  // up to the rounding of the sum of losses
    REQUIRE(same.size() == expected.size());
    for (std::size_t i = 0; i < same.size(); ++i)
      for (std::size_t k = 0; k < expected[i].size(); ++k)
        CHECK(same[i].at(k) == Approx(expected[i][k]).epsilon(1e-9));
    for (const char* staleness : {"4"}) {
      const auto found = run(ranks, staleness, "0.5");
      REQUIRE(found.size() == 3);
      const double slope =
          std::log(found[2][1] / found[0][1]) / std::log(found[2][0] / found[0][0]);
      INFO(ranks << " ranks, staleness " << staleness << ", slope " << slope);
      CHECK(found[0][1] > 0);
      CHECK(slope < 0.6);
    }
  }
}
