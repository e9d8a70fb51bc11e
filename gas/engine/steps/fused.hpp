#pragma once

#include "gas/base/random.hpp"
#include "gas/engine/gather/covers.hpp"
#include "gas/engine/gather/shards.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// The two steps of a bipartite program whose parameters are gathered from the data end, in one
/// pass over the edges: a data vertex pulls its total, is applied, and at once runs the parameters'
/// gather over the same row of edges, into shards. Data vertices split over ranks, and hubs, go in
/// two passes: their published value is stored, and each rank pushes it along its own edges
/// afterwards, into the same shards.
template <class P>
class FusedGather {
  using D = DataType<P>;
  using W = ParameterType<P>;
  /// Are the shards filled, and added, in every round? Then who adds them leaves them zero.
  static constexpr bool every_round = KindRun<P, D>::every_round;

 public:
  void set_up(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    const VertexLayout& targets = parameter.layout();
    const std::size_t shards = rank_local<P>
                                   ? core.workers.size()
                                   : Shards<AccumulatorType<W>>::count_for(
                                         data.store.adjacency->neighbours.size(), targets.locals());
    shards_.resize(shards, targets.locals(), 0);
    if constexpr (rank_local<P>) {
      covers_ = covers_of(core.mailbox.transport(), targets, *data.store.adjacency, shards);
      cut_orders(data);
    }
    // apply sees the row that the vertex published last.
    stores_ = names_publishes<P> || is_row<PublishedType<D>> || !data.layout().peers.empty() ||
              !data.all.interior.hubs.empty();
    if (!stores_) data.store.published = {};
    data.store.keeps_published = stores_;
  }

