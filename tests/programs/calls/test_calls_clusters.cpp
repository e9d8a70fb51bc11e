// What k_means takes beside points, and what measures its clusters: against plain loops.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/k_means/selection/scan.hpp"
#include "programs/k_means/selection/silhouette.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::thrown;

namespace {

using Doubles = std::vector<double>;
constexpr std::size_t width = 3;

template <class T>
std::vector<T> blobs(std::size_t count, std::size_t centres, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Doubles at(centres * width);
  for (double& x : at) x = 20 * normal(random);
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < width; ++d)
      values.push_back(static_cast<T>(at[i % centres * width + d] + spread * normal(random)));
  return values;
}

/// The rows of a rank: the last has most.
template <class T>
std::vector<T> share(const gas::Communicator& comm, const std::vector<T>& all, std::size_t each) {
  const std::size_t rows = all.size() / each;
  const auto begin = [&](int rank) {
    return rank == comm.size() ? rows : rows / 7 * static_cast<std::size_t>(rank);
  };
  const auto at = [&](int rank) {
    return all.begin() + static_cast<std::ptrdiff_t>(begin(rank) * each);
  };
  return {at(comm.rank()), at(comm.rank() + 1)};
}

struct Found {
  Doubles centroids;
  std::vector<std::int32_t> labels, predicted;
  Doubles distances, objectives;
  double objective = 0, score = 0;
  bool operator==(const Found&) const = default;
};

/// The same bits on all numbers of ranks.
template <class T>
Found cluster(const std::vector<T>& points, const Doubles& weights, std::uint64_t k,
              const gas::KMeansOptions& options) {
  std::optional<Found> first;
  for (const int ranks : rank_counts())
    for (const Found& found : run_ranks<Found>(ranks, [&](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(2));
           const std::vector<T> mine = share(transport, points, width);
           const gas::Points given{mine, width};
           gas::KMeansOptions own = options;
           own.weights = share(transport, weights, 1);
           for (std::size_t i = 0; i < mine.size() / width; ++i)
             if (ranks == 2) own.rank_of.push_back(static_cast<int>(i % 2));
           const gas::KMeansResult result = gas::k_means(context, given, k, own);
           return Found{result.model.centroids,
                        gas::whole(transport, result.labels),
                        gas::whole(transport, result.model.predict(context, given)),
                        gas::whole(transport, result.model.transform(context, given)),
                        result.objectives,
                        result.objective,
                        result.model.score(context, given, own.weights)};
         })) {
      INFO(ranks << " ranks");
      if (!first) first = found;
      CHECK(found == *first);
    }
  return *first;
}

/// Rounds of weighted Lloyd in double, until no label changes; of directions if `cosine`.
struct Serial {
  Doubles centroids;
  std::vector<std::int32_t> labels;
  double objective = 0;

  Serial(Doubles points, const Doubles& weights, Doubles start, bool cosine)
      : centroids(std::move(start)), labels(points.size() / width, -1) {
    const std::size_t k = centroids.size() / width;
    if (cosine) direct(points), direct(centroids);
    for (bool moves = true; moves;) {
      moves = false;
      objective = 0;
      Doubles sums(k * width), counts(k);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        std::int32_t nearest = 0;
        double least = 1e300;
        for (std::size_t c = 0; c < k; ++c) {
          double squares = 0;
          for (std::size_t d = 0; d < width; ++d)
            squares += std::pow(points[i * width + d] - centroids[c * width + d], 2);
          if (squares < least) least = squares, nearest = static_cast<std::int32_t>(c);
        }
        moves = moves || labels[i] != nearest;
        labels[i] = nearest;
        objective += weights[i] * (cosine ? least / 2 : least);
        const auto c = static_cast<std::size_t>(nearest);
        counts[c] += weights[i];
        for (std::size_t d = 0; d < width; ++d)
          sums[c * width + d] += weights[i] * points[i * width + d];
      }
      for (std::size_t j = 0; j < sums.size(); ++j)
        if (counts[j / width] > 0) centroids[j] = sums[j] / counts[j / width];
      if (cosine) direct(centroids);
    }
  }
  static void direct(Doubles& rows) {
    for (std::size_t i = 0; i < rows.size(); i += width) {
      const double length = std::hypot(rows[i], rows[i + 1], rows[i + 2]);
      for (std::size_t d = 0; d < width; ++d) rows[i + d] /= length;
    }
  }
};

