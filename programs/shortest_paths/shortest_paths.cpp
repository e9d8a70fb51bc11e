#include "programs/shortest_paths/shortest_paths.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/calls/source.hpp"
#include "programs/shortest_paths/program.hpp"

namespace gas {
namespace {

/// The width of buckets for delta-stepping: the mean length of an arc (of at most a million or two
/// per rank), divided by the mean number of arcs of a vertex, so that as many vertices settle with
/// a bucket whatever the degree; wider, where few arcs lead far, on several ranks, which meet after
/// each, and in async, which has 1024 of them. 1 where no arc has a length.
double bucket_width(Communicator& comm, const LocalGraph& graph, bool async) {
  double sum = 0, count = 0;
  const auto add = [&](const auto& lengths) {
    const std::size_t stride = 1 + (lengths.size() >> 16U);
    for (std::size_t e = 0; e < lengths.size(); e += stride) {
      sum += static_cast<double>(lengths[e]);
      ++count;
    }
  };
  add(graph.values);
  add(graph.wide_values);
  const double all = all_sum(comm, sum), arcs = static_cast<double>(graph.edge_count);
  const double mean = all / all_sum(comm, count);
  const double width = mean * static_cast<double>(graph.owner.count) / arcs;
  const bool deep = (comm.size() > 1 || async) && arcs < 8 * static_cast<double>(graph.owner.count);
  return width > 0 && std::isfinite(width) ? width * (deep ? 30 : 1.3) : 1;
}

/// Every distance is finite if the sum of all lengths is.
void check_lengths(Communicator& comm, const LocalGraph& graph, const std::string& name) {
  const auto least = [](const auto& lengths) {
    using Number = std::remove_cvref_t<decltype(lengths[0])>;
    const Eigen::Map<const Eigen::ArrayX<Number>> all(lengths.data(), std::ssize(lengths));
    return lengths.empty() ? 0.0 : static_cast<double>(all.minCoeff());
  };
  const double mine = std::accumulate(graph.wide_values.begin(), graph.wide_values.end(), 0.0);
  const double sum = all_sum(comm, mine);
  const double lowest = std::min(least(graph.values), least(graph.wide_values));
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
  if (options.on_close) options.on_close();
  found.distances = engine.template published_by_id<typename Program::Vertex>();
  for (const double distance : found.distances) {
    if (std::isinf(distance)) continue;
    ++found.reached;
    found.farthest = std::max(found.farthest, distance);
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
  });
  const auto local = graph.laid_out(context, Arcs::given, EdgeValues::as_given);
  check_lengths(context.transport(), *local, graph.name());
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
