#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gas/engine/engine.hpp"
#include "programs/k_means/forms.hpp"

namespace gas {

/// k-means++ (Arthur, Vassilvitskii 2007): each start is a point drawn with a chance in proportion
/// to its squared distance from the nearest start so far. In odd rounds every point gathers the
/// newest start into a running minimum and enters an exponential race, −log(u)/distance², whose
/// winner is the draw: `pick` of the data Summary. In even rounds the winner pushes its coordinates
/// to the only parameter vertex, which publishes them. K starts take 2K − 1 rounds. Which point is
/// drawn depends on the seed and the rows alone: not on ranks, threads or parts. With weights, as
/// KMeans takes them, a point's chance is that many times as great.
template <class Form = float>
struct KMeansSeeding {
  using Of = KMeansOf<Form>;
  using Coordinate = typename Of::Coordinate;
  using Number = typename Of::Number;
  Of of{};
  std::size_t dimensions = 0;
  bool weighted = false;

  /// The running sum of rows that join and leave, on their bits: exactly one row while one is in.
  struct ExactRow {
    static constexpr bool running = true;
    using Element =
        std::conditional_t<std::is_same_v<Coordinate, float>, std::uint32_t, std::uint64_t>;
    std::span<Element> bits;  // those of the row, then how many rows are in
    explicit ExactRow(std::span<Element> memory) : bits(memory) {}
    std::span<Element> elements() const { return bits; }
    static void combine(Element& into, Element from) { into += from; }
  };
  struct Distance : gas::Min<float> {
    static constexpr bool running = true;
  };
  struct Point {
    float weight = 1;
    static constexpr auto activity = gas::Active::every_round;
    using Input = gas::RowOf<Number>;
    using Published = std::uint32_t;  // 0: it is the newest start; none: it is not. Given: none.
    using Accumulator = Distance;
  };
  struct Start {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<Coordinate>;
    using Accumulator = ExactRow;
  };
  using Data = Point;
  using Parameter = Start;
  using Packed = typename Of::Starts;

  struct Draw {
    double key = std::numeric_limits<double>::infinity();
    gas::VertexId row = std::numeric_limits<gas::VertexId>::max();
    Draw& operator+=(const Draw& other) {
      if (other.key < key || (other.key == key && other.row < row)) *this = other;
      return *this;
    }
  };
  struct Summary {
    Draw far;  // the race by squared distance
    Draw any;  // where every chance is alike: the draw where all points are at a start
    gas::VertexId pick() const { return std::isfinite(far.key) ? far.row : any.row; }
    Summary& operator+=(const Summary& other) {
      far += other.far;
      any += other.any;
      return *this;
    }
  };

  std::size_t width(gas::PublishedOf<Start>) const { return dimensions; }
  std::size_t width(gas::AccumulatorOf<Start>) const { return dimensions + 1; }

  static bool draws(std::uint64_t round) { return round % 2 == 1; }

  void before_step(const gas::Step& step, const auto& last) {
    if (!step.is_parameter()) newest_ = last.data().pick();
  }

  void gather_block(gas::RowsView<Number> points, const Packed& starts, std::span<Distance> nearest,
                    auto& v, std::span<Point> states) const {
    if (weighted)
      for (std::size_t i = 0; i < points.size(); ++i) states[i].weight = Of::weight(points[i]);
    if (v.round() == 1) return;  // no start yet
    for (std::size_t s = 0; s < starts.rows.size(); ++s)
      for (std::size_t i = 0; i < points.size(); ++i)
        nearest[i] += static_cast<float>(of.distance(points[i], starts, s));
  }

  std::uint32_t apply(Point& point, const Distance& nearest, auto& v) const {
    if (!draws(v.round())) return v.id() == newest_ ? 0 : gas::none;
    const auto weight = static_cast<double>(point.weight);
    const double chance = v.round() == 1 ? weight : weight * static_cast<double>(nearest.value);
    const double u = v.random().uniform(0);
    Summary& summary = v.summary();
    if (!weighted)
      summary.any += Draw{u, v.id()};
    else if (weight > 0 && u <= summary.any.key * weight)
      summary.any += Draw{-std::log1p(-u) / weight, v.id()};
    // −log(1−u) ≥ u: most points lose without a logarithm.
    if (chance > 0 && u <= summary.far.key * chance)
      summary.far += Draw{-std::log1p(-u) / chance, v.id()};
    return v.id() == newest_ ? 0 : gas::none;
  }

  void push(auto& to, gas::RowView<const Number> x, std::uint32_t before, std::uint32_t now) const {
    const auto add = [&](std::span<Bits> bits, Bits sign) {
      of.each(x, dimensions, [&](std::size_t d, double value) {
        bits[d] += sign * std::bit_cast<Bits>(static_cast<Coordinate>(value));
      });
      bits.back() += sign;
    };
    if (before != gas::none) add(to[before].bits, static_cast<Bits>(-1));
    if (now != gas::none) add(to[now].bits, Bits{1});
  }

  void apply(Start&, const ExactRow& row, gas::RowView<Coordinate> out, auto&) const {
    if (row.bits.back() == 1)
      for (std::size_t i = 0; i < dimensions; ++i) out[i] = std::bit_cast<Coordinate>(row.bits[i]);
  }

 private:
  using Bits = typename ExactRow::Element;
  gas::VertexId newest_ = std::numeric_limits<gas::VertexId>::max();
};

}  // namespace gas
