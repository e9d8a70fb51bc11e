// The programs of docs/lineage against serial loops of a few lines, on several ranks.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "gas/base/random.hpp"
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

TEST_CASE("the classifier's steps are those of a serial loop, on any ranks", "[docs]") {
  // One batch holds all, so that the order in it does not matter.
  constexpr std::size_t n = 60, d = 6, hidden = 5, classes = 3, width = d + 1 + classes;
  const gas_test::TemporaryFolder folder;
  std::mt19937 draw(4);
  std::string images, labels;
  std::vector<std::vector<double>> x(n, std::vector<double>(d));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      x[i][k] = double(draw() % 8 + (k == 2 * (i % 3) ? 8U : 0U)) / 16;
      images += fmt::format("{} ", x[i][k]);
    }
    images += '\n';
    labels += fmt::format("{}\n", i % 3);
  }
  double largest = 0;
  for (const auto& row : x) largest = std::max(largest, *std::ranges::max_element(row));
  gas_test::write_text(folder / "x", images);
  gas_test::write_text(folder / "y", labels);

  std::vector<double> w((hidden + 1) * width), velocity(w.size()), losses;
  for (std::size_t h = 0; h < hidden; ++h)
    for (std::size_t i = 0; i < width; ++i) {
      const double most = std::sqrt(6.0 / double(i < d ? d : hidden + classes));
      const auto random = gas::Random(1).stream(1).stream(h);
      if (i != d) w[h * width + i] = most * (2 * random.uniform(i) - 1);
    }
  for (int epoch = 0; epoch < 15; ++epoch) {
    std::vector<double> gradient(w.size());
    double loss = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double a[hidden], p[classes], sum = 0;
      for (std::size_t h = 0; h < hidden; ++h) {
        a[h] = w[h * width + d];
        for (std::size_t k = 0; k < d; ++k) a[h] += w[h * width + k] * x[i][k] / largest;
        a[h] = std::max(a[h], 0.0);
      }
      for (std::size_t c = 0; c < classes; ++c) {
        p[c] = w[hidden * width + d + 1 + c];
        for (std::size_t h = 0; h < hidden; ++h) p[c] += w[h * width + d + 1 + c] * a[h];
        sum += p[c] = std::exp(p[c]);
      }
      loss -= std::log(p[i % 3] / sum);
      for (std::size_t c = 0; c < classes; ++c) p[c] = p[c] / sum - (c == i % 3 ? 1 : 0);
      for (std::size_t h = 0; h < hidden; ++h) {
        double back = 0;
        for (std::size_t c = 0; c < classes; ++c) {
          back += w[h * width + d + 1 + c] * p[c];
          gradient[h * width + d + 1 + c] += a[h] * p[c];
        }
        if (a[h] <= 0) continue;
        for (std::size_t k = 0; k < d; ++k) gradient[h * width + k] += back * x[i][k] / largest;
        gradient[h * width + d] += back;
      }
      for (std::size_t c = 0; c < classes; ++c) gradient[hidden * width + d + 1 + c] += p[c];
    }
    losses.push_back(loss / double(n));
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] += velocity[i] = 0.8 * velocity[i] - 0.3 * gradient[i] / n;
  }
  std::vector<std::string> told;  // losses of one rank, to the last digit
  for (const int ranks : {0, 2, 4}) {
    const std::string text = printed("image_classifier", ranks,
                                     {folder / "x", folder / "y", folder / "x", folder / "y", "5",
                                      "15", "60", "0.3", "0.8", "4"});
    std::istringstream words(text);
    std::size_t epoch = 0;
    for (std::string word; words >> word;) {
      if (word != "loss") continue;
      words >> word;
      INFO(ranks << " ranks, epoch " << epoch + 1);
      REQUIRE(epoch < losses.size());
      CHECK(std::stod(word) == Approx(losses[epoch]).epsilon(1e-4));
      if (ranks == 0) told.push_back(word);
      CHECK(word == told.at(epoch));
      ++epoch;
    }
    CHECK(epoch == losses.size());
    CHECK(losses.back() < 0.7 * losses.front());
  }
  const auto refused = [&](const std::string& y, const std::string& message) {
    const auto run = gas_test::run(GAS_EXAMPLES "/image_classifier", 2,
                                   {folder / "x", y, folder / "x", folder / "y"});
    CHECK(run.code != 0);
    CHECK_THAT(run.err, Catch::Contains(message));
  };
  gas_test::write_text(folder / "twice", labels + labels);
  refused(folder / "twice", "120 rows of 1 columns");
  gas_test::write_text(folder / "half", labels.replace(0, 1, "0.5"));
  refused(folder / "half", "0.5");
}

