// A right program of two kinds whose parameters are gathered from the data end.
#include "gas/engine/engine.hpp"

struct Program {
  struct Example {
    static constexpr auto activity = gas::Active::every_round;
    double margin = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Slope {
    double value = 0;
    Slope& operator+=(const Slope& other) { return value += other.value, *this; }
  };
  struct Weight {
    static constexpr auto activity = gas::Active::every_round;
    double weight = 0;
    using Published = double;
    using Accumulator = Slope;
  };
  using Data = Example;
  using Parameter = Weight;
  using Edge = float;
  double init(Example&, auto&) const { return 0; }
  double init(Weight&, auto&) const { return 0; }
  void gather(gas::Sum<double>& sum, double weight, float x) const { sum += weight * x; }
  void gather(Slope& slope, double change, float x) const { slope.value += change * x; }
  double apply(Example& example, const gas::Sum<double>& sum, auto&) const {
    return example.margin = sum.value;
  }
  double apply(Weight& weight, const Slope& slope, auto&) const {
    return weight.weight -= slope.value;
  }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
