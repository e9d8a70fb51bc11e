// A right program of one kind, with every hook that it can have.
#include "gas/engine/engine.hpp"

struct Program {
  double tolerance = 0;
  struct Vertex {
    double value = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = float;
  struct Summary {
    double delta = 0;
    Summary& operator+=(const Summary& other) { return delta += other.delta, *this; }
  };
  double init(Vertex& vertex, auto& v) const { return vertex.value = double(v.id()); }
  bool initially_active(const Vertex&, auto& v) const { return v.id() == 0; }
  void before_step(gas::Step, const auto&) {}
  void gather(gas::Sum<double>& sum, double value, float weight) const { sum += value * weight; }
  double apply(Vertex& vertex, const gas::Sum<double>& sum, auto& v) const {
    v.summary().delta += sum.value - vertex.value;
    return vertex.value = sum.value;
  }
  bool publishes(const Vertex&, double before, double now) const { return before != now; }
  std::uint32_t priority(double, double now) const { return now > 0 ? 1 : 0; }
  bool converged(const auto& last) const { return last.vertex().delta <= tolerance; }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
  engine.local_for_each<Program::Vertex>([](gas::VertexId, const auto&) {});
}
