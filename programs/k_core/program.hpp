#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "gas/engine/engine.hpp"

namespace gas {

/// Core numbers of a simple graph given by both arcs of every pair, by locality (Montresor, De
/// Pellegrini, Miorandi 2013; Lü, Zhou, Zhang, Stanley 2016): every vertex holds an estimate, its
/// degree at first, and lowers it where fewer than that many neighbours have estimates as high. It
/// need not know their h-index: how many neighbours lie how many powers of two below itself bounds
/// that from above, and is exact where the estimate stands. So estimates only fall, and never below
/// the core numbers; old ones that are read are too high and delay the end, but never change it:
/// under any staleness and order they end as the core numbers. Sums formed under different
/// estimates of their own vertex count those of the higher one as high as they may be, never lower.
struct KCore {
  static constexpr gas::Stands stands = gas::any_staleness;
  /// Neighbours by how far their estimates lie below `cap`: [0] not at all, [j] 2^(j−1) … 2^j − 1.
  struct Neighbours {
    std::uint32_t cap = std::numeric_limits<std::uint32_t>::max();  // the vertex's own estimate
    std::array<std::uint32_t, 33> below{};

    void add(std::uint32_t estimate, std::uint32_t count) {
      below[static_cast<std::size_t>(std::bit_width(cap - std::min(cap, estimate)))] += count;
    }
    /// Under different caps: as if the estimates were the highest that they may be.
    void operator+=(Neighbours other) {
      if (other.cap < cap) std::swap(*this, other);
      for (std::size_t j = 0; j < below.size(); ++j)
        if (other.below[j] > 0) add(other.cap - least(j), other.below[j]);
    }
    /// No h above this one, and at most cap, has h neighbours with estimates of at least h.
    std::uint32_t bound() const {
      std::uint32_t count = 0;
      for (std::size_t j = 0; j < below.size(); ++j) {
        count += below[j];  // those with estimates of at least `low`
        const std::uint32_t low = cap - std::min(cap, most(j));
        if (count >= low) return std::min(cap - least(j), count);
      }
      return 0;
    }
    static std::uint32_t least(std::size_t j) { return j == 0 ? 0 : 1U << (j - 1); }
    static std::uint32_t most(std::size_t j) { return j == 0 ? 0 : ~0U >> (32 - j); }
  };
  struct Vertex {
    std::uint32_t core = 0;
    using Published = std::uint32_t;
    using Accumulator = Neighbours;
  };

  std::uint32_t init(Vertex& at, const auto& v) const { return at.core = v.in_degree(); }
  void gather(Neighbours& all, std::uint32_t estimate, gas::Own<std::uint32_t> own) const {
    all.cap = own.value;
    all.add(estimate, 1);
  }
  std::uint32_t apply(Vertex& at, const Neighbours& all, const auto&) const {
    return at.core = std::min(at.core, all.bound());
  }
};

}  // namespace gas
