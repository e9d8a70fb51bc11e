#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "partition/hypergraph/hypergraph.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// A hypergraph's vertices in parts, with what moving each of them to each part would gain:
/// O(parts × (vertices + nets)) memory. The cost of a partition is Σ over nets of weight × (parts
/// with a pin − 1).
///
/// A move that is a net's first or last in a part looks through its pins. A large net that was
/// looked through often counts no more for gains: it lies in most parts whatever a move does, and
/// looking on would take pins × moves.
class Moves {
 public:
  using Index = Hypergraph::Index;

  /// `part` of each vertex; `most`: the weight that each part may have.
  Moves(const Hypergraph& graph, std::vector<Part> part, std::vector<std::int64_t> most);

  const Hypergraph& graph() const { return graph_; }
  Part parts() const { return parts_; }
  Part part(Index v) const { return part_[v]; }
  std::vector<Part> take_parts() { return std::move(part_); }
  std::int64_t load(Part p) const { return load_[p]; }
  std::int64_t most(Part p) const { return most_[p]; }
  std::int64_t cost() const;

  /// By how much the cost would fall, but for large nets that count no more.
  std::int32_t gain(Index v, Part to) const {
    return alone_[v] + reached_[std::size_t{v} * parts_ + to] - all_[v];
  }
  bool fits(Index v, Part to) const { return load_[to] + graph_.vertex_weight[v] <= most_[to]; }
  /// Whether a net of the vertex has pins in other parts.
  bool on_border(Index v) const;

  struct Best {
    std::int32_t gain = 0;
    Part to = 0;
    bool found = false;
  };
  /// The best part to move to, of those that it fits in; among equals the lightest.
  Best best(Index v) const;

  /// Moves a vertex; calls rises(u) for each vertex u that may gain more by a move than before,
  /// because it is alone now in a net's part, or because a net has reached the part `to`.
  template <class Rises>
  void move(Index v, Part to, Rises rises);
  void move(Index v, Part to) {
    move(v, to, [](Index) {});
  }

 private:
  static constexpr std::size_t large = 1000;      // pins
  static constexpr std::uint8_t most_looks = 30;  // through those of a large net

  /// The net counts no more.
  void leave_out(Index net);

  const Hypergraph& graph_;
  Part parts_;
  std::vector<Part> part_;
  std::vector<std::int64_t> load_, most_;
  std::vector<std::uint32_t> count_;   // by net, then part: pins there
  std::vector<std::uint8_t> looks_;    // by net, if it is large
  std::vector<std::int32_t> reached_;  // by vertex, then part: weight of its nets with a pin there
  std::vector<std::int32_t> alone_;    // weight of its nets in whose part there it is the only pin
  std::vector<std::int32_t> all_;      // weight of its nets
};

template <class Rises>
void Moves::move(Index v, Part to, Rises rises) {
  const Part from = part_[v];
  part_[v] = to;
  load_[from] -= graph_.vertex_weight[v];
  load_[to] += graph_.vertex_weight[v];
  for (const Index n : graph_.nets_of(v)) {
    const std::int32_t weight = graph_.net_weight[n];
    std::uint32_t* const count = &count_[std::size_t{n} * parts_];
    const std::uint32_t left = --count[from];
    const std::uint32_t there = ++count[to];
    if ((left > 1 && there > 2) || looks_[n] == most_looks) continue;
    const auto pins = graph_.pins(n);
    if (left == 0) {
      alone_[v] -= weight;
      for (const Index u : pins) reached_[std::size_t{u} * parts_ + from] -= weight;
    } else if (left == 1) {
      const Index u = *std::ranges::find_if(pins, [&](Index w) { return part_[w] == from; });
      alone_[u] += weight;
      rises(u);
    }
    if (there == 1) {
      alone_[v] += weight;
      for (const Index u : pins) {
        reached_[std::size_t{u} * parts_ + to] += weight;
        rises(u);
      }
    } else if (there == 2) {
      alone_[*std::ranges::find_if(pins, [&](Index u) { return u != v && part_[u] == to; })] -=
          weight;
    }
    if (pins.size() > large && ++looks_[n] == most_looks) leave_out(n);
  }
}

}  // namespace gas::partition
