#include "tools/kmeans/clusters_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "gas/base/rank_sums.hpp"
#include "programs/k_means/place_sparse.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/report/distribution.hpp"

namespace gas::tools {
namespace {

constexpr std::size_t most_clusters = 100, most_coordinates = 6, least_side = 8, most_side = 64;

double cosine_distance(auto a, auto b) {
  double dot = 0, of_a = 0, of_b = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const auto x = static_cast<double>(a[d]), y = static_cast<double>(b[d]);
    dot += x * y;
    of_a += x * x;
    of_b += y * y;
  }
  return 1 - dot / std::sqrt(of_a * of_b);
}

double squared_distance(auto a, auto b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                               [](double x, double y) { return (x - y) * (x - y); });
}

bool by_angle(const KMeansModel& model) { return model.metric == KMeansMetric::cosine; }

template <class T>
ClusterSums local_clusters(std::span<const T> values, const KMeansResult& found) {
  const std::uint64_t columns = found.model.columns;
  ClusterSums all{std::vector<std::uint64_t>(found.model.k(), 0),
                  std::vector<double>(found.model.k(), 0)};
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(found.labels[i]);
    ++all.points[cluster];
    const auto point = values.subspan(i * columns, columns);
    all.away[cluster] += by_angle(found.model)
                             ? cosine_distance(point, found.model.centroid(cluster))
                             : squared_distance(point, found.model.centroid(cluster));
  }
  return all;
}

ClusterSums local_clusters(const SparsePoints& points, const KMeansResult& found) {
  const std::size_t k = found.model.k(), columns = found.model.columns;
  ClusterSums all{std::vector<std::uint64_t>(k, 0), std::vector<double>(k, 0)};
  const detail::SparseRows rows(points);
  detail::MeasuredRows centres;
  centres.assign({found.model.centroids.data(), k, columns, columns});
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(found.labels[i]);
    ++all.points[cluster];
    const bool angle = by_angle(found.model);
    const double factor = angle ? detail::to_unit_length(rows, i) : 1;
    all.away[cluster] +=
        centres.squared_distance(rows, rows.input(i, factor), cluster) / (angle ? 2 : 1);
  }
  return all;
}

struct Nearest {
  std::size_t cluster = 0;
  double squared = std::numeric_limits<double>::infinity();
};

Nearest nearest_other(const KMeansModel& model, std::size_t cluster) {
  Nearest nearest;
  for (std::size_t other = 0; other < model.k(); ++other) {
    if (other == cluster) continue;
    const double squared = squared_distance(model.centroid(cluster), model.centroid(other));
    if (squared < nearest.squared) nearest = {other, squared};
  }
  return nearest;
}

/// The side of the square picture that a point may be; 0: it is none.
std::size_t side_of_pictures(std::uint64_t columns) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(columns))));
  return side * side == columns && side >= least_side && side <= most_side ? side : 0;
}

std::vector<double> mean_centre(const KMeansModel& model, const ClusterSums& clusters) {
  std::vector<double> mean(model.columns, 0);
  double all = 0;
  for (std::size_t c = 0; c < model.k(); ++c) {
    const auto weight = static_cast<double>(clusters.points[c]);
    all += weight;
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += weight * model.centroid(c)[d];
  }
  for (double& each : mean) each /= std::max(1.0, all);
  return mean;
}

/// The coordinates in which a centre differs most from the mean of all points.
report::Html outstanding(std::span<const double> of, const std::vector<double>& mean) {
  std::vector<std::size_t> columns(mean.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const std::size_t count = std::min(columns.size(), most_coordinates);
  std::ranges::partial_sort(columns, columns.begin() + static_cast<std::ptrdiff_t>(count),
                            std::greater<>(),
                            [&](std::size_t d) { return std::abs(of[d] - mean[d]); });
  columns.resize(count);
  std::ranges::sort(columns);
  std::string text;
  for (const std::size_t d : columns)
    text += fmt::format("{}{}: {:.4g} ({:+.2g})", text.empty() ? "" : "; ", d + 1, of[d],
                        of[d] - mean[d]);
  return report::text(text);
}

report::Section clusters_section(const KMeansModel& model, const ClusterSums& clusters) {
  std::vector<std::size_t> order(model.k());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t c) { return clusters.points[c]; });
  order.resize(std::min(order.size(), most_clusters));
  const std::vector<double> mean = mean_centre(model, clusters);
  const std::size_t side = side_of_pictures(model.columns);
  const auto shown_distance = [&](double away) { return by_angle(model) ? away : std::sqrt(away); };
  const auto most = static_cast<double>(std::max<std::uint64_t>(1, clusters.points[order[0]]));
  report::Section section("Clusters");
  if (order.size() < model.k())
    section.paragraph(fmt::format("The largest {} of {} clusters.", order.size(), model.k()));
  section.paragraph(
      std::string(by_angle(model)
                      ? "Spread is the mean of 1 − cosine of the cluster's points and its centre; "
                        "so are distances. "
                      : "Spread is the root of the mean squared distance of the cluster's points "
                        "to its centre. ") +
      std::string(side > 0
                      ? "Points have as many columns as a square picture, and centres are "
                        "shown as one."
                      : "Of each centre: the columns, counted from 1, in which it differs most "
                        "from the mean of all points, and by how much."));
  report::Table table{"Clusters by size",
                      {{"Cluster", false},
                       {"Centre", false},
                       {"Points"},
                       {"Bar", false},
                       {"Spread"},
                       {"Nearest centre", false},
                       {"Distance"}}};
  for (const std::size_t c : order) {
    const Nearest nearest = nearest_other(model, c);
    const bool alone = std::isinf(nearest.squared);
    const auto points = static_cast<double>(clusters.points[c]);
    const auto of = model.centroid(c);
    table.rows.push_back(
        {report::text(std::to_string(c)),
         side > 0 ? report::picture({of.begin(), of.end()}, side, fmt::format("Centre {}", c))
                  : outstanding(of, mean),
         report::figure(clusters.points[c]), report::bar(points / most),
         clusters.points[c] > 0 ? report::figure(shown_distance(clusters.away[c] / points))
                                : report::text("–"),
         report::text(alone ? "–" : std::to_string(nearest.cluster)),
         alone ? report::text("–")
               : report::figure(shown_distance(nearest.squared / (by_angle(model) ? 2 : 1)))});
  }
  return section.table(table);
}

}  // namespace

ClusterSums local_sums(const loaders::LoadedPoints& points, const KMeansResult& found) {
  return points.sparse ? local_clusters(sparse_view(points, ""), found)
         : points.wide ? local_clusters(std::span(points.wide_values), found)
                       : local_clusters(std::span(points.values), found);
}

std::vector<report::Section> cluster_sections(Run& run, ClusterSums clusters,
                                              const KMeansModel& model) {
  if (model.k() == 0) return {};
  add_ranks(run.transport, clusters.points);
  add_ranks(run.transport, clusters.away);
  std::vector<report::Section> sections{clusters_section(model, clusters)};
  const std::vector<std::uint64_t> none;
  const auto bins = report::distribution(
      run.transport, run.transport.rank() == 0 ? std::span<const std::uint64_t>(clusters.points)
                                               : std::span<const std::uint64_t>(none));
  if (model.k() > most_clusters) report::add_distribution(sections[0], bins, "clusters", "points");
  return sections;
}

}  // namespace gas::tools
