#include "programs/shortest_paths/shortest_paths.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gas/base/alike.hpp"
#include "gas/base/rank_sums.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/calls/run.hpp"
#include "programs/calls/source.hpp"
#include "programs/shortest_paths/program.hpp"

namespace gas {
namespace {

/// The width of buckets for delta-stepping: a length that about one arc of a vertex does not
/// exceed, whatever the degree, and half of all at most (Meyer, Sanders 2003: Θ(1 / degree) of
/// lengths from 0 to 1). A few long arcs change nothing. Wider in async, which has 1024 buckets,
/// where few arcs lead far. 1 where no arc has a length.
double bucket_width(Communicator& comm, const LocalGraph& graph, bool async) {
  // Lengths above 0 are counted by exponent and four further bits. Of some ten thousand per rank.
  constexpr unsigned counted_bits = 15, rest = 63 - counted_bits;
  std::vector<std::uint32_t> counts(std::size_t{1} << counted_bits);
  const auto add = [&](const auto& lengths) {
    const std::size_t stride = 1 + (lengths.size() >> 14U);
    for (std::size_t e = 0; e < lengths.size(); e += stride)
      if (lengths[e] > 0) ++counts[std::bit_cast<std::uint64_t>(double{lengths[e]}) >> rest];
  };
  add(graph.values);
  add(graph.wide_values);
  add_ranks(comm, counts);
  const double arcs = static_cast<double>(graph.edge_count);
  const double wanted = std::min(0.5, static_cast<double>(graph.owner.count) / arcs) *
                        std::reduce(counts.begin(), counts.end(), 0.0);
  double below = 0;
  std::uint64_t width = 0;  // the least of the lengths that are counted together
  for (std::uint64_t at = 0; at < counts.size(); ++at) {
    if (below >= wanted / 2 && below + counts[at] > wanted) break;
    if (counts[at] > 0) width = at;
    below += counts[at];
  }
  if (width == 0) return 1;
  const bool deep = async && arcs < 8 * static_cast<double>(graph.owner.count);
  return std::bit_cast<double>(width << rest) * (deep ? 15 : 1);
}

/// The least of some numbers, of which none is NaN; infinity of none. Local.
template <class Numbers>
double least_of(Executor& executor, const Numbers& numbers) {
  using Number = std::remove_cvref_t<decltype(numbers[0])>;
  std::vector<double> least(executor.workers(), std::numeric_limits<double>::infinity());
  detail::in_blocks(executor, numbers.size(), [&](std::size_t i, std::size_t end, std::size_t w) {
    const Eigen::Map<const Eigen::ArrayX<Number>> block(numbers.data() + i,
                                                        static_cast<Eigen::Index>(end - i));
    least[w] = std::min(least[w], static_cast<double>(block.minCoeff()));
  });
  return std::ranges::min(least);
}

/// Every distance is finite if the sum of all lengths is.
void check_lengths(const Context& context, const LocalGraph& graph, const std::string& name) {
  Communicator& comm = context.transport();
  const double mine = std::accumulate(graph.wide_values.begin(), graph.wide_values.end(), 0.0);
  const double sum = all_sum(comm, mine);
  const double lowest = std::min(least_of(context.executor(), graph.values),
                                 least_of(context.executor(), graph.wide_values));
  together(comm, [&] {
    if (lowest < 0) throw located_error(name, 0, 0, "a negative length", "lengths of at least 0");
    if (!std::isfinite(sum))
      throw located_error(name, 0, 0, "lengths without a finite sum",
                          "a sum that a 64-bit float holds, at most 1.7e308");
  });
}

template <class Length>
Distances find(const Context& context, std::shared_ptr<const LocalGraph> local,
               std::uint64_t source, const ShortestPathsOptions& options) {
  Transport& transport = context.transport();
  using Program = ShortestPaths<Length>;
  const bool async = options.run.staleness.bound == Staleness::async;
  const double width = options.width > 0 ? options.width : bucket_width(transport, *local, async);
  Engine<Program> engine(transport, context.executor(), local,
                         {.source = to_vertex_id(source), .step = width});
  Distances found;
  found.outcome = run_engine(
      engine, with_settings(options.run, {{"row of the source", std::to_string(source)}}),
      options.on_round);
  call_together(context, options.on_close);
  found.distances = engine.template published_by_id<typename Program::Vertex>();
  struct Reached {
    std::uint64_t count = 0;
    double farthest = 0;
  };
  std::vector<Reached> by_worker(context.executor().workers());
  detail::in_blocks(context.executor(), found.distances.size(),
                    [&](std::size_t i, std::size_t end, std::size_t w) {
                      Reached block;
                      for (; i < end; ++i) {
                        if (std::isinf(found.distances[i])) continue;
                        ++block.count;
                        block.farthest = std::max(block.farthest, found.distances[i]);
                      }
                      by_worker[w].count += block.count;
                      by_worker[w].farthest = std::max(by_worker[w].farthest, block.farthest);
                    });
  for (const Reached& reached : by_worker) {
    found.reached += reached.count;
    found.farthest = std::max(found.farthest, reached.farthest);
  }
  found.applied = all_sum(transport, found.outcome.did.counters.applies);
  found.reached = all_sum(transport, found.reached);
  found.farthest = all_max(transport, found.farthest);
  return found;
}

}  // namespace

void check_shortest_paths(const RunOptions& options) { Engine<ShortestPaths<>>::check(options); }

Distances shortest_paths(const Context& context, const Graph& graph, std::uint64_t source,
                         const ShortestPathsOptions& options) {
  together(context.transport(), [&] {
    check_shortest_paths(options.run);
    check_source(graph, source);
    if (!(options.width >= 0 && std::isfinite(options.width)))
      throw UsageError("width must be a finite number of at least 0");
  });
  check_alike(context.transport(), {{"width", fmt::format("{}", options.width)}});
  const auto local = graph.laid_out(context, Arcs::given, EdgeValues::as_given);
  check_lengths(context, *local, graph.name());
  const bool wide = all_max(context.transport(), local->wide_values.empty() ? 0 : 1) == 1;
  return wide ? find<double>(context, local, source, options)
              : find<float>(context, local, source, options);
}

double shortest_paths_bytes(const PieceSizes& piece) {
  const double engine = piece.value_bytes > sizeof(float)
                            ? detail::engine_bytes(ShortestPaths<double>(), piece)
                            : detail::engine_bytes(ShortestPaths<float>(), piece);
  return engine + detail::result_bytes(piece.owner, sizeof(double), piece.ranks);
}

}  // namespace gas
