// A right program that publishes and gathers lists.
#include "gas/program/lists.hpp"

#include "gas/engine/engine.hpp"

struct Program {
  struct Vertex {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::Counts<std::uint32_t>;
  };
  void init(Vertex&, std::vector<std::uint32_t>& out, auto& v) const { out = {v.id()}; }
  void gather(gas::Counts<std::uint32_t>& counts, std::span<const std::uint32_t> list,
              gas::Own<Vertex::Published> own) const {
    for (const std::uint32_t x : list) counts.add(x, own.value.size());
  }
  void apply(Vertex&, const gas::Counts<std::uint32_t>& counts, std::vector<std::uint32_t>& out,
             auto&) const {
    for (const auto& [x, count] : counts.elements())
      if (count > 3) out.push_back(x);
  }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
  engine.local_give<Program::Vertex>([](gas::VertexId row, auto& out) { out = {row}; });
  engine.local_for_each_published<Program::Vertex>([](gas::VertexId, auto) {});
}