template <class T>
void check_against_serial(bool cosine, double unit, unsigned seed) {
  const std::vector<T> points = blobs<T>(490, 9, 6, seed);
  std::mt19937 random(seed);
  std::exponential_distribution<double> draw;
  Doubles weights;
  for (std::size_t i = 0; i < points.size() / width; ++i)
    weights.push_back(i % 5 == 3 ? 0 : unit * draw(random));
  const Doubles start(points.begin(), points.begin() + 7 * width);
  const Serial expected({points.begin(), points.end()}, weights, start, cosine);
  const Found found =
      cluster(points, weights, 7,
              {.metric = cosine ? gas::KMeansMetric::cosine : gas::KMeansMetric::euclidean,
               .start = start,
               .tolerance = 0});
  INFO("cosine " << cosine << " unit " << unit);
  CHECK(found.labels == expected.labels);
  CHECK(found.predicted == found.labels);
  CHECK(found.objective == Approx(expected.objective).epsilon(1e-5));
  CHECK(found.score == Approx(-found.objective).epsilon(1e-6));
  REQUIRE(found.centroids.size() == expected.centroids.size());
  for (std::size_t i = 0; i < found.centroids.size(); ++i)
    CHECK(found.centroids[i] == Approx(expected.centroids[i]).margin(2e-5));
  double sum = 0;  // of the distances that transform gives
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    const double own = found.distances[i * 7 + static_cast<std::size_t>(found.labels[i])];
    for (std::size_t c = 0; c < 7; ++c) CHECK(own <= found.distances[i * 7 + c] + 1e-6);
    sum += weights[i] * (cosine ? own : own * own);
  }
  CHECK(found.objective == Approx(sum).epsilon(1e-5));
}

/// Rousseeuw's, by the definition, with all means by weight.
double plain_silhouette(const Doubles& points, const std::vector<std::int32_t>& labels, bool cosine,
                        const Doubles& weights = Doubles(1000, 1)) {
  const std::size_t count = labels.size();
  const auto distance = [&](std::size_t i, std::size_t j) {
    double dot = 0, a = 0, b = 0, squares = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double x = points[i * width + d], y = points[j * width + d];
      dot += x * y, a += x * x, b += y * y, squares += (x - y) * (x - y);
    }
    return cosine ? 1 - dot / std::sqrt(a * b) : std::sqrt(squares);
  };
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::map<std::int32_t, std::pair<double, double>> by_label;  // distances, weights
    for (std::size_t j = 0; j < count; ++j)
      if (j != i && weights[j] > 0) {
        by_label[labels[j]].first += weights[j] * distance(i, j);
        by_label[labels[j]].second += weights[j];
      }
    weight += weights[i];
    if (!by_label.contains(labels[i])) continue;
    const double a = by_label[labels[i]].first / by_label[labels[i]].second;
    double b = 1e300;
    for (const auto& [label, of] : by_label)
      if (label != labels[i]) b = std::min(b, of.first / of.second);
    sum += weights[i] * (b - a) / std::max(a, b);
  }
  return sum / weight;
}

}  // namespace

TEST_CASE("k_means follows a plain weighted Lloyd, by distance and by angle",
          "[calls][kmeans][ranks]") {
  for (const bool cosine : {false, true})
    for (const double unit : {1.0, 1e-30, 1e12}) {
      check_against_serial<float>(cosine, unit, 4);
      check_against_serial<double>(cosine, unit, 5);
    }
}

