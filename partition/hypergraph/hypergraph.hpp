#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gas::partition {

/// Vertices with weights and nets, each of which joins any number of vertices (its pins). A vertex
/// is a pin of a net at most once.
struct Hypergraph {
  using Index = std::uint32_t;
  using Cost = std::int64_t;

  std::vector<std::uint64_t> net_begin{0};     // nets + 1
  std::vector<Index> pin;                      // of all nets
  std::vector<std::uint64_t> vertex_begin{0};  // vertices + 1
  std::vector<Index> net;                      // of all vertices, ascending
  std::vector<std::int32_t> net_weight;        // what each part beyond the first costs
  std::vector<std::int64_t> vertex_weight;

  Index vertices() const { return static_cast<Index>(vertex_weight.size()); }
  Index nets() const { return static_cast<Index>(net_weight.size()); }
  std::span<const Index> pins(Index n) const {
    return std::span(pin).subspan(net_begin[n], net_begin[n + 1] - net_begin[n]);
  }
  std::span<const Index> nets_of(Index v) const {
    return std::span(net).subspan(vertex_begin[v], vertex_begin[v + 1] - vertex_begin[v]);
  }
  std::int64_t weight() const;

  /// Fills vertex_begin and net from the pins. O(pins).
  void list_nets();
};

/// Takes nets one after the other and keeps those of two pins or more, equal ones as one with the
/// sum of their weights.
class NetCollector {
 public:
  /// `pins`, distinct and ascending.
  void add(std::span<const Hypergraph::Index> pins, std::int32_t weight);
  /// The hypergraph of the nets added. O(pins + nets log nets).
  Hypergraph finish(std::vector<std::int64_t> vertex_weight);

 private:
  Hypergraph all_;
};

}  // namespace gas::partition
