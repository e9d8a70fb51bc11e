// Cuts the edges of a plain graph into parts.
#include "partition/partition.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "partition/measure/quality.hpp"
#include "programs/calls/given_edges.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"

namespace gas::python {
namespace {

/// The part of the first arc of each edge.
std::vector<Part> parts_of_edges(const EdgeList& edges, std::vector<Part> of_arcs) {
  if (of_arcs.empty()) return std::vector<Part>(edges.size(), 0);
  if (!edges.both_ways) return of_arcs;
  std::vector<Part> parts;
  std::size_t arc = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    parts.push_back(of_arcs[arc]);
    arc += edges.source[e] == edges.target[e] ? 1 : 2;
  }
  return parts;
}

py::dict cut(const Session& session, const Borrowed<std::int64_t>& sources,
             const Borrowed<std::int64_t>& targets, std::uint64_t vertices, bool undirected,
             Part parts, const std::string& method, double imbalance_percent, std::uint64_t seed) {
  const Context& context = session.context();
  const auto from = numbers(sources), to = numbers(targets);
  Partition found;
  partition::Quality quality;
  std::vector<Part> of_edges;
  unlocked([&] {
    Communicator& comm = context.transport();
    detail::GivenEdges given = detail::given_edges(from, to, std::span<const float>());
    const std::uint64_t beyond = std::max(given.sources, given.targets);
    if (given.problem.empty() && beyond > vertices)
      given.problem =
          fmt::format("an edge names vertex {}, expected ids below {}", beyond - 1, vertices);
    detail::check(comm, given.problem);
    EdgeList edges = std::move(given.edges);
    edges.both_ways = undirected;
    const GraphShape shape{vertices, vertices, false};
    found = partition::make_partition(
        comm, edges, shape,
        {.method = method, .parts = parts, .imbalance_percent = imbalance_percent, .seed = seed});
    quality = partition::quality(comm, edges, shape, found);
    if (undirected) quality.edge_cut /= 2;  // edges, not their arcs; loops are never cut
    of_edges = parts_of_edges(edges, std::move(found.edge_part));
  });
  py::dict told;
  told["vertices"] = array_of(std::move(found.source_master));
  told["edges"] = array_of(std::move(of_edges));
  told["method"] = found.method;
  told["replication_factor"] = quality.replication_factor.all;
  told["edge_cut"] = quality.edge_cut;
  told["edge_balance"] = quality.edge_balance;
  told["vertex_balance"] = quality.vertex_balance;
  return told;
}

}  // namespace

void bind_partition(py::module_& module) {
  module.def("partition", &cut, py::arg("session"), py::arg("sources").noconvert(),
             py::arg("targets").noconvert(), py::kw_only(), py::arg("vertices"),
             py::arg("undirected"), py::arg("parts"), py::arg("method"),
             py::arg("imbalance_percent"), py::arg("seed"));
  module.def("partition_methods", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const partition::Method& method : partition::methods())
      all.emplace_back(method.name, method.when);
    return all;
  });
}

}  // namespace gas::python