TEST_CASE("k_means: a whole weight is as many points", "[calls][kmeans][ranks]") {
  const std::vector<float> points = blobs<float>(200, 8, 8, 3);
  std::vector<float> repeated;
  Doubles weights;
  for (std::size_t i = 0; i < 200; ++i) {
    weights.push_back(static_cast<double>(i * i % 4));
    for (std::size_t copy = 0; copy < i * i % 4; ++copy)
      repeated.insert(repeated.end(), points.begin() + static_cast<std::ptrdiff_t>(i * width),
                      points.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  }
  const gas::KMeansOptions options{.start = Doubles(points.begin() + 30, points.begin() + 48),
                                   .tolerance = 0};
  const Found weighted = cluster(points, weights, 6, options);
  const Found plain = cluster(repeated, Doubles(repeated.size() / width, 1), 6, options);
  const Found without = cluster(repeated, {}, 6, options);
  CHECK(weighted.centroids == plain.centroids);
  CHECK(plain.centroids == without.centroids);
  CHECK(weighted.objective == Approx(plain.objective).epsilon(1e-9));
  CHECK(plain.objective == Approx(without.objective).epsilon(1e-9));
}

TEST_CASE("k_means draws starts in proportion to weights", "[calls][kmeans]") {
  // One centroid, before any round: the point that was drawn. Weights 1, 3 and 0.
  const std::vector<float> points{0, 10, 20};
  for (const auto init :
       {gas::KMeansInit::plus_plus, gas::KMeansInit::parallel, gas::KMeansInit::random}) {
    std::map<double, int> drawn;
    constexpr int draws = 1000;
    for (int seed = 1; seed <= draws; ++seed) {
      const auto found = gas::k_means(gas::Context(1), gas::Points{points, 1}, 1,
                                      {.init = init,
                                       .weights = {1, 3, 0},
                                       .seed = static_cast<std::uint64_t>(seed),
                                       .run = {.iterations = 0}});
      ++drawn[found.model.centroids[0]];
    }
    CHECK(drawn[20] == 0);
    CHECK(std::abs(drawn[10] - 750) < 70);  // 5 standard deviations
    CHECK(drawn[0] + drawn[10] == draws);
  }
  // Two starts at distinct points with weight, though another lies farther.
  for (int seed = 1; seed <= 20; ++seed) {
    const auto found = gas::k_means(
        gas::Context(1), gas::Points{points, 1}, 2,
        {.weights = {1, 3, 0}, .seed = static_cast<std::uint64_t>(seed), .run = {.iterations = 0}});
    CHECK(found.model.centroids[0] + found.model.centroids[1] == 10);
  }
}

TEST_CASE("k_means: a centroid that lost all weight takes a point that has some",
          "[calls][kmeans][ranks]") {
  // The second start is nearest to the weightless point alone.
  const std::vector<float> points{0, 0, 0, 1, 0, 0, 90, 0, 0, 50, 0, 0};
  const Found found =
      cluster(points, {1, 2, 0, 1e-3}, 2, {.start = {0, 0, 0, 100, 0, 0}, .tolerance = 0});
  CHECK(found.centroids[0] == Approx(2.0 / 3));
  CHECK(found.centroids[3] == 50);
  CHECK(found.labels == std::vector<std::int32_t>{0, 0, 1, 1});
  CHECK(found.objective == Approx(4.0 / 9 + 2.0 / 9));
}

TEST_CASE("k_means keeps the best of several starts", "[calls][kmeans][ranks]") {
  const std::vector<float> floats = blobs<float>(400, 25, 1, 8);
  const Doubles doubles = blobs<double>(400, 25, 1, 8);
  const auto check = [](const auto& points) {
    const auto best_of = [&](std::uint64_t restarts, std::uint64_t seed) {
      return cluster(points, {}, 20, {.restarts = restarts, .tolerance = 0, .seed = seed});
    };
    const Found best = best_of(5, 5);
    const std::set<double> distinct(best.objectives.begin(), best.objectives.end());
    CHECK(best.objectives.size() == 5);
    CHECK(distinct.size() > 1);
    CHECK(best.objective == *distinct.begin());
    CHECK(best.objectives[0] == best_of(1, 5).objective);
    // Starts of neighbouring seeds are not the same ones.
    CHECK(best_of(5, 6).objectives[0] != best.objectives[1]);
  };
  check(floats);
  check(doubles);
  std::vector<std::uint64_t> rounds;
  const auto found = gas::k_means(gas::Context(1), gas::Points{floats, width}, 20,
                                  {.restarts = 3, .on_round = [&](const gas::RoundTold& told) {
                                     rounds.push_back(told.round);
                                     return told.round < 4;
                                   }});
  for (std::size_t i = 0; i < rounds.size(); ++i) CHECK(rounds[i] == i + 1);
  CHECK(found.outcome.interrupted);
}

TEST_CASE("the silhouette is that of the definition", "[calls][kmeans][ranks]") {
  const Doubles points = blobs<double>(150, 5, 9, 2);
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < 150; ++i) labels.push_back(i == 77 ? 6 : i % 5);  // none has 5
  using Told = std::vector<double>;
  for (const bool cosine : {false, true}) {
    const auto metric = cosine ? gas::KMeansMetric::cosine : gas::KMeansMetric::euclidean;
    std::map<std::uint64_t, Told> first;
    for (const std::uint64_t sample : {1000U, 150U, 60U})
      for (const int ranks : rank_counts())
        for (const Told& told : run_ranks<Told>(ranks, [&](gas::Transport& transport) {
               const gas::Context context(transport, gas_test::make_executor(2));
               const Doubles mine = share(transport, points, width);
               const auto own = share(transport, labels, 1);
               const auto found =
                   gas::silhouette(context, gas::Points{mine, width}, own, 7, sample, 3, metric)
                       .value();
               Told all = found.of_clusters;
               for (double& each : all)
                 if (std::isnan(each)) each = -2;
               all.push_back(static_cast<double>(found.sample));
               all.push_back(found.mean);
               return all;
             })) {
          if (!first.contains(sample)) first[sample] = told;
          CHECK(first[sample] == told);
        }
    const double whole = plain_silhouette(points, labels, cosine);
    CHECK(first[150].back() == Approx(whole));
    CHECK(first[1000] == first[150]);
    CHECK(first[150][5] == -2);
    CHECK(first[150][6] == 0);  // alone in its cluster
    CHECK(first[60][7] == 60);
    auto regular = labels;
    regular[77] = 2;
    const double some =
        gas::silhouette(gas::Context(1), gas::Points{points, width}, regular, 5, 75, 3, metric)
            ->mean;
    CHECK(std::abs(some - plain_silhouette(points, regular, cosine)) < 0.1);
  }
  const std::vector<std::int32_t> same(150, 2);
  CHECK(!gas::silhouette(gas::Context(1), gas::Points{points, width}, same, 7, 150));
  const auto wrong = [&](std::vector<std::int32_t> given) {
    return thrown([&] {
      gas::silhouette(gas::Context(1), gas::Points{points, width}, given, 2, 9);
    });
  };
  CHECK_THAT(wrong(same), Catch::Contains("input the labels: found 2, expected 0 to 1"));
  CHECK_THAT(wrong({1, 0}), Catch::Contains("input the labels: found 2 numbers"));
}

