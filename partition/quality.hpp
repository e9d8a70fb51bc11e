#pragma once

#include <cstdint>
#include <optional>

#include "partition/partition.hpp"

namespace gas::partition {

/// Copies / vertices, of the vertices that have an edge. Plain graph: data is all, no parameter.
struct Replication {
  double all = 1;
  double data = 1;
  std::optional<double> parameter;
};

/// What a partition costs. A vertex has a copy in every part with an edge of it and in the part of
/// its master; the copies beside the master are its mirrors. Balances are largest / mean over the
/// parts. Where there is nothing to divide (no edge, no vertex), ratios are 1.
struct Quality {
  Replication replication_factor;
  std::uint64_t edge_cut = 0;  // edges whose two ends have their masters in different parts
  double edge_balance = 1;     // edges
  double vertex_balance = 1;   // masters, of all vertices
  double copy_balance = 1;     // copies, of the vertices that have an edge
  std::uint64_t mirrors_total = 0;
  std::uint64_t mirrors_max = 0;  // most on one part
  /// Predicted for a round in which every vertex publishes: width × (mirrors that an edge of their
  /// part reads + mirrors that gather). A mirror that is read gets one value from its master, one
  /// that gathers sends one total to it. Plain: an edge's target reads its source and gathers.
  /// Bipartite: both ends do both, so it is 2 × width × mirrors.
  std::uint64_t bytes_per_round = 0;
};

/// Collective; no rank holds all edges or vertices. `width`: bytes of a published value and of a
/// total.
Quality quality(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, std::uint64_t width = 8);

/// Only Quality::replication_factor, at a third of the cost. Collective.
Replication replication(Team& team, const EdgeList& edges, const GraphShape& shape,
                        const Partition& partition);

}  // namespace gas::partition
