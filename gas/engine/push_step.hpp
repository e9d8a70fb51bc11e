#pragma once

#include "gas/engine/gather_step.hpp"
#include "gas/engine/slots.hpp"

namespace gas {

/// The two steps of a bipartite program whose parameters are gathered from the data end, in one
/// pass over the edges: a data vertex pulls its total, is applied, and at once runs the parameters'
/// gather over the same row of edges, into slots. Data vertices split over ranks, and hubs, go in
/// two passes: their published value is stored, and each rank pushes it along its own edges
/// afterwards, into the same slots.
template <class P>
class PushStep {  // see the specialisation: only programs that fuse have one
 public:
  template <class First, class Second>
  void set_up(Core<P>&, First&, Second&) {}
};

template <class P>
requires fused<P>
class PushStep<P> {
  using D = DataType<P>;
  using W = ParameterType<P>;

 public:
  template <class First, class Second>
  void set_up(Core<P>&, First& data, Second& parameter) {
    const VertexLayout& targets = parameter.layout();
    slots_.resize(
        Slots<TotalType<W>>::count_for(data.adjacency->neighbours.size(), targets.locals()),
        targets.locals(), 0);
    stores_ = names_significant<P> || !data.layout().peers.empty() || !data.interior.hubs.empty();
    if (!stores_) data.vertices.published = {};
    data.vertices.keeps_published = stores_;
  }

  void data_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    const auto any = [](const auto& flags) {
      return std::ranges::any_of(flags, [](auto f) { return f != 0; });
    };
    swept_ = data.always_active || !data.layout().peers.empty() || any(data.vertices.woken) ||
             any(data.vertices.again);
    if (swept_) std::ranges::fill(data.vertices.woken, std::uint8_t{1});
    const auto partial = [&](LocalId v, std::size_t w) {
      const Adjacency& a = *data.adjacency;
      return pull(core, data, parameter, a.offsets[v], a.offsets[v + 1], w);
    };
    gathered_step(core, data, parameter, partial, [&](auto wanted, auto visit) {
      if (swept_) push_interior(core, data, partial);
      Work hubs;
      hubs.hubs = data.interior.hubs;
      hubs.pieces = data.interior.pieces;
      sweep(core, data, parameter, hubs, wanted, partial, visit);
    });
    if (swept_ && stores_) push_stored(core, data);
  }

  void parameter_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    std::ranges::fill(parameter.vertices.woken, static_cast<std::uint8_t>(swept_ ? 1 : 0));
    const auto partial = [&](LocalId v, std::size_t) {
      TotalType<W> total{};
      for (std::size_t s = 0; s < slots_.size(); ++s) total += slots_[s][v];
      return total;
    };
    gathered_step(core, parameter, data, partial, [&](auto wanted, auto visit) {
      sweep(core, parameter, data, parameter.interior, wanted, partial, visit);
    });
    const bool changed =
        std::ranges::any_of(parameter.vertices.changed, [](auto f) { return f != 0; });
    std::ranges::fill(data.vertices.woken, static_cast<std::uint8_t>(changed ? 1 : 0));
  }

 private:
  void push_along(Core<P>& core, const KindRun<P, D>& data, TotalArray<TotalType<W>>& totals,
                  PublishedRead<D> value, EdgeOffset first, EdgeOffset last) {
    const auto edges = core.edge_range(data, first, last);
    for (EdgeOffset e = first; e < last; ++e) {
      TotalType<W>& total = totals[edges.neighbours[e]];
      if constexpr (GathersNeighbour<P, W>) {
        core.program.gather(total, value);
      } else {
        core.program.gather(total, value, edges.data[e]);
      }
    }
  }

  /// Slot s takes its share of the interior's chunks, in order.
  template <class Partial>
  void push_interior(Core<P>& core, KindRun<P, D>& data, Partial partial) {
    const std::vector<Chunk>& chunks = data.interior.chunks;
    const std::size_t slots = slots_.size();
    core.run(slots, [&](std::size_t slot, std::size_t w, auto& summary) {
      TotalArray<TotalType<W>>& totals = slots_[slot];
      totals.clear();
      Counters& counters = core.workers[w].counters;
      Visit<P, D> visit(core.context, data.layout(), summary, core.workers[w].scratch,
                        data.vertices.again.data());
      const Adjacency& a = *data.adjacency;
      for (std::size_t c = chunks.size() * slot / slots; c < chunks.size() * (slot + 1) / slots;
           ++c) {
        for (LocalId v = chunks[c].first; v < chunks[c].last; ++v) {
          visit.at(v);
          auto total = partial(v, w);
          if (stores_) {
            apply_and_publish(core, data, v, total, visit, w);
            push_along(core, data, totals, data.vertices.published[v], a.offsets[v],
                       a.offsets[v + 1]);
          } else {
            ++counters.applies;
            if constexpr (is_row<PublishedType<D>>) {
              const auto out = data.out_row(w);
              core.program.apply(data.vertices.state[v], total, out, visit);
              if (is_nan(out)) throw_nan<P, D>(data.layout(), v);
              push_along(core, data, totals, out, a.offsets[v], a.offsets[v + 1]);
            } else {
              const PublishedType<D> value =
                  core.program.apply(data.vertices.state[v], total, visit);
              if (is_nan(value)) throw_nan<P, D>(data.layout(), v);
              push_along(core, data, totals, value, a.offsets[v], a.offsets[v + 1]);
            }
          }
          counters.pushes += a.degree(v);
        }
      }
    });
  }

  /// Hubs, boundary masters and mirrors push from their stored values, cut into the slots by edges.
  void push_stored(Core<P>& core, KindRun<P, D>& data) {
    struct Piece {
      LocalId vertex;
      EdgeOffset first, last;
    };
    std::vector<Piece> pieces;
    const Adjacency& a = *data.adjacency;
    const auto add = [&](LocalId v) {
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; e += piece_edges)
        pieces.push_back({v, e, std::min(e + piece_edges, a.offsets[v + 1])});
    };
    for (const Hub& hub : data.interior.hubs) add(hub.vertex);
    for (LocalId v = data.layout().interior; v < data.layout().locals(); ++v) add(v);
    const std::size_t slots = slots_.size();
    core.executor->run(
        slots,
        [&](std::size_t slot, std::size_t w) {
          for (std::size_t i = pieces.size() * slot / slots; i < pieces.size() * (slot + 1) / slots;
               ++i) {
            push_along(core, data, slots_[slot], data.vertices.published[pieces[i].vertex],
                       pieces[i].first, pieces[i].last);
            core.workers[w].counters.pushes += pieces[i].last - pieces[i].first;
          }
        },
        [&] { core.mailbox.local_progress(); });
  }

  Slots<TotalType<W>> slots_;
  bool stores_ = false;  // data vertices' published values are kept, not only passed on
  bool swept_ = false;   // this round's data step ran, so the slots hold whole totals
};

}  // namespace gas