TEST_CASE("the silhouette of weighted points has all means by weight", "[calls][kmeans][ranks]") {
  const Doubles points = blobs<double>(120, 4, 9, 6);
  std::vector<std::int32_t> labels;
  Doubles weights, eighths;
  for (std::int32_t i = 0; i < 120; ++i) {
    labels.push_back(i % 4);
    weights.push_back(i % 7 == 0 ? 0 : 1 + i % 5);
    eighths.push_back(weights.back() / 8);
  }
  using Told = std::pair<double, double>;  // of all points, and of a sample
  std::optional<Told> first;
  for (const bool cosine : {false, true}) {
    const auto metric = cosine ? gas::KMeansMetric::cosine : gas::KMeansMetric::euclidean;
    const double expected = plain_silhouette(points, labels, cosine, weights);
    CHECK(std::abs(expected - plain_silhouette(points, labels, cosine)) > 1e-3);
    first.reset();
    for (const int ranks : rank_counts())
      for (const Doubles& given : {weights, eighths})
        for (const Told& told : run_ranks<Told>(ranks, [&](gas::Transport& transport) {
               const gas::Context context(transport, gas_test::make_executor(2));
               const Doubles mine = share(transport, points, width),
                             own = share(transport, given, 1);
               const auto names = share(transport, labels, 1);
               const gas::Points rows{mine, width};
               return Told{gas::silhouette(context, rows, names, 4, 999, 3, metric, own)->mean,
                           gas::silhouette(context, rows, names, 4, 60, 3, metric, own)->mean};
             })) {
          CHECK(told.first == Approx(expected).epsilon(1e-12));
          if (!first) first = told;
          CHECK(*first == told);
        }
  }
  const auto wrong = [&](const Doubles& given) {
    return thrown([&] {
      gas::silhouette(gas::Context(1), gas::Points{points, width}, labels, 4, 999, 1,
                      gas::KMeansMetric::euclidean, given);
    });
  };
  CHECK_THAT(wrong({1, 2}), Catch::Contains("input the weights: found 2 numbers"));
  CHECK_THAT(wrong(Doubles(120, -1)), Catch::Contains("input the weights: found -1"));
}

