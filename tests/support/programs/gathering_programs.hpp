#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gas/program/lists.hpp"
#include "tests/support/two_adic.hpp"

/// Two-adic programs that gather anew what their neighbours publish: numbers, rows and lists, of
/// one kind and of two; and one of minima, whose vertices gather changes.
namespace gas_test {

/// One kind that publishes a number: visited in place in async, and by priority.
template <gas::Active active = gas::Active::changed>
struct NumberProgram : TwoAdic {
  static constexpr bool numbers = true;
  struct Node : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
  };
  using Vertex = Node;
  using Edge = float;
  void gather(typename Node::Accumulator& total, std::uint32_t x, float w) const {
    total.sum += product(x, w);
  }
  std::uint32_t apply(Node& node, const typename Node::Accumulator& total, auto& v) const {
    node.visit(*this, {total.sum, 0}, v);
    return node.x[0];
  }
  std::uint32_t priority(std::uint32_t before, std::uint32_t now) const {
    return static_cast<std::uint32_t>(std::countr_zero(before ^ now));
  }
};

/// The same, and gather reads its own value.
template <gas::Active active = gas::Active::changed>
struct OwnNumberProgram : NumberProgram<active> {
  static constexpr bool reads_own = true;
  using typename NumberProgram<active>::Node;
  void gather(typename Node::Accumulator& total, std::uint32_t x, float w,
              gas::Own<std::uint32_t> own) const {
    total.sum += this->product(x, w, own.value);
  }
};

/// The same along the other edges, or all.
template <gas::Along along>
struct AlongProgram : NumberProgram<> {
  struct Node : NumberProgram<>::Node {
    static constexpr auto gathers_along = along;
  };
  using Vertex = Node;
};

/// One kind that gathers changes: x_v is the least of a constant and of x_u + w over its edges. Its
/// vertices are pushed to, and visited by buckets.
struct LeastProgram : TwoAdic {
  static constexpr bool numbers = true, least = true;
  static constexpr std::uint32_t most = 0xFFFF'FFFF;
  struct Node : TwoAdicState<0, gas::Active::changed> {
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
    static constexpr bool gathers_changes = true;
  };
  using Vertex = Node;
  using Edge = float;

  static std::uint32_t along(std::uint32_t x, float w) {
    return x == most ? most : x + static_cast<std::uint32_t>(w);
  }
  std::uint32_t first(std::uint64_t id) const {
    return awake(0, id) ? drawn(0, id, 1) % 100 : most;
  }
  std::uint32_t init(Node& node, const auto&) const { return node.x[0] = most; }
  void gather(Node::Accumulator& total, std::uint32_t x, float w) const { total += along(x, w); }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, auto& v) const {
    const std::uint32_t before = node.x[0];
    const bool done = ++node.visits >= visits_wanted(0, v.id());
    if (!done) v.again();
    node.x[0] = std::min({before, first(v.id()), total.value});
    if constexpr (requires { v.summary() += std::int64_t{1}; })
      v.summary() += std::int64_t{!done || node.x[0] != before ? 1 : 0};
    return node.x[0];
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now / 5; }
};

/// One kind that publishes and sums rows; each element gathers the other one.
template <gas::Active active = gas::Active::changed>
struct RowProgram : TwoAdic {
  static constexpr bool rows = true;
  struct Node : TwoAdicState<0, active> {
    using Published = gas::RowOf<std::uint32_t>;
    using Accumulator = gas::VectorSum<std::uint32_t>;
  };
  using Vertex = Node;
  using Edge = float;
  std::size_t width(gas::PublishedOf<Node>) const { return 2; }
  std::size_t width(gas::AccumulatorOf<Node>) const { return 2; }
  void gather(typename Node::Accumulator& total, gas::RowView<const std::uint32_t> x,
              float w) const {
    for (std::size_t i = 0; i < 2; ++i) total.values[i] += product(x[1 - i], w);
  }
  void apply(Node& node, const typename Node::Accumulator& total, gas::RowView<std::uint32_t> out,
             auto& v) const {
    node.visit(*this, {total.values[0], total.values[1]}, v);
    std::ranges::copy(node.x, out.begin());
  }
};

template <gas::Active active = gas::Active::changed>
struct OwnRowProgram : RowProgram<active> {
  static constexpr bool reads_own = true;
  using typename RowProgram<active>::Node;
  void gather(typename Node::Accumulator& total, gas::RowView<const std::uint32_t> x, float w,
              const gas::Own<typename Node::Published>& own) const {
    for (std::size_t i = 0; i < 2; ++i) total.values[i] += this->product(x[1 - i], w, own.value[i]);
  }
};

