// A right program whose vertices name others by id.
#include "gas/engine/engine.hpp"

struct Program {
  static constexpr gas::Stands stands{};
  struct Vertex {
    gas::VertexId parent = 0;
    using Published = gas::VertexId;
    using Offers = gas::Min<gas::VertexId>;
  };
  gas::VertexId init(Vertex& at, const auto& v) const { return at.parent = v.id() / 2; }
  gas::VertexId apply(Vertex& at, const auto&, auto& v) const {
    if (v.read() < v.offered().value) v.offer(at.parent, v.read());
    return at.parent = v.read();
  }
  gas::VertexId reads(const Vertex& at, const auto&) const { return at.parent; }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
