#include "programs/calls/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "gas/base/alike.hpp"
#include "gas/base/error.hpp"
#include "gas/graph/simple_edges.hpp"

namespace gas {

struct Graph::State {
  EdgeList edges;
  GraphShape shape;
  GraphOptions options;
  loaders::RowIds ids;
  std::string name = "the graph";
  struct Layout {
    std::shared_ptr<const LocalGraph> graph;
    EdgeValues values = EdgeValues::unread;
    std::shared_ptr<const LocalGraph> unread = nullptr;  // the same without its values
  };
  std::array<Layout, 3> layouts;  // by Arcs
  bool laid_out = false;          // it came so, and there are no edges beside
  int ranks = 0;                  // that hold the edges
  std::mutex mutex;               // of the layouts, on one rank
};

namespace {

GraphShape plain(std::uint64_t vertices) { return {vertices, vertices, false}; }

/// The same graph, whose edges it shares.
std::shared_ptr<const LocalGraph> without_values(const std::shared_ptr<const LocalGraph>& graph) {
  if (graph->values.empty() && graph->wide_values.empty()) return graph;
  LocalGraph bare = *graph;
  bare.values = {};
  bare.wide_values = {};
  return std::make_shared<const LocalGraph>(std::move(bare));
}

/// Does a double become zero or infinite as a float, or short of digits?
bool beyond_floats(double value) {
  return value != 0 && std::isfinite(value) && !std::isnormal(static_cast<float>(value));
}

}  // namespace

Graph::Graph(const Context& context, detail::GivenEdges mine, const GraphOptions& options)
    : state_(std::make_shared<State>()) {
  Communicator& comm = context.transport();
  detail::join(comm, mine);
  const std::uint64_t mine_beyond = std::max(mine.sources, mine.targets);
  if (mine.problem.empty() && options.vertices > 0 && mine_beyond > options.vertices)
    mine.problem = fmt::format("an edge names vertex {}, expected ids below {}", mine_beyond - 1,
                               options.vertices);
  detail::check(comm, mine.problem);
  const std::uint64_t beyond = all_max(comm, mine_beyond);
  state_->shape = plain(options.vertices > 0 ? options.vertices : beyond);
  detail::check_vertices(comm, state_->shape.sources);
  state_->edges = std::move(mine.edges);
  state_->ranks = comm.size();
  state_->options = options;
  state_->ids = loaders::RowIds(state_->shape.sources, 0);
}

Graph::Graph(std::shared_ptr<const LocalGraph> laid_out, std::string name)
    : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  state_->shape = plain(laid_out->owner.count);
  state_->layouts.fill({std::move(laid_out), EdgeValues::as_given});
  state_->laid_out = true;
}

Graph Graph::load(const Context& context, const std::string& path, const GraphOptions& options,
                  loaders::GraphOptions how) {
  how.bipartite = false;
  how.threads = context.threads();
  how.wide = true;  // for EdgeValues::as_given
  loaders::LoadedGraph loaded = loaders::load_graph(context.transport(), path, how);
  detail::check(context.transport(), loaded.shape.bipartite
                                         ? path +
                                               ": found a graph of two kinds of "
                                               "vertices, expected one of one kind"
                                         : "");
  auto state = std::make_shared<State>();
  state->edges = std::move(loaded.edges);
  state->ranks = context.ranks();
  state->shape = loaded.shape;
  state->options = options;
  state->options.undirected = options.undirected || loaded.undirected;
  state->ids = std::move(loaded.source_ids);
  state->name = path;
  return Graph(std::move(state));
}

std::uint64_t Graph::vertices() const { return state_->shape.sources; }
const std::string& Graph::name() const { return state_->name; }
const loaders::RowIds& Graph::ids() const { return state_->ids; }

std::shared_ptr<const LocalGraph> Graph::laid_out(const Context& context, Arcs arcs,
                                                  EdgeValues values) const {
  check_alike(context.transport(),
              {{"vertices of the graph", std::to_string(state_->shape.sources)},
               {"undirected", fmt::format("{}", state_->options.undirected)},
               {"partition", state_->options.partition},
               {"rounds", fmt::format("{}", state_->options.rounds)},
               {"seed", std::to_string(state_->options.seed)},
               {"arcs", name_of(arcs, {"given", "both_ways", "simple"})},
               {"values", name_of(values, {"unread", "floats", "as_given"})}});
  if (!state_->laid_out) detail::check_ranks(context.transport(), state_->ranks, "graph");
  // Several ranks make a layout together: their threads must not wait for each other here.
  std::unique_lock lock(state_->mutex, std::defer_lock);
  if (context.ranks() == 1) lock.lock();
  State::Layout& layout = state_->layouts[static_cast<std::size_t>(arcs)];
  if (layout.graph && values == EdgeValues::unread) {
    if (!layout.unread) layout.unread = without_values(layout.graph);
    return layout.unread;
  }
  if (layout.graph && (state_->laid_out || layout.values == values)) return layout.graph;
  Communicator& comm = context.transport();
  EdgeList edges{state_->edges.source, state_->edges.target, {}, {}, false};
  if (values != EdgeValues::unread) edges.value = state_->edges.value;
  const std::vector<double>& wide = state_->edges.wide_value;
  if (values == EdgeValues::as_given ||
      (values == EdgeValues::floats &&
       all_max(comm, std::ranges::any_of(wide, beyond_floats) ? 1 : 0) > 0))
    edges.wide_value = wide;
  else if (values == EdgeValues::floats)
    for (const double value : wide) edges.value.push_back(static_cast<float>(value));
  edges.both_ways = arcs != Arcs::given || state_->options.undirected;
  std::vector<Part> no_parts;
  if (arcs == Arcs::simple) make_simple(comm, state_->shape, edges, no_parts);
  Partition parts = detail::cut(comm, edges, state_->shape,
                                {.method = state_->options.partition,
                                 .seed = state_->options.seed,
                                 .rounds = state_->options.rounds});
  const bool valued = !state_->edges.value.empty() || !wide.empty();
  const Repeats joined = all_max(comm, values != EdgeValues::unread && valued ? 1 : 0) > 0
                             ? Repeats::add
                             : Repeats::once;
  const Repeats repeats = arcs == Arcs::simple ? joined : Repeats::keep;
  layout = {
      std::make_shared<const LocalGraph>(build_graph(comm, state_->shape, std::move(edges),
                                                     std::move(parts), repeats, context.threads())),
      values};
  return layout.graph;
}

}  // namespace gas