TEST_CASE("a scan finds how many clusters were planted", "[calls][kmeans][ranks]") {
  const std::vector<float> points = blobs<float>(360, 6, 1, 11);
  const gas::KMeansOptions options{.restarts = 4, .seed = 2};
  for (const int ranks : rank_counts())
    for (const auto& scan : run_ranks<gas::KMeansScan>(ranks, [&](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(1));
           const std::vector<float> mine = share(transport, points, width);
           return gas::k_means_scan(context, gas::Points{mine, width}, 1, 9, 120, options);
         })) {
      REQUIRE(scan.tried.size() == 9);
      CHECK(scan.best.model.k() == 6);
      CHECK(!scan.tried[0].silhouette);
      double farthest = 0;
      std::uint64_t elbow = 0;
      for (const gas::KMeansOfK& each : scan.tried) {
        const auto alone =
            gas::k_means(gas::Context(1), gas::Points{points, width}, each.k, options);
        CHECK(each.objective == alone.objective);
        if (each.silhouette) CHECK(*each.silhouette <= *scan.tried[5].silhouette);
        const double chord =
            scan.tried[0].objective + (scan.tried[8].objective - scan.tried[0].objective) *
                                          static_cast<double>(each.k - 1) / 8;
        if (chord - each.objective > farthest) {
          farthest = chord - each.objective;
          elbow = each.k;
        }
      }
      CHECK(scan.elbow == elbow);
    }
}

TEST_CASE("a scan's silhouettes are by weight", "[calls][kmeans]") {
  const Doubles points = blobs<double>(90, 3, 6, 12);
  gas::KMeansOptions options{.restarts = 2, .seed = 2};
  for (int i = 0; i < 90; ++i) options.weights.push_back(1 + i % 4);
  const gas::KMeansScan scan =
      gas::k_means_scan(gas::Context(2), gas::Points{points, width}, 2, 5, 90, options);
  const auto best = std::ranges::max_element(scan.tried, {}, &gas::KMeansOfK::silhouette);
  CHECK(best->k == scan.best.model.k());
  CHECK(best->silhouette.value() ==
        Approx(plain_silhouette(points, scan.best.labels, false, options.weights)));
}

TEST_CASE("k_means refuses weights, starts and angles that make no sense",
          "[calls][kmeans][ranks]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto cosine = gas::KMeansMetric::cosine;
  struct Case {
    std::string text;
    Doubles weights;  // the last rank's
    gas::KMeansOptions options = {};
    Doubles points = {1, 2, 3, 4};
  };
  const std::vector<Case> cases = {
      {"input the weights: found -1 of row ", {1, -1}},
      {"input the weights: found nan of row ", {nan, 1}},
      {"input the weights: found inf of row ", {1, 1.0 / 0.0}},
      {"input the weights: found 3 numbers, expected one for each of 2 points", {1, 1, 1}},
      {"input the weights: found the weight 1e-13 where all add up to ", {1, 1e-13}},
      {"usage found 0 starts", {1, 1}, {.restarts = 0}},
      {"usage restarts above 1 draws all starts", {1, 1}, {.restarts = 2, .start = {1, 2, 3, 4}}},
      {"usage if restarts is above 1, checkpoints are not possible: leave out the checkpoint "
       "folder",
       {1, 1},
       {.restarts = 2, .run = {.checkpoint = {.folder = "none"}}}},
      {"input them: found only zeros in row ", {1, 1}, {.metric = cosine}, {1, 2, 0, 0}},
      {"usage found an initial centroid of length 0",
       {1, 1},
       {.metric = cosine, .start = {1, 2, 0, 0}}},
  };
  for (const Case& c : cases)
    for (const int ranks : rank_counts())
      for (const std::string& told : run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
             const gas::Context context(transport, gas_test::make_executor(1));
             const bool last = transport.rank() == transport.size() - 1;
             const Doubles points = last ? c.points : Doubles{1, 2};
             gas::KMeansOptions options = c.options;
             options.weights = last ? c.weights : Doubles{1};
             return thrown([&] { gas::k_means(context, {points, 2, "them"}, 2, options); });
           })) {
        INFO(ranks << " ranks");
        CHECK_THAT(told, Catch::StartsWith(c.text));
      }
  const Doubles points{1, 2, 3, 4};
  const auto with = [&](Doubles weights) {
    return thrown([&] {
      gas::k_means(gas::Context(1), {points, 1, "them"}, 2, {.weights = std::move(weights)});
    });
  };
  CHECK_THAT(with({0, 0, 0, 0}), Catch::StartsWith("input the weights: found 0 as every weight"));
  CHECK_THAT(with({0, 3, 0, 0}),
             Catch::StartsWith("input them: found 1 points that weigh more than 0"));
}
