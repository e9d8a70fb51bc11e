#include "partition/expansion/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "gas/base/error.hpp"
#include "partition/streaming/edge_stream.hpp"

namespace gas::partition {
namespace {

constexpr double hub_factor = 100;  // beyond it hubs cost time and win no copy

/// The highest degree of a vertex that has a list.
std::uint32_t highest_listed(const std::vector<std::uint32_t>& degrees, std::uint64_t memory) {
  std::uint64_t ends = 0;
  std::uint32_t highest = 0;
  for (const std::uint32_t degree : degrees) {
    ends += degree;
    highest = std::max(highest, degree);
  }
  const auto with_edges =
      std::count_if(degrees.begin(), degrees.end(), [](auto d) { return d > 0; });
  const double factor = hub_factor * static_cast<double>(ends) /
                        static_cast<double>(std::max<std::ptrdiff_t>(with_edges, 1));
  if (factor < highest) highest = static_cast<std::uint32_t>(factor);
  if (memory == 0) return highest;
  std::vector<std::uint64_t> ends_of(std::size_t{highest} + 1, 0);  // by degree
  for (const std::uint32_t degree : degrees)
    if (degree <= highest) ends_of[degree] += degree;
  std::uint64_t bytes = 0;
  std::uint32_t fits = 0;
  while (fits < highest && bytes + 4 * ends_of[fits + 1] <= memory) bytes += 4 * ends_of[++fits];
  return fits;
}

}  // namespace

Neighbours gather_neighbours(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                             std::uint64_t memory) {
  const std::uint64_t vertices = stream_vertices(shape);
  Neighbours graph;
  std::vector<std::uint32_t> degree;
  together(comm, [&] {
    if (vertices >= Neighbours::hub_bit)
      throw RunError(
          fmt::format("the graph is too large for neighbourhood expansion ({} vertices, "
                      "at most {} are possible): use 'hdrf' or 'dbh'",
                      vertices, Neighbours::hub_bit - 1));
    if (comm.rank() == 0) degree.assign(vertices, 0);
  });
  graph.arcs_per_edge = edges.both_ways ? 2 : 1;
  stream_edges(comm, edges, shape, [&](std::uint32_t u, std::uint32_t v) {
    if (u == v) {
      if (graph.loops.empty()) graph.loops.assign(vertices, 0);
      ++graph.loops[v];
      return;
    }
    ++degree[u];
    ++degree[v];
  });
  std::vector<std::uint32_t> hub_number;  // by vertex; hub_bit | number
  std::vector<std::uint32_t> hub_neighbours;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    const std::uint32_t highest = highest_listed(degree, memory);
    graph.begin.resize(vertices);
    graph.length.assign(vertices, 0);
    std::uint64_t total = 0;
    hub_number.assign(vertices, 0);
    for (std::uint64_t v = 0; v < vertices; ++v) {
      if (degree[v] > highest) {
        hub_number[v] = Neighbours::hub_bit | static_cast<std::uint32_t>(graph.hubs.size());
        if (!graph.loops.empty()) graph.loops[v] = 0;
        graph.hubs.push_back(static_cast<std::uint32_t>(v));
        graph.begin[v] = Neighbours::no_list;
      } else {
        graph.begin[v] = total;
        total += degree[v];
      }
    }
    for (std::uint64_t v = 0; v < graph.loops.size(); ++v)
      if (degree[v] == 0) graph.loops[v] = 0;
    degree = std::vector<std::uint32_t>();
    graph.list.resize(total);
    hub_neighbours.assign(vertices, 0);
  });
  const auto list = [&](std::uint32_t v, std::uint32_t other) {
    std::uint32_t* const first = graph.first(v);
    std::uint32_t* const last = first + graph.length[v]++;
    if (hub_number[other] == 0) {
      *last = other;
    } else {
      std::uint32_t* const at = first + hub_neighbours[v]++;
      *last = *at;
      *at = hub_number[other];
    }
  };
  stream_edges(
      comm, edges, shape,
      [&](std::uint32_t u, std::uint32_t v) {
        if (u == v || (hub_number[u] != 0 && hub_number[v] != 0)) return;
        ++graph.edges;
        if (hub_number[u] == 0) list(u, v);
        if (hub_number[v] == 0) list(v, u);
      },
      [&](std::uint32_t w) {
        return std::array<const void*, 3>{&hub_number[w], &graph.begin[w], &graph.length[w]};
      });
  return graph;
}

std::vector<bool> hub_flags(Communicator& comm, const Neighbours& graph, std::uint64_t vertices) {
  std::vector<bool> flags(vertices, false);
  for (const std::uint32_t v : broadcast(comm, std::span<const std::uint32_t>(graph.hubs)))
    flags[v] = true;
  return flags;
}

}  // namespace gas::partition
