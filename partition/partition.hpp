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

/// What `auto` minimises: all mirrors, or those that the busiest part exchanges values with.
enum class Objective { total, busiest };

/// What parts are balanced by: the edges that follow a vertex, 1 per vertex, or weights of the
/// caller.
enum class VertexWeights { degree, none, given };

/// How METIS cuts. recursive: into two, again and again. kway: into all parts at once. better: both
/// ways; the cut with fewer edges is taken.
enum class MetisScheme { better, recursive, kway };

struct Options {
  std::string method = "metis";
  Part parts = 1;
  double imbalance_percent = 5;  // largest part ≤ (1 + percent / 100) × mean, by vertex_weights
  std::uint64_t seed = 1;
  std::uint64_t memory = 0;  // ne: most bytes for its lists of neighbours; 0: no bound
  double lambda = 1;         // hdrf: weight of balance against copies
  VertexWeights vertex_weights = VertexWeights::degree;  // others: methods that weigh vertices
  /// Weights (given) of this rank's block of ids; bipartite: of the data side, parameters weigh 0.
  std::vector<std::uint32_t> given_weights{};
  bool weighs_pairs = false;  // metis: edges have values, whole numbers from 1 to 2³¹ − 1, and a
                              // pair of neighbours counts as much; in a graph that is both_ways
  MetisScheme metis_scheme = MetisScheme::better;
  Objective objective = Objective::total;  // auto
  double budget_seconds = 60;              // auto: by estimate, not by the clock
  /// auto: the rounds that the partition is for, and the bytes that a round exchanges per mirror.
  /// It minimises the predicted time of cutting and rounds together. 0 rounds: the partition is
  /// kept for many runs, and all methods within the budget are tried.
  double rounds = 0;
  double bytes_per_mirror = 8;
  bool edge_cuts_only = false;  // auto: all edges of a data vertex, or into a vertex, on one part
  bool shuffled = false;        // auto: parts get data vertices at random, not by their order
  /// Receives one line that says why a method or cut was chosen: from auto on all ranks, from metis
  /// on rank 0.
  std::function<void(const std::string& why)> tell{};
};

/// A way to cut a graph. `run` is collective; its options have been checked. It may return any
/// Partition (an edge-cut or a vertex-cut) that obeys the rules of make_partition.
struct Method {
  std::string_view name;
  std::string_view when;  // one line: when to use it
  Partition (*run)(Communicator&, const EdgeList&, const GraphShape&, const Options&);
  bool weighs_vertices = false;  // takes any Options::vertex_weights; otherwise balances edges
  /// Why parts may be larger than asked for, although other cuts would keep the balance.
  std::string_view unbalanced = "its search found no cut that is more even";
  /// About what cutting takes beside the edges and their parts, in bytes per edge of this rank, or
  /// where the method `gathers` of all, on rank 0; and there per row (bipartite: parameter row) and
  /// part.
  struct Memory {
    double plain = 0, bipartite = 0;
    bool gathers = false;
    double per_row_and_part = 0;
  } memory = {};
};

/// All methods, in the order in which they are listed to users.
std::span<const Method> methods();

/// If `method` cannot balance by these weights, throws UsageError that names the methods that can.
void require_weighing(const Method& method, VertexWeights weights);

/// The method called `name`. If there is none, UsageError with the nearest name.
const Method& find_method(std::string_view name);

/// The largest number of parts.
constexpr Part max_parts = 1U << 20U;

/// Cuts the graph into options.parts parts. Collective. For the same edges and seed the result does
/// not depend on the number of ranks, nor on how they share the edges in their order.
///
/// In an undirected graph, whose EdgeList is `both_ways` or holds both arcs of each pair, an
/// edge-cut puts u→v on the part of v and v→u on the part of u. A vertex-cut gives both the same
/// part.
///
/// Every edge gets one part, and every vertex one master. The master of a vertex with edges is in a
/// part that holds one of them. In edge-cuts, an edge of a plain graph follows the part of its
/// target (the end that gathers), and one of a bipartite graph that of its data vertex (the
/// source). A vertex that owns no edge (a parameter; a plain vertex without in-edges) goes where
/// the method put it if one of its edges is there, otherwise to the part with most of its edges
/// (ties: by a keyed hash). Vertices without an edge are spread evenly, by number or by the vertex
/// weights asked for.
///
/// UsageError: unknown method, parts outside 1 … max_parts, imbalance negative or not finite,
/// vertex weights that the method does not take.
/// RunError: the graph is too large for the method (the message names another one).
/// balance() tells whether the balance asked for was reached. Partition::method names the method
/// that cut; for `auto`, the one that it chose.
Partition make_partition(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                         const Options& options);

}  // namespace gas::partition
