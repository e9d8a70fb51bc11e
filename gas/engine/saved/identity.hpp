#pragma once

#include <fmt/format.h>

#include <bit>
#include <boost/core/demangle.hpp>
#include <string>
#include <typeinfo>

#include "gas/base/communicator.hpp"
#include "gas/base/random.hpp"
#include "gas/checkpoint/manifest.hpp"
#include "gas/engine/gather/inputs.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// A sum over the edges and their values that does not depend on how ranks hold them. Local: of
/// this rank's edges. O(edges).
inline std::uint64_t local_sum_of_edges(const LocalGraph& graph) {
  const Adjacency& a = graph.adjacency;
  const VertexLayout& other = graph.bipartite ? graph.parameter : graph.owner;
  std::uint64_t sum = 0;
  for (LocalId v = 0; v < a.vertices(); ++v) {
    const Random owner(graph.owner.rows[v]);
    for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      std::uint64_t key = e < a.neighbours.size() ? other.rows[a.neighbours[e]] : 0;
      if (!graph.values.empty())
        key ^= std::uint64_t{std::bit_cast<std::uint32_t>(graph.values[e])} << 32U;
      if (!graph.wide_values.empty())
        key += Random(std::bit_cast<std::uint64_t>(graph.wide_values[e])).bits(0);
      sum += owner.bits(key);
    }
  }
  return sum;
}

/// The same of all ranks, as text. Collective.
inline std::string sum_of_edges(Communicator& comm, const LocalGraph& graph) {
  return fmt::format("{:016x}", all_sum(comm, local_sum_of_edges(graph)));
}

/// The same of the constant rows of data vertices.
template <class Element>
std::uint64_t local_sum_of_inputs(const Inputs<Element>& inputs, const VertexLayout& layout) {
  using Bits = std::conditional_t<sizeof(Element) == 8, std::uint64_t, std::uint32_t>;
  std::uint64_t sum = 0;
  for (LocalId v = 0; v < layout.masters(); ++v) {
    const Random row(layout.rows[v]);
    std::uint64_t place = 0;
    for (const Element x : inputs[v])
      sum += row.bits((place++ << 40U) ^ std::uint64_t{std::bit_cast<Bits>(x)});
  }
  return sum;
}

/// The program's type, as a person reads it.
template <class P>
std::string name_of_program() {
  return boost::core::demangle(typeid(P).name());
}

}  // namespace gas
