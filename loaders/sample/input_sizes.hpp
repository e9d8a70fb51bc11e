#pragma once

#include <optional>
#include <span>
#include <string>

#include "loaders/load_graph.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders {

// How much there is of everything in INPUT, by what its header declares and by a sample of 1 MiB
// (sample_text.hpp). All of this is local; InputError as the loaders throw it.

/// The ids of one kind of vertices.
struct IdSizes {
  double count = 0;       // of different ones
  double least = 0;       // of these, if the sample only suggests the count
  double ends = 0;        // of edges, in the whole
  double seen = 0;        // of these, in the sample
  double different = 0;   // ids among these
  double name_bytes = 0;  // of a name on average; 0: ids are numbers
  double largest = 0;     // number, as far as it is known
  double occurring = 0;   // of different ids in the whole, where they were counted
  bool dense = true;      // ids follow one another, or nearly
  bool local = false;     // edges near each other in the file have the same ids; `different` is as
                          // if edges lay at random

  /// How often an id is drawn is taken to follow a negative binomial distribution, which the sample
  /// fits; this is its size. Of ids that are alike it is large, and that is a Poisson distribution.
  /// The more they differ the smaller it is, and the fewer are seen.
  double alike() const;
  /// How many different ids so many of the ends have, drawn at random.
  double different_in(double some) const;
};

struct GraphSizes {
  Format format = Format::edges;
  bool bipartite = false;
  bool pairs = false;  // by the format each edge counts in both directions
  double edges = 0;
  double value_bytes = 0;  // of an edge's value: 4 or 8, or 0 without
  double units = 1;        // of value per edge: as many edges there are if each unit is one
  IdSizes source, target;  // of a plain graph: what occurs in each column; count: all vertices
  bool by_owner = false;   // edges come by ascending owner end
  bool streamed = false;   // TextSample has it
  double text_bytes = 0;   // unpacked
};

/// `options` as load_graph takes them. `count`: edges and ids of formats that do not declare them
/// are counted, where the text has up to 4 GiB (count_whole.hpp).
GraphSizes graph_sizes(std::span<const std::string> paths, const GraphOptions& options,
                       bool count = false);

struct PointSizes {
  Format format = Format::dense;
  double rows = 0, columns = 0;
  double read_bytes = 4;  // of a coordinate, as it is read
  bool wide = false;      // it stays a double
  bool streamed = false;
  double text_bytes = 0;                  // 0: not text
  std::optional<GraphSizes> sparse = {};  // of points whose zeros are left out
};

/// Points of the rows and columns of such a graph.
PointSizes sparse_sizes(const GraphSizes& graph);

/// `options` as load_points takes them; `count` as for graphs.
PointSizes point_sizes(std::span<const std::string> paths, const PointOptions& options,
                       bool count = false);

}  // namespace gas::loaders
