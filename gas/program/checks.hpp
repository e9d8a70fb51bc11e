#pragma once

#include <span>

#include "gas/program/check_apply.hpp"
#include "gas/program/check_by_id.hpp"
#include "gas/program/check_gather.hpp"
#include "gas/program/check_members.hpp"
#include "gas/program/check_whole.hpp"

namespace gas {

namespace checks {

template <class K>
using OutOf = Out<PublishedType<K>>;
template <class P, class K>
using NeighboursOf = PublishedRead<OppositeOf<P, K>>;

// Conjunctions of concepts: what follows a refusal is not looked at.

template <class P, class K, class V>
concept GoodKind = (!has_accumulator<K> || complete<P> ||
                    gather<P, K, AccumulatorType<K>, NeighboursOf<P, K>, EdgeType<P>>()) &&
                   (!is_row<PublishedType<K>> || width<P, PublishedOf<K>>()) &&
                   (!RowAccumulator<AccumulatorType<K>> || width<P, AccumulatorOf<K>>()) &&
                   apply<P, K, AppliedAccumulator<K>, PublishedType<K>, OutOf<K>, V>() &&
                   (!names_init<P> || init<P, K, PublishedType<K>, OutOf<K>, V>()) &&
                   (!names_publishes<P> || !present<PublishedType<K>> ||
                    publishes<P, K, PublishedRead<K>>()) &&
                   (!names_scatter<P> ||
                    scatter<P, K, AppliedAccumulator<K>, NeighboursOf<P, K>, EdgeType<P>, V>()) &&
                   activity<P, K, PublishedType<K>, V>();

template <class P, template <class, class> class Visit>
concept GoodVertex = GoodKind<P, VertexType<P>, Visit<P, VertexType<P>>> &&
    some_kind<P, Visit, VertexType<P>>() &&
    (!names_reads<P> || reads<P, VertexType<P>, Visit<P, VertexType<P>>>());

template <class P, template <class, class> class Visit>
concept GoodDataAndParameter = GoodKind<P, DataType<P>, Visit<P, DataType<P>>> &&
    GoodKind<P, ParameterType<P>, Visit<P, ParameterType<P>>> &&
    some_kind<P, Visit, DataType<P>, ParameterType<P>>();

template <class P, class D, class W, template <class> class Block, template <class> class Targets,
          class V>
concept GoodDense = dense_types<P, D, W>() &&
    dense_hooks<P, D, RowsView<typename InputType<D>::Element>,
                std::conditional_t<present<PackedType<P>>, PackedType<P>,
                                   Block<typename PublishedType<W>::Element>>,
                std::span<AccumulatorType<D>>, std::span<D>, Targets<AccumulatorType<W>>,
                RowView<const typename InputType<D>::Element>, V>();

}  // namespace checks

/// Is P a program that the engine can run? If not, the compiler gives one message that says why.
/// `Visit`, `Step`, `Last`, `Block` and `Targets` are what the engine hands to hooks: it is named
/// here, and looked into only when all that P and its kinds name has proved right.
template <class P, template <class, class> class Visit, class Step, template <class> class Last,
          template <class> class Block, template <class> class Targets>
concept RightProgram =
    checks::check_members<P>() && checks::topology<P>() &&
    checks::by_id_types<P, FirstKind<P>, ParameterType<P>>() &&
    (!complete<P> ||
     checks::GoodDense<
         P, DataType<P>, ParameterType<P>, Block, Targets,
         Visit<P, DataType<P>>>)&&(!OneKind<P> ||
                                   checks::GoodVertex<
                                       P, Visit>)&&(!TwoKinds<P> ||
                                                    checks::GoodDataAndParameter<
                                                        P,
                                                        Visit>)&&(!RowAccumulator<SummaryType<P>> ||
                                                                  checks::width<P, SummaryOf>()) &&
    checks::once<P, FirstKind<P>, ParameterType<P>, Step, Last<P>>();

}  // namespace gas
