#include "partition/incidence.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gas/graph/row_set.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {
namespace {

/// The ends of this rank's arcs at vertices of one kind.
struct Ends {
  const EdgeList& edges;
  const std::vector<Part>& edge_part;
  bool sources, targets;

  std::size_t size() const { return edge_part.size() * (sources && targets ? 2 : 1); }

  /// Calls f(row, part, whether it is the target end) for each.
  template <class F>
  void for_each(F f) const {
    const Part* part = edge_part.data();
    edges.for_each_arc([&](VertexId source, VertexId target, std::size_t) {
      if (sources) f(source, *part, false);
      if (targets) f(target, *part, true);
      ++part;
    });
  }
};

/// By a counter for each row, part and end: for few parts.
template <class Found>
void count_in_table(const Ends& ends, std::uint64_t rows, Part parts, Found found) {
  std::vector<std::uint32_t> counts(rows * parts * 2, 0);
  std::uint32_t* const table = counts.data();
  ends.for_each([&](VertexId row, Part part, bool target) {
    ++table[(std::uint64_t{row} * parts + part) * 2 + (target ? 1 : 0)];
  });
  for (std::uint64_t at = 0; at < rows * parts; ++at)
    if (table[2 * at] + table[2 * at + 1] > 0)
      found(Incidence{to_vertex_id(at / parts), static_cast<Part>(at % parts), table[2 * at],
                      table[2 * at + 1]});
}

/// By the list of each row's parts, 4 bytes per end.
template <class Found>
void count_in_lists(const Ends& ends, const RowSet& rows, Part parts, Found found) {
  std::vector<std::uint64_t> begin(std::size_t{rows.size()} + 1, 0);
  ends.for_each([&](VertexId row, Part, bool) { ++begin[rows[row] + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> list(ends.size());  // part × 2, + 1 at a target
  ends.for_each([&](VertexId row, Part part, bool target) {
    list[begin[rows[row]]++] = part * 2 + (target ? 1 : 0);
  });
  // What was the begin of a row is its end now, and the begin of the next one.
  std::vector<std::uint64_t> counts(std::size_t{parts} * 2, 0);
  std::vector<Part> seen;
  std::uint64_t at = 0;
  rows.for_each([&](VertexId row) {
    seen.clear();
    for (const std::uint64_t end = begin[rows[row]]; at < end; ++at) {
      const Part part = list[at] / 2;
      if (counts[2 * part] + counts[2 * part + 1] == 0) seen.push_back(part);
      ++counts[list[at]];
    }
    std::sort(seen.begin(), seen.end());
    for (const Part part : seen)
      found(Incidence{row, part, std::exchange(counts[2 * part], 0),
                      std::exchange(counts[2 * part + 1], 0)});
  });
}

/// Incidences ordered by row, then part, with one of each: those of a rank after those of another.
std::vector<Incidence> merge(std::vector<std::vector<Incidence>> blocks, std::uint64_t first,
                             std::uint64_t rows) {
  std::vector<std::uint64_t> next(rows + 1, 0);
  for (const auto& block : blocks)
    for (const Incidence& copy : block) ++next[copy.row - first + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Incidence> all(next[rows]);
  for (auto& block : blocks) {
    for (const Incidence& copy : block) all[next[copy.row - first]++] = copy;
    block = std::vector<Incidence>();
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size();) {
    const std::span<Incidence> row = [&] {
      std::size_t end = i;
      while (end < all.size() && all[end].row == all[i].row) ++end;
      return std::span(all).subspan(i, end - i);
    }();
    i += row.size();
    std::sort(row.begin(), row.end(),
              [](const Incidence& a, const Incidence& b) { return a.part < b.part; });
    const std::size_t begin = kept;
    for (const Incidence& copy : row) {
      if (kept > begin && all[kept - 1].part == copy.part) {
        all[kept - 1].as_source += copy.as_source;
        all[kept - 1].as_target += copy.as_target;
      } else {
        all[kept++] = copy;
      }
    }
  }
  all.resize(kept);
  return all;
}

}  // namespace

std::vector<Incidence> incidences(Communicator& comm, const EdgeList& edges,
                                  const GraphShape& shape, Kind kind, const Partition& partition) {
  const bool data = kind == Kind::data;
  const Ends ends{edges, partition.edge_part, data, !data || !shape.bipartite};
  const BlockDistribution blocks = data ? source_blocks(comm, shape) : target_blocks(comm, shape);
  std::vector<std::vector<Incidence>> out(static_cast<std::size_t>(comm.size()));
  const auto found = [&](const Incidence& copy) {
    out[static_cast<std::size_t>(blocks.owner(copy.row))].push_back(copy);
  };
  const bool few = blocks.ids * partition.parts * 8 <= 4 * ends.size();  // bytes, as the lists
  if (few && ends.size() <= std::numeric_limits<std::uint32_t>::max())
    count_in_table(ends, blocks.ids, partition.parts, found);
  else
    count_in_lists(ends, data ? source_rows(edges, shape) : target_rows(edges, shape),
                   partition.parts, found);
  if (comm.size() == 1) return std::move(out[0]);  // in order already
  return merge(all_to_all(comm, std::move(out)), blocks.first(comm.rank()),
               blocks.count(comm.rank()));
}

std::span<const Incidence> first_row(std::span<const Incidence> all) {
  std::size_t count = 0;
  while (count < all.size() && all[count].row == all[0].row) ++count;
  return all.first(count);
}

}  // namespace gas::partition
