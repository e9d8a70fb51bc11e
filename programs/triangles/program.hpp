#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/triangles/corners.hpp"

namespace gas {

/// The triangles that each vertex is a corner of, on a simple graph with both arcs of every pair
/// (Schank, Wagner 2005). Vertices are ordered by degree, then by row, so that no vertex has more
/// than √2m higher neighbours, m the number of pairs. Three rounds: each vertex
/// 1. lists its higher neighbours;
/// 2. meets the list of each of them with its own: what both hold closes a triangle of which it is
///    the lowest corner. It counts these by the other two corners, and tells them;
/// 3. adds what its lower neighbours have counted for it.
/// What a round reads must be what the one before it wrote: staleness 0 only.
struct Triangles {
  static constexpr gas::Stands stands{.edge = false,
                                      .reason = "each of its three rounds reads the one before"};
  struct Vertex {
    std::uint64_t triangles = 0;
    std::uint32_t degree = 0;
    /// Its row and its degree; from round 1 its higher neighbours, ascending; from round 2 those
    /// with a triangle, ascending, and after them how many they have with it as lowest corner.
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = Corners;
  };
  using Scratch = std::vector<Corners::Element>;
  using List = std::span<const std::uint32_t>;

  void before_step(gas::Step step, const auto&) { round_ = step.round; }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& round_;
  }
  void init(Vertex& at, std::vector<std::uint32_t>& out, const auto& v) const {
    out = {v.id(), at.degree = v.in_degree()};
  }
  void gather(Corners& corners, List neighbour, gas::Own<Vertex::Published> own) const {
    const bool higher = is_higher(neighbour, own.value);
    if (round_ == 1) {
      if (higher) corners.add(neighbour[0], 1);
    } else if (round_ == 2) {
      if (higher) corners.meet(own.value.subspan(2), neighbour[0], neighbour.subspan(2));
    } else if (round_ == 3 && !higher) {
      const List told = neighbour.subspan(2, (neighbour.size() - 2) / 2);
      const auto at = std::ranges::lower_bound(told, own.value[0]);
      if (at != told.end() && *at == own.value[0])
        corners.add(*at, at[static_cast<std::ptrdiff_t>(told.size())]);
    }
  }
  void apply(Vertex& at, const Corners& corners, std::vector<std::uint32_t>& out, auto& v) const {
    if (round_ > 3) return;
    Scratch& counts = v.scratch();
    counts.assign(corners.elements().begin(), corners.elements().end());
    std::uint64_t sum = 0;
    for (const auto& [row, count] : counts) sum += count;
    if (round_ == 3) {
      at.triangles += sum;
      return;
    }
    if (round_ == 2) at.triangles = sum / 2;
    std::erase_if(counts, [](const auto& element) { return element.count == 0; });
    std::ranges::sort(counts, {}, &Corners::Element::item);
    out.resize(2);
    for (const auto& element : counts) out.push_back(element.item);
    if (round_ == 2)
      for (const auto& element : counts) out.push_back(static_cast<std::uint32_t>(element.count));
  }

 private:
  static bool is_higher(List vertex, List than) {
    return vertex[1] != than[1] ? vertex[1] > than[1] : vertex[0] > than[0];
  }

  std::uint64_t round_ = 0;
};

}  // namespace gas
