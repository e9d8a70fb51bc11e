#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/engine/core.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Whether a rank has an array of the program's edges: it has, unless they are the graph's own
/// values, of the same type, which the program does not change.
template <class P, class Edge = EdgeType<P>>
constexpr bool owns_edges = present<Edge> &&
                            ((!std::is_same_v<Edge, float> && !std::is_same_v<Edge, double>) ||
                             names_scatter<P>);

/// UsageError for values that an Edge of whole numbers does not hold. Local.
template <class Edge>
void check_whole_numbers(const SharedList<float>& values) {
  using Limits = std::numeric_limits<Edge>;
  const double beyond = std::ldexp(1.0, Limits::digits);
  for (const float value : values)
    if (!(value >= static_cast<float>(Limits::lowest()) && double{value} < beyond &&
          value == std::trunc(value)))
      throw UsageError(
          fmt::format("an edge has the value {}, which the program's Edge cannot hold: declare "
                      "using Edge = float",
                      value));
}

/// The program's edges on this rank: the graph's values, 1 where it has none, or value-initialised
/// ones of an Edge that no number converts to. UsageError where Edge does not hold the values, or
/// does not take them. Collective.
template <class P>
void set_up_edge_values(Core<P>& core, const LocalGraph& graph) {
  using Edge = EdgeType<P>;
  const std::size_t count = graph.adjacency.neighbours.size();
  std::vector<Edge>& own = core.own_edges;
  if constexpr (present<Edge> && std::is_convertible_v<float, Edge>) {
    const SharedList<float>& values = graph.values;
    const SharedList<double>& wide = graph.wide_values;
    constexpr bool is_double = std::is_same_v<Edge, double>;
    if constexpr (!is_double)
      together(core.mailbox.transport(), [&] {
        if (!wide.empty())
          throw UsageError(
              "found edge values of type double, expected float: in the program, declare using "
              "Edge = double");
        if constexpr (std::is_integral_v<Edge>) check_whole_numbers<Edge>(values);
      });
    const Edge* lent = nullptr;
    if constexpr (!owns_edges<P> && is_double) lent = wide.empty() ? nullptr : wide.data();
    if constexpr (!owns_edges<P> && !is_double) lent = values.empty() ? nullptr : values.data();
    if (lent == nullptr) {
      own.assign(count, Edge(1.0F));
      for (std::size_t e = 0; e < values.size(); ++e) own[e] = Edge(values[e]);
      if constexpr (is_double)
        if (!wide.empty()) own.assign(wide.begin(), wide.end());
    }
    core.edges = lent != nullptr ? lent : own.data();
  } else if constexpr (present<Edge>) {
    Communicator& comm = core.mailbox.transport();
    const bool valued = !graph.values.empty() || !graph.wide_values.empty();
    const bool lost = all_max(comm, valued ? 1 : 0) > 0;
    together(comm, [&] {
      if (lost)
        throw UsageError(
            "the graph has edge values, and the program's Edge does not take them: give Edge a "
            "constructor from float that is not explicit, or lay the graph out without values "
            "(gas::EdgeValues::unread)");
    });
    own.resize(count);
    core.edges = own.data();
  }
}

}  // namespace gas
