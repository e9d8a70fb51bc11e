// A correct program, and with -DMISTAKE=n one with a mistake that the compiler must name.
#include "gas/engine/engine.hpp"

#ifndef MISTAKE
#define MISTAKE 0
#endif

struct Program {
  struct Node {
#if MISTAKE == 5
    struct Published {
      double x;
    };
#else
    using Published = double;
#endif
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
#if MISTAKE == 1
  void gather(Node::Accumulator& total, Node*) const { total += 1.0; }
#else
  void gather(Node::Accumulator& total, const Node::Published&) const { total += 1.0; }
#endif
#if MISTAKE == 2
  double apply(Node&) const { return 0; }
#else
  Node::Published apply(Node&, const Node::Accumulator&, auto&) const { return {}; }
#endif
#if MISTAKE == 3
  double init(Node&) const { return 0; }
#endif
#if MISTAKE == 4
  bool publishes(Node&, double) const { return true; }
#endif
#if MISTAKE == 6
  void before_step() {}
#endif
#if MISTAKE == 7
  bool initially_active(int) const { return true; }
#endif
#if MISTAKE == 8
  bool converged(int, int) const { return true; }
#endif
#if MISTAKE == 9
  using Edge = float;
  void scatter(Node::Accumulator&, float&) const {}
#endif
#if MISTAKE == 10
  double begin_total(double) const { return 0; }
#endif
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
