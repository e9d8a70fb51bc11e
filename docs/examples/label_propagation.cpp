// Communities by label propagation (Raghavan, Albert, Kumara 2007).
//
//     mpirun -n 4 label_propagation EDGES
//
// prints a line per vertex: its id, and the id of the vertex that its community is named after.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "gas/gas.hpp"
#include "programs/calls/graph.hpp"

/// A vertex takes the label that most of its neighbours have. Neighbours that change at once may
/// swap their labels for ever, so a coin decides which of them wait for the next round. It runs at
/// staleness 0: it declares nothing else.
struct LabelPropagation {
  struct Vertex {
    gas::VertexId label = 0;
    using Published = gas::VertexId;
    using Accumulator = gas::Counts<gas::VertexId>;  // how many neighbours have each label
  };

  gas::VertexId init(Vertex& vertex, auto& v) const { return vertex.label = v.id(); }

  void gather(Vertex::Accumulator& labels, gas::VertexId label) const { labels.add(label); }

  gas::VertexId apply(Vertex& vertex, const Vertex::Accumulator& labels, auto& v) const {
    std::uint64_t most = 0, own = 0;
    gas::VertexId best = vertex.label;
    for (const auto& [label, count] : labels.elements()) {
      if (label == vertex.label) own = count;
      if (count > most || (count == most && label < best)) {
        most = count;
        best = label;
      }
    }
    if (own == most) return vertex.label;  // no other label has more neighbours
    if (v.random().bits(0) % 2 == 0) {
      v.again();  // visit this vertex in the next round, too
      return vertex.label;
    }
    return vertex.label = best;
  }
};

void find_communities(gas::Transport& ranks, const char* file) {
  const gas::Context context(ranks);
  const gas::Graph graph = gas::Graph::load(context, file);
  gas::Engine engine(context, graph.laid_out(context, gas::Arcs::simple, gas::EdgeValues::unread),
                     LabelPropagation{});
  engine.run();

  using Vertex = LabelPropagation::Vertex;
  const auto labels =
      gas::whole(ranks, engine.by_id<Vertex>([](const Vertex& vertex) { return vertex.label; }));
  std::vector<std::string> names;  // on rank 0
  graph.ids().for_each(ranks, [&](std::string_view id) { names.emplace_back(id); });
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("{} {}\n", names[i], names[labels[i]]);
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    find_communities(ranks, argc > 1 ? argv[1] : "-");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
