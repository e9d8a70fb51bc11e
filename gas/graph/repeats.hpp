#pragma once

#include "gas/graph/sorted_rows.hpp"

namespace gas {

/// Merges repeated edges into the first of them, whose value becomes the sum of theirs; edges
/// without values count as 1. Local.
void add_repeats(SortedRows& rows, unsigned threads);

/// Merges repeated edges, of edges without values. Local.
void drop_repeats(SortedRows& rows, unsigned threads);

/// As many edges as each edge's value says, without values. InputError for a value that is not a
/// whole number from 0 on; RunError where that makes 2³² − 1 edges or more. Local.
void expand_counts(SortedRows& rows, unsigned threads);

}  // namespace gas
