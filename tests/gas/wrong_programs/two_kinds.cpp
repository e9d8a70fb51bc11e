// A right program of two kinds: both gather along stored edges, items publish rows, users scatter.
#include "gas/engine/engine.hpp"

struct Program {
  struct User {
    static constexpr auto activity = gas::Active::every_round;
    static constexpr bool whole = true;
    int visits = 0;
    using Accumulator = gas::VectorSum<float>;
  };
  struct Item {
    static constexpr auto activity = gas::Active::every_round;
    int visits = 0;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::Histogram;
  };
  using Data = User;
  using Parameter = Item;
  struct Edge {
    std::uint32_t colour = 0;
  };
  using Summary = gas::VectorSum<std::int64_t>;
  struct Scratch {
    int draws = 0;
  };
  std::size_t width(gas::AccumulatorOf<User>) const { return 3; }
  std::size_t width(gas::AccumulatorOf<Item>) const { return 3; }
  std::size_t width(gas::PublishedOf<Item>) const { return 3; }
  std::size_t width(gas::SummaryOf) const { return 3; }
  void init(User& user, auto&) const { user.visits = 0; }
  void init(Item&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  void before_step(gas::Step, const auto&) {}
  void gather(gas::VectorSum<float>& sum, gas::RowView<const float> row, Edge) const {
    sum.add(row);
  }
  void gather(gas::Histogram& counts, Edge edge) const { counts.add(edge.colour); }
  void apply(User& user, gas::VectorSum<float>&, auto&) const { ++user.visits; }
  void apply(Item& item, gas::Histogram& counts, gas::RowView<float> out, auto&) const {
    ++item.visits;
    out[0] = float(counts.counts[0]);
  }
  void scatter(User&, gas::VectorSum<float>&, gas::RowView<const float> row, Edge& edge,
               auto&) const {
    edge.colour = row[0] > 0 ? 1 : 0;
  }
  bool converged(const auto&) const { return false; }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
