#pragma once

#include <array>
#include <cstdint>

#include "tests/support/two_adic.hpp"

/// Two-adic programs that rewrite their edges. An edge remembers what of its other end has been
/// counted, so that a vertex gathers by how much its neighbours changed, and how often it was
/// rewritten: once in each visit of the vertex.
namespace gas_test {

/// `numbers`: how many each neighbour publishes.
template <std::size_t numbers>
struct RememberingEdge {
  float weight = 1;
  std::uint32_t rewritten = 0;
  std::array<std::uint32_t, numbers> counted{};
  RememberingEdge() = default;
  RememberingEdge(float w) : weight(w) {}
};

template <gas::Active active = gas::Active::changed, gas::Along along = gas::Along::in>
struct ScatterProgram : TwoAdic {
  static constexpr Splits splits =
      active == gas::Active::every_round ? Splits::at_0 : Splits::never;
  struct Node : TwoAdicState<0, active> {
    static constexpr auto gathers_along = along;
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
    std::uint32_t sum = 0;
  };
  using Vertex = Node;
  using Edge = RememberingEdge<1>;
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x, const Edge& edge) const {
    total.sum += product(x - edge.counted[0], edge.weight);
  }
  std::uint32_t apply(Node& node, const TwoAdicAccumulator<0>& total, auto& v) const {
    node.visit(*this, {node.sum += total.sum, 0}, v);
    return node.x[0];
  }
  void scatter(Node&, const TwoAdicAccumulator<0>&, std::uint32_t x, Edge& edge, auto&) const {
    edge.counted[0] = x;
    ++edge.rewritten;
  }
};

/// Rows, and all edges of a vertex at once.
template <gas::Active active = gas::Active::changed>
struct RowScatterProgram : TwoAdic {
  static constexpr bool rows = true;
  static constexpr Splits splits =
      active == gas::Active::every_round ? Splits::at_0 : Splits::never;
  struct Node : TwoAdicState<0, active> {
    using Published = gas::RowOf<std::uint32_t>;
    using Accumulator = gas::VectorSum<std::uint32_t>;
    std::array<std::uint32_t, 2> sums{};
  };
  using Vertex = Node;
  using Edge = RememberingEdge<2>;
  std::size_t width(gas::PublishedOf<Node>) const { return 2; }
  std::size_t width(gas::AccumulatorOf<Node>) const { return 2; }
  void gather(gas::VectorSum<std::uint32_t>& total, gas::RowView<const std::uint32_t> x,
              const Edge& edge) const {
    for (std::size_t i = 0; i < 2; ++i)
      total.values[i] += product(x[1 - i] - edge.counted[1 - i], edge.weight);
  }
  void apply(Node& node, const gas::VectorSum<std::uint32_t>& total,
             gas::RowView<std::uint32_t> out, auto& v) const {
    for (std::size_t i = 0; i < 2; ++i) node.sums[i] += total.values[i];
    node.visit(*this, node.sums, v);
    std::ranges::copy(node.x, out.begin());
  }
  void scatter(Node&, const gas::VectorSum<std::uint32_t>&,
               gas::EdgesView<Edge, std::uint32_t> edges, auto&) const {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      edges.fetch(e + 3);
      std::ranges::copy(edges.published(e), edges[e].counted.begin());
      ++edges[e].rewritten;
    }
  }
};

/// Two kinds of which the lefts rewrite their edges.
template <gas::Active active = gas::Active::changed>
struct TwoKindScatterProgram : TwoAdic {
  static constexpr Splits splits =
      active == gas::Active::every_round ? Splits::at_0 : Splits::never;
  struct Left : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
    std::uint32_t sum = 0;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<1>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = RememberingEdge<1>;
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x, const Edge& edge) const {
    total.sum += product(x - edge.counted[0], edge.weight);
  }
  void gather(TwoAdicAccumulator<1>& total, std::uint32_t x, const Edge& edge) const {
    total.sum += product(x, edge.weight);
  }
  std::uint32_t apply(Left& left, const TwoAdicAccumulator<0>& total, auto& v) const {
    left.visit(*this, {left.sum += total.sum, 0}, v);
    return left.x[0];
  }
  std::uint32_t apply(Right& right, const TwoAdicAccumulator<1>& total, auto& v) const {
    right.visit(*this, {total.sum, 0}, v);
    return right.x[0];
  }
  void scatter(Left&, const TwoAdicAccumulator<0>&, std::uint32_t x, Edge& edge, auto&) const {
    edge.counted[0] = x;
    ++edge.rewritten;
  }
};

/// Two kinds that tell each other by their edges alone: neither publishes anything, and both write
/// to the same edges.
struct EdgesOnlyProgram : TwoAdic {
  static constexpr Splits splits = Splits::both_at_0;
  struct Letter {
    float weight = 1;
    std::uint32_t rewritten = 0, rewritten_by_right = 0;
    std::uint32_t of_left = 0, of_right = 0;
    Letter() = default;
    Letter(float w) : weight(w) {}
  };
  template <std::uint32_t number>
  struct Writer : TwoAdicState<number, gas::Active::every_round> {
    using Accumulator = TwoAdicAccumulator<number>;
  };
  using Left = Writer<0>;
  using Right = Writer<1>;
  using Data = Left;
  using Parameter = Right;
  using Edge = Letter;
  void gather(TwoAdicAccumulator<0>& total, const Letter& letter) const {
    total.sum += product(letter.of_right, letter.weight);
  }
  void gather(TwoAdicAccumulator<1>& total, const Letter& letter) const {
    total.sum += product(letter.of_left, letter.weight);
  }
  template <std::uint32_t number>
  void apply(Writer<number>& writer, const TwoAdicAccumulator<number>& total, auto& v) const {
    writer.visit(*this, {total.sum, 0}, v);
  }
  /// Runs on every rank that has edges of the vertex: there, the state is another.
  void scatter(Left&, const TwoAdicAccumulator<0>& total, Letter& letter, auto& v) const {
    letter.of_left = constant(0, v.id(), 0) + total.sum;
    ++letter.rewritten;
  }
  void scatter(Right&, const TwoAdicAccumulator<1>& total, Letter& letter, auto& v) const {
    letter.of_right = constant(1, v.id(), 0) + total.sum;
    ++letter.rewritten_by_right;
  }
};

}  // namespace gas_test