  void data_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    // At staleness 0 a mirror's new value comes in this step, else before it, and wakes the mirror.
    swept_ = every_round || !filled_ || !data.store.woken.empty() ||
             (core.waits() && !data.layout().peers.empty());
    filled_ = true;
    if (swept_) data.store.woken.fill();
    const auto partial = [&](LocalId v, std::size_t w) {
      return pull_all(core, data, parameter, v, w);
    };
    run_step(core, data, parameter, AllActive{}, core.context.step.round, partial,
             [&](const Work& interior, auto wanted, auto visit) {
               if (!swept_) return;
               if constexpr (rank_local<P>)
                 push_in_place(core, data, parameter);
               else
                 push_interior(core, data, partial);
               Work hubs;
               hubs.hubs = interior.hubs;
               hubs.pieces = interior.pieces;
               sweep(core, data, parameter, hubs, wanted, partial, visit);
             });
    if (swept_ && stores_) push_stored(core, data);
  }

  void parameter_step(Core<P>& core, KindRun<P, D>& data, KindRun<P, W>& parameter) {
    if (swept_) parameter.store.woken.fill();
    const auto partial = [&](LocalId v, std::size_t) {
      if constexpr (is_running<AccumulatorType<W>> && !every_round)
        if (!swept_) return AccumulatorType<W>{};  // the shards' differences have been added
      return shards_.template sum<every_round>(v);
    };
    run_step(core, parameter, data, AllActive{}, core.context.step.round, partial,
             [&](const Work& interior, auto wanted, auto visit) {
               sweep(core, parameter, data, interior, wanted, partial, visit);
             });
    if (!parameter.store.changed.empty()) data.store.woken.fill();
  }

  // For checkpoints.

  /// What was pushed so far is part of running accumulators. (Others' shards are filled anew.)
  void go_on() { filled_ = true; }
  /// The rows of each shard, as they were last shuffled.
  template <class A>
  void orders(A& archive) requires rank_local<P> {
    archive& orders_;
  }

 private:
  /// Pushes `value` along edges [first, last), whose totals are at hand as a bare pointer.
  [[gnu::always_inline]] static void push_along(const Core<P>& core, const KindRun<P, D>& data,
                                                AccumulatorArray<AccumulatorType<W>>& shard,
                                                const PublishedRead<D> value, EdgeOffset first,
                                                EdgeOffset last) {
    AccumulatorType<W>* const totals = shard.data();
    const LocalId* const neighbours = data.store.adjacency->neighbours.data();
    const auto* const edges = core.edges;
    const P& program = core.program;
    for (EdgeOffset e = first; e < last; ++e) {
      AccumulatorType<W>& total = totals[neighbours[e]];
      if constexpr (GathersNeighbour<P, W>) {
        program.gather(total, value);
      } else {
        program.gather(total, value, edges[e]);
      }
    }
  }

  /// Shard s takes its share of the interior's chunks, in order.
  template <class Partial>
  void push_interior(Core<P>& core, KindRun<P, D>& data, Partial partial) {
    const std::vector<Chunk>& chunks = data.all.interior.chunks;
    const std::size_t shards = shards_.size();
    core.visit_tasks(shards, data, [&](std::size_t shard, std::size_t w, Visit<P, D> visit) {
      AccumulatorArray<AccumulatorType<W>>& totals = shards_[shard];
      if constexpr (!every_round) totals.clear();
      for (std::size_t c = chunks.size() * shard / shards; c < chunks.size() * (shard + 1) / shards;
           ++c)
        push_chunk(core, data, totals, chunks[c], partial, visit, w);
    });
  }

  /// Deals the rows anew: each shard gets its part of every shard's, as they were last shuffled.
  /// Shards that keep their rows need many times the rounds.
  void deal(Core<P>& core) {
    const std::size_t shards = shards_.size();
    if (shards == 1) return;
    dealt_.swap(orders_);
    core.run_tasks(shards, [&](std::size_t shard, std::size_t) {
      orders_[shard].clear();
      for (const std::vector<LocalId>& rows : dealt_)
        for (std::size_t i = rows.size() * shard / shards; i < rows.size() * (shard + 1) / shards;
             ++i)
          orders_[shard].push_back(rows[i]);
    });
  }

  /// Data vertices one after the other, each reading what the rows before it pushed, in an order
  /// drawn anew: the same order again and again leads to the optimum many times slower.
  void push_in_place(Core<P>& core, KindRun<P, D>& data, const KindRun<P, W>& parameter) {
    const EdgeOffset* const offsets = data.store.adjacency->offsets.data();
    const LocalId* const neighbours = data.store.adjacency->neighbours.data();
    const auto* const edges = core.edges;
    const auto values = values_of<P, W>(parameter.store.published);
    const Random drawn = Random(core.context.seed)
                             .stream(core.context.step.round)
                             .stream(static_cast<std::uint64_t>(core.mailbox.transport().rank()));
    deal(core);
    core.visit_tasks(
        shards_.size(), data, [&](std::size_t shard, std::size_t w, Visit<P, D> visit) {
          std::vector<LocalId>& order = orders_[shard];
          const Random random = drawn.stream(shard);
          for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random.below(i, i)]);
          AccumulatorArray<AccumulatorType<W>>& totals = shards_[shard];
          if constexpr (!every_round) totals.clear();
          const auto own = [pushed = totals.data(), covers = covers_.data()](LocalId n) {
            return OwnPushes<AccumulatorType<W>>{pushed[n], covers[n].cover, covers[n].shared};
          };
          Counters& counters = core.workers[w].counters;
          constexpr std::size_t ahead = 4;
          for (std::size_t i = 0; i < order.size(); ++i) {
            const LocalId soon = order[std::min(i + ahead, order.size() - 1)];
            const EdgeOffset reach = std::min(offsets[soon + 1], offsets[soon] + 64);
            for (EdgeOffset e = offsets[soon]; e < reach; e += 64 / sizeof(LocalId)) {
              __builtin_prefetch(neighbours + e);
              __builtin_prefetch(edges + e);
            }
            const LocalId v = order[i];
            const EdgeOffset first = offsets[v], last = offsets[v + 1];
            auto total = gather_in_place<P, D>(core.program, values, own, neighbours + first,
                                               edges + first, last - first);
            visit.at(v);
            push_along(core, data, totals, applied(core, data, v, total, visit, w), first, last);
            counters.gathers += last - first;
            counters.pushes += last - first;
          }
        });
  }

  /// The loops over the edges stay apart from apply, a few rows at a time, so that none breaks the
  /// other's flow and the rows of edges stay in cache between them.
  template <class Partial>
  void push_chunk(Core<P>& core, KindRun<P, D>& data, AccumulatorArray<AccumulatorType<W>>& totals,
                  const Chunk chunk, Partial partial, Visit<P, D>& visit, std::size_t w) {
    const EdgeOffset* const offsets = data.store.adjacency->offsets.data();
    Counters& counters = core.workers[w].counters;
    counters.pushes += offsets[chunk.last] - offsets[chunk.first];
    if constexpr (SmallAccumulator<AccumulatorType<D>> && !is_row<PublishedType<D>>) {
      constexpr LocalId ahead = 16;
      AccumulatorType<D> pulled[ahead];
      PublishedType<D> values[ahead];
      for (LocalId first = chunk.first; first < chunk.last; first += ahead) {
        const LocalId rows = std::min(ahead, chunk.last - first);
        for (LocalId i = 0; i < rows; ++i) pulled[i] = partial(first + i, w);
        for (LocalId i = 0; i < rows; ++i) {
          visit.at(first + i);
          values[i] = applied(core, data, first + i, pulled[i], visit, w);
        }
        for (LocalId i = 0; i < rows; ++i)
          push_along(core, data, totals, values[i], offsets[first + i], offsets[first + i + 1]);
      }
    } else {
      for (LocalId v = chunk.first; v < chunk.last; ++v) {
        visit.at(v);
        auto total = partial(v, w);
        push_along(core, data, totals, applied(core, data, v, total, visit, w), offsets[v],
                   offsets[v + 1]);
      }
    }
  }

  /// Applies v; what neighbours are to read of it, kept only if someone else reads it, too.
  template <class Accumulator>
  [[gnu::always_inline]] PublishedRead<D> applied(Core<P>& core, KindRun<P, D>& data, LocalId v,
                                                  Accumulator& total, Visit<P, D>& visit,
                                                  std::size_t w) {
    ++core.workers[w].counters.applies;
    if constexpr (!is_row<PublishedType<D>>)
      if (!stores_) {
        PublishedRead<D> given;
        publish<P, D>(
            data.store, v, {},
            [&] { return core.program.apply(data.store.state[v], total, visit); },
            [&](const auto& now) { given = now; });
        return given;
      }
    apply_and_publish(core.program, data.store, v, total, visit, w);
    return data.store.published[v];
  }

  /// Hubs, boundary masters and mirrors push from their stored values, cut into the shards by
  /// edges.
  void push_stored(Core<P>& core, KindRun<P, D>& data) {
    struct Piece {
      LocalId vertex;
      EdgeOffset first, last;
    };
    std::vector<Piece> pieces;
    const Adjacency& a = *data.store.adjacency;
    const auto add = [&](LocalId v) {
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; e += piece_edges)
        pieces.push_back({v, e, std::min(e + piece_edges, a.offsets[v + 1])});
    };
    for (const Hub& hub : data.all.interior.hubs) add(hub.vertex);
    for (LocalId v = data.layout().interior; v < data.layout().locals(); ++v) add(v);
    const std::size_t shards = shards_.size();
    core.run_tasks(shards, [&](std::size_t shard, std::size_t w) {
      for (std::size_t i = pieces.size() * shard / shards; i < pieces.size() * (shard + 1) / shards;
           ++i) {
        push_along(core, data, shards_[shard], data.store.published[pieces[i].vertex],
                   pieces[i].first, pieces[i].last);
        core.workers[w].counters.pushes += pieces[i].last - pieces[i].first;
      }
    });
  }

  /// Shards take rows side by side, of about as many edges each.
  void cut_orders(const KindRun<P, D>& data) {
    const std::vector<Chunk>& chunks = data.all.interior.chunks;
    const std::size_t shards = shards_.size();
    orders_.resize(shards);
    dealt_.resize(shards);
    for (std::size_t shard = 0; shard < shards; ++shard)
      for (std::size_t c = chunks.size() * shard / shards; c < chunks.size() * (shard + 1) / shards;
           ++c)
        for (LocalId v = chunks[c].first; v < chunks[c].last; ++v) orders_[shard].push_back(v);
  }

  Shards<AccumulatorType<W>> shards_;
  std::vector<std::vector<LocalId>> orders_, dealt_;  // in place: the rows of each shard
  std::vector<Cover> covers_;                         // in place
  bool stores_ = false;  // data vertices' published values are kept, not only passed on
  bool swept_ = false;   // this round's data step ran
  bool filled_ = false;  // the shards hold whole totals, those of the last data step that ran
};

}  // namespace gas
