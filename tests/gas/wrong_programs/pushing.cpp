// A right program of one kind that gathers changes.
#include "gas/engine/engine.hpp"

struct Program {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    float value = 0;
    using Published = float;
    using Accumulator = gas::Min<float>;
    static constexpr bool gathers_changes = true;
  };
  using Edge = float;
  bool initially_active(const Vertex&, auto& v) const { return v.id() == 0; }
  void gather(Vertex::Accumulator& least, float value, float length) const {
    least += value + length;
  }
  float apply(Vertex& vertex, const Vertex::Accumulator& least, auto&) const {
    return vertex.value = least.value;
  }
  std::uint32_t priority(float, float now) const { return now > 0 ? 1 : 0; }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
  engine.local_for_each<Program::Vertex>([](gas::VertexId, const auto&) {});
}
