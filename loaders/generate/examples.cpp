#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "loaders/generate/parts.hpp"
#include "loaders/generate/random.hpp"

namespace gas::loaders::detail {
namespace {

/// Multiples of 1/1024: short in the file and exact in a float.
double shortened(double number) {
  return static_cast<double>(static_cast<std::int64_t>(number * 1024)) / 1024;
}
double short_normal(Draws& draws) { return shortened(draws.normal()); }

/// The weights that are not zero, `informative` of them, among all features alike.
std::unordered_map<std::uint64_t, double> draw_weights(const GeneratorSpec& spec) {
  const std::uint64_t features = spec.whole("features"), informative = spec.whole("informative");
  std::unordered_map<std::uint64_t, double> weights;
  // Floyd's sampling without replacement (Bentley and Floyd, 1987).
  for (std::uint64_t j = features - informative; j < features; ++j) {
    Draws draws(spec.seed, Use::weight, j);
    const std::uint64_t feature = draws.below(j + 1);
    const double weight = draws.normal();
    if (!weights.emplace(feature, weight).second) weights.emplace(j, weight);
  }
  return weights;
}

/// Features, ascending, each once; the density of feature j falls as 1/√j.
void draw_features(Draws& draws, std::uint64_t draws_wanted, std::uint64_t features,
                   std::vector<std::uint64_t>& out) {
  out.clear();
  for (std::uint64_t i = 0; i < draws_wanted; ++i) {
    const std::uint64_t u = draws.next();
    out.push_back(((u * u >> 32) * features) >> 32);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace

namespace {

/// What a feature's value is made of: of the `group` neighbours that come together in a row each
/// has the same share of √correlation of one normal number, and the rest of its own.
struct Values {
  std::uint64_t group = 1;
  double common = 0, own = 1;

  explicit Values(const GeneratorSpec& spec) {
    if (spec.name != "regression") return;
    group = spec.whole("group");
    common = std::sqrt(spec.real("correlation"));
    own = std::sqrt(1 - spec.real("correlation"));
  }
};

}  // namespace

Generated generate_examples(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t features = spec.whole("features");
  const bool labels = spec.name == "logistic";  // of two, else numbers
  const auto weights = draw_weights(spec);
  const auto turned = static_cast<std::uint64_t>(spec.real("noise") * 0x1p32);
  const Values values(spec);
  LoadedGraph graph;
  graph.format = Format::libsvm;
  graph.shape = {spec.whole("examples"), features, true};
  graph.source_ids = RowIds(graph.shape.sources, 1, 1);
  graph.target_ids = RowIds(features, 1, 1);
  const BlockDistribution blocks{graph.shape.sources, comm.size()};
  const std::uint64_t first = blocks.first(comm.rank());
  std::vector<std::uint64_t> groups;
  for (std::uint64_t row = first; row < first + blocks.count(comm.rank()); ++row) {
    Draws draws(spec.seed, Use::example, row);
    draw_features(draws, (spec.whole("nonzeros") + values.group - 1) / values.group,
                  features / values.group, groups);
    double margin = 0;
    for (const std::uint64_t group : groups) {
      const double common = values.common > 0 ? values.common * short_normal(draws) : 0;
      for (std::uint64_t i = 0; i < values.group; ++i) {
        const std::uint64_t column = group * values.group + i;
        const double x = values.common > 0 ? shortened(common + values.own * draws.normal())
                                           : short_normal(draws);
        graph.edges.source.push_back(to_vertex_id(row));
        graph.edges.target.push_back(to_vertex_id(column));
        graph.edges.value.push_back(static_cast<float>(x));
        const auto weight = weights.find(column);
        if (weight != weights.end()) margin += weight->second * x;
      }
    }
    if (labels) {
      const bool coin = draws.next() % 2 == 0;
      const bool turn = draws.next() < turned;
      const bool positive = margin == 0 ? coin : (margin > 0) != turn;
      graph.labels.push_back(positive ? 1 : -1);
    } else {
      graph.labels.push_back(shortened(margin + spec.real("noise") * draws.normal()));
    }
  }
  const BlockDistribution feature_blocks{features, comm.size()};
  TruthArray truth{"weights", NpyType::f8, {features}, {}};
  truth.values.resize(static_cast<std::size_t>(feature_blocks.count(comm.rank())));
  for (const auto& [feature, weight] : weights)
    if (feature_blocks.owner(feature) == comm.rank())
      truth.values[static_cast<std::size_t>(feature - feature_blocks.first(comm.rank()))] = weight;
  Generated generated;
  generated.graph = std::move(graph);
  generated.truth.push_back(std::move(truth));
  return generated;
}

}  // namespace gas::loaders::detail
