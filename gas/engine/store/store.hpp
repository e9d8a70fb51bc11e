#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/engine/store/published.hpp"
#include "gas/engine/store/vertex_set.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/program/accumulator_array.hpp"

namespace gas {

/// Memory that hooks write a published row or list to: a worker's own.
template <class Published>
class OutMemory {
 public:
  void resize(std::size_t) {}
};
template <class T>
class OutMemory<RowOf<T>> {
 public:
  void resize(std::size_t width) {
    width_ = width;
    memory_.resize(row_stride(width) + 2 * pad);
  }
  RowView<T> get() { return {memory_.data() + pad, width_}; }

 private:
  static constexpr std::size_t pad = 32;  // threads' rows lie cache lines apart
  std::vector<T> memory_;
  std::size_t width_ = 0;
};
template <class T>
class alignas(128) OutMemory<ListOf<T>> {
 public:
  void resize(std::size_t) {}
  std::vector<T>& get() { return list_; }

 private:
  std::vector<T> list_;
};

/// All that one rank keeps of one kind: state, published values, accumulators and flags, and along
/// which edges the kind gathers.
template <class P, class K>
class Store {
 public:
  static constexpr bool snapshot = OneKind<P>;
  static constexpr bool publishes = present<PublishedType<K>>;
  using Accumulator = AppliedAccumulator<K>;

  VertexList<K> state;  // masters
  PublishedArray<P, K, snapshot> published;
  VertexSet changed;               // published a change in the last step; mirrors: it has arrived
  VertexSet woken;                 // to be visited in this kind's next step
  VertexList<std::uint8_t> again;  // by local id, masters count: asked for another visit
  AccumulatorArray<Accumulator> running;                 // of masters, for a running accumulator
  std::vector<WorkingAccumulator<Accumulator>> working;  // one per worker
  AccumulatorArray<Accumulator> hub_pieces;              // partial accumulators of split hubs
  std::size_t published_width = 0;
  std::size_t accumulator_width = 0;
  bool keeps_published = true;  // false: the fused pass alone reads them, and has them at hand
  bool given = false;           // published values were handed over: no init

  const VertexLayout& layout() const { return *layout_; }
  const Adjacency* adjacency = nullptr;  // null: nothing to pull along

  void resize(Executor& executor, const VertexLayout& layout, const Adjacency* edges) {
    const std::size_t workers = executor.workers();
    layout_ = &layout;
    adjacency = edges;
    make_by_all(executor, state, layout.masters());
    published.resize(executor, publishes ? layout.locals() : 0, published_width);
    changed.resize(layout.locals());
    woken.resize(layout.locals());
    woken.fill();
    again.assign(layout.locals(), 0);
    working.resize(workers);
    for (auto& total : working) total.resize(accumulator_width);
    if constexpr (is_running<Accumulator> && !gathers_changes<K>)
      running.resize(layout.masters(), accumulator_width);
    out_.resize(workers);
    for (auto& out : out_) out.resize(published_width);
  }

  bool asks_again() const { return std::ranges::find(again, 1) != again.end(); }

  /// Worker w's row or list for init and apply to write.
  Out<PublishedType<K>> out_row(std::size_t w) requires is_span<PublishedType<K>> {
    return out_[w].get();
  }
  /// The same for a vertex that has published nothing: zeros, or an empty list.
  Out<PublishedType<K>> clean_row(std::size_t w) requires is_span<PublishedType<K>> {
    Out<PublishedType<K>> out = out_row(w);
    if constexpr (is_list<PublishedType<K>>)
      out.clear();
    else
      std::ranges::fill(out, typename PublishedType<K>::Element{});
    return out;
  }

  /// Worker w's accumulator, empty.
  [[gnu::always_inline]] typename WorkingAccumulator<Accumulator>::Ref fresh(std::size_t w) {
    working[w].clear();
    return working[w].get();
  }

  /// The running accumulator of master v with `change` added.
  typename WorkingAccumulator<Accumulator>::Ref keep_running(LocalId v, const Accumulator& change) {
    auto&& kept = running[v];
    combine<Accumulator>(kept, change);
    return kept;
  }

  /// Room for the partial accumulators of so many pieces of hubs, all empty.
  void clear_pieces(std::size_t pieces) {
    if (hub_pieces.size() < pieces)
      hub_pieces.resize(pieces, accumulator_width);
    else
      hub_pieces.clear();
  }

  [[noreturn]] void throw_nan(LocalId v) const {
    const char* kind = !TwoKinds<P>                     ? "vertex"
                       : std::is_same_v<K, DataType<P>> ? "data vertex"
                                                        : "parameter vertex";
    throw RunError(fmt::format("{} {} published NaN (not a number)", kind, layout_->rows[v]));
  }

 private:
  const VertexLayout* layout_ = nullptr;          // the graph's, or by gathers_along
  std::vector<OutMemory<PublishedType<K>>> out_;  // one per worker
};

}  // namespace gas
