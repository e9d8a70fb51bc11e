// What a graph is made of: components, k_core, triangles, label_propagation.
#include "programs/components/components.hpp"
#include "programs/k_core/k_core.hpp"
#include "programs/label_propagation/label_propagation.hpp"
#include "programs/triangles/triangles.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"
#include "tools/python/bindings/signals.hpp"

namespace gas::python {
namespace {

py::tuple find_components(const Session& session, const Graph& graph) {
  ComponentsOptions options;
  const Context& context = session.context();
  Signals signals(options.run);
  Components found = unlocked([&] { return components(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return py::make_tuple(found.count, array_of(std::move(found.labels)));
}

py::array_t<std::uint32_t> find_cores(const Session& session, const Graph& graph) {
  KCoreOptions options;
  const Context& context = session.context();
  Signals signals(options.run);
  Cores found = unlocked([&] { return k_core(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return array_of(std::move(found.cores));
}

py::tuple count_triangles(const Session& session, const Graph& graph) {
  TrianglesOptions options;
  const Context& context = session.context();
  Signals signals(options.run);
  TriangleCounts found = unlocked([&] { return triangles(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return py::make_tuple(found.count, array_of(std::move(found.triangles)),
                        array_of(std::move(found.clustering)), found.transitivity,
                        found.mean_clustering);
}

py::tuple propagate(const Session& session, const Graph& graph, std::uint64_t iterations,
                    std::uint64_t seed) {
  LabelPropagationOptions options{.seed = seed};
  options.run.iterations = iterations;
  const Context& context = session.context();
  Signals signals(options.run);
  Communities found = unlocked([&] { return label_propagation(context, graph, options); });
  signals.raise(found.outcome.interrupted);
  return py::make_tuple(found.count, array_of(std::move(found.labels)), found.outcome.rounds,
                        found.outcome.converged);
}

}  // namespace

void bind_structure(py::module_& module) {
  const auto session = py::arg("session"), graph = py::arg("graph");
  module.def("components", &find_components, session, graph);
  module.def("k_core", &find_cores, session, graph);
  module.def("triangles", &count_triangles, session, graph);
  module.def("label_propagation", &propagate, session, graph, py::kw_only(), py::arg("iterations"),
             py::arg("seed"));
}

}  // namespace gas::python