/// Two kinds that gather each other: in one pass over the edges, or the parameters by their own.
template <bool in_one_pass, gas::Active active = gas::Active::changed>
struct TwoKindProgram : TwoAdic {
  struct Left : TwoAdicState<0, active> {
    using Published = std::uint32_t;
    using Accumulator = TwoAdicAccumulator<0>;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator =
        std::conditional_t<in_one_pass, TwoAdicAccumulator<1>, gas::VectorSum<std::uint32_t>>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  std::size_t width(gas::AccumulatorOf<Right>) const requires(!in_one_pass) { return 1; }
  void gather(TwoAdicAccumulator<0>& total, std::uint32_t x, float w) const {
    total.sum += product(x, w);
  }
  void gather(TwoAdicAccumulator<1>& total, std::uint32_t x, float w) const requires in_one_pass {
    total.sum += product(x, w);
  }
  void gather(gas::VectorSum<std::uint32_t>& total, std::uint32_t x, float w) const
      requires(!in_one_pass) {
    total.values[0] += product(x, w);
  }
  std::uint32_t apply(Left& left, const TwoAdicAccumulator<0>& total, auto& v) const {
    left.visit(*this, {total.sum, 0}, v);
    return left.x[0];
  }
  std::uint32_t apply(Right& right, const typename Right::Accumulator& total, auto& v) const {
    if constexpr (in_one_pass)
      right.visit(*this, {total.sum, 0}, v);
    else
      right.visit(*this, {total.values[0], 0}, v);
    return right.x[0];
  }
};
static_assert(gas::fused<TwoKindProgram<true>> && !gas::fused<TwoKindProgram<false>>);

/// Both kinds read their own values, so that both pull.
template <gas::Active active = gas::Active::changed>
struct OwnTwoKindProgram : TwoKindProgram<true, active> {
  static constexpr bool reads_own = true;
  template <std::uint32_t kind>
  void gather(TwoAdicAccumulator<kind>& total, std::uint32_t x, float w,
              gas::Own<std::uint32_t> own) const {
    total.sum += this->product(x, w, own.value);
  }
};
static_assert(!gas::fused<OwnTwoKindProgram<>>);

/// Lists of two numbers, which are empty while both are 0, and then some; gathered into lists.
template <gas::Active active = gas::Active::changed>
struct ListProgram : TwoAdic {
  static constexpr bool rows = true;
  struct Node : TwoAdicState<0, active> {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::List<std::array<std::uint32_t, 2>>;
  };
  using Vertex = Node;
  using Edge = float;
  void gather(typename Node::Accumulator& all, std::span<const std::uint32_t> x, float w) const {
    if (!x.empty()) all.push_back({product(x[1], w), product(x[0], w)});
  }
  void apply(Node& node, const typename Node::Accumulator& all, std::vector<std::uint32_t>& out,
             auto& v) const {
    std::array<std::uint32_t, 2> sums{};
    for (const auto& [first, second] : all.elements()) sums[0] += first, sums[1] += second;
    node.visit(*this, sums, v);
    out.assign(node.x.begin(), node.x.end());
    if (out[0] == 0 && out[1] == 0) return out.clear();
    out.resize(2 + out[0] / 16 % 4, out[1]);
  }
};

/// Two kinds: the one publishes lists and gathers counts, the other one the reverse.
template <gas::Active active = gas::Active::changed>
struct ListTwoKindProgram : TwoAdic {
  struct Left : TwoAdicState<0, active> {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::Counts<std::uint32_t, std::uint32_t>;
  };
  struct Right : TwoAdicState<1, active> {
    using Published = std::uint32_t;
    using Accumulator = gas::List<std::uint32_t>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  void gather(typename Left::Accumulator& all, std::uint32_t x, float w) const {
    all.add(x, product(1, w));
  }
  void gather(typename Right::Accumulator& all, std::span<const std::uint32_t> x, float w) const {
    if (!x.empty()) all.push_back(product(x[0], w));
  }
  void apply(Left& left, const typename Left::Accumulator& all, std::vector<std::uint32_t>& out,
             auto& v) const {
    std::uint32_t sum = 0;
    for (const auto& [x, count] : all.elements()) sum += x * count;
    left.visit(*this, {sum, 0}, v);
    out.assign(left.x[0] == 0 ? 0 : 1 + left.x[0] / 16 % 4, left.x[0]);
  }
  std::uint32_t apply(Right& right, const typename Right::Accumulator& all, auto& v) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t part : all.elements()) sum += part;
    right.visit(*this, {sum, 0}, v);
    return right.x[0];
  }
};

}  // namespace gas_test