TEST_CASE("k-means in a cloud: the same bits on simulated and real ranks, times as modelled",
          "[docs]") {
  const auto play = [](int ranks, std::vector<std::string> settings) {
    for (const char* common : {"rounds=3", "clusters=32", "dimensions=5", "points=60"})
      settings.emplace_back(common);
    const std::string text = printed("cloud_k_means", ranks, settings);
    std::map<std::string, std::vector<std::string>> found;  // by the first word: the last of a line
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      found[line.substr(0, line.find(' '))].push_back(line.substr(line.rfind(' ') + 1));
    return found;
  };
  const auto real = play(4, {"task=0.001", "topology=tree"});
  for (const char* topology : {"topology=flat", "topology=groups", "topology=tree"})
    CHECK(play(0, {"ranks=4", topology})["centroids"] == real.at("centroids"));

  // A message costs 1 ms, and nothing else takes time. A round is a task, and the messages that a
  // rank waits for one after the other: of two records, and of the exchange there and back.
  const auto per_round = [&](int ranks, const char* topology) {
    auto found = play(0, {"ranks=" + std::to_string(ranks), topology, "task=0.5", "message=0.001"});
    CHECK(found["task"].size() == std::size_t(ranks) * 3);
    for (const std::string& task : found["task"])
      CHECK(std::stod(task) == Approx(0.5).epsilon(1e-6));
    return 1000 * ((std::stod(found["round"][2]) - std::stod(found["round"][0])) / 2 - 0.5);
  };
  for (const int log : {2, 4}) {
    const int ranks = 1 << log;
    CHECK(per_round(ranks, "topology=tree") == Approx(4 * log).margin(0.1));
    CHECK(per_round(ranks, "topology=flat") == Approx(2 * (ranks - 1) + 2 * log).margin(1.5));
  }
  for (const char* wrong : {"rounds=0", "topology=ring", "rank=3", "task=x"}) {
    const auto refused = gas_test::run(GAS_EXAMPLES "/cloud_k_means", 0, {wrong});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Catch::Contains(std::string(wrong).substr(0, 4)));
  }
}

TEST_CASE("online descent is the serial loop's at staleness 0; its regret grows as √T at any",
          "[docs]") {
  constexpr std::size_t streams = 4, rounds = 128, d = 3;
  const gas_test::TemporaryFolder folder;
  std::mt19937 draw(9);
  std::string text;
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < streams * rounds; ++i) {
    std::vector<double> row(d + 1);
    for (std::size_t k = 0; k < d; ++k) row[k] = (int(draw() % 33) - 16) / 8.0;
    row[d] = row[0] - 0.5 * row[1] + double(draw() % 64) / 16 - 2 > 0 ? 1 : 0;
    for (const double number : row) text += fmt::format("{} ", number);
    text += '\n';
    rows.push_back(row);
  }
  gas_test::write_text(folder / "rows", text);
  std::vector<double> w(d), losses;  // sums up to each round
  double loss = 0;
  for (std::size_t t = 1; t <= rounds; ++t) {
    std::vector<double> move(d);
    for (std::size_t s = 0; s < streams; ++s) {
      const auto& row = rows[s * rounds + t - 1];
      const double sign = row[d] > 0 ? 1 : -1;
      double margin = 0;
      for (std::size_t k = 0; k < d; ++k) margin += sign * row[k] * w[k];
      loss += std::log1p(std::exp(-margin)) / double(streams);
      for (std::size_t k = 0; k < d; ++k) move[k] += sign * row[k] / (1 + std::exp(margin));
    }
    for (std::size_t k = 0; k < d; ++k)
      w[k] += 0.5 / std::sqrt(double(t)) * move[k] / double(streams);
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
