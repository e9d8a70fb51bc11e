#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "loaders/load_graph.hpp"

namespace gas::loaders {

/// Of one kind of ids.
struct CountedIds {
  double different = 0;
  double largest = 0;  // number; 0 of names
};

/// What one pass over INPUT finds.
struct WholeCount {
  double edges = 0;
  double units = 0;                 // sum of the values of edges, 1 each without
  double sources = 0, targets = 0;  // rows and columns, where the format numbers them
  CountedIds source, target, both;  // in each column, and in both
};

/// Reads all of INPUT, of the format `options.format`, in pieces. Takes up to twice as long as
/// loading on one thread, and 32 MiB beside a piece. Different ids are counted by how many places
/// of a bitmap their hashes leave empty (Whang, Vander-Zanden, Taylor 1990), to 1 % for up to 10⁹.
/// InputError as the loaders throw it. Local.
WholeCount count_whole(std::span<const std::string> paths, const GraphOptions& options,
                       std::size_t piece_bytes = std::size_t{8} << 20);

}  // namespace gas::loaders
