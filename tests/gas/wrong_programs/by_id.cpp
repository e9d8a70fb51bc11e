// A right program whose vertices name others by id.
#include "gas/engine/engine.hpp"

struct Program {
  static constexpr gas::Stands stands{};
  struct Vertex {
    gas::Row parent = 0;
    using Published = gas::Row;
    using Offers = gas::Min<gas::Row>;
  };
  gas::Row init(Vertex& at, const auto& v) const { return at.parent = v.id() / 2; }
  gas::Row apply(Vertex& at, const auto&, auto& v) const {
    if (v.read() < v.offered().value) v.offer(at.parent, v.read());
    return at.parent = v.read();
  }
  gas::Row reads(const Vertex& at, const auto&) const { return at.parent; }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
