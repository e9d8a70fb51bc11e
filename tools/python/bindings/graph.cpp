// A plain graph, by its edges or by compressed rows.
#include "programs/calls/graph.hpp"

#include <cstdint>

#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"

namespace gas::python {
namespace {

template <class Id, class Value>
Graph from_edges(const Session& session, const Borrowed<Id>& sources, const Borrowed<Id>& targets,
                 const Borrowed<Value>& values, std::uint64_t vertices, bool undirected) {
  const Context& context = session.context();
  const auto from = numbers(sources), to = numbers(targets);
  const auto of = numbers(values);
  return unlocked([&] {
    return Graph::from_edges(context, from, to, of,
                             {.vertices = vertices, .undirected = undirected});
  });
}

template <class Id, class Value>
Graph from_rows(const Session& session, const Borrowed<Id>& offsets, const Borrowed<Id>& targets,
                const Borrowed<Value>& values, std::uint64_t vertices, bool undirected) {
  const Context& context = session.context();
  const auto from = numbers(offsets), to = numbers(targets);
  const auto of = numbers(values);
  return unlocked([&] {
    return Graph::from_rows(context, from, to, of,
                            {.vertices = vertices, .undirected = undirected});
  });
}

template <class Id, class Value>
void bind_edges(py::class_<Graph>& graph) {
  graph.def_static("from_edges", &from_edges<Id, Value>, py::arg("session"),
                   py::arg("sources").noconvert(), py::arg("targets").noconvert(),
                   py::arg("values").noconvert(), py::kw_only(), py::arg("vertices"),
                   py::arg("undirected"));
}

template <class Id, class Value>
void bind_rows(py::class_<Graph>& graph) {
  graph.def_static("from_rows", &from_rows<Id, Value>, py::arg("session"),
                   py::arg("offsets").noconvert(), py::arg("targets").noconvert(),
                   py::arg("values").noconvert(), py::kw_only(), py::arg("vertices"),
                   py::arg("undirected"));
}

}  // namespace

void bind_graph(py::module_& module) {
  py::class_<Graph> graph(module, "Graph");
  graph.def("__reduce_ex__", &reduce);
  bind_edges<std::int32_t, float>(graph);
  bind_edges<std::int32_t, double>(graph);
  bind_edges<std::int64_t, float>(graph);
  bind_edges<std::int64_t, double>(graph);
  bind_edges<std::uint32_t, float>(graph);
  bind_edges<std::uint32_t, double>(graph);
  bind_edges<std::uint64_t, float>(graph);
  bind_edges<std::uint64_t, double>(graph);
  bind_rows<std::int32_t, float>(graph);
  bind_rows<std::int32_t, double>(graph);
  bind_rows<std::int64_t, float>(graph);
  bind_rows<std::int64_t, double>(graph);
  graph.def_property_readonly("vertices", &Graph::vertices);
}

}  // namespace gas::python
