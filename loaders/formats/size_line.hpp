#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/load_graph.hpp"

namespace gas::loaders::detail {

/// A first line "n m" of an edge list, which may tell the numbers of vertices and edges. It is not
/// among the edges that are read until find_size_lines has decided.
struct FirstPair {
  std::string file{};
  std::uint64_t line = 0;  // 0: there is none
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t width = 2;  // columns of the next line; if not 2, it cannot be an edge like that
  bool swapped = false;     // as an edge, it leads from m to n: --columns 2,1
  bool alike = true;        // its fields are separated as those of the next line
  std::string text{};       // on rank 0: the line, with its end
  std::string delimiter{};  // on rank 0: what stands in it

  std::uint64_t source() const { return swapped ? edges : vertices; }
  std::uint64_t target() const { return swapped ? vertices : edges; }
};

/// The least and the largest of some ids.
struct IdBounds {
  std::uint64_t least = ~std::uint64_t{0}, largest = 0;

  void add(std::uint64_t id) { add(id, id); }
  void add(std::uint64_t low, std::uint64_t high) {
    least = std::min(least, low);
    largest = std::max(largest, high);
  }
  template <class T>
  void add(std::span<const T> ids) {
    if (ids.empty()) return;
    const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
    add(*low, *high);
  }
};

/// What the first lines of several files come to.
struct SizeLines {
  SizeLine ids;                    // all these are vertices; a count of 0: not told
  std::vector<std::size_t> edges;  // files of which the line is an edge
  std::vector<std::string> notes;  // what the user should know
};

/// Decides which lines tell sizes: the first file's, if as many edges follow in all files as it
/// says and all ids are below n, or from 1 to n; otherwise all, if that holds of each file with
/// edges alone, and the largest n counts. `edges` are those that this rank read of each file, and
/// bounds(file) the ids of these. Collective; InputError if a line could be nothing but sizes and
/// is not (with `excerpt` it is left out), or if some files count from 0 and others from 1.
SizeLines find_size_lines(Communicator& comm, std::span<const FirstPair> lines,
                          std::vector<std::uint64_t> edges,
                          const std::function<IdBounds(std::size_t file)>& bounds, bool excerpt);

}  // namespace gas::loaders::detail
