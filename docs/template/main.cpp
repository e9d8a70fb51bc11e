// least_id EDGES: prints for each vertex the least number of the vertices in its component.
#include <fmt/format.h>

#include "program.hpp"
#include "programs/calls/graph.hpp"

void run(gas::Transport& ranks, const char* file) {
  const gas::Context context(ranks);  // these ranks, and threads on each one's share of the cores
  const gas::Graph graph = gas::Graph::load(context, file);
  gas::Engine engine(
      context, graph.laid_out(context, gas::Arcs::both_ways, gas::EdgeValues::unread), LeastId{});
  engine.run();

  // Each rank gets a block of the results; `whole` makes them one array on every rank.
  const auto block =
      engine.by_id<LeastId::Vertex>([](const LeastId::Vertex& vertex) { return vertex.least; });
  const auto all = gas::whole(ranks, block);
  // Called on rank 0, by ascending id, with the value of each.
  graph.ids().for_each(ranks, all, [](std::string_view id, gas::VertexId least) {
    fmt::print("{} {}\n", id, least);
  });
}

int main(int argc, char* argv[]) {
  gas::MpiTransport ranks;  // starts MPI, and ends it
  try {
    run(ranks, argc > 1 ? argv[1] : "-");
  } catch (const std::exception& error) {
    const bool by_all = dynamic_cast<const gas::ThrownTogether*>(&error) != nullptr;
    if (!by_all || ranks.rank() == 0) fmt::print(stderr, "{}\n", error.what());
    if (!by_all) ranks.local_abort(1);  // the others know nothing of it
    return 1;
  }
}
