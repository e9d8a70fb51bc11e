// Mini-batch k-means called on batches in memory.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gas/base/communicator.hpp"
#include "programs/k_means/large/mini_batch.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::thrown;

namespace {

constexpr std::size_t width = 3, rows = 600, clusters = 5;

/// Around centres that lie far apart, point i around centre i mod 5.
template <class T>
std::vector<T> blobs(double offset) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<T> values;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t d = 0; d < width; ++d)
      values.push_back(static_cast<T>(
          offset + 30 * std::sin(static_cast<double>(i % clusters * width + d)) + normal(random)));
  return values;
}

/// Sculley's algorithm as published: a batch is assigned, then each of its points pulls its centre.
struct Sculley {
  std::vector<double> centres, counts;
  double objective = 0;  // of batches before they were learnt

  template <class T>
  void add(const T* points, std::size_t count, const double* weights) {
    std::vector<std::size_t> nearest(count);
    for (std::size_t i = 0; i < count; ++i) {
      double least = HUGE_VAL;
      for (std::size_t c = 0; c < counts.size(); ++c) {
        double apart = 0;
        for (std::size_t d = 0; d < width; ++d)
          apart += std::pow(static_cast<double>(points[i * width + d]) - centres[c * width + d], 2);
        if (apart < least) {
          least = apart;
          nearest[i] = c;
        }
      }
      objective += least * weights[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (weights[i] == 0) continue;
      counts[nearest[i]] += weights[i];
      const double rate = weights[i] / counts[nearest[i]];
      for (std::size_t d = 0; d < width; ++d) {
        double& at = centres[nearest[i] * width + d];
        at = (1 - rate) * at + rate * static_cast<double>(points[i * width + d]);
      }
    }
  }
};

struct Learnt {
  gas::KMeansOfBatches made;
  double objective = 0;
};

/// Batches of `size` rows, of which the ranks have uneven shares; `sparse`: as compressed rows.
template <class T>
Learnt learn(const gas::Context& context, const std::vector<T>& points, std::size_t size,
             const std::vector<double>& weights, gas::KMeansOptions options, bool sparse = false) {
  const auto ranks = static_cast<std::size_t>(context.transport().size());
  const auto rank = static_cast<std::size_t>(context.transport().rank());
  Learnt learnt;
  for (std::size_t first = 0; first < rows; first += size) {
    const std::size_t count = std::min(size, rows - first);
    const auto bound = [&](std::size_t of) { return first + count * of * of / (ranks * ranks); };
    const std::size_t begin = bound(rank), end = bound(rank + 1);
    const auto part = std::span(points).subspan(begin * width, (end - begin) * width);
    options.weights.clear();
    if (!weights.empty())
      options.weights.assign(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                             weights.begin() + static_cast<std::ptrdiff_t>(end));
    const auto add = [&](const auto& batch) {
      learnt.objective += add_batch(context, learnt.made, batch, clusters, options).objective;
    };
    if (!sparse) {
      add(gas::Points<T>{part, width});
      continue;
    }
    std::vector<std::uint64_t> offsets{0};
    std::vector<gas::VertexId> columns;
    std::vector<float> values;
    for (std::size_t i = 0; i < part.size(); ++i) {
      columns.push_back(static_cast<gas::VertexId>(i % width));
      values.push_back(static_cast<float>(part[i]));
      if (i % width == width - 1) offsets.push_back(values.size());
    }
    add(gas::SparsePoints{
        .offsets = offsets, .column = columns, .values = values, .columns = width});
  }
  return learnt;
}

template <class T>
void check(double offset, bool weighted, bool sparse) {
  const std::vector<T> points = blobs<T>(offset);
  std::vector<double> weights(rows, 1);
  for (std::size_t i = 0; i < rows && weighted; ++i) weights[i] = static_cast<double>(i % 4) / 2;
  for (const std::size_t size : {rows, std::size_t{64}, std::size_t{7}}) {
    gas::KMeansOptions options;
    // Two starts in one blob and none in another: centres have a way to go.
    for (const std::size_t row : {0U, 6U, 2U, 5U, 13U})
      for (std::size_t d = 0; d < width; ++d)
        options.start.push_back(static_cast<double>(points[row * width + d]));
    Sculley expected{options.start, std::vector<double>(clusters)};
    for (std::size_t first = 0; first < rows; first += size)
      expected.add(points.data() + first * width, std::min(size, rows - first),
                   weights.data() + first);
    const std::vector<double> given = weighted ? weights : std::vector<double>();
    const Learnt one = learn(gas::Context(1), points, size, given, options, sparse);
    INFO("batches of " << size);
    CHECK(one.made.batches == (rows + size - 1) / size);
    CHECK(one.made.weights == expected.counts);
    CHECK(one.objective == Approx(expected.objective).epsilon(1e-5));
    for (std::size_t i = 0; i < expected.centres.size(); ++i)
      CHECK(one.made.model.centroids[i] - offset ==
            Approx(expected.centres[i] - offset).margin(1e-5));
    for (const int ranks : rank_counts()) {
      const auto found = run_ranks<Learnt>(ranks, [&](gas::Transport& transport) {
        return learn(gas::Context(transport, 2), points, size, given, options, sparse);
      });
      for (const Learnt& each : found) {
        CHECK(each.made.model.centroids == one.made.model.centroids);
        CHECK(each.made.weights == one.made.weights);
        CHECK(each.objective == one.objective);
        CHECK(each.made.wide == one.made.wide);
      }
    }
  }
}

}  // namespace

