#pragma once

#include "gas/engine/gather_step.hpp"

namespace gas {

template <class P>
using FirstKind = std::conditional_t<TwoKinds<P>, DataType<P>, VertexType<P>>;

/// The width of rows that the program names for What: PublishedOf<K>, AccumulatorOf<K>, SummaryOf.
template <class P, class What>
std::size_t width_of(const P& program, What what) {
  if constexpr (requires { program.width(what); })
    return program.width(what);
  else
    return 0;
}

/// Sizes the arrays of kind K and cuts its work. Collective.
template <class P, class K>
void set_up_kind(Core<P>& core, KindRun<P, K>& kind, const VertexLayout& layout,
                 const Adjacency* adjacency) {
  using Accumulator = typename KindRun<P, K>::Accumulator;
  constexpr bool in_slots = rank_local<P> && std::is_same_v<K, FirstKind<P>>;
  constexpr bool whole = [] {
    if constexpr (requires { K::whole; }) return K::whole;
    return in_slots;
  }();
  if constexpr (whole) {
    together(core.mailbox.transport(), [&] {
      if (!layout.peers.empty())
        throw UsageError(
            "the partition splits vertices over ranks that this program visits whole: "
            "choose one whose edges follow them");
    });
  }
  kind.adjacency = adjacency;
  kind.vertices.layout = &layout;
  kind.published_width = width_of(core.program, PublishedOf<K>{});
  kind.vertices.resize(kind.published_width);
  const std::size_t total_width = width_of(core.program, AccumulatorOf<K>{});
  kind.row_totals.resize(core.workers.size());
  for (AccumulatorArray<Accumulator>& row : kind.row_totals) row.resize(1, total_width);
  if constexpr (is_running<Accumulator>) kind.running.resize(layout.masters(), total_width);
  kind.make_out_rows(core.workers.size());

  static const Adjacency no_edges;
  const Adjacency& edges = adjacency ? *adjacency : no_edges;
  constexpr bool splits_hubs = gathers<P, K> && !scatters<P, K, Visit<P, K>> && !in_slots;
  const bool splits = splits_hubs && adjacency != nullptr;
  kind.interior = cut_work(0, layout.interior, edges, splits);
  kind.boundary = cut_work(layout.interior, layout.masters(), edges, splits);
  kind.mirrors = cut_work(layout.masters(), layout.locals(), edges, splits);
  const std::size_t pieces =
      std::max({kind.interior.pieces, kind.boundary.pieces, kind.mirrors.pieces});
  kind.hub_pieces.resize(pieces, total_width);
  if constexpr (has_total<P, K>) {
    kind.entries.resize(layout, core.mailbox.transport().rank(), total_width);
    kind.complete_totals.resize(scatters<P, K, Visit<P, K>> ? layout.boundary : 0, total_width);
    kind.mirror_at.assign(layout.mirrors, {0, no_entry});
    for (std::size_t p = 0; p < layout.peers.size(); ++p)
      for (std::size_t i = 0; i < layout.peers[p].total_mirrors.size(); ++i)
        kind.mirror_at[layout.peers[p].total_mirrors[i] - layout.masters()] = {p, i};
  }
}

template <class P, class K, class V>
void init_vertex(Core<P>& core, KindRun<P, K>& kind, LocalId v, V& visit, std::size_t w) {
  Vertices<P, K>& vertices = kind.vertices;
  if constexpr (!present<PublishedType<K>>) {
    core.program.init(vertices.state[v], visit);
  } else if constexpr (is_row<PublishedType<K>>) {
    const auto out = kind.out_row(w);
    core.program.init(vertices.state[v], out, visit);
    if (is_nan(out)) throw_nan<P, K>(kind.layout(), v);
    if (kind.vertices.keeps_published) vertices.published.set(v, out);
  } else {
    const PublishedType<K> value = core.program.init(vertices.state[v], visit);
    if (is_nan(value)) throw_nan<P, K>(kind.layout(), v);
    if (kind.vertices.keeps_published) vertices.published.set(v, value);
  }
}

/// init() and initially_active() of kind K, and its first values at its mirrors. Collective.
template <class P, class K>
void start_kind(Core<P>& core, KindRun<P, K>& kind, std::uint32_t index) {
  core.context.step = {0, index};
  core.begin_step();
  Vertices<P, K>& vertices = kind.vertices;
  const VertexLayout& layout = kind.layout();
  const Work work = cut_work(0, layout.masters(), Adjacency{}, false);
  core.run(work.chunks.size(), [&](std::size_t task, std::size_t w, auto& summary) {
    Visit<P, K> visit(core.context, layout, summary, core.workers[w].scratch,
                      vertices.again.data());
    for (LocalId v = work.chunks[task].first; v < work.chunks[task].last; ++v) {
      visit.at(v);
      if constexpr (inits_values<P, K, Visit<P, K>>) {
        if (!vertices.given) init_vertex(core, kind, v, visit, w);
      }
      if constexpr (requires(const P& p) { p.initially_active(vertices.state[v], visit); })
        vertices.woken[v] = core.program.initially_active(vertices.state[v], visit) ? 1 : 0;
    }
  });
  if constexpr (names_initially_active<P>)
    std::fill(vertices.woken.begin() + layout.masters(), vertices.woken.end(), std::uint8_t{0});
  std::fill(vertices.changed.begin(), vertices.changed.end(), std::uint8_t{1});
  const std::uint64_t tag = message_tag_of(0, index, Channel::values);
  vertices.send_values(core.mailbox, tag);
  vertices.receive_values(core.mailbox, tag);
  vertices.published.settle();
}

}  // namespace gas
