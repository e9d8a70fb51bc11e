#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "gas/base/random.hpp"
#include "gas/engine/engine.hpp"
#include "programs/harmonic_centrality/counter.hpp"

namespace gas {

/// HyperBall (Boldi, Vigna 2013): a vertex publishes the ball of those that lead to it by at most t
/// arcs, after round t, as a HyperLogLog counter. The ball of t is the union of its neighbours' of
/// t − 1 and its own. What a ball grows by in round t lies t arcs away, which makes Σ growth / t
/// the harmonic centrality. A vertex is visited where a neighbour's ball has grown, and the run
/// ends when none does. A value from before the last round would count as farther than it is:
/// staleness 0 only.
struct HyperBall {
  static constexpr gas::Stands stands{.edge = false,
                                      .reason = "each round adds one arc to the distances"};
  std::size_t registers = 256;  // a power of two
  std::uint64_t seed = 1;

  /// The union of counters.
  struct Ball {
    using Element = std::uint8_t;
    std::span<std::uint8_t> registers;
    explicit Ball(std::span<std::uint8_t> memory) : registers(memory) {}
    std::span<std::uint8_t> elements() const { return registers; }
    static void combine(std::uint8_t& into, std::uint8_t from) { into = std::max(into, from); }
  };
  struct Vertex {
    double centrality = 0;
    double reached_by = 0;       // about so many vertices, itself among them
    std::uint32_t farthest = 0;  // the last round in which the ball grew
    using Published = gas::RowOf<std::uint8_t>;
    using Accumulator = Ball;
  };
  std::size_t width(gas::PublishedOf<Vertex>) const { return registers; }
  std::size_t width(gas::AccumulatorOf<Vertex>) const { return registers; }

  void init(Vertex& at, gas::RowView<std::uint8_t> out, const auto& v) const {
    std::ranges::fill(out, std::uint8_t{0});
    add_hash(out, gas::Random(seed).bits(v.id()));
    at.reached_by = estimated_size(out);
  }
  bool initially_active(const Vertex&, const auto& v) const { return v.in_degree() > 0; }
  void gather(Ball& ball, gas::RowView<const std::uint8_t> neighbour) const {
    unite(ball.registers, neighbour);
  }
  void apply(Vertex& at, const Ball& ball, gas::RowView<std::uint8_t> out, const auto& v) const {
    if (!unite(out, ball.registers)) return;
    at.farthest = static_cast<std::uint32_t>(v.round());
    // Estimates may fall by a little where their formula changes; balls do not.
    const double size = std::max(at.reached_by, estimated_size(out));
    at.centrality += (size - at.reached_by) / static_cast<double>(v.round());
    at.reached_by = size;
  }
};

}  // namespace gas
