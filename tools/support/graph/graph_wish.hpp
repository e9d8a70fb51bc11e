#pragma once

#include <cstdint>
#include <optional>

#include "gas/graph/local_graph.hpp"
#include "loaders/example_table.hpp"
#include "loaders/format.hpp"
#include "programs/calls/graph.hpp"
#include "programs/calls/matrix.hpp"

namespace gas::tools {

/// Kinds of vertices of a graph; others are refused. two: the columns of an edge list are a kind
/// each.
enum class Kinds { any, one, two };

/// What the values of edges are.
enum class Values {
  unused,        // left out, which a note says
  floats,        // of any size and sign
  lengths,       // floats, at least 0
  wide_lengths,  // the same, doubles where floats do not hold each
  counts,        // whole numbers from 0 to loaders::largest_count
  as_stored      // as the file has them: doubles, weights of vertices (GraphOptions::weights)
};

/// What a tool asks of its graph.
struct GraphWish {
  Kinds kinds = Kinds::any;
  Values values = Values::floats;
  Arcs arcs = Arcs::given;
  Repeats repeats = Repeats::keep;
  Cuts cuts = Cuts::any;
  loaders::Format fallback = loaders::Format::edges;  // where neither --format nor the file tells
  std::optional<std::uint64_t> index_base{};          // libsvm: of the model, without --index-base
  loaders::ExampleTable examples{};                   // csv: what its columns are
  bool occurring = false;                             // columns without an entry are no vertices
  unsigned hash_bits = 0;                 // columns are hashed into 2^hash_bits; 0: they are not
  double parameter_bytes = vertex_bytes;  // that a parameter row takes at least, beside its edges
  double bytes_per_mirror = 8;            // that a round exchanges, for `auto`

  static constexpr double vertex_bytes = 50;  // of any other vertex

  /// How many parameter rows so many columns of INPUT become.
  double rows_of(double columns) const {
    return hash_bits > 0 ? static_cast<double>(std::uint64_t{1} << hash_bits) : columns;
  }
};

/// Pairs of a plain graph, each once, in both directions; no self-loops, no values.
inline GraphWish simple_pairs() {
  return {.kinds = Kinds::one,
          .values = Values::unused,
          .arcs = Arcs::simple,
          .repeats = Repeats::once};
}

}  // namespace gas::tools
