#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// Copies / vertices, of the vertices that have an edge. Plain graph: data is all, no parameter.
struct Replication {
  double all = 1;
  double data = 1;
  std::optional<double> parameter;
};

/// What the parts hold of one kind of vertices, and exchange about it in a round in which every
/// vertex publishes and gathers. A mirror that an edge of its part reads gets a value from its
/// master; one that gathers there sends a total to it. Plain: an edge's target reads its source and
/// gathers. Bipartite: both ends do both.
struct KindCounts {
  using PerPart = std::vector<std::uint64_t>;
  PerPart masters;   // of all vertices
  PerPart boundary;  // masters that have mirrors
  PerPart mirrors;
  PerPart value_mirrors, accumulator_mirrors;  // mirrors that read; that gather
  PerPart value_masters, accumulator_masters;  // the same, on the part of their master
  /// Pairs of parts of which the first sends the other a value; a total.
  std::uint64_t value_messages = 0, total_messages = 0;
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
};

/// With what predict() goes by.
struct Measured : Quality {
  KindCounts::PerPart edges;
  KindCounts data, parameter;  // plain: data is all, parameter has no parts
};

/// f(key, member) for what manifests and summaries say of a Quality; "a.b" is key b of object a.
template <class Q, class F>
requires std::derived_from<std::remove_const_t<Q>, Quality>
void for_each_key(Q& quality, F f) {
  f("replication_factor.all", quality.replication_factor.all);
  f("replication_factor.data", quality.replication_factor.data);
  f("replication_factor.parameter", quality.replication_factor.parameter);
  f("edge_cut", quality.edge_cut);
  f("edge_balance", quality.edge_balance);
  f("vertex_balance", quality.vertex_balance);
  f("copy_balance", quality.copy_balance);
  f("mirrors_total", quality.mirrors_total);
  f("mirrors_max", quality.mirrors_max);
}

/// Collective; no rank holds all edges or vertices.
Measured quality(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                 const Partition& partition);

/// Only Quality::replication_factor: no look at the masters of every edge. Collective.
Replication replication(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                        const Partition& partition);

}  // namespace gas::partition
