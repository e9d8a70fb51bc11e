#pragma once

#include "gas/engine/store/vertex_list.hpp"
#include "gas/engine/threads/work.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// What neighbours pushed to the vertices of a kind that gathers changes, on one rank: `kept` has
/// all pushes so far and, above staleness 0, what mirrors and boundary masters pulled.
template <class P, class K>
struct Pushed {
  using Accumulator = AccumulatorType<K>;

  VertexList<Accumulator> kept;    // by local id
  VertexList<EdgeType<P>> values;  // of the edges to readers, where those are not its own edges
  Parts all;                       // of all its vertices, which cost alike
  bool stands = false;             // what the woken vertices are to gather stands in `kept`
  bool owed = true;                // some are woken to whom nothing was pushed

  void make(Executor& executor, const VertexLayout& layout) {
    if (!kept.empty() || layout.locals() == 0) return;
    make_by_all(executor, kept, layout.locals());
    all = cut_parts(layout, nullptr, false);
  }
};

}  // namespace gas
