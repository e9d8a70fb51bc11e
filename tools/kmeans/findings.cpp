#include "tools/kmeans/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "gas/base/rank_sums.hpp"
#include "programs/k_means/distances.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr double most_comparisons = 1e8;  // of numbers of centres: some hundredths of a second

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return detail::squared_distance(a.data(), b.data(), a.size());
}

bool cosine(const FoundClusters& found) {
  return found.result.model.metric == KMeansMetric::cosine;
}

/// Of each cluster, over all ranks.
struct Sizes {
  std::vector<std::uint64_t> points;
  std::vector<double> weights;
  double weight = 0;  // of all
};

Sizes sizes_of(Run& run, const FoundClusters& found) {
  const std::size_t k = found.result.model.k();
  if (!found.sizes.empty())
    return {found.sizes, found.size_weights,
            std::accumulate(found.size_weights.begin(), found.size_weights.end(), 0.0)};
  Sizes sizes{std::vector<std::uint64_t>(k), std::vector<double>(k)};
  for (std::size_t i = 0; i < found.result.labels.size(); ++i) {
    const auto c = static_cast<std::size_t>(found.result.labels[i]);
    ++sizes.points[c];
    sizes.weights[c] += found.weights.empty() ? 1 : found.weights[i];
  }
  add_ranks(run.transport, sizes.points);
  add_ranks(run.transport, sizes.weights);
  for (const double each : sizes.weights) sizes.weight += each;
  return sizes;
}

/// Σ weight · squared distance of the centres from the mean of all: of centres that are means, what
/// the clusters explain of the points' variance.
double between(const KMeansModel& model, const std::vector<double>& weights, double total) {
  std::vector<double> mean(model.columns);
  for (std::size_t c = 0; c < weights.size(); ++c)
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] += weights[c] / total * model.centroid(c)[d];
  double sum = 0;
  for (std::size_t c = 0; c < weights.size(); ++c)
    sum += weights[c] * squared_distance(model.centroid(c), mean);
  return sum;
}

std::string what(Run& run, const FoundClusters& found) {
  const KMeansResult& result = found.result;
  const std::string clusters = counted(result.model.k(), "cluster", "clusters");
  if (run.options.apply)
    return fmt::format("{} assigned to {} of {}", counted(found.points, "point", "points"),
                       clusters, run.options.model);
  std::string text =
      fmt::format("found {} of {} in {}", clusters, counted(found.points, "point", "points"),
                  counted(result.model.columns, "column", "columns"));
  if (found.batches > 0)
    return text + fmt::format(" by {} in {}", counted(found.batches, "batch", "batches"),
                              counted(found.passes, "pass", "passes"));
  text += fmt::format(" after {}{}", counted(result.outcome.rounds, "round", "rounds"),
                      result.outcome.converged ? ", converged" : ", not converged yet");
  if (result.objectives.size() > 1) {
    const auto [least, most] = std::ranges::minmax(result.objectives);
    text += fmt::format("; the best of {} starts, which ended at objectives of {:.6g} to {:.6g}",
                        result.objectives.size(), least, most);
  }
  return text;
}

std::string range(std::vector<std::uint64_t> counts) {
  const std::uint64_t points = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::ranges::sort(counts);
  return fmt::format("sizes: {} to {}, median {}; the largest has {:.1f} % of the points",
                     counts.front(), counted(counts.back(), "point", "points"),
                     counts[counts.size() / 2],
                     100 * static_cast<double>(counts.back()) / static_cast<double>(points));
}

/// `means`: the centres are means of these points.
std::string tightness(const FoundClusters& found, const std::vector<double>& weights, double total,
                      bool means) {
  const double mean = found.result.objective / total;
  if (cosine(found))
    return fmt::format("tightness: the mean cosine of a point and its centre is {:.4f}", 1 - mean);
  std::string text = fmt::format(
      "tightness: points are {:.4g} from their centre (root mean square)", std::sqrt(mean));
  if (!means) return text;
  const double apart = between(found.result.model, weights, total);
  const double whole = apart + found.result.objective;
  return text + fmt::format("; clusters explain {:.1f} % of the variance",
                            whole > 0 ? 100 * apart / whole : 100);
}

