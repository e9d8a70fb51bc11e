#pragma once

#include <limits>

namespace gas {

/// How much of one kind of vertices a rank has; estimates, so no whole numbers.
struct KindSizes {
  double count = 0;  // in the whole graph
  double masters = 0, boundary = 0, mirrors = 0;
  double alike = 1;  // the size of a negative binomial distribution of edges per vertex
  // Elements that are not zero of a row that one rank has accumulated.
  double nonzeros = std::numeric_limits<double>::infinity();

  double locals() const { return masters + mirrors; }
};

/// What one rank has of a graph that is laid out over the ranks (LocalGraph), by size: what the
/// NAME_bytes functions of the calls take. They say how many bytes a call takes on that rank beside
/// the graph when it takes most, added up from the sizes of its arrays' elements. Local.
struct PieceSizes {
  KindSizes owner;         // plain: all vertices; bipartite: the data side
  KindSizes parameter;     // bipartite: the parameter side
  double edges = 0;        // on this rank
  double value_bytes = 0;  // of an edge's value: 4, 8, or 0 without
  bool symmetric = false;  // plain: each edge has its reverse on the same rank
  int ranks = 1;
  unsigned threads = 1;  // of this rank
};

}  // namespace gas
