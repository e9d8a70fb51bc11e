#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {

/// Which vertices have a copy in each part: those of part p are
/// vertex[begin[p]] … vertex[begin[p + 1]], each once.
struct Members {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> vertex;

  Part parts() const { return static_cast<Part>(begin.size() - 1); }
};

/// A bit per vertex and part, by vertex: set if it has a copy there. Whole
/// words for each vertex.
struct CopyBits {
  CopyBits() = default;
  CopyBits(std::uint64_t vertices, Part parts)
      : words(parts / 64 + (parts % 64 != 0 ? 1 : 0)), bits(vertices * words, 0) {}

  std::size_t words = 0;  // per vertex
  std::vector<std::uint64_t> bits;

  const std::uint64_t* of(std::uint32_t v) const { return bits.data() + v * words; }
  bool has(std::uint32_t v, Part part) const { return (of(v)[part / 64] >> part % 64 & 1U) != 0; }
  void add(std::uint32_t v, Part part) {
    bits[v * words + part / 64] |= std::uint64_t{1} << part % 64;
  }
  void remove(std::uint32_t v, Part part) {
    bits[v * words + part / 64] &= ~(std::uint64_t{1} << part % 64);
  }

  /// With up to 64 parts: a bit for each part in which the vertex has a copy.
  bool has_words() const { return words == 1; }
  std::uint64_t word(std::uint32_t v) const { return bits[v]; }
  /// The parts in which both or at least one has a copy, ascending.
  void common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;
  void either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;
};

/// The parts in which each vertex has a copy.
class CopySets {
 public:
  /// From the Members of rank 0 (the others' are ignored). Collective. A word
  /// per vertex for up to 64 parts, otherwise 4 bytes per copy; beside that
  /// every rank holds the Members once while it goes on.
  CopySets(Communicator& comm, std::uint64_t vertices, Members members);
  /// From the bits of rank 0, to which all ranks' have the same size.
  /// Collective.
  CopySets(Communicator& comm, CopyBits bits);

  /// The lowest part in which both have a copy, or no_part.
  Part first_common(std::uint32_t u, std::uint32_t v) const {
    if (bits_.words == 0) return first_common_of_lists(u, v);
    for (std::size_t word = 0; word < bits_.words; ++word)
      if (const std::uint64_t both = bits_.of(u)[word] & bits_.of(v)[word]; both != 0)
        return static_cast<Part>(word * 64) + static_cast<Part>(std::countr_zero(both));
    return no_part;
  }
  /// What is read first of a vertex that is asked for.
  const void* address(std::uint32_t v) const {
    return bits_.words == 0 ? static_cast<const void*>(&begin_[v]) : bits_.of(v);
  }
  /// As of CopyBits.
  bool has_words() const { return bits_.has_words(); }
  std::uint64_t word(std::uint32_t v) const { return bits_.word(v); }
  void common(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;
  void either(std::uint32_t u, std::uint32_t v, std::vector<Part>& parts) const;

 private:
  Part first_common_of_lists(std::uint32_t u, std::uint32_t v) const;

  CopyBits bits_;                     // or none:
  std::vector<std::uint64_t> begin_;  // of each vertex's parts
  std::vector<Part> list_;
};

}  // namespace gas::partition
