#include "programs/k_means/large/two_level.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"

namespace gas::detail {

std::vector<std::uint64_t> share_out(const std::vector<std::uint64_t>& points, std::uint64_t k) {
  std::vector<std::uint64_t> shares(points.size(), 0);
  std::vector<bool> full(points.size(), false);
  std::uint64_t left = k;
  for (std::size_t c = 0; c < points.size(); ++c)
    if (points[c] > 0) {
      shares[c] = 1;
      --left;
    }
  // What is left goes out in proportion to the points that have no centroid yet; those of clusters
  // that are full go to others in another turn.
  while (left > 0) {
    std::uint64_t open = 0;
    for (std::size_t c = 0; c < points.size(); ++c) open += points[c] - shares[c];
    struct Part {
      double fraction;
      std::size_t cluster;
    };
    std::vector<Part> parts;
    const std::uint64_t now = left;
    for (std::size_t c = 0; c < points.size(); ++c) {
      const std::uint64_t free = points[c] - shares[c];
      if (free == 0) continue;
      const double part =
          static_cast<double>(now) * static_cast<double>(free) / static_cast<double>(open);
      const std::uint64_t whole = std::min({static_cast<std::uint64_t>(part), free, left});
      shares[c] += whole;
      left -= whole;
      parts.push_back({part - std::floor(part), c});
    }
    std::ranges::stable_sort(parts, std::greater<>(), &Part::fraction);
    for (const Part& part : parts)
      if (left > 0 && shares[part.cluster] < points[part.cluster]) {
        ++shares[part.cluster];
        --left;
      }
  }
  return shares;
}

namespace {

/// The points of a cluster that count, on the rank that splits it, by ascending id.
template <class T>
struct Cluster {
  std::vector<const T*> rows = {};
  std::vector<double> weights = {};  // empty: 1

  /// The rows, one after the other.
  std::vector<T> values(std::size_t columns) const {
    std::vector<T> all;
    all.reserve(rows.size() * columns);
    for (const T* const row : rows) all.insert(all.end(), row, row + columns);
    return all;
  }
};

/// Which rank splits each cluster: the largest first, to the rank with least work.
std::vector<int> owners(const std::vector<std::uint64_t>& points,
                        const std::vector<std::uint64_t>& shares, int ranks) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto work = [&](std::size_t c) {
    return static_cast<double>(points[c]) * static_cast<double>(shares[c]);
  };
  std::ranges::stable_sort(order, std::greater<>(), work);
  std::vector<double> busy(static_cast<std::size_t>(ranks));
  std::vector<int> owner(points.size());
  for (const std::size_t c : order) {
    const auto least = std::ranges::min_element(busy);
    owner[c] = static_cast<int>(least - busy.begin());
    *least += work(c);
  }
  return owner;
}

/// The clusters of this rank's. On one rank, points where they lie; else as they were sent.
template <class T>
class Gathered {
 public:
  /// Collective.
  Gathered(Communicator& comm, const Points<T>& points, std::size_t columns,
           const std::vector<double>& weights, const std::vector<std::int32_t>& labels,
           const std::vector<int>& owner)
      : clusters(owner.size()) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    std::vector<std::vector<std::int32_t>> told(ranks);
    std::vector<std::vector<T>> values(ranks);
    std::vector<std::vector<double>> weighing(ranks);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (!weights.empty() && weights[i] == 0) continue;
      const auto row = points.values.subspan(i * columns, columns);
      if (ranks == 1) {
        add(labels[i], row.data(), weights.empty() ? nullptr : &weights[i]);
        continue;
      }
      const auto to = static_cast<std::size_t>(owner[static_cast<std::size_t>(labels[i])]);
      told[to].push_back(labels[i]);
      values[to].insert(values[to].end(), row.begin(), row.end());
      if (!weights.empty()) weighing[to].push_back(weights[i]);
    }
    if (ranks == 1) return;
    // From rank to rank, and of each in its order: so by id.
    const auto in_told = all_to_all(comm, std::move(told));
    values_ = all_to_all(comm, std::move(values));
    const auto in_weights = all_to_all(comm, std::move(weighing));
    for (std::size_t from = 0; from < ranks; ++from)
      for (std::size_t i = 0; i < in_told[from].size(); ++i)
        add(in_told[from][i], values_[from].data() + i * columns,
            in_weights[from].empty() ? nullptr : &in_weights[from][i]);
  }

  std::vector<Cluster<T>> clusters;

 private:
  void add(std::int32_t label, const T* row, const double* weight) {
    Cluster<T>& cluster = clusters[static_cast<std::size_t>(label)];
    cluster.rows.push_back(row);
    if (weight != nullptr) cluster.weights.push_back(*weight);
  }

  std::vector<std::vector<T>> values_;  // by the rank that sent them
};

