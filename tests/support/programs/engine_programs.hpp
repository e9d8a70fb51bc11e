#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gas/engine/engine.hpp"

/// Programs with exact results: whatever the partition, the threads and the network, a run must end
/// in the same bits.
namespace gas_test {

/// The least row that reaches a vertex along arcs; no Summary, so vertices sleep and wake.
struct LeastAncestor {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint32_t least = 0;
    std::uint32_t applied = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
  };
  using Vertex = Node;
  std::uint32_t init(Node& node, const auto& v) const {
    return node.least = static_cast<std::uint32_t>(v.id());
  }
  void gather(Node::Accumulator& total, std::uint32_t least) const { total += least; }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, const auto&) const {
    ++node.applied;
    return node.least = std::min(node.least, total.value);
  }
};

/// Both sides gather each other's integers with edge data: exact sums, whatever the cut.
struct Tally {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Left {
    std::int64_t sum = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::int64_t;
    using Accumulator = gas::Sum<std::int64_t>;
  };
  struct Right {
    std::int64_t sum = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::int64_t;
    struct Accumulator {
      std::int64_t sum = 0, edges = 0;
      Accumulator& operator+=(const Accumulator& other) {
        sum += other.sum;
        edges += other.edges;
        return *this;
      }
    };
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  struct Summary {
    std::int64_t total = 0;
    Summary& operator+=(const Summary& other) { return total += other.total, *this; }
  };
  std::int64_t init(Right&, const auto& v) const {
    return static_cast<std::int64_t>(v.id() % 7) + 1;
  }
  std::int64_t init(Left&, const auto&) const { return 0; }
  void gather(Left::Accumulator& total, std::int64_t x, float w) const {
    total += x * static_cast<std::int64_t>(w);
  }
  void gather(Right::Accumulator& total, std::int64_t x, float w) const {
    total.sum += x * static_cast<std::int64_t>(w);
    ++total.edges;
  }
  std::int64_t apply(Left& left, const Left::Accumulator& total, auto& v) const {
    left.sum = total.value % 1000;
    v.summary().total += left.sum;
    return left.sum;
  }
  std::int64_t apply(Right& right, const Right::Accumulator& total, auto& v) const {
    right.sum = (total.sum + total.edges) % 1000 + v.last().data().total % 10;
    v.summary().total += right.sum;
    return right.sum;
  }
};

/// Tokens with colours: each end counts the colours of its tokens, then recolours them by its
/// counts.
struct Colours {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Token {
    std::int32_t colour = 0;
  };
  struct Left {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Histogram;
  };
  struct Right {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = Token;
  using Summary = gas::Histogram;
  static constexpr std::size_t colours = 6;

  std::size_t width(gas::AccumulatorOf<Left>) const { return colours; }
  std::size_t width(gas::AccumulatorOf<Right>) const { return colours; }
  std::size_t width(gas::PublishedOf<Right>) const { return colours; }
  std::size_t width(gas::SummaryOf) const { return colours; }

  static std::int32_t next(const gas::Histogram& counts, std::int32_t colour, std::int32_t add) {
    return static_cast<std::int32_t>(
        (colour + counts.counts[static_cast<std::size_t>(colour)] + add) % 6);
  }
  void init(Right&, gas::RowView<float> out, auto&) const { std::ranges::fill(out, 0.0F); }
  void gather(gas::Histogram& counts, Token token) const {
    counts.add(static_cast<std::size_t>(token.colour));
  }
  void apply(Left&, gas::Histogram&, auto&) const {}
  void apply(Right&, gas::Histogram& counts, gas::RowView<float> out, auto& v) const {
    for (std::size_t c = 0; c < colours; ++c) {
      out[c] = static_cast<float>(counts.counts[c]);
      v.summary().counts[c] += counts.counts[c];
    }
  }
  void scatter(Left, gas::Histogram& counts, gas::RowView<const float> row, Token& token,
               auto&) const {
    token.colour = next(counts, token.colour, static_cast<std::int32_t>(row[0]));
  }
  void scatter(Right, gas::Histogram& counts, Token& token, auto&) const {
    token.colour = next(counts, token.colour, 1);
  }
};

/// Colours, with all edges of a vertex recoloured in one call at both ends: lefts publish the 1
/// that rights add.
struct ColoursAtOnce {
  static constexpr gas::Stands stands = gas::any_staleness;
  using Token = Colours::Token;
  struct Left {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  struct Right {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = Token;
  using Summary = gas::Histogram;
  using Edges = gas::EdgesView<Token, float>;

  template <class Kind>
  std::size_t width(gas::AccumulatorOf<Kind>) const {
    return Colours::colours;
  }
  std::size_t width(gas::PublishedOf<Left>) const { return 1; }
  std::size_t width(gas::PublishedOf<Right>) const { return Colours::colours; }
  std::size_t width(gas::SummaryOf) const { return Colours::colours; }

  void init(Left&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  void init(Right&, gas::RowView<float> out, auto&) const { std::ranges::fill(out, 0.0F); }
  void gather(gas::Histogram& counts, Token token) const { Colours().gather(counts, token); }
  void apply(Left&, gas::Histogram&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  void apply(Right&, gas::Histogram& counts, gas::RowView<float> out, auto& v) const {
    Colours::Right right;
    Colours().apply(right, counts, out, v);
  }
  template <class Kind>
  void scatter(Kind&, gas::Histogram& counts, Edges edges, auto&) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges.fetch(i + 4);
      edges[i].colour =
          Colours::next(counts, edges[i].colour, static_cast<std::int32_t>(edges.published(i)[0]));
    }
  }
};

}  // namespace gas_test
