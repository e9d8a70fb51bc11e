// The number of triangles that each vertex of a graph is a corner of.
//
//     mpirun -n 4 triangles EDGES
//
// prints a line per vertex: its id, and its number of triangles.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gas/gas.hpp"
#include "programs/calls/graph.hpp"

/// Round 1: each vertex gathers the ids of its neighbours, and publishes the list.
/// Round 2: each vertex gathers, of each neighbour's list, what its own list holds, too. A triangle
/// is found twice: by either of the other two corners.
/// A round reads what the one before it wrote, so the program stands staleness 0 only.
struct Triangles {
  struct Vertex {
    std::size_t triangles = 0;
    using Published = gas::ListOf<gas::VertexId>;  // at first the vertex itself
    using Accumulator = gas::List<gas::VertexId>;
  };
  using Ids = std::span<const gas::VertexId>;

  void before_step(gas::Step step, const auto&) { round = step.round; }

  void init(Vertex&, std::vector<gas::VertexId>& out, auto& v) const { out = {v.id()}; }

  void gather(Vertex::Accumulator& found, Ids neighbour,
              gas::Own<gas::ListOf<gas::VertexId>> own) const {
    if (round == 1) return found.add(neighbour);
    for (auto a = neighbour.begin(), b = own.value.begin();
         a != neighbour.end() && b != own.value.end();) {  // both ascend
      if (*a == *b) found.push_back(*a);
      *a < *b ? ++a : ++b;
    }
  }

  void apply(Vertex& vertex, Vertex::Accumulator& found, std::vector<gas::VertexId>& out,
             auto&) const {
    if (round == 1) {
      out.assign(found.elements().begin(), found.elements().end());
      std::ranges::sort(out);
    } else {
      vertex.triangles = found.size() / 2;
    }
  }

  std::uint64_t round = 0;
};

void count_triangles(gas::Transport& ranks, const char* file) {
  const gas::Context context(ranks);
  const gas::Graph graph = gas::Graph::load(context, file);
  gas::Engine engine(context, graph.laid_out(context, gas::Arcs::simple, gas::EdgeValues::unread),
                     Triangles{});
  engine.run();

  using Vertex = Triangles::Vertex;
  const auto counts = gas::whole(
      ranks, engine.by_id<Vertex>([](const Vertex& vertex) { return vertex.triangles; }));
  graph.ids().for_each(ranks, counts, [](std::string_view id, std::size_t count) {  // on rank 0
    fmt::print("{} {}\n", id, count);
  });
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;
  try {
    count_triangles(ranks, argc > 1 ? argv[1] : "-");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ranks.local_abort(1);  // ends the other ranks, too
  }
}
