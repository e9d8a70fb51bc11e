#pragma once

#include <bit>
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
std::uint64_t local_sum_of_edges(const LocalGraph& graph);

/// That sum over all ranks, as text. Collective.
std::string sum_of_edges(Communicator& comm, const LocalGraph& graph);

/// A sum over the constant rows of data vertices, as local_sum_of_edges.
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

/// What is alike wherever a run of the program of this type goes on; `values`: the types of what a
/// checkpoint holds, `sum`: this rank's, of edges and inputs. Collective.
Identity identity_of(Communicator& comm, const std::type_info& program, const std::string& values,
                     const LocalGraph& graph, std::uint64_t seed, std::uint64_t sum);

/// The program's type, as a person reads it.
std::string name_of_program(const std::type_info& type);

}  // namespace gas
