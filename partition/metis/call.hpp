#pragma once

#include <vector>

#include "partition/metis/graph.hpp"

namespace gas::partition {

/// The part of each vertex, by METIS or, where METIS must not be asked (one part, no more vertices
/// than parts, no pair of neighbours), by weight alone: heaviest first into the lightest part.
/// Where METIS leaves a part with more than promised, repair_balance follows; but weights other
/// than edges end as METIS leaves them if a scheme is asked for by name. MetisScheme::better runs
/// both schemes, one after the other, and takes the one that keeps the balance, then the one whose
/// cut pairs weigh less, then the recursive one. Deterministic. Threads of a process take turns:
/// METIS uses the C library's generator. While it runs it takes SIGABRT, which makes it fail, and
/// SIGTERM unless apart_from_sigterm can help. It may remark on standard output. InputError if the
/// weights add up to 2³¹ or more; RunError if METIS fails or returns nonsense.
std::vector<Part> metis_parts(const MetisGraph& graph, const Options& options);

/// From now on standard output goes nowhere while METIS runs. For programs that have their process
/// to themselves: it is the output of all threads.
void drop_remarks_of_metis();

}  // namespace gas::partition
