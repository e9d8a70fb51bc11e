#include "gas/engine/saved/identity.hpp"

#include <fmt/format.h>

#include <boost/core/demangle.hpp>

namespace gas {

std::uint64_t local_sum_of_edges(const LocalGraph& graph) {
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

std::string sum_of_edges(Communicator& comm, const LocalGraph& graph) {
  return fmt::format("{:016x}", all_sum(comm, local_sum_of_edges(graph)));
}

std::string name_of_program(const std::type_info& type) {
  return boost::core::demangle(type.name());
}

Identity identity_of(Communicator& comm, const std::type_info& program, const std::string& values,
                     const LocalGraph& graph, std::uint64_t seed, std::uint64_t sum) {
  return {{"program", name_of_program(program)},
          {"values", values},
          {"seed", std::to_string(seed)},
          {"vertices", std::to_string(graph.owner.count)},
          {"parameters", std::to_string(graph.parameter.count)},
          {"edges", std::to_string(graph.edge_count)},
          {"input", fmt::format("{:016x}", all_sum(comm, sum))}};
}

}  // namespace gas
