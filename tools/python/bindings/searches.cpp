// What starts from vertices: page_rank, harmonic_centrality, shortest_paths, breadth_first_search.
#include <optional>

#include "programs/breadth_first_search/breadth_first_search.hpp"
#include "programs/harmonic_centrality/harmonic_centrality.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "programs/shortest_paths/shortest_paths.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

py::tuple ranks(const Session& session, const Graph& graph, double damping, bool spread,
                double tolerance, bool unweighted, const Borrowed<double>& teleport,
                std::uint64_t iterations) {
  const auto homes = numbers(teleport);
  PageRankOptions options{.damping = damping,
                          .dangling = spread ? Dangling::spread : Dangling::ignore,
                          .tolerance = tolerance,
                          .unweighted = unweighted,
                          .teleport = {homes.begin(), homes.end()}};
  options.run.iterations = iterations;
  const Context& context = session.context();
  Signals signals(options.run);
  PageRanks found = unlocked([&] { return page_rank(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return py::make_tuple(array_of(std::move(found.ranks)), found.outcome.rounds,
                        found.outcome.converged);
}

py::array_t<double> centralities(const Session& session, const Graph& graph,
                                 std::uint64_t registers, std::uint64_t seed) {
  HarmonicOptions options{.registers = registers, .seed = seed};
  const Context& context = session.context();
  Signals signals(options.run);
  HarmonicCentralities found =
      unlocked([&] { return harmonic_centrality(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return array_of(std::move(found.centrality));
}

py::array_t<double> paths(const Session& session, const Graph& graph, std::uint64_t source) {
  ShortestPathsOptions options;
  const Context& context = session.context();
  Signals signals(options.run);
  Distances found = unlocked([&] { return shortest_paths(context, graph, source, options); });
  signals.raise(found.outcome.interrupted);
  return array_of(std::move(found.distances));
}

py::tuple search(const Session& session, const Graph& graph, std::uint64_t source) {
  BreadthFirstOptions options;
  const Context& context = session.context();
  Signals signals(options.run);
  BreadthFirstTree found =
      unlocked([&] { return breadth_first_search(context, graph, source, options); });
  signals.raise(found.outcome.interrupted);
  return py::make_tuple(array_of(std::move(found.hops)), array_of(std::move(found.parents)));
}

}  // namespace

void bind_searches(py::module_& module) {
  const auto session = py::arg("session"), graph = py::arg("graph");
  module.def("page_rank", &ranks, session, graph, py::kw_only(), py::arg("damping"),
             py::arg("spread"), py::arg("tolerance"), py::arg("unweighted"),
             py::arg("teleport").noconvert(), py::arg("iterations"));
  module.def("harmonic_centrality", &centralities, session, graph, py::kw_only(),
             py::arg("registers"), py::arg("seed"));
  module.def("shortest_paths", &paths, session, graph, py::arg("source"));
  module.def("breadth_first_search", &search, session, graph, py::arg("source"));
}

}  // namespace gas::python
