#include <algorithm>
#include <numeric>

#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/method.hpp"

namespace gas::partition {
namespace {

/// Where part `part` begins on a line of length `total` that `parts` parts share equally.
std::uint64_t part_begin(std::uint64_t total, Part part, Part parts) {
  return total / parts * part + total % parts * part / parts;
}

}  // namespace

// Rows lie one after the other on a line, each as long as it weighs and a little
// more (1 % in all), so that rows without weight are spread too. A row belongs to the part in which
// its middle lies.
Partition range_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const HomeRange home = source_home(team, shape);
  std::vector<std::uint64_t> length = weigh_vertices(team, edges, shape, options);
  const std::uint64_t all =
      all_sum(team, std::accumulate(length.begin(), length.end(), std::uint64_t{0}));
  const std::uint64_t scale = all == 0 ? 1 : 100 * (home.rows / all + 1);
  for (std::uint64_t& l : length) l = l * scale + 1;

  const std::uint64_t total = all * scale + home.rows;
  std::uint64_t begin =
      sum_before(team, std::accumulate(length.begin(), length.end(), std::uint64_t{0}));
  std::vector<Part> parts;
  parts.reserve(length.size());
  Part part = 0;
  for (const std::uint64_t l : length) {
    const std::uint64_t middle = begin + l / 2;
    while (part + 1 < options.parts && part_begin(total, part + 1, options.parts) <= middle) ++part;
    parts.push_back(part);
    begin += l;
  }
  const std::size_t parameters =
      shape.bipartite ? target_home(team, shape).count(team.rank()) : std::size_t{0};
  return edge_cut(team, edges, shape, options, std::move(parts),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
