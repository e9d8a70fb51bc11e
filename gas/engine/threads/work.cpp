#include "gas/engine/threads/work.hpp"

#include <algorithm>
#include <memory>

namespace gas {

Work cut_work(LocalId first, LocalId last, const Adjacency* adjacency, bool splits_hubs,
              const LocalId* list) {
  Work work;
  work.list = list;
  if (first >= last) return work;
  const bool has_edges = adjacency != nullptr && !adjacency->offsets.empty();
  std::unique_ptr<EdgeOffset[]> listed;  // edges of the list's vertices before each
  if (has_edges && list != nullptr) {
    listed = std::make_unique_for_overwrite<EdgeOffset[]>(last - first + 1);
    EdgeOffset edges = listed[0] = 0;
    for (LocalId i = first; i < last; ++i)
      listed[i + 1 - first] = edges += adjacency->degree(list[i]);
  }
  const auto cost = [&](LocalId from, LocalId to) {
    const EdgeOffset vertices = EdgeOffset{4} * (to - from);
    if (!has_edges) return vertices;
    if (list != nullptr) return vertices + listed[to - first] - listed[from - first];
    return vertices + adjacency->offsets[to] - adjacency->offsets[from];
  };
  const EdgeOffset target = std::clamp<EdgeOffset>(cost(first, last) / 64, 256, piece_edges);
  for (LocalId from = first; from < last;) {
    LocalId to = from + 1;  // the first that costs enough, or the last
    for (LocalId end = last; to < end;) {
      const LocalId middle = to + (end - to) / 2;
      if (cost(from, middle) < target)
        to = middle + 1;
      else
        end = middle;
    }
    const EdgeOffset edges = cost(to - 1, to);
    if (splits_hubs && Work::is_hub(edges)) {
      if (from < to - 1) work.chunks.push_back({from, to - 1});
      const std::size_t pieces = static_cast<std::size_t>((edges + piece_edges - 1) / piece_edges);
      work.hubs.push_back({work.at(to - 1), work.pieces, pieces});
      work.pieces += pieces;
    } else {
      work.chunks.push_back({from, to});
    }
    from = to;
  }
  return work;
}

std::vector<LocalId> by_degree(const Adjacency& adjacency, LocalId count) {
  constexpr LocalId least = 1U << 14U, block = 64, degrees = 64;  // and more edges
  constexpr LocalId looks = 1024;  // blocks that tell whether there is a gain
  if (count < least || adjacency.offsets[count] / 16 > count) return {};
  const LocalId step = std::max<LocalId>(count / block / looks, 1);
  LocalId unlike = 0, looked = 0;
  for (LocalId at = 0; at < count / block; at += step, looked += block)
    for (LocalId v = at * block + 1; v < (at + 1) * block; ++v)
      unlike += adjacency.degree(v) != adjacency.degree(v - 1);
  if (unlike < looked / 4) return {};
  std::vector<LocalId> order(count);
  for (LocalId first = 0; first < count; first += block) {
    const LocalId last = std::min(first + block, count);
    const auto degree = [&](LocalId v) {
      return std::min<EdgeOffset>(adjacency.degree(v), degrees - 1);
    };
    LocalId begin[degrees + 1] = {first};
    for (LocalId v = first; v < last; ++v) ++begin[degree(v) + 1];
    for (LocalId d = 0; d < degrees; ++d) begin[d + 1] += begin[d];
    for (LocalId v = first; v < last; ++v) order[begin[degree(v)]++] = v;
  }
  return order;
}

Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs) {
  return {cut_work(0, layout.interior, adjacency, splits_hubs),
          cut_work(layout.interior, layout.masters(), adjacency, splits_hubs),
          cut_work(layout.masters(), layout.locals(), adjacency, splits_hubs),
          cut_work(layout.interior, layout.masters(), nullptr, false)};
}

Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs,
                std::span<const LocalId> list) {
  const auto before = [&](LocalId v) {
    return static_cast<LocalId>(std::ranges::lower_bound(list, v) - list.begin());
  };
  const LocalId boundary = before(layout.interior), mirrors = before(layout.masters());
  Parts parts{
      cut_work(0, boundary, adjacency, splits_hubs, list.data()),
      cut_work(boundary, mirrors, adjacency, splits_hubs, list.data()),
      cut_work(mirrors, static_cast<LocalId>(list.size()), adjacency, splits_hubs, list.data()),
      cut_work(boundary, mirrors, nullptr, false, list.data())};
  for (Work* part : {&parts.interior, &parts.boundary, &parts.mirrors, &parts.sums})
    part->chosen = true;
  return parts;
}

}  // namespace gas
