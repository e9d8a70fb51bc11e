#pragma once

#include <cstdint>
#include <utility>

#include "gas/base/random.hpp"
#include "gas/engine/run/rank_core.hpp"
#include "gas/engine/summary.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// What all visits of one step share on one rank.
template <class P>
struct StepContext {
  Step step;
  std::uint32_t bucket = 0;  // that is run, of a round by buckets
  std::uint64_t seed = 1;
  std::uint64_t counts[2] = {0, 0};  // vertices of each kind in the whole graph
  Summaries<P> last;
};

template <class P, class K>
struct ById;

/// By which a visit names other vertices, if the program does.
template <class P, class K>
struct ByIdOfWorker {};
template <class P, class K>
requires by_id<P, K>
struct ByIdOfWorker<P, K> {
  ById<P, K>* all = nullptr;
  std::size_t worker = 0;
};

/// What init, initially_active, reads, apply and scatter of one vertex may know and do. Valid
/// during the call only. Scatter of a split vertex runs on its mirrors too, where the private state
/// is a default-constructed one, scratch() is not what apply left, and again() does nothing.
template <class P, class K>
class Visit {
 public:
  Visit(const StepContext<P>& context, const VertexLayout& layout, SummaryType<P>& summary,
        ScratchType<P>& scratch, std::uint8_t* again, ByIdOfWorker<P, K> by_id)
      : context_(context),
        layout_(layout),
        summary_(summary),
        scratch_(scratch),
        again_(again),
        by_id_(by_id) {}

  /// For the engine: the vertex that is visited from here on; did one ask for another visit since
  /// this was last called?
  void at(LocalId v) { vertex_ = v; }
  bool asked() { return std::exchange(asked_, false); }
  /// For the engine: counts an apply, in a register where a store to memory would keep the compiler
  /// from hoisting what hooks read out of loops.
  void count_apply() { ++applies_; }
  std::uint64_t applies() const { return applies_; }

  /// The row of this vertex in its kind, 0 … count()−1.
  VertexId id() const { return layout_.rows[vertex_]; }
  /// Edges of this vertex over all ranks (plain graph: in and out).
  std::uint32_t degree() const requires(!complete<P>) {
    return layout_.in_degree[vertex_] + (OneKind<P> ? layout_.out_degree[vertex_] : 0);
  }
  std::uint32_t in_degree() const requires OneKind<P> { return layout_.in_degree[vertex_]; }
  std::uint32_t out_degree() const requires OneKind<P> { return layout_.out_degree[vertex_]; }
  /// Vertices of this kind, of kind Other, in the whole graph.
  std::uint64_t count() const { return context_.counts[kind_index<K>()]; }
  template <class Other>
  std::uint64_t count() const {
    static_assert(is_kind<P, Other>,
                  "count<Kind>: Kind must be a kind of vertices of this program");
    return context_.counts[kind_index<Other>()];
  }
  /// Rounds of the engine so far, this one included, whatever run they belong to.
  std::uint64_t round() const { return context_.step.round; }
  /// The bucket that is run, where the order is priority at staleness 0.
  std::uint32_t bucket() const requires OneKind<P> { return context_.bucket; }
  /// Is this a round of Engine::run_at_rest?
  bool at_rest() const { return context_.step.at_rest; }

  /// Random numbers of this vertex in this round and step: the same whoever asks, and when.
  Random random() const {
    return Random(context_.seed).stream(2 * round() + context_.step.kind).stream(id());
  }

  /// This step's Summary, to add to; empty at the step's start.
  SummaryType<P>& summary() requires NamesSummary<P> { return summary_; }
  /// The last complete Summary of each kind; at a bound above 0 the newest parts of all ranks.
  const Summaries<P>& last() const { return context_.last; }
  /// This thread's scratch object; holds whatever the last visit on the thread left there.
  ScratchType<P>& scratch() { return scratch_; }
  /// Makes this vertex active in the next round.
  void again() {
    again_[vertex_] = 1;
    asked_ = true;
  }

  /// Adds `value` to what vertex `id` of this kind is offered in this step, wherever it is: it is
  /// active in the next round, and finds the sum of all offers in offered(). The sum must not
  /// depend on their order.
  template <class T>
  void offer(VertexId id, const T& value) requires present<OffersType<K>> {
    OffersType<K> one;
    one += value;
    by_id_.all->offer(id, one, by_id_.worker);
  }
  /// What was offered to this vertex in the step before; empty: nothing.
  OffersType<K> offered() const requires present<OffersType<K>> {
    return by_id_.all->offered(vertex_);
  }
  /// What the vertex that reads() last named for this one published up to this step; if it named
  /// none, what this one did.
  PublishedType<K> read() const requires names_reads<P> { return by_id_.all->read(vertex_); }

 private:
  template <class Kind>
  static constexpr std::size_t kind_index() {
    return TwoKinds<P> && std::is_same_v<Kind, ParameterType<P>> ? 1 : 0;
  }

  const StepContext<P>& context_;
  const VertexLayout& layout_;
  SummaryType<P>& summary_;
  ScratchType<P>& scratch_;
  std::uint8_t* again_;
  LocalId vertex_ = 0;
  bool asked_ = false;
  std::uint64_t applies_ = 0;
  [[no_unique_address]] ByIdOfWorker<P, K> by_id_;
};

}  // namespace gas
