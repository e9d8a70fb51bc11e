#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "gas/graph/team.hpp"
#include "gas/graph/types.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {

/// Which vertices have a copy in each part: those of part p are vertex[begin[p]] …
/// vertex[begin[p + 1]], each once.
struct Members {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> vertex;

  Part parts() const { return static_cast<Part>(begin.size() - 1); }
};

/// The parts in which each vertex has a copy. A word per vertex for up to 64 parts, otherwise 4
/// bytes per copy.
class CopySets {
 public:
  /// From the Members of rank 0 (the others' are ignored). Collective.
  CopySets(Team& team, std::uint64_t vertices, const Members& members);

  /// The lowest part in which both have a copy, or no_part.
  Part first_common(std::uint32_t u, std::uint32_t v) const {
    if (words_.empty()) return first_common_of_lists(u, v);
    const std::uint64_t common = words_[u] & words_[v];
    return common != 0 ? static_cast<Part>(std::countr_zero(common)) : no_part;
  }
  /// With up to 64 parts: a bit for each part in which the vertex has a copy.
  bool has_words() const { return !words_.empty(); }
  std::uint64_t word(std::uint32_t v) const { return words_[v]; }

  /// With more: the parts in which both or at least one has a copy, ascending.
  void common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;
  void either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;

 private:
  Part first_common_of_lists(std::uint32_t u, std::uint32_t v) const;

  std::vector<std::uint64_t> words_;  // by vertex, or empty:
  std::vector<std::uint64_t> begin_;  // of each vertex's parts
  std::vector<Part> list_;
};

}  // namespace gas::partition
