#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gas/engine/engine.hpp"
#include "tests/support/graphs.hpp"

namespace gas_test {

/// Vertices that offer to others, and read others, whom they name by id; each step is exact, so
/// that a loop over arrays (naming_solution) must come to the same bits. `Base` draws.
template <class Base>
struct NamingProgram : Base {
  static constexpr gas::Stands stands{};

  struct Both {
    std::uint32_t least = ~0U, sum = 0;
    Both& operator+=(std::uint32_t x) { return *this += Both{x, x}; }
    Both& operator+=(const Both& other) {
      least = std::min(least, other.least);
      sum += other.sum;
      return *this;
    }
  };
  struct Sum {
    std::uint32_t value = 0;
    Sum& operator+=(const Sum& other) { return value += other.value, *this; }
  };
  struct Node {
    static constexpr std::uint32_t kind = 0;
    std::uint32_t value = 0, visits = 0;
    using Published = std::uint32_t;
    using Accumulator = Sum;
    using Offers = Both;
  };
  using Vertex = Node;
  using Edge = float;

  static gas::VertexId target(std::uint32_t value, std::uint32_t what, std::uint64_t count) {
    return gas::to_vertex_id(Base::mixed(value, what) % count);
  }
  static std::uint32_t next(std::uint32_t value, std::uint32_t sum, const Both& offered,
                            std::uint32_t read) {
    return static_cast<std::uint32_t>(
        Base::mixed(Base::mixed(value, sum), Base::mixed(offered.least + offered.sum, read)));
  }
  /// Of a vertex that may still change: how often it offers, whether it asks again and reads.
  static std::uint32_t offers(std::uint32_t value) { return value % 3; }
  static bool asks_again(std::uint32_t value) { return value % 5 == 0; }
  static bool reads_one(std::uint32_t value) { return value % 7 > 2; }
  std::uint32_t most_visits(std::uint64_t id) const { return 3 + this->drawn(0, id, 11) % 5; }

  void offer_from(std::uint32_t value, auto& v) const {
    for (std::uint32_t i = 0; i < offers(value); ++i)
      v.offer(target(value, i, v.count()), value + i);
  }
  std::uint32_t init(Node& node, auto& v) const {
    node.value = this->drawn(0, v.id(), 1);
    offer_from(node.value, v);
    return node.value;
  }
  void gather(Sum& total, std::uint32_t x, float w) const {
    total.value += static_cast<std::uint32_t>(w) * x;
  }
  std::uint32_t apply(Node& node, const Sum& total, auto& v) const {
    if (++node.visits > most_visits(v.id())) return node.value;
    node.value = next(node.value, total.value, v.offered(), v.read());
    offer_from(node.value, v);
    if (asks_again(node.value)) v.again();
    return node.value;
  }
  gas::VertexId reads(const Node& node, const auto& v) const {
    if (node.visits > most_visits(v.id()) || !reads_one(node.value)) return gas::none;
    return target(node.value, 9, v.count());
  }
};

/// Value and visits of each vertex when all rest. `sleeps`: those that are not awake() are not
/// active in round 1.
template <class Base>
std::vector<std::array<std::uint32_t, 2>> naming_solution(const NamingProgram<Base>& program,
                                                          const TestGraph& graph, bool sleeps) {
  using P = NamingProgram<Base>;
  const std::size_t n = graph.shape.sources;
  std::vector<std::array<std::uint32_t, 2>> x(n);
  std::vector<typename P::Both> offered(n), offered_next(n);
  std::vector<std::size_t> source(n), source_next(n);  // whom each reads
  std::vector<char> active(n), active_next(n);
  const auto offer = [&](std::uint32_t value) {
    for (std::uint32_t i = 0; i < P::offers(value); ++i) {
      const gas::VertexId to = P::target(value, i, n);
      offered_next[to].least = std::min(offered_next[to].least, value + i);
      offered_next[to].sum += value + i;
      active_next[to] = 1;
    }
  };
  const auto ask = [&](std::size_t v) {
    source_next[v] = v;
    if (x[v][1] > program.most_visits(v) || !P::reads_one(x[v][0])) return;
    source_next[v] = P::target(x[v][0], 9, n);
    if (source_next[v] != v) active_next[v] = 1;
  };
  for (std::size_t v = 0; v < n; ++v) {
    x[v] = {program.drawn(0, v, 1), 0};
    offer(x[v][0]);
    ask(v);
    if (!sleeps || program.awake(0, v)) active_next[v] = 1;
  }
  for (;;) {
    active.swap(active_next);
    active_next.assign(n, 0);
    offered.swap(offered_next);
    offered_next.assign(n, {});
    source = source_next;
    if (std::ranges::find(active, 1) == active.end()) return x;
    const auto before = x;
    std::vector<std::uint32_t> sums(n);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      sums[graph.edges.target[e]] +=
          static_cast<std::uint32_t>(graph.edges.value[e]) * before[graph.edges.source[e]][0];
    for (std::size_t v = 0; v < n; ++v) {
      if (active[v] == 0) continue;
      if (++x[v][1] <= program.most_visits(v)) {
        x[v][0] = P::next(before[v][0], sums[v], offered[v], before[source[v]][0]);
        offer(x[v][0]);
        if (P::asks_again(x[v][0])) active_next[v] = 1;
      }
      ask(v);
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const gas::VertexId from = graph.edges.source[e];
      if (x[from][0] != before[from][0]) active_next[graph.edges.target[e]] = 1;
    }
  }
}

}  // namespace gas_test
