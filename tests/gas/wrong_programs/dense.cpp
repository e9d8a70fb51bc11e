// A right program on the complete bipartite topology.
#include "gas/engine/engine.hpp"

struct Program {
  struct Point {
    static constexpr auto activity = gas::Active::every_round;
    std::uint32_t at = 0;
    using Input = gas::RowOf<float>;
    using Published = std::uint32_t;
    using Accumulator = gas::ArgMin;
  };
  struct Centroid {
    static constexpr auto activity = gas::Active::every_round;
    std::int64_t points = 0;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::RunningRowSum;
  };
  using Data = Point;
  using Parameter = Centroid;
  std::size_t width(gas::PublishedOf<Centroid>) const { return 2; }
  std::size_t width(gas::AccumulatorOf<Centroid>) const { return 3; }
  void gather_block(gas::RowsView<float> points, const gas::ParameterBlock<float>& centroids,
                    std::span<gas::ArgMin> nearest, auto&) const {
    for (std::size_t i = 0; i < points.size(); ++i)
      nearest[i] += gas::ArgMin{points[i][0], centroids.names[0]};
  }
  std::uint32_t apply(Point& point, const gas::ArgMin& nearest, auto&) const {
    return point.at = nearest.row;
  }
  void push(auto& to, gas::RowView<const float> x, std::uint32_t before, std::uint32_t now) const {
    if (before != gas::none) to[before].leave(x, 1.0);
    to[now].join(x, 1.0);
  }
  void apply(Centroid& centroid, const gas::RunningRowSum& sum, gas::RowView<float> out,
             auto&) const {
    centroid.points = sum.count();
    out[0] = float(sum.mean(0, 1));
  }
};

void run(gas::Transport& transport, gas::Executor& executor,
         std::shared_ptr<const gas::LocalGraph> graph) {
  gas::Engine<Program> engine(transport, executor, graph, {});
  engine.run();
}
