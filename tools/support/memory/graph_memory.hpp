#pragma once

#include <functional>
#include <optional>

#include "loaders/generate/spec.hpp"
#include "loaders/sample/input_sizes.hpp"
#include "programs/calls/piece_sizes.hpp"
#include "tools/support/graph/graph_wish.hpp"
#include "tools/support/memory/check_memory.hpp"

namespace gas::tools {

/// Where the graph of a run comes from, and how much of everything it has.
struct GraphSource {
  enum class From { text, folder, generator };
  From from = From::text;
  loaders::GraphSizes sizes;
  loaders::GeneratorSpec spec;                  // generator
  double parts = 0;                             // folder
  double part_bytes = 0;                        // of its largest file
  double source_copies = 1, target_copies = 1;  // folder: of a vertex
  bool undirected = false;                      // folder: it has both arcs of each pair
};

/// Looks into INPUT, the partition folder or the specification of --generate, without loading it.
/// INPUT as by look_at_input. Collective.
std::optional<GraphSource> look_at_graph(Run& run, const GraphWish& wish);

/// What a call takes beside its graph: a NAME_bytes function.
using CallBytes = std::function<double(const PieceSizes& piece)>;

/// A plan by the sizes of a source. If a sample of INPUT only suggests how many ids there are,
/// moments also have what they take with those that it has.
MemoryPlan source_plan(
    GraphSource source,
    std::function<std::vector<Moment>(const GraphSource& source, const Machine& machine)> moments);

/// The plan of a tool that reads a graph, cuts it, lays it out and calls.
MemoryPlan graph_plan(const Run& run, const std::optional<GraphSource>& source,
                      const GraphWish& wish, CallBytes call);

/// check_memory of that.
inline bool check_memory(Run& run, const GraphWish& wish, CallBytes call) {
  return check_memory(run, graph_plan(run, look_at_graph(run, wish), wish, std::move(call)));
}

/// The plan of generating alone.
MemoryPlan generating_plan(const loaders::GeneratorSpec& spec);

/// Beside: what loading INPUT takes, and the list that it leaves, on a rank.
Moment loading_moment(const GraphSource& source, const Machine& machine);
double list_bytes(const GraphSource& source, const Machine& machine);
/// What a partitioning method takes for so many parts beside that list and the edges' parts: about.
double method_bytes(const std::string& method, const GraphSource& source, const Machine& machine,
                    double parts);
/// Measuring a cut into so many parts of so many edges on a rank: beside these and their parts the
/// copies of vertices are counted, in a table by row and part or in lists of the parts by row.
Moment measuring_moment(const GraphSource& source, const Machine& machine, double parts,
                        double edges);

}  // namespace gas::tools