std::string closest(const FoundClusters& found, double total) {
  const KMeansModel& model = found.result.model;
  const auto k = static_cast<double>(model.k());
  if (model.k() < 2) return "closest centres: there is one alone";
  if (k * k / 2 * static_cast<double>(model.columns) > most_comparisons)
    return fmt::format("closest centres: too many to compare here ({})", model.k());
  std::size_t one = 0, other = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < model.k(); ++a)
    for (std::size_t b = a + 1; b < model.k(); ++b)
      if (const double squares = squared_distance(model.centroid(a), model.centroid(b));
          squares < least) {
        least = squares;
        one = a;
        other = b;
      }
  if (cosine(found))
    return fmt::format("closest centres: {} and {}, of cosine {:.4f}", one, other, 1 - least / 2);
  const double spread = std::sqrt(found.result.objective / total);
  return fmt::format("closest centres: {} and {}, {:.4g} apart{}", one, other, std::sqrt(least),
                     spread > 0 ? fmt::format(", {:.1f} × the distance of a point from its centre",
                                              std::sqrt(least) / spread)
                                : "");
}

const char* judged(double silhouette) {
  if (silhouette > 0.7) return "well apart";
  if (silhouette > 0.5) return "apart";
  return silhouette > 0.25 ? "they touch" : "hardly any structure";
}

std::string apartness(const FoundClusters& found) {
  if (found.batches > 0)
    return "how well apart: a --sample of INPUT without --batch, with --silhouette 2000, tells";
  if (found.has_no_silhouette)
    return "how well apart: no silhouette, which needs at least two clusters with points";
  if (!found.silhouette)
    return "how well apart: --silhouette 2000 measures it; --scan 2:20 proposes how many clusters";
  std::string text = fmt::format(
      "how well apart: silhouette {:.3f} on {}: {}", found.silhouette->mean,
      counted(found.silhouette->sample, "point", "points"), judged(found.silhouette->mean));
  if (found.scan)
    text += fmt::format("; the greatest for {} to {} clusters, whose elbow is at {}",
                        found.scan->tried.front().k, found.scan->tried.back().k, found.scan->elbow);
  return text;
}

}  // namespace

std::string objective_of(const KMeansModel& model) {
  return model.metric == KMeansMetric::cosine ? "Sum of cosine distances, 1 − cosine"
                                              : "Sum of squared distances";
}

std::vector<std::string> told_of(Run& run, const FoundClusters& found) {
  const Sizes sizes = sizes_of(run, found);
  return {what(run, found), range(sizes.points),
          tightness(found, sizes.weights, sizes.weight, !run.options.apply && found.batches == 0),
          closest(found, sizes.weight), apartness(found)};
}

std::string scan_table(const KMeansScan& scan, std::uint64_t proposed) {
  using Side = Table::Side;
  Table table({Side::right, Side::right, Side::right, Side::left});
  table.row({"clusters", "objective", "silhouette", ""});
  for (const KMeansOfK& each : scan.tried) {
    std::string mark = each.k == proposed ? "proposed" : "";
    if (each.k == scan.elbow) mark += mark.empty() ? "elbow" : ", elbow";
    table.row({shown(each.k), shown(each.objective),
               each.silhouette ? fmt::format("{:.4f}", *each.silhouette) : "–", mark});
  }
  return table.text_below();
}

std::string scan_lines(const KMeansScan& scan, std::uint64_t proposed) {
  std::string text = "k\tobjective\tsilhouette\telbow\tproposed\n";
  for (const KMeansOfK& each : scan.tried)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", each.k, each.objective,
                        each.silhouette ? fmt::format("{}", *each.silhouette) : "nan",
                        each.k == scan.elbow ? 1 : 0, each.k == proposed ? 1 : 0);
  return text;
}

}  // namespace gas::tools
