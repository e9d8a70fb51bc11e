#include <catch2/catch.hpp>
#include <random>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::by_row;
using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

/// Lloyd's k-means without any optimisation: enough to exercise block gather, push and running
/// totals.
struct PlainLloyd {
  double scale = 1;
  std::size_t dimensions = 2;
  struct Point {
    using Input = gas::RowOf<float>;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::uint32_t;
    using Accumulator = gas::ArgMin;
  };
  struct Centroid {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::RunningRowSum;
  };
  using Data = Point;
  using Parameter = Centroid;
  struct Summary {
    double inertia = 0;
    std::uint64_t moved = 0;
    Summary& operator+=(const Summary& other) {
      inertia += other.inertia;
      moved += other.moved;
      return *this;
    }
  };
  std::size_t width(gas::PublishedOf<Centroid>) const { return dimensions; }
  std::size_t width(gas::AccumulatorOf<Centroid>) const { return dimensions + 1; }

  void gather_block(gas::RowsView<float> points, const gas::ParameterBlock<float>& centroids,
                    std::span<gas::ArgMin> nearest, auto&) const {
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < centroids.rows.size(); ++k) {
        float distance = 0;
        for (std::size_t d = 0; d < dimensions; ++d) {
          const float difference = points[i][d] - centroids.rows[k][d];
          distance += difference * difference;
        }
        nearest[i] += gas::ArgMin{distance, centroids.names[k]};
      }
  }
  std::uint32_t apply(Point&, const gas::ArgMin& nearest, auto& v) const {
    v.summary().inertia += static_cast<double>(nearest.value);
    return nearest.row;
  }
  void push(auto& to, gas::RowView<const float> x, std::uint32_t before, std::uint32_t now) const {
    if (before != gas::none) to[before].leave(x, scale);
    auto&& total = to[now];
    total.join(x, scale);
  }
  void apply(Centroid&, const gas::RunningRowSum& sum, gas::RowView<float> out, auto& v) const {
    v.summary().moved += sum.count() > 0 ? 1 : 0;
    for (std::size_t d = 0; d < dimensions; ++d)
      out[d] = sum.count() > 0 ? static_cast<float>(sum.mean(d, scale)) : 0.0F;
  }
};

}  // namespace

TEST_CASE("complete bipartite: blocks, pushes and running totals follow a serial Lloyd",
          "[engine][ranks]") {
  constexpr std::size_t n = 1200, k = 5;
  std::mt19937 random(4);
  std::vector<float> points(2 * n);
  for (float& x : points) x = static_cast<float>(random() % 4096) / 64.0F;  // sums are exact

  std::vector<float> centroids(points.begin(), points.begin() + 2 * k);
  std::vector<std::uint32_t> assigned(n);
  for (int round = 0; round < 6; ++round) {
    std::vector<double> sum(2 * k, 0.0), members(k, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      float best = std::numeric_limits<float>::infinity();
      for (std::uint32_t c = 0; c < k; ++c) {
        const float dx = points[2 * i] - centroids[2 * c],
                    dy = points[2 * i + 1] - centroids[2 * c + 1];
        float distance = 0;
        distance += dx * dx;
        distance += dy * dy;
        if (distance < best) best = distance, assigned[i] = c;
      }
      sum[2 * assigned[i]] += static_cast<double>(points[2 * i]);
      sum[2 * assigned[i] + 1] += static_cast<double>(points[2 * i + 1]);
      members[assigned[i]] += 1;
    }
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t d = 0; d < 2; ++d)
        centroids[2 * c + d] =
            members[c] > 0 ? static_cast<float>(sum[2 * c + d] / members[c]) : 0.0F;
  }

  using Result =
      std::tuple<std::vector<std::uint32_t>, std::vector<std::array<float, 2>>, std::uint64_t>;
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U, 3U}) {
      INFO("ranks " << ranks << " threads " << threads);
      const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) -> Result {
        const gas::BlockDistribution blocks{n, transport.size()};
        std::vector<gas::VertexId> rows(blocks.count(transport.rank()));
        std::iota(rows.begin(), rows.end(), blocks.first(transport.rank()));
        auto inputs = std::make_shared<gas::Inputs<float>>(2, rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t d = 0; d < 2; ++d) (*inputs)[i][d] = points[2 * rows[i] + d];
        auto graph = std::make_shared<gas::LocalGraph>();
        graph->bipartite = true;
        graph->owner = gas::unshared_layout(n, rows);
        graph->parameter = gas::replicated_layout(transport, k);
        const auto executor = gas_test::make_executor(threads);
        PlainLloyd program;
        program.scale = gas::RunningRowSum::scale_for(64, n);
        gas::Engine<PlainLloyd> engine(transport, *executor, graph, program);
        engine.local_set_inputs(inputs);
        engine.local_give<PlainLloyd::Centroid>([&](gas::VertexId row, gas::RowView<float> out) {
          std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(2 * row), 2, out.begin());
        });
        engine.run({.iterations = 6});
        std::vector<std::pair<gas::VertexId, std::uint32_t>> nearest;
        engine.local_for_each_published<PlainLloyd::Point>(
            [&](gas::VertexId row, std::uint32_t c) { nearest.emplace_back(row, c); });
        std::vector<std::pair<gas::VertexId, std::array<float, 2>>> means;
        engine.local_for_each_published<PlainLloyd::Centroid>([&](gas::VertexId row, auto mean) {
          means.emplace_back(row, std::array{mean[0], mean[1]});
        });
        return {by_row(transport, n, nearest), by_row(transport, k, means),
                gas::all_sum(transport, engine.local_counters().gathers)};
      });
      for (const Result& result : results) {
        CHECK(std::get<0>(result) == assigned);
        for (std::size_t c = 0; c < k; ++c)
          for (std::size_t d = 0; d < 2; ++d)
            CHECK(std::get<1>(result)[c][d] == Approx(centroids[2 * c + d]).epsilon(1e-6));
        CHECK(std::get<2>(result) == 6 * n * k);
      }
    }
}
