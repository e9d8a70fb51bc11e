#include <algorithm>
#include <utility>

#include "loaders/generate/parts.hpp"
#include "loaders/generate/random.hpp"

namespace gas::loaders::detail {
namespace {

/// A multiple of 1/1024: short in the file; sums of products of such numbers are exact.
double shortened(double x) {
  return static_cast<double>(static_cast<std::int64_t>(x * 1024)) / 1024;
}

/// `rank` normal values of each of this rank's BlockDistribution of `count` things.
std::vector<double> draw_factors(Communicator& comm, const GeneratorSpec& spec, Use use,
                                 std::uint64_t count) {
  const BlockDistribution blocks{count, comm.size()};
  std::vector<double> factors;
  factors.reserve(blocks.count(comm.rank()) * spec.whole("rank"));
  for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i) {
    Draws draws(spec.seed, use, blocks.first(comm.rank()) + i);
    for (std::uint64_t k = spec.whole("rank"); k > 0; --k)
      factors.push_back(shortened(draws.normal()));
  }
  return factors;
}

/// The items that a user rates, ascending: gaps between independent choices are geometric.
void draw_items(Draws& draws, const GeneratorSpec& spec, std::uint64_t user,
                std::vector<std::uint64_t>& out) {
  const std::uint64_t users = spec.whole("users"), items = spec.whole("items");
  const double density = spec.real("density");
  out.clear();
  out.push_back(user % items);
  for (std::uint64_t item = user; item < items; item += users) out.push_back(item);
  if (density >= 1) {
    for (std::uint64_t item = 0; item < items; ++item) out.push_back(item);
  } else if (density > 0) {
    const double log_none = natural_log(1 - density);
    for (std::uint64_t item = 0; log_none < 0 && item < items; ++item) {
      const double gap = natural_log(draws.uniform()) / log_none;
      if (!(gap < static_cast<double>(items - item))) break;
      item += static_cast<std::uint64_t>(gap);
      out.push_back(item);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace

Generated generate_ratings(Communicator& comm, const GeneratorSpec& spec) {
  const std::uint64_t users = spec.whole("users"), items = spec.whole("items");
  const auto rank = static_cast<std::size_t>(spec.whole("rank"));
  LoadedGraph graph;
  graph.format = Format::edges;
  graph.shape = {users, items, true};
  graph.source_ids = RowIds(users, 0);
  graph.target_ids = RowIds(items, 0);
  TruthArray of_users{"users", NpyType::f4, {users, rank}, {}};
  TruthArray of_items{"items", NpyType::f4, {items, rank}, {}};
  of_users.values = draw_factors(comm, spec, Use::user, users);
  of_items.values = draw_factors(comm, spec, Use::item, items);
  const std::vector<double> all_items = whole(comm, of_items.values);

  const BlockDistribution blocks{users, comm.size()};
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < blocks.count(comm.rank()); ++i) {
    const std::uint64_t user = blocks.first(comm.rank()) + i;
    Draws draws(spec.seed, Use::example, user);
    draw_items(draws, spec, user, chosen);
    for (const std::uint64_t item : chosen) {
      double rating = 0;
      for (std::size_t k = 0; k < rank; ++k)
        rating += of_users.values[i * rank + k] * all_items[item * rank + k];
      rating = shortened(rating + spec.real("noise") * draws.normal());
      graph.edges.source.push_back(to_vertex_id(user));
      graph.edges.target.push_back(to_vertex_id(item));
      graph.edges.value.push_back(static_cast<float>(rating));
    }
  }
  Generated generated;
  generated.graph = std::move(graph);
  generated.truth.push_back(std::move(of_users));
  generated.truth.push_back(std::move(of_items));
  return generated;
}

}  // namespace gas::loaders::detail
