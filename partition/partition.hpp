#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas::partition {

/// What `auto` makes small: mirrors in all, or those that the busiest part exchanges values with.
enum class Objective { total, busiest };

/// What parts are balanced by: the edges that follow a vertex, one per vertex, or given weights.
enum class VertexWeights { degree, none, given };

/// How METIS cuts: into two, again and again, or into all parts at once; `better`: both, and the
/// cut with fewer edges is taken.
enum class MetisScheme { better, recursive, kway };

struct Options {
  std::string method = "metis";
  Part parts = 1;
  double imbalance_percent = 5;  // largest part ≤ (1 + percent / 100) × mean, by vertex_weights
  std::uint64_t seed = 1;
  std::uint64_t memory = 0;  // ne: most bytes for its lists of neighbours; 0: no bound
  double lambda = 1;         // hdrf: how much balance counts beside copies
  VertexWeights vertex_weights = VertexWeights::degree;  // others: methods that weigh vertices
  /// Given: of this rank's block of ids, bipartite: of the data side (parameters weigh nothing).
  std::vector<std::uint32_t> given_weights{};
  bool weighs_pairs = false;  // metis: edges have values, whole numbers from 1 to 2³¹ − 1, and a
                              // pair of neighbours counts as much; in a graph that is both_ways
  MetisScheme metis_scheme = MetisScheme::better;
  Objective objective = Objective::total;  // auto
  double budget_seconds = 60;              // auto: by estimate, not by the clock
  /// Auto: the rounds that the partition is for, and the bytes that each exchanges per mirror. Then
  /// it makes the predicted time of cutting and rounds together small; 0 rounds: the partition is
  /// kept for many runs, and all methods within the budget are tried.
  double rounds = 0;
  double bytes_per_mirror = 8;
  bool edge_cuts_only = false;  // auto: all edges of a data vertex, or into a vertex, on one part
  bool shuffled = false;        // auto: parts get data vertices at random, not by their order
  /// Gets one line: of auto on all ranks, of metis on rank 0, why it takes what it takes.
  std::function<void(const std::string& why)> tell{};
};

/// A way to cut a graph. `run` is collective; the options it gets have been checked. What it
/// returns may be any Partition (an edge-cut or a vertex-cut) that obeys the rules of
/// make_partition.
struct Method {
  std::string_view name;
  std::string_view when;  // one line: when to use it
  Partition (*run)(Communicator&, const EdgeList&, const GraphShape&, const Options&);
  bool weighs_vertices = false;  // takes any Options::vertex_weights; otherwise balances edges
  /// Why parts may be larger than asked for where other cuts keep it.
  std::string_view unbalanced = "its search found no cut that is more even";
};

/// All methods, in the order in which they are listed to users.
std::span<const Method> methods();

/// UsageError naming those that can if `method` cannot balance by these weights.
void require_weighing(const Method& method, VertexWeights weights);

/// The method called `name`; UsageError with the nearest name if there is none.
const Method& find_method(std::string_view name);

/// Most parts that can be asked for.
constexpr Part max_parts = 1U << 20U;

/// Cuts the graph into options.parts parts. Collective; the same result for any number of ranks and
/// any way to share the edges among them in their order, given the same edges and seed.
///
/// Of an undirected graph, whose EdgeList is `both_ways` or holds both arcs of each pair, an
/// edge-cut lets u→v follow v, and v→u follow u; a vertex-cut gives both the same part.
///
/// Every edge gets one part, every vertex one master, and a vertex that has an edge has its master
/// in a part that holds one. Edge-cuts: an edge of a plain graph follows the part of its target
/// (the end that gathers), one of a bipartite graph its data vertex (the source). Of the vertices
/// that own no edge (parameters; plain vertices without in-edges), one goes where the method put it
/// if an edge of it is there, otherwise to the part with most of its edges, ties by a keyed hash.
/// Vertices without an edge are spread evenly, by number or by the vertex weights asked for.
///
/// UsageError: unknown method, parts outside 1 … max_parts, imbalance negative or not finite,
/// vertex weights that the method does not take.
/// RunError: the graph is too large for the method (the message names another one).
/// Whether the balance asked for was reached is told by balance(). Partition::method names the
/// method that cut, which of `auto` is the one that it took.
Partition make_partition(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                         const Options& options);

}  // namespace gas::partition