TEST_CASE("mini-batches end where Sculley's loop does", "[ranks]") {
  check<float>(0, false, false);
  check<float>(0, true, false);
  check<double>(1e6, false, false);
  check<double>(0, true, false);
  check<float>(0, true, true);
}

TEST_CASE("by cosine, centroids are directions of means of all directions that they took",
          "[ranks]") {
  const std::vector<double> points = blobs<double>(0);
  std::vector<double> weights(rows), directions(points);
  for (std::size_t i = 0; i < rows; ++i) {
    weights[i] = static_cast<double>(i % 4) / 2;
    double squares = 0;
    for (std::size_t d = 0; d < width; ++d) squares += std::pow(points[i * width + d], 2);
    for (std::size_t d = 0; d < width; ++d) directions[i * width + d] /= std::sqrt(squares);
  }
  // Of directions, the nearest is that of the least angle: squared distances are 2 − 2 cosines.
  std::vector<double> sums(clusters * width), taken(clusters), centres;
  for (const std::size_t row : {0U, 6U, 2U, 5U, 13U})
    centres.insert(centres.end(), directions.begin() + static_cast<std::ptrdiff_t>(row * width),
                   directions.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  const gas::KMeansOptions options{.metric = gas::KMeansMetric::cosine, .start = centres};
  constexpr std::size_t size = 64;
  double objective = 0;
  for (std::size_t first = 0; first < rows; first += size) {
    for (std::size_t i = first; i < std::min(rows, first + size); ++i) {
      double most = -2;
      std::size_t nearest = 0;
      for (std::size_t c = 0; c < clusters; ++c) {
        double cosine = 0;
        for (std::size_t d = 0; d < width; ++d)
          cosine += directions[i * width + d] * centres[c * width + d];
        if (cosine > most) most = cosine, nearest = c;
      }
      objective += weights[i] * (1 - most);
      taken[nearest] += weights[i];
      for (std::size_t d = 0; d < width; ++d)
        sums[nearest * width + d] += weights[i] * directions[i * width + d];
    }
    for (std::size_t c = 0; c < clusters; ++c) {
      const double length =
          std::sqrt(std::pow(sums[c * width], 2) + std::pow(sums[c * width + 1], 2) +
                    std::pow(sums[c * width + 2], 2));
      for (std::size_t d = 0; d < width && length > 0; ++d)
        centres[c * width + d] = sums[c * width + d] / length;
    }
  }
  for (const bool sparse : {false, true}) {
    std::vector<double> first;
    for (const int ranks : rank_counts()) {
      const auto found = run_ranks<Learnt>(ranks, [&](gas::Transport& transport) {
        return learn(gas::Context(transport, 2), points, size, weights, options, sparse);
      });
      for (const Learnt& each : found) {
        if (first.empty()) first = each.made.model.centroids;
        CHECK(each.made.model.centroids == first);
        CHECK(each.made.weights == taken);
        CHECK(each.objective == Approx(objective).epsilon(1e-4));
        for (std::size_t i = 0; i < centres.size(); ++i)
          CHECK(each.made.model.centroids[i] == Approx(centres[i]).margin(1e-5));
      }
    }
  }
}

TEST_CASE("drawn mini-batches find the planted centres", "[ranks]") {
  const std::vector<double> points = blobs<double>(0);
  for (const int ranks : rank_counts()) {
    const auto found = run_ranks<Learnt>(ranks, [&](gas::Transport& transport) {
      return learn(gas::Context(transport, 1), points, 100, {}, {.seed = 3});
    });
    for (const Learnt& each : found) {
      CHECK(each.made.model.centroids == found[0].made.model.centroids);
      CHECK(each.made.weights == std::vector<double>(clusters, rows / clusters));
      CHECK(each.objective < 1.3 * rows * width);
    }
    for (std::size_t blob = 0; blob < clusters; ++blob) {
      double nearest = HUGE_VAL;
      for (std::size_t c = 0; c < clusters; ++c) {
        double apart = 0;
        for (std::size_t d = 0; d < width; ++d)
          apart += std::pow(found[0].made.model.centroids[c * width + d] -
                                30 * std::sin(static_cast<double>(blob * width + d)),
                            2);
        nearest = std::min(nearest, std::sqrt(apart));
      }
      CHECK(nearest < 0.5);
    }
  }
}

TEST_CASE("batches that do not fit are refused") {
  const gas::Context context(1);
  const std::vector<float> points = blobs<float>(0);
  gas::KMeansOfBatches made;
  const auto add = [&](std::size_t count, std::size_t columns, std::uint64_t k) {
    return thrown([&] {
      add_batch(context, made, gas::Points<float>{std::span(points).first(count), columns}, k);
    });
  };
  CHECK_THAT(add(3 * width, width, 5), Catch::Contains("at least as many as clusters, 5"));
  CHECK(made.model.centroids.empty());
  CHECK(add(50 * width, width, 5).empty());
  CHECK_THAT(add(4, 4, 5), Catch::Contains("found rows of 4 numbers, expected 3"));
  CHECK_THAT(add(6, 3, 4), Catch::Contains("5 centroids from the batches before, expected 4"));
  CHECK(add(3, 3, 5).empty());  // fewer than centroids
  CHECK(made.batches == 2);
  CHECK_THAT(thrown([&] {
               add_batch(context, made, gas::Points<float>{std::span(points).first(9), width}, 5,
                         {.metric = gas::KMeansMetric::cosine});
             }),
             Catch::Contains("by another metric, expected one by cosine"));
}