/// How many points of each cluster count, on all ranks. Collective.
std::vector<std::uint64_t> sizes_of(Communicator& comm, std::uint64_t clusters,
                                    const std::vector<std::int32_t>& labels,
                                    const std::vector<double>& weights) {
  std::vector<std::uint64_t> sizes(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (weights.empty() || weights[i] > 0) ++sizes[static_cast<std::size_t>(labels[i])];
  add_ranks(comm, sizes);
  return sizes;
}

/// The clusters of all coarse ones.
struct Split {
  std::vector<double> centroids;  // coarse cluster by coarse cluster
  bool interrupted = false;       // on any rank
  bool converged = true;          // all of them
};

/// On every rank. Collective.
template <class T>
Split split(const Context& context, const Points<T>& points, const KMeansResult& coarse,
            std::uint64_t k, const KMeansOptions& options) {
  Communicator& comm = context.transport();
  const std::uint64_t clusters = coarse.model.k();
  const std::size_t columns = coarse.model.columns;  // also of ranks without points
  const std::vector<std::uint64_t> sizes = sizes_of(comm, clusters, coarse.labels, options.weights);
  together(comm, [&] {
    if (std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) < k)
      throw located_error(std::string(points.name), 0, 0,
                          "fewer points with a weight above 0 than clusters", "at least as many");
  });
  const std::vector<std::uint64_t> shares = share_out(sizes, k);
  const std::vector<int> owner = owners(sizes, shares, comm.size());
  Gathered<T> mine(comm, points, columns, options.weights, coarse.labels, owner);
  std::vector<double> centroids;
  bool interrupted = false, converged = true;
  together(comm, [&] {
    const Context alone(context.threads());
    for (std::size_t c = 0; c < clusters; ++c) {
      if (owner[c] != comm.rank() || shares[c] == 0) continue;
      KMeansOptions inside;
      inside.init = options.init;
      inside.metric = options.metric;
      inside.tolerance = options.tolerance;
      inside.seed = options.seed + 1 + c;
      inside.weights = std::move(mine.clusters[c].weights);
      inside.run.iterations = options.run.iterations;
      inside.run.interrupted = options.run.interrupted;
      const std::vector<T> values = mine.clusters[c].values(columns);
      const KMeansResult found =
          k_means(alone, Points<T>{values, columns, points.name}, shares[c], inside);
      centroids.insert(centroids.end(), found.model.centroids.begin(), found.model.centroids.end());
      interrupted = interrupted || found.outcome.interrupted;
      converged = converged && found.outcome.converged;
    }
  });
  const auto by_rank = all_gather(comm, std::span<const double>(centroids));
  std::vector<std::size_t> next(by_rank.size(), 0);
  Split all{{}, all_max(comm, interrupted ? 1 : 0) == 1, all_min(comm, converged ? 1 : 0) == 1};
  all.centroids.reserve(k * columns);
  for (std::size_t c = 0; c < clusters; ++c) {
    const auto rank = static_cast<std::size_t>(owner[c]);
    const auto some =
        std::span<const double>(by_rank[rank]).subspan(next[rank], shares[c] * columns);
    all.centroids.insert(all.centroids.end(), some.begin(), some.end());
    next[rank] += some.size();
  }
  return all;
}

}  // namespace

template <class T>
KMeansResult two_level(const Context& context, const Points<T>& points, std::uint64_t k,
                       const KMeansOptions& options) {
  KMeansOptions first = options;
  first.levels = 1;
  first.full_rounds = 0;
  first.on_start = {};
  const auto clusters = static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(k))));
  const KMeansResult coarse = k_means(context, points, clusters, first);

  KMeansOptions last = options;
  last.levels = 1;
  last.full_rounds = 0;
  Split parts = split(context, points, coarse, k, options);
  const bool interrupted = parts.interrupted || coarse.outcome.interrupted;
  last.start = std::move(parts.centroids);
  last.keep_start = true;
  last.run.iterations = interrupted ? 0 : options.full_rounds;
  const RoundTold before{coarse.outcome.rounds, coarse.outcome.seconds, {}};
  RoundTold newest;
  last.on_round = counting_on(options.on_round, before, newest);
  KMeansResult found = k_means(context, points, k, last);
  found.outcome.rounds += coarse.outcome.rounds;
  found.outcome.seconds += coarse.outcome.seconds;
  found.outcome.interrupted = found.outcome.interrupted || interrupted;
  if (last.run.iterations == 0)
    found.outcome.converged = !interrupted && parts.converged && coarse.outcome.converged;
  found.wide = std::is_same_v<T, double>;
  return found;
}

template KMeansResult two_level(const Context&, const Points<float>&, std::uint64_t,
                                const KMeansOptions&);
template KMeansResult two_level(const Context&, const Points<double>&, std::uint64_t,
                                const KMeansOptions&);

}  // namespace gas::detail
